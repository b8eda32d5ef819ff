"""Arguments of bounds: one table of domains, one shape of message, and the budget they all share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from pacbayes.numerics._arrays import FloatArray, broadcast, check_range, to_floats
from pacbayes.numerics._rounding import EPS

__all__ = ["LARGEST", "budget", "checked", "clipped", "log_inverse", "plain", "single"]

# Stands for an infinite budget wherever infinity times zero could arise; every bound is vacuous long before.
LARGEST = 1e300
_LARGEST_N = 2.0**53
_ROUNDING = 1e-9  # statistics are sums of millions of terms; this much beyond their range is rounding, not a mistake


@dataclass(frozen=True, slots=True)
class _Domain:
    low: float
    high: float
    words: str
    open_ends: bool = False
    whole: bool = False


_UNIT = _Domain(0.0, 1.0, "lie in [0, 1]")
_DOMAINS = {
    "risk": _UNIT,
    "plus": _UNIT,
    "minus": _UNIT,
    "second": _UNIT,
    "reference": _UNIT,
    "value": _UNIT,
    "variance": _Domain(0.0, 0.5, "lie in [0, 1/2]"),
    "excess": _Domain(-1.0, 1.0, "lie in [-1, 1]"),
    "kl": _Domain(0.0, math.inf, "be non-negative (it may be infinite)"),
    # below 1e-290 a share of delta may have lost digits
    "delta": _Domain(1e-290, 1.0, "be a number strictly between 0 and 1 (and at least 1e-290)", open_ends=True),
    "n": _Domain(1.0, _LARGEST_N, "be a whole number between 1 and 2**53", whole=True),
    "draws": _Domain(1.0, _LARGEST_N, "be a whole number between 1 and 2**53", whole=True),
    "errors": _Domain(0.0, _LARGEST_N, "be a whole number between 0 and 2**53", whole=True),
    "rates": _Domain(0.0, 1.0, "lie strictly between 0 and 1", open_ends=True),
}


def checked(owner: str, **arguments: Any) -> list[FloatArray]:
    """Return the arguments as float64 arrays that broadcast, each in the domain its name stands for."""
    arrays = {name: single(owner, name, value) for name, value in arguments.items()}
    return broadcast(owner, **arrays)


def single(owner: str, name: str, value: Any) -> FloatArray:
    """Return one argument as a float64 array in the domain its name stands for."""
    array, domain = to_floats(owner, name, value), _DOMAINS[name]
    tolerance = _ROUNDING if domain.high <= 1.0 and not domain.open_ends else 0.0
    check_range(owner, name, array, domain.low - tolerance, domain.high + tolerance, domain.words)
    if domain.open_ends:
        _refuse_where(owner, name, array, (array == domain.low) | (array == domain.high), domain.words)
    if domain.whole:
        _refuse_where(owner, name, array, array != np.floor(array), domain.words)
    return np.clip(array, domain.low, domain.high) if tolerance else array


def _refuse_where(owner: str, name: str, array: FloatArray, bad: Any, words: str) -> None:
    if np.any(bad):
        worst = float(np.ravel(array)[np.ravel(bad)][0])
        raise ValueError(f"The {name!r} argument of {owner} must {words}. Got {worst!r} instead.")


def log_inverse(delta: FloatArray) -> FloatArray:
    """Return ``log(1/delta)``, rounded up."""
    return np.asarray(-np.log(delta) * (1.0 + 8.0 * EPS))


def budget(kl: FloatArray, n: FloatArray, delta: FloatArray, log_constant: Any = 0.0) -> FloatArray:
    """Return ``(kl + log(constant/delta))/n``, rounded up and capped at :data:`LARGEST`."""
    # non-negative terms: two additions, a division and a product of EPS/2 each beside the terms' own rounding
    total = (kl + log_constant + log_inverse(delta)) / n * (1.0 + 4.0 * EPS)
    return np.asarray(np.minimum(total, LARGEST))


def plain(value: Any) -> Any:
    """Return a Python float for a zero-dimensional result, else the array."""
    array = np.asarray(value)
    return array if array.shape else float(array)


def clipped(value: Any, low: float = 0.0, high: float = 1.0) -> Any:
    """Return a bound clipped to what its quantity can be; a NaN (which no valid input gives) counts as vacuous."""
    return plain(np.clip(np.where(np.isnan(value), high, value), low, high))
