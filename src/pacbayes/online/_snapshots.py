"""One snapshot of a reference: fitted on a prefix, judged on what follows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from pacbayes import losses as loss_functions
from pacbayes.numerics._arrays import FloatArray

__all__ = ["losses_of", "refitted"]


class OneClass:
    """What a prefix with a single class teaches: to predict it."""

    def __init__(self, label: Any) -> None:
        self.classes_ = np.array([label])

    def predict(self, X: Any) -> Any:  # noqa: N803
        return np.repeat(self.classes_, X.shape[0])

    def predict_proba(self, X: Any) -> FloatArray:  # noqa: N803
        return np.ones((X.shape[0], 1))


def refitted(estimator: Any, model: Any, X: Any, y: Any, size: int) -> Any:  # noqa: N803
    """Fit on the first ``size`` examples, continuing where the estimator can."""
    first = y[:size]
    if np.all(first == first[0]):
        return OneClass(first[0])
    warm = getattr(estimator, "warm_start", False) and not isinstance(model, OneClass)
    fresh = model if warm else clone(estimator, safe=False)
    fresh.fit(X[:size], first)
    return fresh


def losses_of(model: Any, X: Any, y: Any, loss: str) -> FloatArray:  # noqa: N803
    if hasattr(model, "reference_losses"):
        values = np.asarray(model.reference_losses(X, y), dtype=np.float64)
        if values.shape != y.shape or not np.all((values >= 0.0) & (values <= 1.0)):
            raise ValueError("The method 'reference_losses' must return one number in [0, 1] per row.")
        return values
    function = loss_functions.get(loss)
    if function.prediction == "label":
        return function(model.predict(X), y)
    return function(*_given_probability(model, X, y))


def _given_probability(model: Any, X: Any, y: Any) -> tuple[FloatArray, Any]:  # noqa: N803
    """Return probabilities and label codes, with a column of zeros for each label the snapshot has not met."""
    known = np.asarray(model.classes_)
    unseen = np.setdiff1d(y, known)
    columns = np.asarray(model.predict_proba(X))
    padded = np.column_stack([columns, np.zeros((len(y), len(unseen)))])
    everything = np.concatenate([known, unseen])
    codes = np.argmax(y[:, None] == everything, axis=1)
    return padded, codes
