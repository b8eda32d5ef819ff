"""One snapshot: fitted on a prefix of the stream, judged on what follows it."""

from __future__ import annotations

from typing import Protocol, Self, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from pacbayes import losses as loss_functions
from pacbayes._core.rows import take
from pacbayes._core.steadiness import ask_row_by_row, sample_size, seed_of
from pacbayes._core.types import Classifier, FloatArray, IntArray, Labels, Predictor, Rows
from pacbayes.learners import OneClass
from pacbayes.losses import predictor_losses

__all__ = ["LossLearner", "ReferenceEstimator", "fit_snapshot", "reference_losses"]


class LossLearner(Protocol):
    """An estimator that says itself what its losses as a reference are."""

    def fit(self, X: Rows, y: Labels, /) -> Self: ...

    def reference_losses(self, X: Rows, y: Labels, /) -> ArrayLike: ...


ReferenceEstimator: TypeAlias = "Classifier | LossLearner"
Estimator = TypeVar("Estimator", bound=ReferenceEstimator)
_SAME = 1e-9  # of losses, between batches
_SINGLE = 1e-4  # what single precision may change in them


def fit_snapshot(
    estimator: Estimator, previous: Estimator | OneClass | None, X: Rows, y: Labels
) -> Estimator | OneClass:
    """Fit on these rows, continuing from the previous snapshot where the estimator can."""
    if np.all(y == y[0]):
        return OneClass(y[0])
    model: Estimator = clone(estimator, safe=False)
    if previous is not None and not isinstance(previous, OneClass) and _can_continue(estimator, previous, y):
        model = previous
    model.fit(X, y)
    return model


def _can_continue(estimator: ReferenceEstimator, previous: ReferenceEstimator, labels: Labels) -> bool:
    """Return whether the previous snapshot knows every label; if not, its weights do not fit the problem any more."""
    known = getattr(previous, "classes_", None) if getattr(estimator, "warm_start", False) else None
    return known is not None and len(known) > 1 and bool(np.isin(labels, known).all())


def reference_losses(model: ReferenceEstimator | OneClass, X: Rows, y: Labels, loss: str) -> FloatArray:
    """Return the losses of a snapshot as a reference: those that it states itself, or those of its predictions.

    Each must depend on its own example and the past alone, or else nothing predictable is subtracted.
    """
    if y.size == 1:
        return _losses(model, X, y, loss)

    def ask(asked: ReferenceEstimator | OneClass, rows: IntArray) -> FloatArray:
        return _losses(asked, take(X, rows), y[rows], loss)

    answers = ask_row_by_row(model, ask, y.size, seed_of(0, y), sample_size(y.size), within=_SINGLE)
    if answers.different(_SAME).any():  # as probabilities of a network in single precision
        return np.concatenate([ask(model, np.array([row])) for row in range(y.size)])
    return np.asarray(answers.together)


def _losses(model: ReferenceEstimator | OneClass, X: Rows, y: Labels, loss: str) -> FloatArray:
    if hasattr(model, "reference_losses"):
        values = np.asarray(model.reference_losses(X, y), dtype=np.float64)
        if values.shape != y.shape or not np.all((values >= 0.0) & (values <= 1.0)):
            raise ValueError("The method 'reference_losses' must return one number in [0, 1] per row.")
        return values
    return predictor_losses("online_reference", cast("Predictor", model), X, y, loss_functions.get(loss))
