"""The role of a metric: what is asked of a predictor on the judged rows.

To add one: a file beside this one with a class that has the members of :class:`Metric`, a line in ``METRICS`` of
``metrics/questions.py``, and the words for its quantity in ``certificate/quantities.py``, which sentences and reports
read. Procedures that judge rows then take it by its name. What else depends on a metric follows from the record of its
quantity there: whether it has a class, how many rows verification and a plan take it to be about, its bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np

from pacbayes._core.answers import Answers
from pacbayes._core.exact import equals_exactly
from pacbayes._core.labels import equals_text, label_text
from pacbayes._core.types import BoolArray, FloatArray, IntArray, Labels

__all__ = ["Judged", "Metric", "Observation"]


@dataclass(frozen=True, slots=True)
class Judged:
    """Judged rows: what is true and what was predicted.

    Attributes
    ----------
    labels, predictions : ndarray
        Of the judged rows, in their order.
    scale : float or None
        Of predictions that are numbers: what their errors are measured by, fixed before these rows were looked at.
    classes : ndarray or None
        The classes that there are, sorted, also those that no row is of; None for those among the labels.
    unsteady : ndarray of bool or None
        Rows that were answered differently in another batch; every metric that they may belong to counts them as
        errors.
    probabilities : Answers or None
        The probabilities of the classes, in their order, as they were answered in several batches.
    assumptions : tuple of str
        What has to be assumed besides what every procedure does: codes of :mod:`pacbayes.certificate.assumptions`.
    unknown : ndarray of bool or None
        Rows whose prediction is none of the classes; ``predictions`` may hold any wrong label for them. None where
        ``predictions`` are what was predicted.
    """

    labels: Labels
    predictions: Labels
    scale: float | None = None
    classes: Labels | None = None
    unsteady: BoolArray | None = None
    probabilities: Answers | None = None
    assumptions: tuple[str, ...] = ()
    unknown: BoolArray | None = None

    @property
    def known_classes(self) -> Labels:
        """The classes that there are."""
        return np.unique(self.labels) if self.classes is None else self.classes

    @property
    def doubted(self) -> BoolArray:
        """For each row whether its answer depends on its batch."""
        return np.zeros(len(self.labels), dtype=bool) if self.unsteady is None else self.unsteady

    @property
    def unsure(self) -> BoolArray:
        """For each row whether what is taken for its prediction stands for another one."""
        return self.doubted if self.unknown is None else self.doubted | self.unknown

    def of_class(self, text: str) -> tuple[BoolArray, BoolArray]:
        """Return of each row whether its label, and whether its prediction, is the class that a text names.

        The text is looked for among the classes alone. Rows are then compared with that class by value, as the error
        compares them: the prediction 1 is the class True, though their texts differ.
        """
        named = [each for each in self.known_classes if label_text(each) == text]
        if not named:  # of these rows none has that label; predictions may have
            return equals_text(self.labels, text), equals_text(self.predictions, text)
        return _equal_any(self.labels, named), _equal_any(self.predictions, named)

    def take(self, rows: IntArray) -> Judged:
        """Return some of the rows, in the order of their positions."""
        return replace(
            self,
            labels=self.labels[rows],
            predictions=self.predictions[rows],
            classes=self.known_classes,
            unsteady=None if self.unsteady is None else self.unsteady[rows],
            unknown=None if self.unknown is None else self.unknown[rows],
            probabilities=None if self.probabilities is None else self.probabilities.take(rows),
        )

    @property
    def measure(self) -> float:
        """The scale, which predictions that are numbers must have."""
        if self.scale is None:
            raise ValueError("A loss of predicted numbers needs a scale. Got none instead.")
        return self.scale


def _equal_any(values: Labels, wanted: Sequence[object]) -> BoolArray:
    found = np.zeros(len(values), dtype=bool)
    for each in wanted:
        found |= equals_exactly(values, each)
    return found


@dataclass(frozen=True, slots=True)
class Observation:
    """What a metric observed: on how many rows, and which counts.

    Attributes
    ----------
    n : int
        The rows that it is about: all judged rows, or those of one class. Whether a row counts is decided from that
        row alone, or the binomial limit would not hold. A metric about no row at all is stated, and says nothing.
    observed : mapping
        Counts, as :class:`pacbayes.certificate.Statement` records them. "errors" is the count that is bounded; with
        "rows" there is one of each per class.
    losses : ndarray or None
        In place of a count: losses between 0 and 1, in the order of the judged rows, whose mean is bounded.
    scale : float or None
        What errors were measured by.
    doubted : int
        Errors of a count that may be none: rows whose answer depends on their batch. An upper limit counts them as
        errors; a lower one must not.
    """

    n: int
    observed: Mapping[str, int | list[int]]
    losses: FloatArray | None = None
    scale: float | None = None
    doubted: int = 0

    def __add__(self, later: Observation) -> Observation:
        """Return what would be observed on these rows and later ones together."""
        counts = {name: _add(value, later.observed[name]) for name, value in self.observed.items()}
        losses = None
        if self.losses is not None and later.losses is not None:
            losses = np.concatenate([self.losses, later.losses])
        return Observation(self.n + later.n, counts, losses, self.scale, self.doubted + later.doubted)


def _add(one: int | list[int], two: int | list[int]) -> int | list[int]:
    if isinstance(one, list) and isinstance(two, list):
        return [a + b for a, b in zip(one, two, strict=True)]
    return int(one) + int(two)  # type: ignore[arg-type]


class Metric(Protocol):
    """What is certified."""

    needs_probabilities: ClassVar[bool]  # whether it reads those of the judged rows, so that a predictor must have them

    @property
    def quantity(self) -> str:
        """What its number is called: a name of :data:`pacbayes.certificate.QUANTITIES`."""

    @property
    def label(self) -> str | None:
        """The class that it is about, as text; None if it is about all of them."""

    def observe(self, judged: Judged) -> Observation:
        """Count on the judged rows; the true share of "errors" among the rows it is about is what is bounded."""
