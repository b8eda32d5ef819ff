"""Logistic regression for two classes or more, standardised, its penalty by cross-validation: good without settings."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from pacbayes._core.coded_labels import codes_of
from pacbayes._core.rows import distinct_labels
from pacbayes._core.taken import CHUNK_ROWS, PreparedRows
from pacbayes._core.types import FloatArray, IntArray, Labels, Matrix, RowsLike
from pacbayes.learners.refitted import RefittedLogistic

__all__ = ["CrossValidatedLogistic"]

_PENALTIES: FloatArray = 10.0 ** np.arange(3.0, -3.0, -1.0)  # on the sum of losses, the strongest first
_FOLDS = 4
_ROWS = 20_000  # enough to choose a penalty; more rows change the choice little and cost in proportion
_MOST_COLUMNS = 1000  # for Newton's method, whose Hessian has the square of so many entries
_LOG_LOSS_SHARE = 1e-3  # decides between penalties with the same number of errors


class CrossValidatedLogistic(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Logistic regression on standardised columns; with more than two classes, one against the rest for each.

    Sparse rows are scaled and not centred. The penalty is the one of six with the fewest errors in four folds.

    Parameters
    ----------
    class_weight : mapping, "balanced" or None
        Weights of the classes in the loss, as scikit-learn has them.

    Attributes
    ----------
    alpha_ : float
        The penalty ``alpha |w|**2/2`` on the sum of log-losses (``1/C`` of scikit-learn).
    scaler_ : StandardScaler
    coef_, intercept_ : ndarray
        For the standardised columns; one row per class, or one in all for two classes.
    classes_ : ndarray

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pacbayes.learners import CrossValidatedLogistic
    >>> X, y = load_iris(return_X_y=True)
    >>> float(CrossValidatedLogistic().fit(X[::2], y[::2]).score(X[1::2], y[1::2])) > 0.9
    True
    """

    def __init__(self, class_weight: Mapping[Any, float] | str | None = None) -> None:
        self.class_weight = class_weight

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(
        self, X: RowsLike | PreparedRows, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> CrossValidatedLogistic:
        """Choose the penalty by cross-validation, then fit on all rows; of many, no scaled copy is made."""
        matrix, labels = self._check(X, y)
        self.classes_ = distinct_labels(labels)
        if self.classes_.size < 2:
            raise ValueError(f"CrossValidatedLogistic needs rows of at least 2 classes. Got one class, {labels[0]!r}.")
        codes = codes_of(labels, self.classes_)
        weights = _row_weights(labels, self.class_weight, sample_weight)
        self.scaler_ = StandardScaler(with_mean=not sp.issparse(matrix))
        scaled = _scale(self.scaler_, matrix)
        self.alpha_ = _choose_penalty(scaled, codes, weights)
        fitted = _fit_path(scaled, codes, weights, self.classes_.size, np.array([self.alpha_]))[0]
        self.coef_, self.intercept_ = fitted[:, :-1].copy(), fitted[:, -1].copy()
        return self

    def _check(self, X: RowsLike | PreparedRows, y: ArrayLike) -> tuple[Matrix | PreparedRows, Labels]:
        """Return rows, of many in blocks, and labels, or say what is wrong with them."""
        matrix: Any = X
        if isinstance(X, PreparedRows):
            labels = column_or_1d(y)
            self.n_features_in_ = X.shape[1]
        else:
            matrix, labels = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        many = labels.size > CHUNK_ROWS
        check_classification_targets(distinct_labels(labels).repeat(2) if many else labels)
        in_blocks = many and isinstance(matrix, np.ndarray) and matrix.shape[1] <= _MOST_COLUMNS
        return PreparedRows.of(matrix) if in_blocks else matrix, labels

    def decision_function(self, X: RowsLike) -> FloatArray:
        """Return the score of each class, or for two classes that of the second."""
        matrix: Any = X if self._are_plain(X) else self._check_rows(X)
        rows, size = int(matrix.shape[0]), CHUNK_ROWS if isinstance(matrix, np.ndarray) else int(matrix.shape[0])
        scores: FloatArray = np.empty((rows, self.intercept_.size))
        for start in range(0, rows, size):
            scaled = self._scale_rows(matrix[start : start + size])
            scores[start : start + size] = np.asarray(scaled @ self.coef_.T) + self.intercept_
        return np.asarray(scores.ravel() if self.classes_.size == 2 else scores)

    def _check_rows(self, X: RowsLike) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)

    def _are_plain(self, X: Any) -> bool:
        """Return whether there is nothing to check about rows, which takes longer than to answer for a few of them."""
        if not (type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and X.shape[0] > 0):
            return False
        if X.shape[1] != getattr(self, "n_features_in_", None) or hasattr(self, "feature_names_in_"):
            return False
        with np.errstate(all="ignore"):
            return math.isfinite(X.sum())

    def _scale_rows(self, rows: Any) -> Any:
        scaler = self.scaler_
        plain = type(scaler) is StandardScaler and scaler.with_mean and scaler.with_std and isinstance(rows, np.ndarray)
        if not plain:
            return scaler.transform(rows)
        found = rows - scaler.mean_  # as it does it, without looking at the rows once more
        found /= scaler.scale_
        return found

    def predict(self, X: RowsLike) -> Labels:
        """Return the class of the largest score."""
        scores = self.decision_function(X)
        codes = (scores > 0.0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[codes])

    def predict_proba(self, X: RowsLike) -> FloatArray:
        """Return the probabilities of all classes; those of one against the rest are scaled to add up to one."""
        chances = expit(self.decision_function(X))
        if chances.ndim == 1:
            return np.column_stack([1.0 - chances, chances])
        chances = np.maximum(chances, 1e-300)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def _scale(scaler: StandardScaler, matrix: Matrix | PreparedRows) -> Matrix | PreparedRows:
    """Fit the scaler and return scaled rows; those in blocks whenever they are needed."""
    if not isinstance(matrix, PreparedRows):
        return scaler.fit_transform(matrix)
    for _, block in matrix.blocks():
        scaler.partial_fit(block)

    def change(block: FloatArray) -> FloatArray:
        block -= scaler.mean_
        block /= scaler.scale_
        return block

    return matrix.then(change)


def _row_weights(
    labels: Labels, class_weight: Mapping[Any, float] | str | None, sample_weight: ArrayLike | None
) -> FloatArray | None:
    """Return the product of both kinds of weights, or None if all are one."""
    if class_weight is None and sample_weight is None:
        return None
    given = np.ones(labels.size) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if given.shape != labels.shape:
        raise ValueError(
            "The 'sample_weight' argument of CrossValidatedLogistic.fit must hold one number per row. "
            f"Got shape {given.shape} for {labels.size} rows."
        )
    return np.asarray(given * compute_sample_weight(class_weight, labels))


def _choose_penalty(X: Matrix | PreparedRows, codes: IntArray, weights: FloatArray | None) -> float:
    """Return the penalty with the least error on rows that its fits had not seen."""
    X, codes = X.first(_ROWS) if isinstance(X, PreparedRows) else X[:_ROWS], codes[:_ROWS]
    classes, shares = int(codes.max()) + 1, np.ones(codes.size) if weights is None else weights[:_ROWS]
    losses = np.zeros((_PENALTIES.size, codes.size))
    for train, test in _folds(codes):
        paths = _fit_path(X[train], codes[train], None if weights is None else shares[train], classes, _PENALTIES)
        for index, fitted in enumerate(paths):
            scores = np.asarray(X[test] @ fitted[:, :-1].T) + fitted[:, -1]
            losses[index, test] = _losses(scores, codes[test])
    return float(_PENALTIES[::-1][np.argmin((losses @ shares)[::-1])])  # the weakest of equals


def _folds(codes: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    folds = min(_FOLDS, int(np.bincount(codes).max()))
    if folds < 2:  # too few rows to judge by; every penalty looks the same
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a class with fewer rows than folds is missing from some
        yield from StratifiedKFold(folds).split(np.zeros(codes.size), codes)


def _losses(scores: FloatArray, codes: IntArray) -> FloatArray:
    """Return for each row whether it is misclassified, and a little of its log-losses."""
    if scores.shape[1] == 1:
        margins = np.where(codes == 1, -1.0, 1.0) * scores[:, 0]
        return np.asarray((margins >= 0.0) + _LOG_LOSS_SHARE * np.logaddexp(0.0, np.minimum(margins, 50.0)))
    signs = np.where(codes[:, None] == np.arange(scores.shape[1]), -1.0, 1.0)
    log_losses = np.logaddexp(0.0, np.minimum(signs * scores, 50.0)).sum(axis=1)
    return np.asarray((scores.argmax(axis=1) != codes) + _LOG_LOSS_SHARE * log_losses)


def _fit_path(
    X: Matrix | PreparedRows, codes: IntArray, weights: FloatArray | None, classes: int, penalties: FloatArray
) -> FloatArray:
    """Return weights with the intercept last, of shape (penalties, scores, columns + 1)."""
    path = np.zeros((penalties.size, 1 if classes == 2 else classes, X.shape[1] + 1))
    for score in range(path.shape[1]):
        positive = codes == (1 if classes == 2 else score)
        if positive.all() or not positive.any():  # a class that is missing from these rows, or alone in them
            path[:, score, -1] = np.log(2.0 * codes.size + 1.0) * (1.0 if positive.any() else -1.0)
            continue
        # either continues from the last penalty, whose fit is a good start for the next
        wide = X.shape[1] > _MOST_COLUMNS
        solver = LogisticRegression(warm_start=True, max_iter=1000) if wide else RefittedLogistic()
        for index, penalty in enumerate(penalties):
            solver.set_params(C=1.0 / float(penalty)).fit(X, positive, sample_weight=weights)
            path[index, score] = np.append(solver.coef_, solver.intercept_)
    return path
