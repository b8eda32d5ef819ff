"""Covariances in the forms users have them: a variance, a vector of variances, a matrix, or a Cholesky factor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from pacbayes._core.arguments import to_floats
from pacbayes._core.arithmetic import ARRAYS
from pacbayes._core.types import FloatArray, Matrix

__all__ = ["Covariance", "checked_covariance", "shape_divergence"]

_SYMMETRY = 1e-8  # relative asymmetry that rounding explains
_ROWS = 4096  # rows of X at a time when they are multiplied by a factor


@dataclass(frozen=True, slots=True, eq=False)
class Covariance:
    """A covariance by its root: a vector of deviations, or a lower triangular factor ``L`` with ``S = L L'``."""

    root: FloatArray

    @property
    def is_diagonal(self) -> bool:
        """Whether the root is a vector."""
        return self.root.ndim == 1

    def matrix(self) -> FloatArray:
        """Return the covariance as a matrix."""
        return np.diag(self.root**2) if self.is_diagonal else np.asarray(self.root @ self.root.T)

    def spread(self, X: Matrix) -> FloatArray:
        """Return ``x'Sx`` for each row of X, which may lack the last column (an intercept of ones)."""
        if self.is_diagonal:
            return _diagonal_spread(X, self.root**2)
        columns, parts = X.shape[1], []
        for start in range(0, X.shape[0], _ROWS):
            image = X[start : start + _ROWS] @ self.root[:columns]
            if columns < self.root.shape[0]:
                image = image + self.root[columns]
            parts.append(np.einsum("ij,ij->i", image, image))
        return np.concatenate(parts)

    def whitened(self, vectors: FloatArray) -> FloatArray:
        """Return ``S**(-1/2)`` times the columns of ``vectors``."""
        if self.is_diagonal:
            return vectors / self.root[:, None]
        return np.asarray(scipy.linalg.solve_triangular(self.root, vectors, lower=True))

    def relative_root(self, other: Covariance) -> tuple[FloatArray, float]:
        """Return ``A = S**(-1/2) other**(1/2)``, lower triangular: its diagonal, and the sum of squares off it."""
        if self.is_diagonal and other.is_diagonal:
            return other.root / self.root, 0.0
        image = self.whitened(np.diag(other.root) if other.is_diagonal else other.root)
        return np.diagonal(image), float(np.sum(np.tril(image, -1) ** 2))

    def colour(self, noise: FloatArray) -> FloatArray:
        """Return rows of standard normal noise with this covariance."""
        return noise * self.root if self.is_diagonal else noise @ self.root.T


def _diagonal_spread(X: Matrix, variances: FloatArray) -> FloatArray:
    columns = X.shape[1]
    used, rest = variances[:columns], float(variances[columns:].sum())
    if hasattr(X, "multiply"):  # sparse
        return np.asarray(X.multiply(X) @ used).ravel() + rest
    if used.size and np.all(used == used[0]):  # isotropic: one product less per entry
        return np.asarray(np.einsum("ij,ij->i", X, X) * used[0] + rest)
    return np.asarray(np.einsum("ij,ij,j->i", X, X, used) + rest)


def shape_divergence(diagonal: FloatArray, off_diagonal: float, scales: FloatArray) -> FloatArray:
    """Return ``tr(A A') - d - log det(A A')`` of ``A`` times each scale, as a sum of non-negative terms."""
    squares = (scales[..., None] * diagonal) ** 2
    return np.asarray(np.sum(ARRAYS.gap(squares - 1.0, squares), axis=-1) + scales**2 * off_diagonal)


def checked_covariance(covariance: ArrayLike, size: int, *, cholesky: bool) -> Covariance:
    """Return a covariance from any of its forms, or say what is wrong with it."""
    array = to_floats("Gaussian", "covariance", covariance)
    if not np.isfinite(array).all():
        raise ValueError("The 'covariance' argument of Gaussian must be finite. Got NaN or infinity instead.")
    if array.ndim < 2:
        if array.ndim == 1 and array.size != size:
            raise ValueError(
                f"The 'covariance' argument of Gaussian must have one variance per weight ({size}). "
                f"Got {array.size} instead."
            )
        if np.any(array <= 0.0):
            raise ValueError(
                f"The 'covariance' argument of Gaussian must be positive. Got {float(np.min(array))!r} instead."
            )
        root = array if cholesky else np.sqrt(array)
        return Covariance(np.broadcast_to(root, (size,)).copy())
    if array.shape != (size, size):
        raise ValueError(
            f"The 'covariance' argument of Gaussian must be {size} x {size}, as there are {size} weights. "
            f"Got shape {array.shape} instead."
        )
    return Covariance(_factor(array, cholesky=cholesky))


def _factor(array: FloatArray, *, cholesky: bool) -> FloatArray:
    if cholesky:
        if np.any(np.triu(array, 1)) or np.any(np.diagonal(array) <= 0.0):
            raise ValueError(
                "The 'covariance' argument of Gaussian must be a lower triangular Cholesky factor with a positive "
                "diagonal."
            )
        return array
    if np.abs(array - array.T).max() > _SYMMETRY * np.abs(array).max():
        raise ValueError("The 'covariance' argument of Gaussian must be symmetric.")
    try:
        return np.asarray(scipy.linalg.cholesky(array, lower=True))
    except scipy.linalg.LinAlgError:
        raise ValueError(
            "The 'covariance' argument of Gaussian must be positive definite. Its Cholesky factorisation fails."
        ) from None
