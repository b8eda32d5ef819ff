"""Train on a first part of the rows, evaluate on the rest: the exact binomial limit for one fixed predictor."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

from pacbayes._core.rows import keep_rows
from pacbayes.certificate import LEARNING_CURVE, REFIT, Choice, Statement, issue, write_curve
from pacbayes.metrics import CodedJudged, Grouping, Judged, Questions
from pacbayes.metrics.statements import Judgement, choices_of
from pacbayes.procedures.base import Issued, Procedure, Sample
from pacbayes.procedures.cautions import find_repetitions

__all__ = [
    "FixedFraction",
    "Learned",
    "Learner",
    "Point",
    "Split",
    "Stop",
    "Tally",
    "find_stop",
    "learning_count",
    "stop_choices",
]


class Tally(NamedTuple):
    """What stands for a number of errors where losses lie between 0 and 1: their sum, and that of their squares."""

    losses: float
    squares: float


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

    def count_errors(self, sample: Sample, start: int, stop: int) -> int | Tally:
        """Count the errors on rows between two positions of the order, for a learning curve; or add up losses."""

    def judge(self, sample: Sample, start: int) -> Judged | CodedJudged:
        """Predict the rows from a position of the order on."""


class Learner(Protocol):
    """Anything that learns a predictor from the first rows of a sample."""

    def learn(self, sample: Sample, count: int) -> Learned:
        """Learn from the first ``count`` rows of the order alone."""


class Point(NamedTuple):
    """A point of a learning curve: a snapshot, and its errors on the rows that came after it.

    Attributes
    ----------
    learned : int
        Rows that the snapshot learned from.
    errors : int or float
        Its errors on the rows after them, as far as they had been looked at; or the sum of its losses.
    rows : int
        How many those were.
    squares : float or None
        The sum of its squared losses, where these lie between 0 and 1.
    """

    learned: int
    errors: float
    rows: int
    squares: float | None = None


class Stop(ABC):
    """When to stop learning and evaluate on the rest of the rows: decided on the rows up to then alone.

    Attributes
    ----------
    where : str
        On what the number of learning rows is chosen: a code as :class:`pacbayes.certificate.Choice` has it.
    """

    where: ClassVar[str]

    @abstractmethod
    def times(self, rows: int) -> tuple[int, ...]:
        """Return the numbers of rows at which it may stop, of so many, ascending; at the last of them it must."""

    def snapshots(self, rows: int) -> tuple[int, ...]:
        """Return the numbers of rows that snapshots learn from, each at the first time after it."""
        del rows
        return ()

    def is_reached(self, curve: Sequence[Point], times: Sequence[int], rows: int, delta: float) -> bool:
        """Return whether to stop at ``times[0]`` or to go on to one of the later times.

        Parameters
        ----------
        curve : sequence of Point
            Snapshots with their errors on the rows before ``times[0]``: all that it is told about the data.
        times : sequence of int
            Now, and the later times.
        rows : int
            How many there are in all.
        delta : float
            That the bound on the judged rows is evaluated at.
        """
        del curve, times, rows, delta
        return True


def learning_count(fraction: float, rows: int, most: int | None = None) -> int:
    """Return how many rows a share of them is, at least one learning row and one judged row, and at most so many."""
    count = min(max(round(fraction * rows), 1), rows - 1)
    return count if most is None else min(count, most)


@dataclass(frozen=True, slots=True)
class FixedFraction(Stop):
    """Learn from a share of the rows that is fixed beforehand, and from no more than ``most`` of them."""

    fraction: float
    most: int | None = None

    where: ClassVar[str] = "given"

    def __post_init__(self) -> None:
        if not 0.0 < self.fraction < 1.0:
            raise ValueError(f"The 'fraction' of FixedFraction must lie in (0, 1). Got {self.fraction!r} instead.")

    def times(self, rows: int) -> tuple[int, ...]:
        """Return the one number of rows."""
        return (learning_count(self.fraction, rows, self.most),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Split(Procedure):
    """A predictor learned on a first part of the rows, bounded by its errors on the rest.

    How many rows are learned from may be chosen on the way, as long as the choice is made on the rows before the stop:
    given those, the rest are still independent draws that the predictor has not seen.

    Attributes
    ----------
    learner : Learner
        What learns.
    stop : Stop
        When to stop learning.
    delta : float
        Allowed probability of failure.
    candidates : int
        How many settings are compared by their certificates on these rows.
    bound : {"clopper_pearson", "chernoff"}
        For the number of errors on the judged rows.
    questions : Questions
        What is stated.
    refit : bool
        Whether a second predictor is learned from all rows, the judged ones among them. It plays no part in the
        certificate, which is not about it.
    """

    learner: Learner
    stop: Stop
    delta: float
    candidates: int = 1
    bound: str = "clopper_pearson"
    questions: Questions = field(default_factory=Questions)
    refit: bool = False

    name: ClassVar[str] = "split"
    made: ClassVar[str] = (
        "The model learned everything from a first part of the rows: scaling, categories, penalty, weights. The number "
        "is computed on the rest, which the model had not learned from when it was fixed."
    )

    def try_out(self, sample: Sample) -> Statement:
        """Train until the stop, evaluate, and return the first statement alone: for comparison, nothing is issued."""
        times = self.stop.times(len(sample.y))
        keep_rows(sample.X, sample.order[: times[-1]])
        count, _ = find_stop(self.learner, self.stop, sample, self.delta / self.candidates * self.questions.first_share)
        judged = self.learner.learn(sample, count).judge(sample, count)
        found = self._judgement().state(judged, self._group(sample, count))
        return issue(self.name, found, delta=self.delta, candidates=self.candidates).statements[0]

    def run(self, sample: Sample) -> Issued:
        """Train until the stop, evaluate and issue."""
        delta = self.delta / self.candidates * self.questions.first_share
        times = self.stop.times(len(sample.y))
        keep_rows(sample.X, sample.order[: times[-1] if len(times) > 1 else 0])  # for snapshots and the learning curve
        count, curve = find_stop(self.learner, self.stop, sample, delta)
        learned = self.learner.learn(sample, count)
        grouping = self._group(sample, count)
        statements = self._judgement().state(learned.judge(sample, count), grouping)  # judged rows are given up here
        certificate = issue(
            self.name,
            statements,
            delta=self.delta,
            candidates=self.candidates,
            choices=[*self._choices(count, curve, learned), *choices_of(self.questions, grouping)],
            notes=(*sample.notes, *find_repetitions(sample.X, sample.y, sample.order[:count])),
            digests=sample.digests() | dict(learned.digests),
            seed=sample.random_state,
        )
        fitted = {**learned.fitted, "n_learning_": count, "curve_": curve}
        if self.refit:  # after everything that is certified
            fitted["refitted_"] = self.learner.learn(sample, len(sample.y)).stored["predictor"]
        return Issued(certificate, fitted, learned.stored)

    def _choices(self, count: int, curve: Sequence[Point], learned: Learned) -> list[Choice]:
        cost = ("candidates", self.candidates) if self.candidates > 1 else ("none", None)
        return [
            *stop_choices(self.stop, count, curve),
            *learned.choices,
            Choice("bound", self.bound, "given"),
            Choice("candidates", self.candidates, "given", *cost),
            *([REFIT] if self.refit else []),
        ]

    def _group(self, sample: Sample, count: int) -> Grouping | None:
        """Return the groups of the judged rows, if rows are grouped."""
        beside = sample.grouping
        found = self.questions.group(type(self).__name__, sample.X) if beside is None else beside
        return None if found is None else found.take(sample.order[count:])

    def _judgement(self) -> Judgement:
        return Judgement(
            questions=self.questions,
            about="predict",
            delta=self.delta / self.candidates,
            assumptions=("iid", "nothing_before", "row_by_row"),
            bound=self.bound,
        )


def find_stop(learner: Learner, stop: Stop, sample: Sample, delta: float) -> tuple[int, tuple[Point, ...]]:
    """Return how many rows to learn from, and the learning curve on the rows before; no row after is looked at."""
    rows = len(sample.y)
    times, sizes = stop.times(rows), stop.snapshots(rows)
    snapshots = _Snapshots(learner, sample)
    for place, now in enumerate(times[:-1]):
        before = times[place - 1] if place else 0
        snapshots.learn(size for size in sizes if before <= size < now)
        curve = snapshots.judge_until(now)
        if stop.is_reached(curve, times[place:], rows, delta):
            return now, curve
    return times[-1], snapshots.judge_until(times[-1])


def stop_choices(stop: Stop, count: int, curve: Sequence[Point]) -> list[Choice]:
    """Return what a certificate records of a stop: how many rows are learned from, and the learning curve."""
    points = [(each.learned, _shown(each), each.rows) for each in curve]
    return [
        Choice("learning_rows", count, stop.where),
        *([Choice(LEARNING_CURVE, write_curve(points), stop.where)] if curve else []),
    ]


class _Snapshots:
    """Snapshots of a learner, and what they got wrong on the rows after them that have been looked at so far."""

    def __init__(self, learner: Learner, sample: Sample) -> None:
        self._learner, self._sample = learner, sample
        self._found: list[tuple[Learned, Point]] = []

    def learn(self, sizes: Iterable[int]) -> None:
        """Add snapshots; what cannot be learned from so few rows yet is no point of the curve."""
        for size in sizes:
            try:
                learned = self._learner.learn(self._sample, size)
            except ValueError:  # a class or a fold without rows; what is wrong with the learner shows at the stop
                continue
            self._found.append((learned, Point(size, 0, 0)))

    def judge_until(self, stop: int) -> tuple[Point, ...]:
        """Look at the rows up to a position of the order, and return the points of the curve."""
        self._found = [(learned, self._judge(learned, point, stop)) for learned, point in self._found]
        return tuple(point for _, point in self._found)

    def _judge(self, learned: Learned, point: Point, stop: int) -> Point:
        start = point.learned + point.rows
        found = learned.count_errors(self._sample, start, stop)
        if isinstance(found, Tally):
            squares = (point.squares or 0.0) + found.squares
            return Point(point.learned, point.errors + found.losses, stop - point.learned, squares)
        return Point(point.learned, point.errors + found, stop - point.learned)


def _shown(point: Point) -> str:
    """Return a number of errors as it is, and a sum of losses with one decimal: enough to draw the curve by."""
    return str(point.errors) if point.squares is None else f"{point.errors:.1f}"
