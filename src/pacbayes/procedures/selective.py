"""A threshold that is certified: to answer only where a model is sure, or to miss few cases of one class.

Train on a first part of the rows; fix scores and a sequence of thresholds on them; on the judged rows test threshold by
threshold, each only if the one before it passed (:mod:`pacbayes.certificate.sequences` has the proof).

Whether a threshold answers a row follows from that row alone. So given which judged rows it answers, their errors are
independent draws with the true error among answered rows, and the exact binomial tail is a p-value given how many they
are. The same goes for the misses among the rows of a class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pacbayes._core.answers import Answers
from pacbayes._core.predictions import class_numbers
from pacbayes._core.rows import take
from pacbayes._core.steadiness import ask_row_by_row, seed_of
from pacbayes._core.types import BoolArray, Classifier, FloatArray, IntArray, Predictor
from pacbayes.certificate import (
    METRIC_WEIGHTS,
    TARGETS,
    THRESHOLD,
    THRESHOLDS,
    Choice,
    Statement,
    count_passed,
    issue,
    metric_name,
    write_weights,
)
from pacbayes.procedures.aims import Aim, Scored
from pacbayes.procedures.base import Issued, Procedure, Sample
from pacbayes.procedures.cautions import find_repetitions
from pacbayes.procedures.split import Learner, Point, Stop, find_stop, stop_choices
from pacbayes.procedures.thresholds import cross_validate_scores

__all__ = ["Selective"]

_SAME = 1e-5  # what sums in another order or in single precision may change in a score
_ASSUMED = ("iid", "nothing_before", "row_by_row", "target_before")
_BOUND = "clopper_pearson"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selective(Procedure):
    """A predictor learned on a first part of the rows, behind a threshold that is certified on the rest.

    Attributes
    ----------
    learner : Learner
        What learns.
    stop : Stop
        When to stop learning.
    aim : Aim
        What the threshold is for, and what is certified of it.
    delta : float
        Allowed probability of failure.
    beside : float
        Part of delta for what is stated besides: the share of answered rows from below, or the false-positive rate.
        With 0 it is not stated, and the tests have all of delta.
    candidates : int
        How many settings are compared by their certificates on these rows.
    """

    learner: Learner
    stop: Stop
    aim: Aim
    delta: float
    beside: float = 0.1
    candidates: int = 1

    name: ClassVar[str] = "selective"
    made: ClassVar[str] = (
        "The model learned everything from a first part of the rows, and a sequence of thresholds on its scores was "
        "fixed on them, too. On the rest, which the model had not learned from, the thresholds were tested one after "
        "another, each only if the one before it passed; the last that passed is used."
    )

    def run(self, sample: Sample) -> Issued:
        """Train until the stop, fix the thresholds, test them and issue."""
        own = self.delta / self.candidates * (1.0 - self.beside)
        count, curve = find_stop(self.learner, self.stop, sample, own)
        learned = self.learner.learn(sample, count)
        model: Classifier = learned.stored["predictor"]
        scores, wrong = cross_validate_scores(self.learner, sample, count, self.aim.score, model)
        labels = sample.y[sample.order[:count]]
        thresholds = self.aim.place(scores, wrong, labels, len(sample.y) - count, own)
        scored = score_rows(self.aim, model, sample, count)
        tested, threshold = self._test(scored, thresholds, own)
        certificate = issue(
            self.name,
            [tested, *self._beside(scored, threshold, thresholds.size)],
            delta=self.delta,
            candidates=self.candidates,
            choices=self._choices(count, curve, learned.choices, thresholds.size, threshold),
            notes=(*sample.notes, *find_repetitions(sample.X, sample.y, sample.order[:count])),
            digests=sample.digests() | dict(learned.digests),
            seed=sample.random_state,
        )
        predictor = self.aim.apply(model, threshold)
        fitted = {**learned.fitted, "n_learning_": count, "curve_": curve, "predictor_": predictor}
        return Issued(certificate, fitted | {"threshold_": threshold}, {"predictor": predictor})

    def _test(self, scored: Scored, thresholds: FloatArray, delta: float) -> tuple[Statement, float | None]:
        """Test threshold by threshold, and return what is stated with the threshold that is kept, if one is."""
        rows, errors = (each.tolist() for each in self.aim.count(scored, thresholds))
        passed = count_passed(_BOUND, errors, rows, self.aim.target, delta)
        statement = Statement(
            about=self.aim.about,
            quantity=self.aim.quantity,
            label=self.aim.label,
            target=self.aim.target,
            n=rows[passed - 1] if passed else 0,
            observed={"rows_along": rows, "errors_along": errors, "passed": passed},
            bound=_BOUND,
            share=1.0 - self.beside,
            assumptions=_ASSUMED,
        )
        return statement, float(thresholds[passed - 1]) if passed else None

    def _beside(self, scored: Scored, threshold: float | None, steps: int) -> list[Statement]:
        if not self.beside:
            return []
        n, errors = self.aim.count_beside(scored, threshold)
        side = "lower" if self.aim.beside == "coverage" else "upper"
        seen = {"errors": errors, "steps": steps}
        return [
            Statement(
                about=self.aim.about,
                quantity=self.aim.beside,
                side=side,
                label=self.aim.label,
                n=n,
                observed=seen,
                bound=_BOUND,
                share=self.beside,
                assumptions=_ASSUMED,
            )
        ]

    def _choices(
        self, count: int, curve: Sequence[Point], learned: Sequence[Choice], steps: int, threshold: float | None
    ) -> list[Choice]:
        names = [metric_name(each, self.aim.label) for each in (self.aim.quantity, self.aim.beside)]
        weights = write_weights(dict(zip(names, (1.0 - self.beside, self.beside), strict=True)))
        cost = ("candidates", self.candidates) if self.candidates > 1 else ("none", None)
        return [
            *stop_choices(self.stop, count, curve),
            *learned,
            Choice(TARGETS[self.aim.quantity], self.aim.target, "given"),
            Choice(THRESHOLDS, steps, "learning_rows"),
            Choice(THRESHOLD, threshold, "judged_rows", "fixed_sequence"),
            *([Choice(METRIC_WEIGHTS, weights, "given")] if self.beside else []),
            Choice("bound", _BOUND, "given"),
            Choice("candidates", self.candidates, "given", *cost),
        ]


def score_rows(aim: Aim, model: Predictor, sample: Sample, start: int) -> Scored:
    """Predict and score the rows from a position of the order on, asked in several batches and some alone."""
    places, classes = sample.order[start:], np.unique(sample.y)
    labels = sample.y[places]
    truth = np.searchsorted(classes, labels)

    def ask(asked: Predictor, part: IntArray) -> FloatArray:
        rows = take(sample.X, places[part])
        numbers = class_numbers(type(asked).__name__, asked.predict(rows), classes, part.size)
        return np.column_stack([numbers, aim.score(asked, rows)])

    def err(answers: Answers) -> BoolArray:
        numbers = Answers(answers.together[:, 0], [(where, found[:, 0]) for where, found in answers.others])
        return np.asarray(numbers.wrong_where_different(truth) != truth)

    answers = ask_row_by_row(model, ask, places.size, seed_of(sample.seed, labels), within=_SAME, errs=err)
    low, high = answers.together[:, 1].copy(), answers.together[:, 1].copy()
    for where, found in answers.others:
        low[where], high[where] = np.minimum(low[where], found[:, 1]), np.maximum(high[where], found[:, 1])
    return Scored(labels, err(answers) | answers.different(_SAME), low, high)
