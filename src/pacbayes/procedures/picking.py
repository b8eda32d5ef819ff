"""Pick-to-learn: a learner that picks, round by round, the rows it is most wrong on, and learns from these alone.

Why the rule is as it is: ``docs/theory.md``, section 17. What a round picks depends on the rows picked before and on
the rows that are still wrong, in a strict order by margin and then by place in the shuffled order; how many it picks
depends on how many were picked before. So the rule ends with the same rows on any part of the rows that has them, and a
row that it does not pick and gets right in the end changes nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
from sklearn.base import clone

from pacbayes import bounds
from pacbayes._core.predictions import class_numbers
from pacbayes._core.rows import take
from pacbayes._core.steadiness import seed_of
from pacbayes._core.types import BoolArray, Classifier, FloatArray, IntArray, Labels, Predictor
from pacbayes.certificate import GROWTH, KEPT_ROUND, PICKED, ROUNDS, Choice, Statement, issue, rows_per_round
from pacbayes.learners import OneClass, RefittedLogistic, margin_of
from pacbayes.procedures.base import Issued, Procedure, Sample
from pacbayes.procedures.cautions import find_repetitions
from pacbayes.procedures.classifier_learner import judge_classes

__all__ = ["PICKING_BOUNDS", "Picked", "Picking"]

# by the name that estimators have for it: the bound of the catalogue
PICKING_BOUNDS = {"pick_to_learn": "pick_to_learn", "compression": "compression_binomial"}
_ASSUMED = ("iid", "nothing_before", "row_by_row", "rule_before")


class Picked(NamedTuple):
    """A point of the path: how many rows were picked, and how many of the others are wrong.

    Attributes
    ----------
    size : int
        Rows picked so far.
    errors : int
        Errors on the rows that could have been picked and were not.
    """

    size: int
    errors: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Picking(Procedure):
    """A predictor learned from rows that it picked itself, bounded by how many these are and by the errors left.

    Attributes
    ----------
    learner : classifier
        Cloned for each round; it learns from the first rows and from those picked so far.
    delta : float
        Allowed probability of failure.
    first : float
        Share of the rows that teach the first predictor and are never judged; 0 for none.
    rounds : int or None
        Most rounds; None goes on until nothing is wrong.
    growth : float
        Each round picks at most this share of the rows picked before, and at least one row.
    early_stopping : bool
        Whether the round with the smallest bound is kept, in place of the last.
    bound : {"pick_to_learn", "compression"}
        Chosen beforehand.
    candidates : int
        How many settings are compared by their certificates on these rows.
    progress : bool
        Whether rounds are shown on stderr.
    """

    learner: Classifier
    delta: float
    first: float = 0.0
    rounds: int | None = 40
    growth: float = 0.25
    early_stopping: bool = True
    bound: str = "pick_to_learn"
    candidates: int = 1
    progress: bool = False

    name: ClassVar[str] = "pick_to_learn"
    made: ClassVar[str] = (
        "The model learned from a part of the rows, which it picked itself: in each round those that it was most wrong "
        "on. The number follows from how many rows it picked, and from its errors on the rows that it did not pick."
    )
    proves: ClassVar[tuple[str, ...]] = ("picked_again", "not_collection")

    def run(self, sample: Sample) -> Issued:
        """Pick until nothing is wrong or the rounds are over, keep one round, and issue."""
        count = min(round(self.first * len(sample.y)), len(sample.y) - 1)
        path = _Path(self.learner, sample, count)
        path.follow(self.rounds, self.growth, shown=self.progress)
        kept = self._keep(path, len(sample.y) - count)
        model, size = path.models[kept], path.points[kept].size
        if model is None:
            raise ValueError("To learn from no first rows, rows must be picked in at least one round. Got no rounds.")
        picked, rest = path.picked[:size], path.rest_after(size)
        labels = sample.y[rest]
        errors = 0
        if rest.size:
            judged = judge_classes(model, sample.X, labels, path.classes, seed_of(sample.seed, labels), rows=rest)
            errors = int(np.count_nonzero(judged.predictions != judged.labels))
        learned = np.concatenate([sample.order[:count], picked])
        certificate = issue(
            self.name,
            [self._statement(len(sample.y) - count, size, errors)],
            delta=self.delta,
            candidates=self.candidates,
            choices=self._choices(count, kept),
            notes=(*sample.notes, *find_repetitions(sample.X, sample.y, learned)),
            digests=sample.digests(),
            seed=sample.random_state,
        )
        fitted = {"estimator_": model, "picked_": picked, "n_learning_": count, "path_": tuple(path.points)}
        return Issued(certificate, fitted, {"predictor": model, "picked": picked})

    @property
    def looks(self) -> int:
        """Return among how many rounds one is chosen by its bound: those that were allowed beforehand."""
        chosen = self.early_stopping and self.bound == "pick_to_learn" and self.rounds is not None
        return self.rounds + 1 if chosen and self.rounds is not None else 1

    def _numbers(self, size: int, errors: int) -> dict[str, int]:
        numbers = {"size": size, "errors": errors}
        return numbers | {"looks": self.looks} if self.bound == "pick_to_learn" else numbers

    def _keep(self, path: _Path, rows: int) -> int:
        """Return the round that is kept: of those with the smallest bound the first, or the last round."""
        start = int(path.models[0] is None)
        if not self.early_stopping or len(path.points) == start:
            return len(path.points) - 1
        sizes, errors = (np.array(each) for each in zip(*path.points[start:], strict=True))
        numbers = {"size": sizes, "errors": errors}
        if self.bound == "pick_to_learn":
            numbers["looks"] = np.full(sizes.shape, self.looks)
        record = bounds.get(PICKING_BOUNDS[self.bound])
        return start + int(np.argmin(record.function(**numbers, n=rows, delta=self.delta / self.candidates)))

    def _statement(self, rows: int, size: int, errors: int) -> Statement:
        return Statement(
            about=PICKED,
            n=rows,
            observed=self._numbers(size, errors),
            bound=PICKING_BOUNDS[self.bound],
            assumptions=_ASSUMED,
        )

    def _choices(self, count: int, kept: int) -> list[Choice]:
        cost = ("candidates", self.candidates) if self.candidates > 1 else ("none", None)
        looks = ("looks", self.looks) if self.bound == "pick_to_learn" else ("all_sets", None)
        chosen = Choice(KEPT_ROUND, kept, "judged_rows", *looks)
        return [
            Choice("learning_rows", count, "given"),
            Choice(ROUNDS, self.rounds, "given"),
            Choice(GROWTH, self.growth, "given"),
            *([chosen] if self.early_stopping else []),
            Choice("bound", PICKING_BOUNDS[self.bound], "given"),
            Choice("candidates", self.candidates, "given", *cost),
        ]


class _Path:
    """The rounds of one run: what was picked, in its order, and a model and its errors after each round."""

    def __init__(self, learner: Classifier, sample: Sample, count: int) -> None:
        self._learner, self._sample = _seeded(learner, sample.seed), sample
        self._first, self._others = sample.order[:count], sample.order[count:]
        self.classes: Labels = np.unique(sample.y)
        self.picked: IntArray = np.zeros(0, dtype=self._others.dtype)
        self.models: list[Predictor | None] = []
        self.points: list[Picked] = []

    def follow(self, rounds: int | None, growth: float, *, shown: bool = False) -> None:
        """Learn and pick, round by round, until nothing is wrong or the rounds are over."""
        left = np.ones(self._others.size, dtype=bool)
        while True:
            self._learn()
            places = self._wrong(np.flatnonzero(left))
            self.points.append(Picked(self.picked.size, places.size))
            if shown:
                _report(len(self.points) - 1, rounds, self.points[-1])
            if not places.size or (rounds is not None and len(self.points) > rounds):
                return
            new = places[: rows_per_round(self.picked.size, growth)]
            left[new] = False
            self.picked = np.concatenate([self.picked, self._others[new]])

    def rest_after(self, size: int) -> IntArray:
        """Return the rows that were not picked when so many were, in the shuffled order."""
        return self._others[~np.isin(self._others, self.picked[:size])]

    def _learn(self) -> None:
        rows = np.concatenate([self._first, self.picked])
        labels = self._sample.y[rows]
        found = np.unique(labels)
        if found.size < 2:  # before there is a row at all, no predictor: every answer counts as wrong
            self.models.append(OneClass(found[0]) if found.size else None)
            return
        before = self.models[-1] if self.models else None
        # a solver that continues from its last solution: that follows from what was picked, too
        again = isinstance(self._learner, RefittedLogistic) and isinstance(before, RefittedLogistic)
        model: Any = deepcopy(before) if again else clone(self._learner)
        self.models.append(model.fit(take(self._sample.X, rows), labels))

    def _wrong(self, places: IntArray) -> IntArray:
        """Return the places of rows that the last model gets wrong, the worst first; ties as they were shuffled."""
        rows, model = self._others[places], self.models[-1]
        if not places.size or model is None:
            return places
        given, labels = take(self._sample.X, rows), self._sample.y[rows]
        answers = class_numbers(type(model).__name__, model.predict(given), self.classes, rows.size)
        wrong: BoolArray = answers != np.searchsorted(self.classes, labels)
        if not wrong.any():
            return places[:0]
        margins: FloatArray = margin_of(model, take(given, np.flatnonzero(wrong)), labels[wrong])
        return places[wrong][np.argsort(margins, kind="stable")]


def _report(done: int, rounds: int | None, point: Picked) -> None:
    limit = "" if rounds is None else f" of at most {rounds}"
    sys.stderr.write(f"round {done}{limit}: {point.size} rows picked, {point.errors} of the others wrong\n")
    sys.stderr.flush()


def _seeded(learner: Classifier, seed: int) -> Classifier:
    """Return a copy whose random states are set, wherever they were left open: each round draws the same."""
    copied: Any = clone(learner)
    names: Sequence[str] = [
        name
        for name, value in copied.get_params(deep=True).items()
        if value is None and name.rpartition("__")[2] == "random_state"
    ]
    if names:
        copied.set_params(**dict.fromkeys(names, seed))
    return cast("Classifier", copied)
