"""The bets of the evidence: their rates, and the weights of rates and starts, all fixed beforehand."""

from __future__ import annotations

import numpy as np

from pacbayes._core.rounding import EPS
from pacbayes._core.types import FloatArray

__all__ = ["RATES", "left_weight", "rate_fractions", "rate_weights", "start_weights"]

RATES = 12
_FIRST = 0.25  # the share of the first row: a model may be bad from the beginning
_SCALE = 300.0  # rows over which the other starts have nearly the same weight
_LARGEST = 0.8  # of rate times v; the others are half of the one before


def rate_fractions() -> FloatArray:
    """Return ``lam v`` of every rate: the best for a 0-1 loss whose risk has become ``v + (1 - v) lam v``."""
    return np.asarray(_LARGEST * 0.5 ** np.arange(RATES))


def rate_weights() -> FloatArray:
    """Return the weights of the rates, which add up to at most 1: largest for changes of some points."""
    shape = 1.0 / (1.0 + ((np.arange(RATES) - 4.5) / 2.0) ** 2)
    return np.asarray(shape / shape.sum() * (1.0 - 16.0 * EPS))


def start_weights(rows: FloatArray) -> FloatArray:
    """Return the weights of the starts at these rows, counted from 1."""
    weights = (1.0 - _FIRST) / ((_SCALE + rows) * (1.0 + np.log1p(rows / _SCALE)) ** 2)
    return np.asarray(weights + np.where(rows == 1.0, _FIRST, 0.0))


def left_weight(rows: FloatArray) -> FloatArray:
    """Return at most what the starts after so many rows weigh together; all weigh 1 before the first row."""
    return np.asarray((1.0 - _FIRST) / (1.0 + np.log1p(rows / _SCALE)) + np.where(rows == 0.0, _FIRST, 0.0))
