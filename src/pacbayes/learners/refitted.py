"""Regularised logistic regression made for refitting: Newton's method that keeps its factorised Hessian.

Rows are read in chunks of 65,536, over which scores, gradient and Hessian are made and added up: beside the rows there
are a few numbers per row in memory, and the time is linear in the number of rows. A fit on many rows starts from one on
the first chunk, whose Hessian is close to that of all.

Between neighbouring prefixes the minimiser moves little and the Hessian of the *mean* loss less, so a step with the
Hessian factorised at an earlier prefix contracts the error by a large factor and costs two products with X. The
Hessian is renewed when the contraction weakens.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from pacbayes._core.labels import checked_matrix, label_signs, two_classes
from pacbayes._core.taken import CHUNK_ROWS, PreparedRows
from pacbayes._core.types import BoolArray, FloatArray, Labels, Matrix, RowsLike

__all__ = ["RefittedLogistic"]

_Factor: TypeAlias = "tuple[FloatArray, bool]"  # of a Hessian by Cholesky, and whether it is the lower one

_MAX_STEPS = 200
_ALARM = 1e-5
_ROWS = 8192
_EARLY = 1e-4  # of the mean gradient on the first chunk, which says no more about that on all rows
_RENEW = 3.0  # steps still ahead beyond which a new Hessian, which costs about as many, pays
_RIDGE = 1e-10  # keeps the intercept's row invertible where one class is missing from the curvature


class RefittedLogistic(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Logistic regression ``alpha |w|**2/2 + mean log-loss`` for two classes, quick to refit on a longer prefix.

    The intercept is not penalised. Refitting continues from the last solution and its factorised Hessian; the result
    is the exact minimiser up to a mean gradient of ``tol``, whatever came before.

    Parameters
    ----------
    alpha : float, default=0.01
        Penalty relative to the mean loss, the paper's ``lambda``.
    C : float, optional
        In place of ``alpha``: scikit-learn's ``C``, that is ``alpha = 1/(C n)``.
    warm_start : bool, default=True
        Whether to continue from the last fit.
    tol : float, default=1e-7
        Largest entry of the mean gradient at which to stop.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> y = (X[:, 0] > 0).astype(int)
    >>> model = pb.RefittedLogistic(alpha=0.01).fit(X[:200], y[:200]).fit(X, y)
    >>> float(np.mean(model.predict(X) == y)) > 0.98
    True
    """

    def __init__(
        self,
        alpha: float = 0.01,
        *,
        C: float | None = None,
        warm_start: bool = True,
        tol: float = 1e-7,
    ) -> None:
        self.alpha = alpha
        self.C = C
        self.warm_start = warm_start
        self.tol = tol

    def fit(self, X: RowsLike | PreparedRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> RefittedLogistic:
        """Fit, continuing from the last solution if there is one of the same width; weights make the mean weighted."""
        for name, given in (("alpha", self.alpha) if self.C is None else ("C", self.C), ("tol", self.tol)):
            if not 0.0 < given < np.inf:
                raise ValueError(
                    f"The {name!r} parameter of RefittedLogistic must be positive and finite. Got {given!r} instead."
                )
        matrix = X if isinstance(X, PreparedRows) else checked_matrix("RefittedLogistic.fit", X)
        self.classes_ = two_classes("RefittedLogistic.fit", y, None)
        positive = label_signs("RefittedLogistic.fit", y, self.classes_, matrix.shape[0]) > 0.0
        weights, factor = self._start(matrix.shape[1] + 1)
        shares, total = _shares(sample_weight, matrix.shape[0])
        alpha = self.alpha if self.C is None else 1.0 / (self.C * total)
        data = _Data(matrix, positive, alpha, shares)
        if factor is None and data.is_long:
            weights, factor = _start_early(data, weights, max(self.tol, _EARLY))
        self.weights_, self._factor = _minimise(data, weights, factor, self.tol)
        self.coef_, self.intercept_ = self.weights_[None, :-1], self.weights_[-1:]
        self.n_features_in_ = matrix.shape[1]
        return self

    def _start(self, size: int) -> tuple[FloatArray, _Factor | None]:
        known = getattr(self, "weights_", None)
        if self.warm_start and known is not None and known.size == size:
            return known.copy(), self._factor
        return np.zeros(size), None

    def decision_function(self, X: RowsLike) -> FloatArray:
        """Return ``w.x`` plus the intercept."""
        return _scores(checked_matrix("RefittedLogistic", X, self.weights_.size - 1), self.weights_)

    def predict(self, X: RowsLike) -> Labels:
        """Return the positive label where the decision function is positive."""
        return self.classes_[(self.decision_function(X) > 0.0).astype(np.int64)]

    def predict_proba(self, X: RowsLike) -> FloatArray:
        """Return the probabilities of both classes."""
        p = expit(self.decision_function(X))
        return np.column_stack([1.0 - p, p])


class _Data(NamedTuple):
    """Rows, labels of 0 and 1, the penalty, and each row's share of the mean: an array or one share for all."""

    X: Matrix | PreparedRows
    y: BoolArray
    alpha: float
    shares: FloatArray | None

    @property
    def is_long(self) -> bool:
        """Whether rows come in more than one chunk, so that a pass over them is what takes time."""
        return self.y.size > CHUNK_ROWS and not sp.issparse(self.X)

    def average(self, values: FloatArray, place: slice) -> FloatArray:
        """Return values of the rows at some place as parts of the mean."""
        return values / self.y.size if self.shares is None else values * self.shares[place]


def _shares(sample_weight: ArrayLike | None, rows: int) -> tuple[FloatArray | None, float]:
    """Return each row's share of the mean, None if all are equal, and the sum of weights."""
    if sample_weight is None:
        return None, rows
    weights = np.asarray(sample_weight, dtype=np.float64)
    total = float(weights.sum()) if weights.shape == (rows,) else np.nan
    if not (np.all(weights >= 0.0) and 0.0 < total < np.inf):
        raise ValueError(
            "The 'sample_weight' argument of RefittedLogistic.fit must hold one finite number of at least 0 per row, "
            f"not all of them 0. Got shape {weights.shape} for {rows} rows."
        )
    return weights / total, total


def _start_early(data: _Data, w: FloatArray, tolerance: float) -> tuple[FloatArray, _Factor | None]:
    """Return about the minimiser on the first chunk of rows, if there are both classes in it."""
    rows = data.X.first(CHUNK_ROWS) if isinstance(data.X, PreparedRows) else data.X[:CHUNK_ROWS]
    y = data.y[:CHUNK_ROWS]
    shares = None if data.shares is None else data.shares[:CHUNK_ROWS]
    total = 1.0 if shares is None else float(shares.sum())
    if not 0.0 < float(y.sum()) < y.size or not total > 0.0:
        return w, None
    return _minimise(_Data(rows, y, data.alpha, None if shares is None else shares / total), w, None, tolerance)


def _chunks(X: Matrix | PreparedRows) -> Iterator[tuple[slice, Matrix]]:
    """Yield the rows in their order, a chunk at a time, each with where it lies; sparse rows all at once."""
    if isinstance(X, PreparedRows):
        yield from X.blocks()
        return
    if sp.issparse(X):  # a slice of them would be a copy
        yield slice(None), X
        return
    for start in range(0, int(X.shape[0]), CHUNK_ROWS):
        yield slice(start, start + CHUNK_ROWS), X[start : start + CHUNK_ROWS]


def _minimise(
    data: _Data, w: FloatArray, factor: _Factor | None, tolerance: float
) -> tuple[FloatArray, _Factor | None]:
    """Return the minimiser and the last factorised Hessian."""
    scores, gradient = _evaluate(data, w)
    fresh, size = False, float(np.abs(gradient).max())
    for _ in range(_MAX_STEPS):
        if size <= tolerance:
            break
        if factor is None:
            factor, fresh = _factorise_hessian(data, w, scores), True
        step = scipy.linalg.cho_solve(factor, gradient, check_finite=False)
        w, scores, gradient = _step(data, w, scores, gradient, step, careful=fresh)
        before, size = size, float(np.abs(gradient).max())
        if _steps_ahead(before, size, tolerance) > _RENEW:
            factor = None
        fresh = False
    else:
        if size > _ALARM * max(1.0, *(float(abs(rows).max()) for _, rows in _chunks(data.X))):
            warnings.warn(
                f"The mean gradient is still {size:.1e}; consider scaling the features.", ConvergenceWarning, 3
            )
    return w, factor


def _steps_ahead(before: float, after: float, tolerance: float) -> float:
    """Return how many steps like the last one are left, by its contraction."""
    if after <= tolerance:
        return 0.0
    return float(np.log(after / tolerance) / np.log(before / after)) if after < before else np.inf


def _step(
    data: _Data,
    w: FloatArray,
    scores: FloatArray,
    gradient: FloatArray,
    step: FloatArray,
    *,
    careful: bool,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Take a step, halved while the objective does not fall enough (with an old Hessian: while the gradient grows)."""
    direction, fraction = None if data.is_long else _scores(data.X, step), 1.0
    slope, before = float(gradient @ step), _objective(data, w, scores) if careful else 0.0
    while True:
        moved = w - fraction * step
        new_scores, after = _evaluate(data, moved, None if direction is None else scores - fraction * direction)
        if careful:
            enough = _objective(data, moved, new_scores) <= before - 1e-4 * fraction * slope + 1e-15 * abs(before)
        else:
            enough = float(np.abs(after).max()) <= float(np.abs(gradient).max())
        if enough or fraction < 1e-6:
            return moved, new_scores, after
        fraction *= 0.5


def _scores(X: Matrix | PreparedRows, w: FloatArray) -> FloatArray:
    found: FloatArray = np.empty(int(X.shape[0]))
    for place, rows in _chunks(X):
        found[place] = _score(rows, w)
    return found


def _score(rows: Matrix, w: FloatArray) -> FloatArray:
    return np.asarray(np.asarray(rows @ w[:-1]).ravel() + w[-1])


def _objective(data: _Data, w: FloatArray, scores: FloatArray) -> float:
    total = 0.0
    for start in range(0, scores.size, CHUNK_ROWS):
        place = slice(start, start + CHUNK_ROWS)
        losses = np.logaddexp(0.0, scores[place]) - data.y[place] * scores[place]
        if data.shares is None:
            total += float(np.mean(losses) * (losses.size / scores.size))
        else:
            total += float(losses @ data.shares[place])
    return float(0.5 * data.alpha * (w[:-1] @ w[:-1]) + total)


def _evaluate(data: _Data, w: FloatArray, scores: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    """Return scores, unless they are known, and gradient, in one pass over the rows."""
    found = np.empty(data.y.size) if scores is None else scores
    slopes, level = data.alpha * w[:-1], 0.0
    for number, (place, rows) in enumerate(_chunks(data.X)):
        if scores is None:
            found[place] = _score(rows, w)
        residual = data.average(expit(found[place]) - data.y[place], place)
        product = np.asarray(residual @ rows).ravel()
        slopes = product + slopes if number == 0 else slopes + product
        level += residual.sum()
    return found, np.append(slopes, level)


def _factorise_hessian(data: _Data, w: FloatArray, scores: FloatArray) -> _Factor:
    """Return the Cholesky factorisation of the Hessian of the regularised mean loss."""
    hessian = np.zeros((w.size, w.size))
    for place, rows in _chunks(data.X):
        p = expit(scores[place])
        _add_curvature(hessian, rows, np.sqrt(data.average(p * (1.0 - p), place)))
    hessian[:-1, -1] = hessian[-1, :-1]
    hessian[-1, -1] += _RIDGE
    hessian[np.arange(w.size - 1), np.arange(w.size - 1)] += data.alpha
    ridge = 0.0
    while True:  # features of very different sizes can make the computed Hessian indefinite
        try:
            factor: _Factor = scipy.linalg.cho_factor(hessian + ridge * np.eye(w.size), lower=True, check_finite=False)
        except scipy.linalg.LinAlgError:
            ridge = max(10.0 * ridge, 1e-12 * float(np.trace(hessian)))
        else:
            return factor


def _add_curvature(hessian: FloatArray, X: Matrix, root: FloatArray) -> None:
    """Add what the rows of a chunk contribute, by the roots of their curvatures."""
    for start in range(0, root.size, _ROWS):  # in blocks, so that no second copy of the chunk is made
        part, rows = root[start : start + _ROWS], X if root.size <= _ROWS else X[start : start + _ROWS]
        scaled = rows.multiply(part[:, None]).toarray() if hasattr(rows, "multiply") else rows * part[:, None]
        hessian[:-1, :-1] += scaled.T @ scaled
        hessian[-1, :-1] += part @ scaled
    hessian[-1, -1] += root @ root
