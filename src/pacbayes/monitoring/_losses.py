"""Losses of rows as they are given, checked."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_range, refuse_masked, to_floats
from pacbayes._core.types import BoolArray, FloatArray

__all__ = ["read_losses"]


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
