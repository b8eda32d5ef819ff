"""A weighted majority vote of fitted classifiers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pacbayes._core.predictions import class_numbers
from pacbayes._core.types import FloatArray, IntArray, Labels, Predictor, Rows

__all__ = ["WeightedVote"]


class WeightedVote:
    """Fitted classifiers that vote, each with a weight that is a whole number, so that sums of weights are exact.

    The answer is the class with the largest weight, and among classes with the same weight the first. A voter's answer
    that is none of the classes counts for nothing.

    Parameters
    ----------
    voters : sequence of classifiers
        Fitted.
    weights : array_like of int
        One for each voter, not negative; their sum is at most 2**53.
    classes : array_like
        The labels, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.learners import OneClass, WeightedVote
    >>> vote = WeightedVote([OneClass("no"), OneClass("yes"), OneClass("no")], [2, 5, 1], ["no", "yes"])
    >>> vote.predict(np.zeros((2, 1))).tolist(), vote.predict_proba(np.zeros((1, 1))).tolist()
    (['yes', 'yes'], [[0.375, 0.625]])
    """

    def __init__(self, voters: Sequence[Predictor], weights: Sequence[int] | IntArray, classes: Labels) -> None:
        self.voters_ = list(voters)
        self.weights_: IntArray = np.asarray(weights, dtype=np.int64)
        self.classes_: Labels = np.asarray(classes)

    def predict(self, X: Rows) -> Labels:
        """Return the class with the largest weight for each row."""
        return np.asarray(self.classes_[np.argmax(self._votes(X), axis=1)])

    def predict_proba(self, X: Rows) -> FloatArray:
        """Return the share of the weight that each class has in each row."""
        return np.asarray(self._votes(X) / self.weights_.sum())

    def _votes(self, X: Rows) -> IntArray:
        count = int(X.shape[0])
        votes = np.zeros((count, self.classes_.size), dtype=np.int64)
        for voter, weight in zip(self.voters_, self.weights_.tolist(), strict=True):
            if weight:
                found = class_numbers(type(voter).__name__, voter.predict(X), self.classes_, count)
                known = np.flatnonzero(found >= 0)
                votes[known, found[known]] += weight
        return votes
