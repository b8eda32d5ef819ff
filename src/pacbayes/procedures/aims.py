"""What a threshold is for: to answer only where a model is sure, or to miss few cases of one class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from pacbayes._core.labels import equals_text, label_text
from pacbayes._core.types import BoolArray, Classifier, FloatArray, IntArray, Labels, Predictor, Rows
from pacbayes.learners import AbstainingClassifier, ShiftedClassifier, class_score, confidence_of
from pacbayes.procedures.thresholds import place_by_class, place_by_confidence

__all__ = ["Abstention", "Aim", "FewMisses", "Scored"]


@dataclass(frozen=True, slots=True)
class Scored:
    """Judged rows with their scores.

    Attributes
    ----------
    labels : ndarray
    wrong : ndarray of bool
        Rows that are predicted wrongly, or differently in another batch.
    low, high : ndarray
        The least and the largest score that each row got in any batch.
    """

    labels: Labels
    wrong: BoolArray
    low: FloatArray
    high: FloatArray


class Aim(Protocol):
    """What a sequence of thresholds is tested for."""

    about: ClassVar[str]
    quantity: ClassVar[str]
    beside: ClassVar[str]

    @property
    def target(self) -> float:
        """What is stated of the threshold that is kept."""

    @property
    def label(self) -> str | None:
        """The class that it is about, as text; None if it is about all of them."""

    def score(self, model: Predictor, rows: Rows) -> FloatArray:
        """Return the scores of rows, between 0 and 1."""

    def place(self, scores: FloatArray, wrong: BoolArray, labels: Labels, rows: int, delta: float) -> FloatArray:
        """Return the thresholds in the order in which they are tested, from scores of learning rows."""

    def count(self, scored: Scored, thresholds: FloatArray) -> tuple[IntArray, IntArray]:
        """Return at each threshold how many judged rows it is about, and how many of them are errors, at most."""

    def count_beside(self, scored: Scored, threshold: float | None) -> tuple[int, int]:
        """Return the same of what is stated besides, at the threshold that was kept, if one was."""

    def apply(self, model: Classifier, threshold: float | None) -> AbstainingClassifier | ShiftedClassifier:
        """Return the classifier behind the threshold."""


@dataclass(frozen=True, slots=True)
class Abstention:
    """Answer where the model is sure, such that the error among answered rows is at most a target.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.procedures.aims import Abstention, Scored
    >>> scored = Scored(np.arange(3), np.array([False, True, False]), *2 * [np.array([0.9, 0.7, 0.6])])
    >>> [each.tolist() for each in Abstention(0.05).count(scored, np.array([0.8, 0.65, 0.0]))]
    [[1, 2, 3], [0, 1, 1]]
    """

    target: float
    about: ClassVar[str] = "answers"
    quantity: ClassVar[str] = "selective_error"
    beside: ClassVar[str] = "coverage"
    label: ClassVar[str | None] = None

    def score(self, model: Predictor, rows: Rows) -> FloatArray:
        """Return how sure the model is of its answers."""
        return confidence_of(model, rows)

    def place(self, scores: FloatArray, wrong: BoolArray, labels: Labels, rows: int, delta: float) -> FloatArray:
        """Return thresholds from a good start to 0."""
        del labels
        return place_by_confidence(scores, wrong, rows, self.target, delta)

    def count(self, scored: Scored, thresholds: FloatArray) -> tuple[IntArray, IntArray]:
        """Count answered rows, and errors among them; both counts together are the worst of all batches.

        One more error among one more row raises the limit, and one right row less does, too. So a row that is wrong
        counts as answered if it is in any batch, and a row that is right if it is in all.
        """
        reached = np.where(scored.wrong, scored.high, scored.low)
        return _reach(reached, thresholds), _reach(reached[scored.wrong], thresholds)

    def count_beside(self, scored: Scored, threshold: float | None) -> tuple[int, int]:
        """Count the rows that are not answered."""
        answered = 0 if threshold is None else int(np.count_nonzero(scored.low >= threshold))
        return scored.low.size, scored.low.size - answered

    def apply(self, model: Classifier, threshold: float | None) -> AbstainingClassifier:
        """Return the classifier that abstains."""
        return AbstainingClassifier(model, threshold)


@dataclass(frozen=True, slots=True)
class FewMisses:
    """Give a class from so low a score on that at most a target of its rows are missed.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.procedures.aims import FewMisses, Scored
    >>> scored = Scored(np.array([1, 1, 0]), np.zeros(3, dtype=bool), *2 * [np.array([0.9, 0.3, 0.6])])
    >>> [each.tolist() for each in FewMisses(0.05, 1).count(scored, np.array([0.0, 0.5]))]
    [[2, 2], [0, 1]]
    """

    target: float
    positive: object
    about: ClassVar[str] = "shifted"
    quantity: ClassVar[str] = "fnr"
    beside: ClassVar[str] = "fpr"

    @property
    def label(self) -> str | None:
        """The class, as text."""
        return label_text(self.positive)

    def score(self, model: Predictor, rows: Rows) -> FloatArray:
        """Return how sure the model is of the class."""
        return class_score(model, rows, self.positive)

    def place(self, scores: FloatArray, wrong: BoolArray, labels: Labels, rows: int, delta: float) -> FloatArray:
        """Return thresholds from 0, which misses nothing, to where too many are missed."""
        del wrong, rows, delta
        return place_by_class(scores[self._is_of(labels)], self.target)

    def count(self, scored: Scored, thresholds: FloatArray) -> tuple[IntArray, IntArray]:
        """Count the rows of the class, and those of them that are missed in any batch."""
        own = scored.low[self._is_of(scored.labels)]
        return np.full(thresholds.size, own.size), own.size - _reach(own, thresholds)

    def count_beside(self, scored: Scored, threshold: float | None) -> tuple[int, int]:
        """Count the rows of other classes, and those of them that are taken for the class in any batch."""
        others = scored.high[~self._is_of(scored.labels)]
        taken = others.size if threshold is None else int(np.count_nonzero(others >= threshold))
        return others.size, taken

    def apply(self, model: Classifier, threshold: float | None) -> ShiftedClassifier:
        """Return the classifier with its threshold."""
        return ShiftedClassifier(model, threshold, self.positive)

    def _is_of(self, labels: Labels) -> BoolArray:
        return equals_text(labels, label_text(self.positive))


def _reach(scores: FloatArray, thresholds: FloatArray) -> IntArray:
    """Return how many scores reach each threshold."""
    ordered = np.sort(scores)
    return np.asarray(ordered.size - np.searchsorted(ordered, thresholds, side="left"))
