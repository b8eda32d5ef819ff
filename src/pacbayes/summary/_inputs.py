"""Checks that all constructors of a summary share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pacbayes.bounds import betting_rates
from pacbayes.bounds._arguments import single
from pacbayes.bounds._catalogue import REFERENCE_KINDS
from pacbayes.numerics._arrays import FloatArray, check_range, to_floats

__all__ = ["checked_losses", "checked_options"]


def checked_losses(name: str, values: ArrayLike, dimensions: int = 1) -> FloatArray:
    array = to_floats("Summary", name, values)
    if array.ndim != dimensions or array.size == 0:
        words = "one number per example" if dimensions == 1 else "one row per predictor and one column per example"
        raise ValueError(f"The {name!r} argument of Summary must be {words}. Got shape {array.shape} instead.")
    check_range("Summary", name, array, 0.0, 1.0, "lie in [0, 1]")
    return array


def checked_options(
    n: int, reference: Any, kind: str | None, strength: float, rates: Any, weights: Any
) -> dict[str, Any]:
    """Check what all constructors share."""
    check_range("Summary", "strength", np.asarray(float(strength)), 0.0, 1.0, "lie in [0, 1]")
    if kind not in (None, *REFERENCE_KINDS):
        raise ValueError(
            f"The 'reference_kind' argument of Summary must be one of {REFERENCE_KINDS}. Got {kind!r} instead."
        )
    if reference is None:
        if kind not in (None, "none"):
            raise ValueError(f"The 'reference' argument of Summary is needed for a {kind} reference. Got None instead.")
        references, kind = np.zeros(n), "none"
    else:
        references = checked_losses("reference", reference)
        if references.size != n:
            raise ValueError(
                f"The 'reference' argument of Summary must have {n} entries. Got {references.size} instead."
            )
        if kind in (None, "none"):
            raise ValueError(
                "The 'reference_kind' argument of Summary must say whether the reference is 'fixed' (chosen before "
                f"these examples) or 'predictable' (each chosen from earlier ones). Got {kind!r} instead."
            )
    if rates is None:
        grid, shares = betting_rates()
    else:
        grid = np.atleast_1d(single("Summary", "rates", rates))
        shares = np.full(grid.size, 1.0 / grid.size) if weights is None else to_floats("Summary", "weights", weights)
    return {
        "strength": float(strength),
        "reference_kind": kind,
        "rates": grid,
        "weights": shares,
        "references": references,
    }
