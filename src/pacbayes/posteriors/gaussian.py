"""Gaussian posteriors over linear weights, with the exact expected 0-1 loss."""

from __future__ import annotations

import math
from typing import overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr
from sklearn.utils import check_random_state

from pacbayes._core.arguments import check_range, to_floats
from pacbayes._core.labels import checked_matrix, label_signs
from pacbayes._core.types import FloatArray, FloatOrArray, Grid, Matrix, RandomState, RowsLike
from pacbayes.posteriors._covariance import Covariance, checked_covariance, shape_divergence
from pacbayes.posteriors._density import log_density_ratio

__all__ = ["Gaussian"]

_SMALLEST, _LARGEST = 1e-280, 1e280  # of x'Sx: beyond, digits may be lost
_BLOCK = 16_384  # margins at a time over the whole grid, so that they stay in cache


class Gaussian:
    """A Gaussian over the weights of a linear classifier that predicts the positive label where ``w.x > 0``.

    Parameters
    ----------
    mean : array_like, shape (d,) or (C, d)
        Two classes, or one row of weights per class (whose 0-1 loss needs :class:`MonteCarlo`).
    covariance : array_like
        A variance (isotropic), a vector of variances (diagonal), a matrix, or with ``cholesky=True`` its lower
        triangular factor. For ``C`` classes over all ``C * d`` weights in row order.
    intercept : bool, default=False
        Whether the last coordinate is an intercept, that is, whether X lacks a column of ones at its end.
    cholesky : bool, default=False
        Whether ``covariance`` is a factor: a deviation, a vector of them, or a lower triangular matrix.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> posterior, prior = pb.Gaussian([1.0, -0.5], 0.1), pb.Gaussian([0.0, 0.0], 1.0)
    >>> round(posterior.kl(prior), 6)
    2.027585
    >>> X, y = np.array([[1.0, 0.0], [0.5, 2.0]]), np.array([1, 0])
    >>> posterior.zero_one(X, y).round(6).tolist()  # the exact probability of an error on each example
    [0.000783, 0.221551]
    """

    def __init__(
        self, mean: ArrayLike, covariance: ArrayLike, *, intercept: bool = False, cholesky: bool = False
    ) -> None:
        centre = to_floats("Gaussian", "mean", mean)
        if centre.ndim not in (1, 2) or centre.size == 0 or not np.isfinite(centre).all():
            raise ValueError(
                "The 'mean' argument of Gaussian must be finite, with one weight per feature or one row per class. "
                f"Got shape {centre.shape} instead."
            )
        self.mean = centre
        self.intercept = intercept
        self._covariance = checked_covariance(covariance, centre.size, cholesky=cholesky)

    @classmethod
    def _of(cls, mean: FloatArray, covariance: Covariance, intercept: bool) -> Gaussian:
        return cls(mean, covariance.root, intercept=intercept, cholesky=True)

    def __repr__(self) -> str:
        kind = "diagonal" if self._covariance.is_diagonal else "full"
        return f"Gaussian({self.mean.shape} weights, {kind} covariance, intercept={self.intercept})"

    @property
    def covariance(self) -> FloatArray:
        """The covariance as a matrix."""
        return self._covariance.matrix()

    @property
    def root(self) -> FloatArray:
        """A root of the covariance: a vector of deviations, or its lower triangular factor."""
        return self._covariance.root

    def scaled(self, scale: float) -> Gaussian:
        """Return the Gaussian with covariance times ``scale**2``."""
        return self._of(self.mean, Covariance(self._covariance.root * float(scale)), self.intercept)

    def moved(self, towards: ArrayLike, step: float) -> Gaussian:
        """Return the Gaussian with mean ``mean + step (towards - mean)``."""
        return self._of(self.mean + step * (self._direction(towards)), self._covariance, self.intercept)

    def _direction(self, towards: ArrayLike) -> FloatArray:
        target = to_floats("Gaussian", "towards", towards)
        if target.shape != self.mean.shape:
            raise ValueError(
                f"The 'towards' argument of Gaussian must have the shape of its mean {self.mean.shape}. "
                f"Got {target.shape} instead."
            )
        return np.asarray(target - self.mean)

    @overload
    def kl(
        self, prior: Gaussian, *, scales: float = ..., towards: ArrayLike | None = ..., steps: float = ...
    ) -> float: ...

    @overload
    def kl(
        self, prior: Gaussian, *, scales: Grid, towards: ArrayLike | None = ..., steps: ArrayLike = ...
    ) -> FloatArray: ...

    @overload
    def kl(
        self, prior: Gaussian, *, scales: ArrayLike = ..., towards: ArrayLike | None = ..., steps: Grid
    ) -> FloatArray: ...

    def kl(
        self, prior: Gaussian, *, scales: ArrayLike = 1.0, towards: ArrayLike | None = None, steps: ArrayLike = 0.0
    ) -> FloatOrArray:
        """Divergence from a prior, exact and without cancellation; on a grid of scales and steps if asked.

        Parameters
        ----------
        prior : Gaussian
            Over the same weights.
        scales, towards, steps
            As in :meth:`zero_one`; the result has shape ``steps.shape + scales.shape``.

        Returns
        -------
        float or ndarray
        """
        if not isinstance(prior, Gaussian) or prior.mean.shape != self.mean.shape:
            raise ValueError(
                f"The 'prior' argument of Gaussian.kl must be a Gaussian over weights of shape {self.mean.shape}. "
                f"Got {prior!r} instead."
            )
        factors, fractions = _checked_grid("Gaussian.kl", scales, steps)
        shape = shape_divergence(*prior._covariance.relative_root(self._covariance), factors)
        offset = (self.mean - prior.mean).ravel()
        direction = np.zeros_like(offset) if towards is None else self._direction(towards).ravel()
        columns = prior._covariance.whitened(np.stack([offset, direction], axis=1))
        path = columns[:, 0] + fractions[..., None] * columns[:, 1]
        distance = np.sum(path * path, axis=-1)
        value = 0.5 * (shape + distance.reshape(fractions.shape + (1,) * factors.ndim))
        return value if value.shape else float(value)

    def log_ratio(self, prior: Gaussian, weights: ArrayLike) -> float:
        """Logarithm of this density over a prior's at given weights, rounded up; it may be negative.

        What is charged for one draw from a posterior that is kept, in place of the divergence: its mean over draws.

        Examples
        --------
        >>> import pacbayes as pb
        >>> posterior, prior = pb.Gaussian([1.0, -0.5], 0.1), pb.Gaussian([0.0, 0.0], 1.0)
        >>> [round(posterior.log_ratio(prior, weights), 6) for weights in ([1.2, -0.4], [2.0, 0.0])]
        [2.852585, -1.947415]
        """
        point = to_floats("Gaussian.log_ratio", "weights", weights)
        if not isinstance(prior, Gaussian) or prior.mean.shape != self.mean.shape:
            raise ValueError(
                f"The 'prior' argument of Gaussian.log_ratio must be a Gaussian over weights of shape "
                f"{self.mean.shape}. Got {prior!r} instead."
            )
        if point.shape != self.mean.shape or not np.isfinite(point).all():
            raise ValueError(
                f"The 'weights' argument of Gaussian.log_ratio must be finite and of shape {self.mean.shape}. "
                f"Got shape {point.shape} instead."
            )
        return log_density_ratio(point.ravel(), self.mean.ravel(), self.root, prior.mean.ravel(), prior.root)

    def zero_one(
        self,
        X: RowsLike,
        y: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        scales: ArrayLike = 1.0,
        towards: ArrayLike | None = None,
        steps: ArrayLike = 0.0,
    ) -> FloatArray:
        """Exact expected 0-1 loss of each example, ``Phi(-s m.x / sqrt(x'Sx))`` with the label's sign ``s``.

        Without variance along ``x`` the prediction is certain: positive where ``m.x > 0``, negative where it is 0 or
        less.

        Parameters
        ----------
        X : array or sparse matrix, shape (n, d)
            Without the intercept's column if ``intercept`` is set.
        y : array_like, shape (n,)
            Labels of any two values; the larger is the positive one.
        classes : array_like of two labels, optional
            The negative and the positive label, needed where ``y`` may hold only one of them.
        scales : array_like, default=1.0
            Grid of factors on the standard deviations.
        towards, steps : array_like
            Grid of means ``mean + step (towards - mean)``.

        Returns
        -------
        ndarray, shape ``steps.shape + scales.shape + (n,)``
            The projections ``m.x`` and ``x'Sx`` are computed once for the whole grid.

        Examples
        --------
        >>> import pacbayes as pb
        >>> posterior = pb.Gaussian([2.0], 1.0)
        >>> posterior.zero_one([[1.0], [-1.0]], ["no", "yes"], scales=[1.0, 0.5]).round(4).tolist()
        [[0.9772, 0.9772], [1.0, 1.0]]
        """
        owner = "Gaussian.zero_one"
        if self.mean.ndim != 1:
            raise ValueError(f"{owner} is exact for two classes only. For {self.mean.shape[0]} use MonteCarlo.")
        matrix = checked_matrix(owner, X, self.mean.size - self.intercept, finite=False)
        signs = label_signs(owner, y, classes, matrix.shape[0])
        factors, fractions = _checked_grid(owner, scales, steps)
        direction = None if towards is None else self._direction(towards)
        spread, centre, drift = self._projections(matrix, direction)
        centre *= -signs
        drift *= -signs
        result = np.empty((fractions.size, factors.size, signs.size))
        for row, step in enumerate(fractions.ravel()):
            margin = centre if direction is None else centre + step * drift
            _fill(result[row], margin, spread, factors.ravel(), signs)
        return result.reshape(fractions.shape + factors.shape + signs.shape)

    def projections(self, X: RowsLike) -> tuple[FloatArray, FloatArray]:
        """Return, for each row, the deviation ``sqrt(x'Sx)`` and the mean ``m.x`` of its score.

        Examples
        --------
        >>> import pacbayes as pb
        >>> [each.tolist() for each in pb.Gaussian([2.0, 1.0], 4.0).projections([[1.0, 0.0], [0.0, -1.0]])]
        [[2.0, 2.0], [2.0, -1.0]]
        """
        matrix = checked_matrix("Gaussian.projections", X, self.mean.size - self.intercept)
        return self._projections(matrix, None)[:2]

    def _projections(self, X: Matrix, direction: FloatArray | None) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return ``sqrt(x'Sx)``, ``m.x`` and ``direction.x``; rows that under- or overflow are scaled first."""
        with np.errstate(over="ignore", invalid="ignore"):
            variance = self._covariance.spread(X)
            centre = self._project(X, self.mean)
            drift = np.zeros_like(centre) if direction is None else self._project(X, direction)
        extreme = np.flatnonzero(~((variance > _SMALLEST) & (variance < _LARGEST)))
        if extreme.size:
            rows = X[extreme]
            rows = rows.toarray() if hasattr(rows, "toarray") else rows
            if not np.isfinite(rows).all():  # whatever is not finite in a row shows in its variance
                raise ValueError(
                    "The 'X' argument of Gaussian.zero_one must be finite. Input X contains NaN or infinity."
                )
            rows = np.column_stack([rows, np.ones(extreme.size)]) if self.intercept else rows
            size = np.abs(rows).max(axis=1, initial=0.0)
            rows = rows / np.where(size > 0.0, size, 1.0)[:, None]
            variance[extreme] = self._covariance.spread(rows)
            centre[extreme] = rows @ self.mean
            drift[extreme] = 0.0 if direction is None else rows @ direction
        return np.sqrt(variance), centre, drift

    def _project(self, X: Matrix, weights: FloatArray) -> FloatArray:
        columns = X.shape[1]
        return np.asarray(X @ weights[:columns]).ravel() + float(weights[columns:].sum())

    def sample(self, size: int, random_state: RandomState | np.random.Generator = None) -> FloatArray:
        """Draw ``size`` weight vectors, one per row (one matrix each for several classes)."""
        generator = random_state if isinstance(random_state, np.random.Generator) else check_random_state(random_state)
        noise = generator.standard_normal((size, self.mean.size))
        draws = self.mean.ravel() + self._covariance.colour(noise)
        return np.asarray(draws.reshape(size, *self.mean.shape))

    def scores(self, weights: FloatArray, X: RowsLike) -> FloatArray:
        """Return ``w.x`` for drawn weights: shape (draws, n), or (draws, n, C) for several classes."""
        columns = self.mean.shape[-1] - self.intercept
        matrix = checked_matrix("Gaussian.scores", X, columns)
        flat = weights.reshape(-1, self.mean.shape[-1])
        scores = np.asarray(matrix @ flat[:, :columns].T).T
        if self.intercept:
            scores = scores + flat[:, columns:]
        if self.mean.ndim == 1:
            return scores
        return np.moveaxis(scores.reshape(weights.shape[0], self.mean.shape[0], -1), 1, 2)


def _checked_grid(owner: str, scales: ArrayLike, steps: ArrayLike) -> tuple[FloatArray, FloatArray]:
    factors, fractions = to_floats(owner, "scales", scales), to_floats(owner, "steps", steps)
    check_range(owner, "scales", factors, 1e-150, 1e150, "be positive and finite")
    check_range(owner, "steps", fractions, -1e150, 1e150, "be finite")
    return factors, fractions


def _fill(target: FloatArray, margin: FloatArray, spread: FloatArray, scales: FloatArray, signs: FloatArray) -> None:
    """Write ``Phi(margin/(scale spread))`` for each scale, block by block."""
    certain = spread == 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = margin / spread
    if certain.any():
        # predicted positive where m.x > 0; the margin is -s m.x, and at 0 a positive label is an error
        wrong = (margin > 0.0) | ((margin == 0.0) & (signs > 0.0))
        ratio = np.where(certain, np.where(wrong, math.inf, -math.inf), ratio)
    for start in range(0, margin.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        for row, scale in enumerate(scales):
            ndtr(ratio[block] * (1.0 / scale), out=target[row, block])
