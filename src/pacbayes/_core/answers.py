"""What a predictor answered about rows, asked in several batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pacbayes._core.asking import differ
from pacbayes._core.types import BoolArray, FloatArray, IntArray

__all__ = ["Answers"]


@dataclass(frozen=True, slots=True)
class Answers:
    """What a predictor answered, in one large batch and otherwise.

    Attributes
    ----------
    together : ndarray
        For all rows, asked at once; further axes are further answers about a row.
    others : sequence of (positions, answers)
        Other answers about the rows at these positions; those that were the same may be left out.
    """

    together: Any
    others: Sequence[tuple[IntArray, Any]]

    def wrong_where_different(self, truth: IntArray) -> IntArray:
        """Return answers of which each is wrong if any of those about its row is."""
        worst: IntArray = np.array(self.together)
        for positions, answers in self.others:
            right = truth[positions].reshape(-1, *[1] * (worst.ndim - 1))
            worst[positions] = np.where(worst[positions] == right, answers, worst[positions])
        return worst

    def farthest_from(self, truth: FloatArray) -> FloatArray:
        """Return, of the answers about each row, the one that is farthest from the truth."""
        worst: FloatArray = np.array(self.together, dtype=np.float64)
        with np.errstate(over="ignore"):
            for positions, answers in self.others:
                farther = np.abs(answers - truth[positions]) > np.abs(worst[positions] - truth[positions])
                worst[positions] = np.where(farther, answers, worst[positions])
        return worst

    def largest(self, loss: Callable[[Any, IntArray], FloatArray]) -> FloatArray:
        """Return, of the answers about each row, the largest loss; ``loss`` takes answers and their positions."""
        worst: FloatArray = loss(self.together, np.arange(len(self.together)))
        for positions, answers in self.others:
            worst[positions] = np.maximum(worst[positions], loss(answers, positions))
        return worst

    def take(self, rows: IntArray) -> Answers:
        """Return the answers about some of the rows, in the order of their positions."""
        place = np.full(len(self.together), -1)
        place[rows] = np.arange(rows.size)
        kept = [(place[positions], answers) for positions, answers in self.others]
        return Answers(self.together[rows], [(found[found >= 0], answers[found >= 0]) for found, answers in kept])

    def different(self, within: float) -> BoolArray:
        """Return for each row whether its answers differ; where each is NaN they do not."""
        found = np.zeros(len(self.together), dtype=bool)
        for positions, answers in self.others:
            with np.errstate(over="ignore", invalid="ignore"):  # two numbers may lie farther apart than any double
                unequal = differ(answers, before := self.together[positions]) & ~(np.abs(answers - before) <= within)
            found[positions] |= unequal.reshape(len(positions), -1).any(axis=1)
        return found
