"""Checks that all constructors of a summary share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_range, single, to_floats
from pacbayes._core.types import FloatArray
from pacbayes.bounds import REFERENCE_KINDS, betting_rates

__all__ = ["checked_losses", "checked_options"]


def checked_losses(name: str, values: ArrayLike, dimensions: int = 1) -> FloatArray:
    array = to_floats("Summary", name, values)
    if array.ndim != dimensions or array.size == 0:
        words = "one number per example" if dimensions == 1 else "one row per predictor and one column per example"
        raise ValueError(f"The {name!r} argument of Summary must be {words}. Got shape {array.shape} instead.")
    check_range("Summary", name, array, 0.0, 1.0, "lie in [0, 1]")
    return array


def checked_options(
    n: int,
    reference: Any,
    reference_kind: str | None = None,
    strength: float = 1.0,
    rates: Any = None,
    weights: Any = None,
) -> dict[str, Any]:
    """Check what all constructors share; a reference object brings its kind, and its losses row by row."""
    if hasattr(reference, "by_row"):
        reference, reference_kind = (None, None) if reference.kind == "none" else (reference.by_row(), reference.kind)
    check_range("Summary", "strength", np.asarray(float(strength)), 0.0, 1.0, "lie in [0, 1]")
    if reference_kind not in (None, *REFERENCE_KINDS):
        raise ValueError(
            f"The 'reference_kind' argument of Summary must be one of {REFERENCE_KINDS}. "
            f"Got {reference_kind!r} instead (an online reference is 'predictable')."
        )
    if reference is None:
        if reference_kind not in (None, "none"):
            raise ValueError(
                f"The 'reference' argument of Summary is needed for a {reference_kind} reference. Got None instead."
            )
        references, reference_kind = np.zeros(n), "none"
    else:
        references = checked_losses("reference", reference)
        if references.size != n:
            raise ValueError(
                f"The 'reference' argument of Summary must have {n} entries. Got {references.size} instead."
            )
        if reference_kind in (None, "none"):
            raise ValueError(
                "The 'reference_kind' argument of Summary must say whether the reference is 'fixed' (chosen before "
                f"these examples) or 'predictable' (each chosen from earlier ones). Got {reference_kind!r} instead."
            )
    grid, shares = _checked_rates(rates, weights)
    return {
        "strength": float(strength),
        "reference_kind": reference_kind,
        "rates": grid,
        "weights": shares,
        "references": references,
    }


def _checked_rates(rates: Any, weights: Any) -> tuple[FloatArray, FloatArray]:
    if rates is None:
        if weights is not None:
            raise ValueError("The 'weights' argument of Summary goes with 'rates'. Got it alone instead.")
        return betting_rates()
    grid = np.atleast_1d(single("Summary", "rates", rates))
    shares = (
        np.full(grid.size, 1.0 / max(1, grid.size)) if weights is None else to_floats("Summary", "weights", weights)
    )
    if grid.ndim != 1 or grid.size == 0 or shares.shape != grid.shape:
        raise ValueError(
            "The 'rates' argument of Summary must be a list of numbers, and 'weights' one number for each. "
            f"Got shapes {grid.shape} and {shares.shape} instead."
        )
    return grid, shares
