"""Numbers as doubles, refused where a double would be another number."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

__all__ = ["refuse_rounded"]

_EXACT = 2**53  # up to here every whole number is a double


def refuse_rounded(what: str, given: Any) -> None:
    """Refuse whole numbers beyond 2**53, and others beyond it that are no doubles, whatever holds them.

    Two of them that differ may be the same double, so that a loss of their difference would count as none. Lists are
    looked at before numpy makes doubles of them.

    Examples
    --------
    >>> from pacbayes._core.doubles import refuse_rounded
    >>> refuse_rounded("The 'y' argument of fit must hold", [2.0**60, 2**53, 0.1])
    >>> refuse_rounded("The 'y' argument of fit must hold", [0.5, 2**60 + 1])
    Traceback (most recent call last):
    ...
    ValueError: The 'y' argument of fit must hold numbers up to 2**53. Got larger ones instead.
    """
    if _is_rounded_in(given.to_numpy() if hasattr(given, "to_numpy") else given):
        raise ValueError(f"{what} numbers up to 2**53. Got larger ones instead.")


def _is_rounded_in(given: Any) -> bool:
    if isinstance(given, list | tuple):
        return any(type(each) is not float and _is_rounded_in(each) for each in given)
    if not isinstance(given, np.ndarray):
        return _is_rounded(given)
    if given.dtype.kind in "iu":
        return bool(given.size) and max(abs(int(given.min())), abs(int(given.max()))) > _EXACT
    if given.dtype.kind == "f":
        doubles = given.dtype.itemsize <= np.dtype(np.float64).itemsize
        return not doubles and any(map(_is_rounded, given.ravel()))
    return given.dtype.kind == "O" and any(type(each) is not float and _is_rounded_in(each) for each in given.flat)


def _is_rounded(value: Any) -> bool:
    if isinstance(value, numbers.Integral):
        return abs(int(value)) > _EXACT
    if not isinstance(value, numbers.Real) or isinstance(value, float):
        return False
    kind: Any = type(value)
    try:
        with np.errstate(over="ignore"):
            return bool(abs(kind(value)) > _EXACT and kind(float(value)) != value)
    except OverflowError:
        return True
