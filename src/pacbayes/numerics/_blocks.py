"""Kernels over arrays in cache-sized blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pacbayes._core.types import FloatArray, Number

__all__ = ["BLOCK", "in_blocks"]

# 16384 doubles are 128 kB: the temporaries of a kernel stay in a core's second-level cache.
BLOCK = 16384


def in_blocks(
    kernel: Callable[..., Sequence[Number]], *arrays: FloatArray, outputs: Sequence[int | None]
) -> list[Number]:
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


def _shaped(result: FloatArray, shape: tuple[int, ...], per_element: int | None) -> Number:
    if per_element is not None:
        return np.ascontiguousarray(result.T).reshape((*shape, per_element))
    return result.reshape(shape) if shape else float(result[0])
