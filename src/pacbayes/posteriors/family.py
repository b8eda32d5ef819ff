"""Gaussians around a prior in coordinates in which their divergence is a plain sum, with gradients of their losses."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy.special import ndtr

from pacbayes._core.types import FloatArray, Matrix
from pacbayes.posteriors.gaussian import Gaussian

__all__ = ["FamilyLosses", "GaussianFamily"]

_ROWS = 4096
_SMALLEST = 1e-280  # of a variance
_DENSITY = 1.0 / math.sqrt(2.0 * math.pi)


@dataclass(frozen=True, slots=True, eq=False)
class GaussianFamily:
    """Gaussians with mean ``m + B u`` and covariance ``B diag(exp(2 t)) B'``, where the prior is ``N(m, B B')``.

    Their divergence from the prior is ``|u|**2/2 + sum_j (exp(2 t_j) - 1 - 2 t_j)/2``. Parameters are ``u`` followed by
    ``t``, which is a single number where only the scale is free.

    Attributes
    ----------
    prior : Gaussian
        Over the weights of a linear classifier of two classes.
    basis : ndarray
        ``B``: a vector of deviations, or a matrix.
    shapes : int
        How many numbers ``t`` has: 1, or one per weight.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> from pacbayes.posteriors import GaussianFamily
    >>> prior = pb.Gaussian([1.0, 0.0], [[2.0, 1.0], [1.0, 2.0]])
    >>> family = GaussianFamily.around(prior, alike=np.diag([0.1, 1.0]))
    >>> parameters = np.array([0.5, -0.5, 0.1, -0.2])
    >>> value, gradient = family.kl(parameters)
    >>> round(value, 9) == round(family.member(parameters).kl(prior), 9)
    True
    """

    prior: Gaussian
    basis: FloatArray
    shapes: int

    @classmethod
    def around(cls, prior: Gaussian, alike: FloatArray | None = None) -> GaussianFamily:
        """Return the family of a prior: with a free scale alone, or with the axes in which ``alike`` is diagonal too.

        Parameters
        ----------
        prior : Gaussian
        alike : ndarray, shape (d, d), optional
            A covariance, such as that of the Laplace approximation on further rows.
        """
        if alike is None:
            return cls(prior, prior.root, 1)
        root = np.diag(prior.root) if prior.root.ndim == 1 else prior.root
        half = scipy.linalg.solve_triangular(root, alike, lower=True)
        whitened = scipy.linalg.solve_triangular(root, half.T, lower=True)
        _, axes = scipy.linalg.eigh(0.5 * (whitened + whitened.T))
        return cls(prior, np.asarray(root @ axes), root.shape[0])

    def coordinates(self, posterior: Gaussian) -> FloatArray:
        """Return the parameters of the member with this mean, and with its covariance as far as the family has it."""
        offset = posterior.mean - self.prior.mean
        root = np.diag(posterior.root) if posterior.root.ndim == 1 else posterior.root
        if self.basis.ndim == 1:
            mean, image = offset / self.basis, root / self.basis[:, None]
        else:
            solved = scipy.linalg.solve(self.basis, np.column_stack([offset, root]))
            mean, image = solved[:, 0], solved[:, 1:]
        squares = np.sum(image * image, axis=1)
        return np.append(mean, 0.5 * np.log(squares if self.shapes > 1 else squares.mean()))

    def member(self, parameters: FloatArray) -> Gaussian:
        """Return the Gaussian with these parameters."""
        u, t = self.parts(parameters)
        factor = self.basis * np.exp(t)
        if self.basis.ndim == 2:
            upper = scipy.linalg.qr(factor.T, mode="r")[0]  # B D^2 B' = (D B')' (D B') = R'R
            factor = np.tril((upper * np.sign(np.diagonal(upper))[:, None]).T)
        mean = self.prior.mean + self.image(u)
        return Gaussian(mean, factor, intercept=self.prior.intercept, cholesky=True)

    def kl(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Return the divergence from the prior, and its gradient."""
        u, t = self.parts(parameters)
        each = u.size / t.size
        shape = float(np.sum(np.expm1(2.0 * t) - 2.0 * t))
        return 0.5 * (float(u @ u) + each * shape), np.append(u, each * np.expm1(2.0 * t))

    def parts(self, parameters: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return ``u`` and ``t``."""
        return parameters[: self.prior.mean.size], parameters[self.prior.mean.size :]

    def image(self, u: FloatArray) -> FloatArray:
        """Return ``B u``."""
        return np.asarray(self.basis * u if self.basis.ndim == 1 else self.basis @ u)

    def losses_on(self, X: Matrix, signs: FloatArray) -> FamilyLosses:
        """Return the expected 0-1 losses on rows as a function of the parameters; labels are signs."""
        centre = _project(X, self.prior.mean)
        squares = np.empty((X.shape[0], self.shapes))
        for start in range(0, X.shape[0], _ROWS):
            rows = slice(start, start + _ROWS)
            squares[rows] = self._squares(X[rows])
        return FamilyLosses(self, X, -signs, -signs * centre, squares)

    def _squares(self, X: Matrix) -> FloatArray:
        """Return the squares of ``x'B``, in columns, or their sum where only the scale is free."""
        if self.shapes == 1:
            spread, _ = self.prior.projections(X)
            return np.asarray(spread[:, None] ** 2)
        image = np.asarray(X @ self.basis[: X.shape[1]])
        if X.shape[1] < self.basis.shape[0]:
            image = image + self.basis[X.shape[1]]
        return np.asarray(image * image)


@dataclass(frozen=True, slots=True, eq=False)
class FamilyLosses:
    """Expected 0-1 losses of a family's members on fixed rows.

    Attributes
    ----------
    family : GaussianFamily
    X : array or sparse matrix
        The rows.
    turns : ndarray
        What each row's score is multiplied with to be positive for an error.
    centre : ndarray
        The turned scores of the prior's mean.
    squares : ndarray, shape (n, 1) or (n, d)
        Of ``x'B``: variances are their products with ``exp(2 t)``.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> from pacbayes.posteriors import GaussianFamily
    >>> X, signs = np.array([[1.0, 0.0], [0.5, 2.0]]), np.array([1.0, -1.0])
    >>> rows = GaussianFamily.around(pb.Gaussian([1.0, 0.0], 1.0)).losses_on(X, signs)
    >>> losses, pull = rows(np.array([0.1, 0.2, 0.3]))
    >>> losses.round(4).tolist(), pull(np.ones(2)).shape
    ([0.2076, 0.6336], (3,))
    """

    family: GaussianFamily
    X: Matrix
    turns: FloatArray
    centre: FloatArray
    squares: FloatArray

    def __call__(self, parameters: FloatArray) -> tuple[FloatArray, Callable[[FloatArray], FloatArray]]:
        """Return the loss of each row, and the function that turns weights of rows into the gradient of their sum."""
        u, t = self.family.parts(parameters)
        factors = np.exp(2.0 * t)
        variance = np.maximum(self.squares @ factors, _SMALLEST)
        deviation = np.sqrt(variance)
        move = _project(self.X, self.family.image(u))
        ratio = (self.centre + self.turns * move) / deviation

        def pull(weights: FloatArray) -> FloatArray:
            slopes = weights * _DENSITY * np.exp(-0.5 * ratio * ratio)
            scores = self._pull_scores(slopes * self.turns / deviation)
            return np.append(scores, -factors * (self.squares.T @ (slopes * ratio / variance)))

        return np.asarray(ndtr(ratio)), pull

    def _pull_scores(self, weights: FloatArray) -> FloatArray:
        """Return the gradient of weighted scores with respect to ``u``."""
        columns = np.asarray(self.X.T @ weights).ravel()
        whole = np.append(columns, weights.sum()) if self.family.prior.intercept else columns
        basis = self.family.basis
        return np.asarray(basis * whole if basis.ndim == 1 else basis.T @ whole)


def _project(X: Matrix, weights: FloatArray) -> FloatArray:
    """Return ``w.x``; the last weight is an intercept where there is one more than columns."""
    return np.asarray(X @ weights[: X.shape[1]]).ravel() + float(weights[X.shape[1] :].sum())
