"""Losses of rows as they are given, checked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_range, refuse_masked, to_floats
from pacbayes._core.types import BoolArray, FloatArray

__all__ = ["read_losses", "read_sizes"]


def read_losses(losses: ArrayLike, unreadable: ArrayLike | None) -> tuple[FloatArray, BoolArray]:
    """Return losses in [0, 1], and which of them could not be read; refuse anything else."""
    values = np.atleast_1d(to_floats("Monitor.update", "losses", losses))
    if values.ndim != 1:
        raise ValueError(
            f"The 'losses' argument of Monitor.update must be one number or a list of them. Got shape {values.shape}."
        )
    refuse_masked("The 'unreadable' argument of Monitor.update", unreadable)
    lost = np.zeros(values.shape, dtype=bool) if unreadable is None else np.atleast_1d(np.asarray(unreadable))
    if lost.dtype != np.bool_ or lost.shape != values.shape:
        raise ValueError(
            "The 'unreadable' argument of Monitor.update must say true or false of each loss. "
            f"Got {lost.dtype} of shape {lost.shape} instead."
        )
    check_range("Monitor.update", "losses", np.where(lost, 0.0, values), 0.0, 1.0, "lie in [0, 1]")
    return values, lost


def read_sizes(sizes: Sequence[int], monitors: int, losses: int) -> list[int]:
    """Return how many losses each monitor has; refuse what does not add up to all of them."""
    counts = list(sizes) if isinstance(sizes, Sequence | np.ndarray) else [sizes]
    odd = [each for each in counts if isinstance(each, bool) or not isinstance(each, int | np.integer) or each < 0]
    if odd:
        raise ValueError(
            "The 'sizes' argument of Monitor.update_together must be whole numbers that are not negative, one for each "
            f"monitor. Got {odd[0]!r:.60} instead."
        )
    if sum(counts) != losses or len(counts) != monitors:
        raise ValueError(
            "The 'sizes' argument of Monitor.update_together must say how many losses each monitor has. "
            f"Got {len(counts)} numbers for {monitors} monitors, and {sum(counts)} for {losses} losses."
        )
    return [int(each) for each in counts]
