"""Numbers of a stored state, written in full precision and read with distrust."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.types import FloatArray, IntArray

__all__ = ["read_count", "read_counts", "read_floats", "refuse", "write_floats"]

_LARGEST = 2**53


def refuse() -> NoReturn:
    """Refuse what no monitor has stored."""
    raise ValueError("The state must be one that a monitor stored. Got something else instead.")


def write_floats(values: ArrayLike) -> list[str]:
    """Return floats as text, to the last bit."""
    return [float(value).hex() for value in np.ravel(values).tolist()]


def read_floats(values: object, count: int) -> FloatArray:
    """Return as many floats as there have to be; a NaN is none."""
    if not isinstance(values, list) or len(values) != count or not all(isinstance(value, str) for value in values):
        refuse()
    try:
        numbers = np.array([float.fromhex(value) for value in values])
    except (ValueError, OverflowError):
        refuse()
    if np.any(np.isnan(numbers)) or np.any(numbers == np.inf):
        refuse()
    return numbers


def read_count(value: object) -> int:
    """Return a whole number that is not negative."""
    if type(value) is not int or not 0 <= value <= _LARGEST:
        refuse()
    return value


def read_counts(values: object, count: int) -> IntArray:
    """Return as many whole numbers as there have to be."""
    if not isinstance(values, list) or len(values) != count:
        refuse()
    return np.array([read_count(value) for value in values], dtype=np.int64)
