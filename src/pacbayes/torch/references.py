"""A small network that learns, from the past, which loss a posterior will have on the next example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from pacbayes._core.types import BoolArray, Classifier, FloatArray, Labels, RowsLike
from pacbayes.learners import OneClass, RefittedLogistic, find_pairing
from pacbayes.torch.checks import check_positive, check_whole, check_wholes
from pacbayes.torch.small_network import answer, start_weights, train_weights

__all__ = ["NetworkReference"]

_PARTNERS = 2  # of the other folds' fits, so many describe a row; the rest say which loss is to be predicted


class NetworkReference(BaseEstimator):
    """A small network that is trained on the past to predict the loss of the next example: its de-biasing function.

    The past is divided into folds, and an estimator is fitted on each. On a row of one fold, the network sees how sure
    an estimator of a second fold is of the row's label, and is to predict the mean loss of the estimators of the other
    folds. So it learns how often a *different* fit errs where this one is so sure, which is what the expected loss of a
    posterior looks like; from its own fit it would learn nothing but whether that one errs. For a new example it is
    given the fit on all of the past.

    It is trained by squared error. To leading order, the width of a de-biased bound is the standard deviation of the
    excess, loss minus reference, which is smallest where the reference is the conditional mean of the loss: the
    minimiser of the squared error. The deviation of the reference itself, which the bound is charged for too, only
    asks for a multiple of that function, and a portfolio bets on several multiples (strengths) at once.

    Parameters
    ----------
    estimator : classifier, optional
        Its losses are to be predicted: those of ``reference_losses`` if it has that method, else 0-1 losses. By default
        logistic regression, :class:`pacbayes.RefittedLogistic` for two classes. Without ``decision_function`` or
        ``predict_proba`` the network is told its predictions alone.
    widths : sequence of int, default=(16,)
        Of the hidden layers.
    features : bool, default=False
        Whether the network is also given the standardised columns of X. In our measurements that made bounds looser.
    folds : int, default=5
        At least 3. With fewer than twice as many rows, the losses are those of the estimator itself.
    steps : int, default=100
        Of AdamW, along a cosine.
    learning_rate, weight_decay : float
        Of AdamW.
    warm_start : bool, default=False
        Whether a further fit continues from the last weights of the network.
    random_state : int, default=0
        Of the first weights and of the batches.

    Attributes
    ----------
    classes_ : ndarray
        Labels of the past. One that is not among them has a loss of 1.
    estimator_ : classifier
        Fitted on all of the past.
    weights_ : list of ndarray, or None
        Of the network, layer by layer; None if there were too few rows for one.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.torch import NetworkReference
    >>> sample = pb.datasets.make_known_risk(400, random_state=0)
    >>> options = {"schedule": pb.Every(200), "random_state": 0}
    >>> reference = pb.online_reference(NetworkReference(steps=20), sample.X, sample.y, **options)
    >>> reference.kind, bool(0 < reference.losses[200:].min() < reference.losses.max() < 1)
    ('predictable', True)
    """

    classes_: Labels

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        widths: Sequence[int] = (16,),
        features: bool = False,
        folds: int = 5,
        steps: int = 100,
        learning_rate: float = 0.02,
        weight_decay: float = 0.01,
        warm_start: bool = False,
        random_state: int = 0,
    ) -> None:
        self.estimator = estimator
        self.widths = widths
        self.features = features
        self.folds = folds
        self.steps = steps
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: RowsLike, y: ArrayLike) -> NetworkReference:
        """Learn from the past which examples are hard."""
        self._check_parameters()
        labels, rows = np.asarray(y), _to_dense(X)
        self.classes_ = np.unique(labels)
        self.estimator_ = self._fit_estimator(X, labels)
        self.center_, spread = rows.mean(axis=0), rows.std(axis=0)
        self.scale_ = np.where(spread > 1e-9 * np.abs(self.center_), spread, 1.0)
        sure = np.median(np.abs(_margins(self.estimator_, X, labels, self.classes_)))
        self.unit_ = float(sure) if sure > 0 else 1.0
        last = getattr(self, "weights_", None) if self.warm_start else None
        self.weights_ = None
        if labels.size >= 2 * self.folds:
            self.weights_ = self._train(*self._lessons(X, rows, labels), last)
        return self

    def reference_losses(self, X: RowsLike, y: ArrayLike) -> FloatArray:
        """Return the losses that the network predicts, in [0, 1]."""
        check_is_fitted(self, "classes_")
        labels = np.asarray(y)
        if self.weights_ is None:
            return _losses(self.estimator_, X, labels)
        known = np.isin(labels, self.classes_)
        stand_in = np.where(known, labels, self.classes_[0])
        seen = self._describe(self.estimator_, X, _to_dense(X), stand_in)
        return np.where(known, answer(self.weights_, seen), 1.0)

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_whole(owner, "folds", self.folds, 3)
        check_whole(owner, "steps", self.steps, 0)
        check_whole(owner, "random_state", self.random_state, 0)
        check_wholes(owner, "widths", self.widths, 1, 10_000, most=10)
        check_positive(owner, "learning_rate", self.learning_rate)
        check_positive(owner, "weight_decay", self.weight_decay, zero=True)

    def _fit_estimator(self, X: RowsLike, y: Labels) -> Any:
        if np.all(y == y[0]):
            return OneClass(y[0])
        if self.estimator is not None:
            return clone(self.estimator).fit(X, y)
        two = self.classes_.size == 2
        plain = RefittedLogistic() if two else make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        return plain.fit(X, y)

    def _lessons(self, X: RowsLike, rows: FloatArray, y: Labels) -> tuple[FloatArray, FloatArray]:
        """Return what the network sees of the rows of each fold, and the losses that it is to predict."""
        count = int(self.folds)
        fold, dense = np.arange(y.size) % count, X.tocsr() if hasattr(X, "tocsr") else X
        parts = [(np.flatnonzero(fold == k), _rows(dense, fold == k)) for k in range(count)]
        models = [self._fit_estimator(part, y[where]) for where, part in parts]
        seen, targets = [], []
        for k, (where, part) in enumerate(parts):
            losses = np.array([_losses(model, part, y[where]) for model in models])
            for step in range(1, min(_PARTNERS, count - 2) + 1):
                partner = (k + step) % count
                others = [j for j in range(count) if j not in {k, partner}]
                seen.append(self._describe(models[partner], part, rows[where], y[where]))
                targets.append(losses[others].mean(axis=0))
        return np.concatenate(seen), np.concatenate(targets)

    def _describe(self, model: Any, X: RowsLike, rows: FloatArray, y: Labels) -> FloatArray:
        """Return what the network sees of rows: labels, how sure a model is of them, and how far out the rows lie."""
        margins = _margins(model, X, y, self.classes_) / self.unit_
        standard = (rows - self.center_) / self.scale_
        size = np.sqrt(np.mean(standard**2, axis=1))
        columns = [y[:, None] == self.classes_, margins, np.tanh(margins), np.tanh(4.0 * margins), size]
        return np.column_stack([*columns, *([standard] if self.features else [])]).astype(np.float64)

    def _train(self, seen: FloatArray, targets: FloatArray, last: list[FloatArray] | None) -> list[FloatArray]:
        sizes = [seen.shape[1], *self.widths, 1]
        fits = last is not None and [each.shape[0] for each in last[::2]] == sizes[:-1]
        start = last if fits and last is not None else start_weights(sizes, float(targets.mean()), self.random_state)
        return train_weights(
            start,
            seen,
            targets,
            steps=int(self.steps),
            rate=float(self.learning_rate),
            decay=float(self.weight_decay),
            seed=int(self.random_state),
        )


def _to_dense(X: RowsLike) -> FloatArray:
    values: Any = X.toarray() if hasattr(X, "toarray") else X
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("NetworkReference needs rows of numbers. Encode columns of text first.") from None


def _rows(X: Any, chosen: BoolArray) -> Any:
    return X.iloc[np.flatnonzero(chosen)] if hasattr(X, "iloc") else X[chosen]


def _losses(model: Any, X: RowsLike, y: Labels) -> FloatArray:
    if hasattr(model, "reference_losses"):
        return np.asarray(model.reference_losses(X, y), dtype=np.float64)
    return np.asarray(model.predict(X) != y, dtype=np.float64)


def _margins(model: Any, X: RowsLike, y: Labels, classes: Labels) -> FloatArray:
    """Return by how much the score of each label exceeds the largest of the other classes' scores."""
    scores = _class_scores(model, X)
    # a class that the model has not met comes after all that it has
    full = np.tile(scores.min(axis=1, keepdims=True) - 1.0, (1, classes.size))
    full[:, np.searchsorted(classes, model.classes_)] = scores
    own = y[:, None] == classes
    others = np.where(own, -np.inf, full).max(axis=1)
    return np.asarray(full[own] - others)


def _class_scores(model: Any, X: RowsLike) -> FloatArray:
    """Return a score for each class of a model: as it decides, by its probabilities, or one for what it predicts."""
    if not hasattr(model, "predict") and hasattr(model, "estimator_"):  # as of pacbayes.StochasticReference
        return _class_scores(model.estimator_, X)
    if hasattr(model, "decision_function") and find_pairing(model) is None:
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        scores = np.column_stack([-scores, scores]) / 2.0 if scores.ndim == 1 else scores
        if scores.shape[1] == len(model.classes_):
            return scores
    if hasattr(model, "predict_proba"):
        return np.log(np.clip(np.asarray(model.predict_proba(X), dtype=np.float64), 1e-12, 1.0))
    return np.asarray(np.asarray(model.predict(X))[:, None] == model.classes_, dtype=np.float64)
