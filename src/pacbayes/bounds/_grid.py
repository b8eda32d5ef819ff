"""Grids of rates fixed before the data: their checks, and the smallest of several bounds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_range, to_floats
from pacbayes._core.rounding import EPS
from pacbayes._core.types import FloatArray

__all__ = ["best_of_grid", "checked_grid"]


def checked_grid(
    owner: str, rates: ArrayLike, weights: ArrayLike | None, high: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Return rates as a one-dimensional array, and for each what it adds to ``log(1/delta)``, rounded up."""
    grid = np.atleast_1d(to_floats(owner, "rates", rates))
    if grid.ndim != 1 or grid.size == 0:
        raise ValueError(
            f"The 'rates' argument of {owner} must be a number or a list of them. Got shape {grid.shape} instead."
        )
    words = f"lie strictly between 0 and {high:g}"
    check_range(owner, "rates", grid, np.nextafter(0.0, 1.0), np.nextafter(high, 0.0), words)
    if weights is None:
        return grid, np.full(grid.size, np.log(grid.size) * (1.0 + 8.0 * EPS))
    shares = np.atleast_1d(to_floats(owner, "weights", weights))
    if shares.shape != grid.shape:
        raise ValueError(
            f"The 'weights' argument of {owner} must have one entry per rate. "
            f"Got shapes {shares.shape} and {grid.shape} instead."
        )
    check_range(owner, "weights", shares, np.nextafter(0.0, 1.0), 1.0, "be positive and at most 1")
    if shares.sum() > 1.0 + 1e-12:
        raise ValueError(
            f"The 'weights' argument of {owner} must sum to at most 1. Got {float(shares.sum())!r} instead."
        )
    # dividing by a sum that rounding left above 1 keeps the union honest
    return grid, -np.log(shares / max(1.0, shares.sum() * (1.0 + shares.size * EPS))) * (1.0 + 8.0 * EPS) + 2.0 * EPS


def best_of_grid(candidates: FloatArray) -> tuple[FloatArray, Callable[[FloatArray], FloatArray]]:
    """Return the smallest candidate along the last axis, and a function that picks the same entry of other arrays."""
    index = np.argmin(candidates, axis=-1)[..., None]

    def pick(array: FloatArray) -> FloatArray:
        return np.take_along_axis(np.broadcast_to(array, candidates.shape), index, axis=-1)[..., 0]

    return pick(candidates), pick
