"""Learn on a first part of the rows, judge on the rest: the exact binomial limit for one fixed predictor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
from sklearn.base import clone

from pacbayes import metrics
from pacbayes._core.predictions import class_numbers, wrong_labels
from pacbayes._core.rows import take
from pacbayes._core.steadiness import ask_row_by_row, seed_of
from pacbayes._core.types import Classifier, IntArray
from pacbayes.certificate import Choice, Statement, issue
from pacbayes.metrics import Judged
from pacbayes.procedures.base import Issued, Procedure, Sample
from pacbayes.procedures.cautions import find_repetitions

__all__ = ["ClassifierLearner", "Learned", "Learner", "Split", "learning_count"]


class Learned(Protocol):
    """A predictor that is fixed before the judged rows are looked at."""

    @property
    def choices(self) -> Sequence[Choice]:
        """What was chosen on the learning rows."""

    @property
    def digests(self) -> Mapping[str, str]:
        """SHA-256 of what was fitted, by name."""

    @property
    def fitted(self) -> Mapping[str, Any]:
        """What an estimator keeps, under the names of its attributes."""

    @property
    def stored(self) -> Mapping[str, Any]:
        """The predictor's stored form."""

    def judge(self, sample: Sample, start: int) -> Judged:
        """Predict the rows from a position of the order on."""


class Learner(Protocol):
    """Anything that learns a predictor from the first rows of a sample."""

    def learn(self, sample: Sample, count: int) -> Learned:
        """Learn from the first ``count`` rows of the order alone."""


def learning_count(fraction: float, rows: int) -> int:
    """Return how many rows a share of them is, at least one of which learns and one of which judges."""
    return min(max(round(fraction * rows), 1), rows - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Split(Procedure):
    """A predictor learned on a first part of the rows, bounded by its errors on the rest.

    Attributes
    ----------
    learner : Learner
        What learns.
    fraction : float
        Share of the rows to learn from.
    delta : float
        Allowed probability of failure.
    candidates : int
        How many settings are compared by their certificates on these rows.
    bound : {"clopper_pearson", "chernoff"}
        For the number of errors on the judged rows.
    metrics : tuple of str
        What is stated: names of :data:`pacbayes.metrics.METRICS`.
    """

    learner: Learner
    fraction: float
    delta: float
    candidates: int = 1
    bound: str = "clopper_pearson"
    metrics: tuple[str, ...] = ("error",)

    name: ClassVar[str] = "split"
    made: ClassVar[str] = (
        "The model learned everything from a first part of the rows: scaling, categories, penalty, weights. The number "
        "is computed on the rest, which the model had not learned from when it was fixed."
    )

    def run(self, sample: Sample) -> Issued:
        """Learn, judge and issue."""
        count = learning_count(self.fraction, len(sample.y))
        learned = self.learner.learn(sample, count)
        judged = learned.judge(sample, count)
        cost = ("candidates", self.candidates) if self.candidates > 1 else ("none", None)
        certificate = issue(
            self.name,
            [self._statement(name, judged) for name in self.metrics],
            delta=self.delta,
            candidates=self.candidates,
            choices=[
                Choice("learning_rows", count, "given"),
                *learned.choices,
                Choice("bound", self.bound, "given"),
                Choice("candidates", self.candidates, "given", *cost),
            ],
            notes=(*sample.notes, *find_repetitions(sample.X, sample.y, sample.order[:count])),
            digests=sample.digests() | dict(learned.digests),
            seed=sample.random_state,
        )
        return Issued(certificate, {**learned.fitted, "n_learning_": count}, learned.stored)

    def _statement(self, name: str, judged: Judged) -> Statement:
        """State one metric; all of them share delta evenly, so that they hold together."""
        metric = metrics.get(name)
        found = metric.observe(judged)
        if found.n < 1:
            raise ValueError(f"The metric {name!r} is about none of the {len(judged.labels)} judged rows.")
        return Statement(
            about="predict",
            quantity=metric.quantity,
            n=found.n,
            observed=found.observed,
            bound=self.bound,
            share=1.0 / len(self.metrics),
            assumptions=("iid", "nothing_before", "row_by_row"),
        )


@dataclass(frozen=True, slots=True)
class ClassifierLearner:
    """Any classifier or pipeline of scikit-learn's kind; it is cloned before it learns."""

    classifier: Classifier

    def learn(self, sample: Sample, count: int) -> LearnedClassifier:
        """Fit on the first rows of the order."""
        rows = sample.order[:count]
        model = clone(self.classifier)
        return LearnedClassifier(model.fit(take(sample.X, rows), sample.y[rows]))


@dataclass(frozen=True, slots=True)
class LearnedClassifier:
    """A fitted classifier."""

    model: Classifier
    choices: tuple[Choice, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)

    @property
    def fitted(self) -> dict[str, Any]:
        """What an estimator keeps."""
        return {"estimator_": self.model}

    @property
    def stored(self) -> dict[str, Any]:
        """The fitted classifier itself."""
        return {"predictor": self.model}

    def judge(self, sample: Sample, start: int) -> Judged:
        """Predict the rows from a position of the order on; what depends on the batch is wrong."""
        rows = sample.order[start:]
        labels, classes = sample.y[rows], np.unique(sample.y)

        def ask(model: Classifier, part: IntArray) -> IntArray:
            return class_numbers(type(model).__name__, model.predict(take(sample.X, rows[part])), classes, part.size)

        truth = np.searchsorted(classes, labels)
        answers = ask_row_by_row(self.model, ask, rows.size, seed_of(sample.seed, labels), truth=truth)
        found = answers.wrong_where_different(truth)
        return Judged(labels, wrong_labels(found, labels, classes))
