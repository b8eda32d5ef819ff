"""Losses of predicted probabilities: the Brier score, and the log loss, counted up to a largest value."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pacbayes._core.rounding import raised
from pacbayes._core.types import FloatArray, IntArray
from pacbayes.certificate.parameters import LARGEST_LOG_LOSS
from pacbayes.metrics.base import Judged, Observation

__all__ = ["LARGEST_LOG_LOSS", "Brier", "LogLoss"]


class Brier:
    """The Brier score: half the squared distance between the probabilities and the truth, 1 for what has none.

    For two classes it is the squared error of the probability of either.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.answers import Answers
    >>> from pacbayes.metrics import Brier, Judged
    >>> answers = Answers(np.array([[0.5, 0.5], [0.1, 0.9]]), [])
    >>> judged = Judged(np.array([0, 1]), np.array([0, 1]), probabilities=answers)
    >>> Brier().observe(judged).losses.round(4).tolist()
    [0.25, 0.01]
    """

    quantity = "brier"
    needs_probabilities: ClassVar[bool] = True
    label: str | None = None

    def observe(self, judged: Judged) -> Observation:
        """List the scores in the order of the judged rows."""
        true = _true_places(judged)

        def loss(found: FloatArray, rows: IntArray) -> FloatArray:
            gap = np.array(found, dtype=np.float64)
            gap[np.arange(rows.size), true[rows]] -= 1.0
            return _up_to_one((gap**2).sum(axis=1) / 2.0, gap.shape[1])

        return _list(judged, loss)


class LogLoss:
    """The log loss ``-log p`` of the probability of the true class, counted up to 7 and divided by it.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.answers import Answers
    >>> from pacbayes.metrics import Judged, LogLoss
    >>> answers = Answers(np.array([[0.5, 0.5], [0.0, 1.0]]), [])
    >>> judged = Judged(np.array([0, 0]), np.array([0, 1]), probabilities=answers)
    >>> LogLoss().observe(judged).losses.round(4).tolist()
    [0.099, 1.0]
    """

    quantity = "log_loss"
    needs_probabilities: ClassVar[bool] = True
    label: str | None = None

    def observe(self, judged: Judged) -> Observation:
        """List the losses in the order of the judged rows."""
        true = _true_places(judged)

        def loss(found: FloatArray, rows: IntArray) -> FloatArray:
            chance = np.asarray(found, dtype=np.float64)[np.arange(rows.size), true[rows]]
            with np.errstate(divide="ignore", invalid="ignore"):
                return _up_to_one(-np.log(np.minimum(chance, 1.0)) / LARGEST_LOG_LOSS, 4)

        return _list(judged, loss, LARGEST_LOG_LOSS)


def _true_places(judged: Judged) -> IntArray:
    return np.asarray(np.searchsorted(judged.known_classes, judged.labels))


def _up_to_one(losses: FloatArray, operations: int) -> FloatArray:
    """Return losses rounded up and at most 1; 1 for what is not a number."""
    up = np.where(losses > 0.0, np.minimum(raised(losses, 2.0 * operations + 8.0), 1.0), losses)
    return np.where(np.isfinite(losses) & (losses >= 0.0), up, 1.0)


def _list(judged: Judged, loss: object, scale: float | None = None) -> Observation:
    if judged.probabilities is None:
        raise ValueError("A metric of probabilities needs a predictor that has predict_proba, or probabilities=.")
    values = judged.probabilities.largest(loss)  # type: ignore[arg-type]
    return Observation(values.size, {}, losses=values, scale=scale)
