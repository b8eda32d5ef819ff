"""One snapshot of a reference: fitted on a prefix, judged on what follows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from pacbayes import losses as loss_functions
from pacbayes._core.types import FloatArray
from pacbayes.losses import predictor_losses

__all__ = ["losses_of", "refitted"]


class OneClass:
    """What a prefix with a single class teaches: to predict it."""

    def __init__(self, label: Any) -> None:
        self.classes_ = np.array([label])

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_, X.shape[0])

    def predict_proba(self, X: Any) -> FloatArray:
        return np.ones((X.shape[0], 1))


def refitted(estimator: Any, model: Any, X: Any, y: Any, size: int) -> Any:
    """Fit on the first ``size`` examples, continuing from the last snapshot where the estimator can."""
    first = y[:size]
    if np.all(first == first[0]):
        return OneClass(first[0])
    warm = getattr(estimator, "warm_start", False) and _met_all(model, first)
    fresh = model if warm else clone(estimator, safe=False)
    fresh.fit(X[:size], first)
    return fresh


def _met_all(model: Any, labels: Any) -> bool:
    """Return whether the last snapshot knows every label; otherwise its weights do not fit the problem any more."""
    known = getattr(model, "classes_", None)
    return known is not None and len(known) > 1 and bool(np.isin(labels, known).all())


def losses_of(model: Any, X: Any, y: Any, loss: str) -> FloatArray:
    """Return the losses of a snapshot on the examples that follow its prefix."""
    if hasattr(model, "reference_losses"):
        values = np.asarray(model.reference_losses(X, y), dtype=np.float64)
        if values.shape != y.shape or not np.all((values >= 0.0) & (values <= 1.0)):
            raise ValueError("The method 'reference_losses' must return one number in [0, 1] per row.")
        return values
    return predictor_losses("online_reference", model, X, y, loss_functions.get(loss))
