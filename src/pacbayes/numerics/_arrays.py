"""Broadcasting in cache-sized blocks, and the checks that turn bad input into one clear sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["BLOCK", "FloatArray", "broadcast", "check_range", "check_shapes", "in_blocks", "is_scalar", "to_floats"]

FloatArray = NDArray[np.float64]

_FLOATS = (float, np.float64)
_BEYOND = 2**1023  # larger whole numbers may be no doubles

# 16384 doubles are 128 kB: the temporaries of a kernel stay in a core's second-level cache.
BLOCK = 16384


def is_scalar(*arguments: object) -> bool:
    """Return whether every argument is a single number, for which :mod:`math` beats numpy."""
    return all(type(a) in _FLOATS or (type(a) is int and abs(a) < _BEYOND) for a in arguments)


def to_floats(owner: str, name: str, argument: ArrayLike) -> FloatArray:
    """Return the argument as a float64 array, or say that it is not numeric."""
    array = np.asarray(argument)
    if array.dtype.kind not in "fiub":
        raise ValueError(
            f"The {name!r} argument of {owner} must be a real number or an array of them. Got {argument!r} instead."
        )
    return array.astype(np.float64, copy=False)


def check_range(
    owner: str, name: str, values: Any, low: float, high: float, requirement: str, *, finite: bool = False
) -> None:
    """Raise a ValueError that names the first value outside ``[low, high]`` (a NaN is outside)."""
    if isinstance(values, float):
        if low <= values <= high and (not finite or math.isfinite(values)):
            return
        worst = float(values)
    else:
        inside = (values >= low) & (values <= high)
        if finite:
            inside &= np.isfinite(values)
        if inside.all():
            return
        worst = float(values[~inside].flat[0])
    raise ValueError(f"The {name!r} argument of {owner} must {requirement}. Got {worst!r} instead.")


def check_shapes(owner: str, **shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the common broadcast shape, or say which shapes do not fit together."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        listing = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ValueError(f"The arguments of {owner} must have shapes that broadcast. Got {listing} instead.") from None


def broadcast(owner: str, **arrays: FloatArray) -> list[FloatArray]:
    """Broadcast arrays against each other, or say which shapes do not fit together."""
    shape = check_shapes(owner, **{name: array.shape for name, array in arrays.items()})
    return [np.broadcast_to(array, shape) for array in arrays.values()]


def in_blocks(
    kernel: Callable[..., Sequence[FloatArray]], *arrays: FloatArray, outputs: Sequence[int | None]
) -> list[Any]:
    """Apply a kernel to equally shaped arrays, one cache-sized block at a time.

    ``outputs`` describes each result: ``None`` for one number per element, ``k`` for ``k`` numbers per
    element, which the kernel returns along its first axis and the caller receives along the last.
    A result of shape ``()`` comes back as a Python float.
    """
    shape = arrays[0].shape
    flat = [np.ascontiguousarray(array).reshape(-1) for array in arrays]
    size = flat[0].size
    results = [np.empty(size if k is None else (k, size)) for k in outputs]
    with np.errstate(all="ignore"):  # edges are computed through infinities on purpose
        for start in range(0, size, BLOCK):
            block = slice(start, start + BLOCK)
            for result, part in zip(results, kernel(*(array[block] for array in flat)), strict=True):
                result[..., block] = part
    return [_shaped(result, shape, k) for result, k in zip(results, outputs, strict=True)]


def _shaped(result: FloatArray, shape: tuple[int, ...], per_element: int | None) -> Any:
    if per_element is not None:
        return np.ascontiguousarray(result.T).reshape((*shape, per_element))
    return result.reshape(shape) if shape else float(result[0])
