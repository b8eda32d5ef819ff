"""Checks that all constructors of a summary share."""

from __future__ import annotations

from typing import NamedTuple, Protocol, TypeAlias, TypedDict, cast

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_range, single, to_floats
from pacbayes._core.types import FloatArray
from pacbayes.bounds import REFERENCE_KINDS, betting_rates

__all__ = ["Options", "ReferenceLike", "Setting", "checked_losses", "checked_setting"]


def checked_losses(name: str, values: ArrayLike, dimensions: int = 1) -> FloatArray:
    array = to_floats("Summary", name, values)
    if array.ndim != dimensions or array.size == 0:
        words = "one number per example" if dimensions == 1 else "one row per predictor and one column per example"
        raise ValueError(f"The {name!r} argument of Summary must be {words}. Got shape {array.shape} instead.")
    check_range("Summary", name, array, 0.0, 1.0, "lie in [0, 1]")
    return array


class RowReference(Protocol):
    """A reference that knows its kind and its loss on each row, as :class:`pacbayes.OnlineReference`."""

    @property
    def kind(self) -> str: ...

    def by_row(self) -> FloatArray: ...


ReferenceLike: TypeAlias = "ArrayLike | RowReference | None"


class Options(TypedDict, total=False):
    """What all constructors of a summary take."""

    reference_kind: str | None
    strength: float
    rates: ArrayLike | None
    weights: ArrayLike | None


class Setting(NamedTuple):
    """The same, checked, and the reference's loss on each example (0 without one)."""

    references: FloatArray
    reference_kind: str
    strength: float
    rates: FloatArray
    weights: FloatArray


def checked_setting(n: int, reference: ReferenceLike, options: Options) -> Setting:
    """Check what all constructors share; a reference object brings its kind, and its losses row by row."""
    strength = float(options.get("strength", 1.0))
    check_range("Summary", "strength", np.asarray(strength), 0.0, 1.0, "lie in [0, 1]")
    losses, kind = _checked_reference(n, reference, options.get("reference_kind"))
    rates, weights = _checked_rates(options.get("rates"), options.get("weights"))
    return Setting(losses, kind, strength, rates, weights)


def _checked_reference(n: int, reference: ReferenceLike, kind: str | None) -> tuple[FloatArray, str]:
    if hasattr(reference, "by_row"):
        named = cast("RowReference", reference)
        reference, kind = (None, None) if named.kind == "none" else (named.by_row(), named.kind)
    if kind not in (None, *REFERENCE_KINDS):
        raise ValueError(
            f"The 'reference_kind' argument of Summary must be one of {REFERENCE_KINDS}. "
            f"Got {kind!r} instead (an online reference is 'predictable')."
        )
    if reference is None:
        if kind not in (None, "none"):
            raise ValueError(f"The 'reference' argument of Summary is needed for a {kind} reference. Got None instead.")
        return np.zeros(n), "none"
    losses = checked_losses("reference", cast("ArrayLike", reference))
    if losses.size != n:
        raise ValueError(f"The 'reference' argument of Summary must have {n} entries. Got {losses.size} instead.")
    if kind is None or kind == "none":
        raise ValueError(
            "The 'reference_kind' argument of Summary must say whether the reference is 'fixed' (chosen before "
            f"these examples) or 'predictable' (each chosen from earlier ones). Got {kind!r} instead."
        )
    return losses, kind


def _checked_rates(rates: ArrayLike | None, weights: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
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
