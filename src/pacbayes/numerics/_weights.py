"""Checking of weight vectors: non-negative, and close to summing to 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pacbayes.numerics._arrays import FloatArray, check_range, to_floats

__all__ = ["SUM_TOLERANCE", "checked_weights"]

# Single-precision weights pass; a forgotten atom does not.
SUM_TOLERANCE = 1e-6


def checked_weights(owner: str, name: str, weights: ArrayLike) -> FloatArray:
    """Return weights as float64 after checking sign and sum along the last axis."""
    array = to_floats(owner, name, weights)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ValueError(
            f"The {name!r} argument of {owner} must have at least one atom on its last axis. "
            f"Got shape {array.shape} instead."
        )
    check_range(owner, name, array, 0.0, np.inf, "be non-negative and finite", finite=True)
    requirement = f"sum to 1 within {SUM_TOLERANCE:g} along the last axis"
    check_range(owner, name, array.sum(axis=-1), 1.0 - SUM_TOLERANCE, 1.0 + SUM_TOLERANCE, requirement)
    return array
