"""A second-order learner that updates after every single example at a cost of d**2."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg.blas import dsymv, dsyr
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin

from pacbayes._core.labels import checked_matrix, label_signs, two_classes
from pacbayes._core.types import FloatArray, Labels, Matrix, RowsLike

__all__ = ["RecursiveLogistic"]

_LEAST_CURVATURE = 1e-4  # an example that is already certain still counts a little, as its certainty may be wrong


class RecursiveLogistic(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Logistic regression by a recursive Newton step per example (an extended Kalman filter).

    After each example the inverse of ``penalty I + sum p (1 - p) x x'`` gets a rank-one update and the weights one
    Newton step. It is not the exact minimiser, but close to it, and sees each example once.

    Parameters
    ----------
    penalty : float, default=1.0
        Strength of the initial ridge penalty, on the sum of losses; the intercept is penalised too.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> y = (X @ [1.0, -1.0, 0.5] > 0).astype(int)
    >>> losses = pb.RecursiveLogistic().progressive_losses(X, y, classes=(0, 1))
    >>> float(losses[:50].mean()) > float(losses[-200:].mean())
    True
    """

    def __init__(self, penalty: float = 1.0) -> None:
        self.penalty = penalty

    def partial_fit(self, X: RowsLike, y: ArrayLike, classes: ArrayLike | None = None) -> RecursiveLogistic:
        """Update with each row in turn."""
        self._run(X, y, classes)
        return self

    def fit(self, X: RowsLike, y: ArrayLike) -> RecursiveLogistic:
        """Start anew and update with each row in turn."""
        if hasattr(self, "weights_"):
            del self.weights_
        return self.partial_fit(X, y)

    def progressive_losses(self, X: RowsLike, y: ArrayLike, classes: ArrayLike | None = None) -> FloatArray:
        """Predict each row, then update with it; return the 0-1 losses."""
        return self._run(X, y, classes)

    def _run(self, X: RowsLike, y: ArrayLike, classes: ArrayLike | None) -> FloatArray:
        owner = "RecursiveLogistic"
        if not self.penalty > 0.0:
            raise ValueError(f"The 'penalty' parameter of {owner} must be positive. Got {self.penalty!r} instead.")
        matrix = checked_matrix(owner, X)
        rows = matrix.toarray() if hasattr(matrix, "toarray") else matrix
        if not hasattr(self, "weights_"):
            self._begin(rows.shape[1] + 1, y, classes)
        positive = label_signs(owner, y, self.classes_, rows.shape[0]) > 0.0
        losses = np.empty(rows.shape[0])
        padded = np.column_stack([rows, np.ones(rows.shape[0])])
        for index, (x, label) in enumerate(zip(padded, positive.tolist(), strict=True)):
            losses[index] = self._update(x, label)
        return losses

    def _begin(self, size: int, y: ArrayLike, classes: ArrayLike | None) -> None:
        self.classes_ = two_classes("RecursiveLogistic", y, classes)
        self.weights_ = np.zeros(size)
        self._inverse = np.asfortranarray(np.eye(size) / self.penalty)
        self.n_features_in_ = size - 1

    def _update(self, x: FloatArray, label: bool) -> bool:
        """Return whether the prediction was wrong, after learning from the example."""
        score = float(self.weights_ @ x)
        p = float(expit(score))
        curvature = max(p * (1.0 - p), _LEAST_CURVATURE)
        image = dsymv(1.0, self._inverse, x, lower=0)
        gain = curvature / (1.0 + curvature * float(image @ x))
        # Sherman-Morrison on the upper triangle, in place; the weights then take one Newton step with the new inverse
        self._inverse = dsyr(-gain, image, a=self._inverse, overwrite_a=1, lower=0)
        self.weights_ += (float(label) - p) * (1.0 - gain * float(image @ x)) * image
        return (score > 0.0) != label

    def decision_function(self, X: Matrix) -> FloatArray:
        """Return ``w.x`` plus the intercept."""
        return np.asarray(np.asarray(X @ self.weights_[:-1]).ravel() + self.weights_[-1])

    def predict(self, X: Matrix) -> Labels:
        """Return the positive label where the decision function is positive."""
        return self.classes_[(self.decision_function(X) > 0.0).astype(np.int64)]
