"""The budget that bounds share, and the form in which they return their value."""

from __future__ import annotations

import numpy as np

from pacbayes._core.rounding import EPS, log_inverse
from pacbayes._core.types import FloatArray, FloatOrArray

__all__ = ["LARGEST", "budget", "clipped", "plain"]

# Stands for an infinite budget wherever infinity times zero could arise; every bound is vacuous long before.
LARGEST = 1e300


def budget(kl: FloatArray, n: FloatArray, delta: FloatArray, log_constant: FloatOrArray = 0.0) -> FloatArray:
    """Return ``(kl + log(constant/delta))/n``, rounded up and capped at :data:`LARGEST`."""
    # non-negative terms: two additions, a division and a product of EPS/2 each beside the terms' own rounding
    total = (kl + log_constant + log_inverse(delta)) / n * (1.0 + 4.0 * EPS)
    return np.asarray(np.minimum(total, LARGEST))


def plain(value: FloatOrArray) -> FloatOrArray:
    """Return a Python float for a zero-dimensional result, else the array."""
    array = np.asarray(value)
    return array if array.shape else float(array)


def clipped(value: FloatOrArray, low: float = 0.0, high: float = 1.0) -> FloatOrArray:
    """Return a bound clipped to what its quantity can be; a NaN (which no valid input gives) counts as vacuous."""
    return plain(np.clip(np.where(np.isnan(value), high, value), low, high))
