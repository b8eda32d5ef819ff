"""Values and weights so small that products of them would underflow: scaled up, or moved to the safe side."""

from __future__ import annotations

from collections.abc import Sequence

from pacbayes._core.arithmetic import Arithmetic
from pacbayes._core.types import Number

__all__ = ["magnify", "reduced", "without_tiny"]

_SMALL_VALUE = 2.0**-300
_MAGNIFIER = 2.0**700  # brings the smallest double to 2**-374, and no small value above 2**400
_SMALLEST_WEIGHT = 1e-290


def magnify(values: Sequence[Number], ops: Arithmetic) -> tuple[list[Number], Number]:
    """Return tiny values multiplied by a power of two, which is exact, and what to multiply a result by."""
    largest: Number = 0.0
    for value in values:
        largest = ops.maximum(largest, ops.absolute(value))
    small = (largest > 0.0) & (largest < _SMALL_VALUE)
    factor = ops.where(small, _MAGNIFIER, 1.0)
    return [value * factor for value in values], ops.where(small, 1.0 / _MAGNIFIER, 1.0)


def reduced(value: Number, scale: Number, ops: Arithmetic) -> Number:
    """Return a result for magnified values scaled back, rounded up where that is not exact."""
    small = value * scale
    return ops.where(small / scale < value, ops.next_up(small), small)


def without_tiny(weights: Sequence[Number], values: Sequence[Number], ops: Arithmetic) -> Sequence[Number]:
    """Move weights in (0, 1e-290), which have lost digits, to the first atom of largest value.

    Moving mass upwards never lowers the supremum, and raises it by less than 1e-287 of the range.
    """
    tiny = [(weight > 0.0) & (weight < _SMALLEST_WEIGHT) for weight in weights]
    if not any(ops.any(flag) for flag in tiny):
        return weights
    top = values[0]
    for value in values[1:]:
        top = ops.maximum(top, value)
    moved: Number = 0.0
    for weight, flag in zip(weights, tiny, strict=True):
        moved = moved + ops.where(flag, weight, 0.0)
    kept = [ops.where(flag, 0.0, weight) for weight, flag in zip(weights, tiny, strict=True)]
    for index, value in enumerate(values):
        here = value == top
        # at least the smallest admitted weight, so that the moved mass keeps its digits
        gain = ops.where(here & (moved > 0.0), ops.maximum(moved, _SMALLEST_WEIGHT), 0.0)
        kept[index] = kept[index] + gain
        moved = ops.where(here, 0.0, moved)
    return kept
