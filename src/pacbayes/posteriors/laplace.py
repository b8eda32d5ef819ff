"""The Laplace shape: the inverse Hessian of the regularised log-loss."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike
from scipy.special import expit

from pacbayes._core.arguments import to_floats
from pacbayes._core.labels import checked_matrix, label_signs
from pacbayes._core.types import FloatArray, Matrix, RowsLike

__all__ = ["laplace_covariance"]

_ROWS = 8192


def laplace_covariance(
    X: RowsLike,
    y: ArrayLike,
    weights: ArrayLike,
    alpha: float,
    *,
    intercept: bool = False,
    penalise_intercept: bool = True,
) -> FloatArray:
    """Covariance of the Laplace approximation of logistic regression, through a Cholesky factorisation.

    The inverse of ``H = sum_i p_i (1 - p_i) x_i x_i' + alpha I``, the Hessian of ``sum_i log-loss + alpha |w|**2/2``
    at the given weights, where ``p_i`` is the probability of the positive label. The labels do not enter
    it; they are checked, so that a wrong pairing of X and y is noticed.

    Parameters
    ----------
    X : array or sparse matrix, shape (n, d)
        Without the intercept's column if ``intercept`` is set.
    y : array_like, shape (n,)
        Labels of two values.
    weights : array_like, shape (d,) or (d + 1,)
        Where the Hessian is taken, usually the minimiser.
    alpha : float
        Strength of the penalty on the *sum* of losses, positive (``1/C`` of scikit-learn).
    intercept : bool, default=False
        Whether the last weight is an intercept.
    penalise_intercept : bool, default=True
        Whether the penalty covers the intercept, which keeps the covariance finite.

    Returns
    -------
    ndarray, shape (len(weights), len(weights))
        Symmetric and positive definite, ready for :class:`Gaussian`.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = X[:, 0] > X[:, 1]
    >>> pb.laplace_covariance(X, y, [0.5, -0.5], alpha=1.0).shape
    (2, 2)
    """
    owner = "laplace_covariance"
    w = to_floats(owner, "weights", weights)
    if w.ndim != 1 or not np.isfinite(w).all():
        raise ValueError(f"The 'weights' argument of {owner} must be a finite vector. Got shape {w.shape} instead.")
    if not alpha > 0.0 or not np.isfinite(alpha):
        raise ValueError(f"The 'alpha' argument of {owner} must be positive. Got {alpha!r} instead.")
    matrix = checked_matrix(owner, X, w.size - intercept)
    label_signs(owner, y, None, matrix.shape[0])
    hessian = _curvature(matrix, w)
    penalty = np.full(w.size, float(alpha))
    if intercept and not penalise_intercept:
        penalty[-1] = 0.0
    hessian[np.diag_indices_from(hessian)] += penalty
    try:
        factor, lower = scipy.linalg.cho_factor(hessian, lower=True)
    except scipy.linalg.LinAlgError:
        raise ValueError(f"The Hessian in {owner} is not positive definite; increase 'alpha'. Got {alpha!r}.") from None
    inverse = scipy.linalg.cho_solve((factor, lower), np.eye(w.size))
    return np.asarray(0.5 * (inverse + inverse.T))


def _curvature(X: Matrix, weights: FloatArray) -> FloatArray:
    """Return ``sum_i p_i (1 - p_i) x_i x_i'`` over rows, with a last coordinate of ones if there is one weight more."""
    columns = X.shape[1]
    total = np.zeros((weights.size, weights.size))
    for start in range(0, X.shape[0], _ROWS):
        rows = X[start : start + _ROWS]
        p = expit(np.asarray(rows @ weights[:columns]).ravel() + float(weights[columns:].sum()))
        root = np.sqrt(p * (1.0 - p))
        scaled = rows.multiply(root[:, None]).toarray() if hasattr(rows, "multiply") else rows * root[:, None]
        if columns < weights.size:
            scaled = np.column_stack([scaled, root])
        total += scaled.T @ scaled
    return total
