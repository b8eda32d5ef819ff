"""One kernel, two arithmetics: the same formulas run on Python floats and on blocks of an array.

A call on a single number spends its time in function calls, one on a million numbers in memory; the
kernels of this package are therefore written once, against the handful of operations below, and run with
:data:`FLOATS` (the :mod:`math` module) or :data:`ARRAYS` (numpy).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol, cast

import numpy as np

from pacbayes._core.types import BoolArray, Condition, FloatArray, Number

__all__ = ["ARRAYS", "FLOATS", "Arithmetic", "log_expm1"]

# Coefficients 1/3, 1/5, ..., 1/19 of atanh(s)/s - 1 in powers of s**2, highest first. For |x| < 1/4,
# s**2 = (x/(2+x))**2 <= 1/49 and what is cut off is below 2e-17 of the result.
_ATANH = tuple(1.0 / (2 * k + 3) for k in range(8, -1, -1))
_SERIES_RADIUS = 0.25
_ROUGH_RADIUS = 1 / 64


class Arithmetic(Protocol):
    """The operations that a kernel may use besides ``+ - * /`` and comparison."""

    def gap(self, x: Number, ratio: Number) -> Number:
        """Return ``x - log(ratio)`` where ``ratio`` is ``1 + x``: non-negative, without cancellation."""

    def rough_gap(self, x: Number, log_ratio: Number) -> Number:
        """Return ``x - log_ratio`` where ``log_ratio`` is ``log(1 + x)``, to 3e-10 of itself."""

    def log(self, x: Number) -> Number: ...
    def log1p(self, x: Number) -> Number: ...
    def exp(self, x: Number) -> Number: ...
    def expm1(self, x: Number) -> Number: ...
    def where(self, condition: Condition, a: Number, b: Number) -> Number: ...
    def absolute(self, x: Number) -> Number: ...
    def minimum(self, a: Number, b: Number) -> Number: ...
    def maximum(self, a: Number, b: Number) -> Number: ...
    def any(self, condition: Condition) -> bool: ...
    def next_up(self, x: Number) -> Number: ...


def _gap_series(x: Number) -> Number:
    """Return ``x - log1p(x)`` for ``|x| < 1/4``.

    With ``s = x/(2+x)``: ``log1p(x) = 2 atanh(s)`` and ``x - 2s = x s``, so that
    ``x - log1p(x) = s (x - 2 s**2 (1/3 + s**2/5 + ...))``, where nothing cancels.
    """
    s = x / (2.0 + x)
    z = s * s
    tail = z * _ATANH[0]
    for coefficient in _ATANH[1:]:  # in place: a block of an array is not copied at every step
        tail += coefficient
        tail *= z
    tail *= -2.0
    tail += x
    tail *= s
    return tail


def _rough_series(x: Number) -> Number:
    """Return ``x - log1p(x)`` for ``|x| < 1/64`` to 3e-10 of itself: what is cut off is ``2 x**5/7`` of it."""
    tail = x * (1 / 6)
    for coefficient in (-1 / 5, 1 / 4, -1 / 3, 1 / 2):
        tail += coefficient
        tail *= x
    tail *= x
    return tail


class _Floats:
    """Python floats through :mod:`math`."""

    log = staticmethod(math.log)
    log1p = staticmethod(math.log1p)
    exp = staticmethod(math.exp)
    expm1 = staticmethod(math.expm1)
    absolute = staticmethod(math.fabs)
    minimum = staticmethod(min)
    maximum = staticmethod(max)
    any = staticmethod(bool)

    @staticmethod
    def gap(x: float, ratio: float) -> float:
        if -_SERIES_RADIUS < x < _SERIES_RADIUS:
            return float(_gap_series(x))
        return x - math.log(ratio)

    @staticmethod
    def rough_gap(x: float, log_ratio: float) -> float:
        if -_ROUGH_RADIUS < x < _ROUGH_RADIUS:
            return float(_rough_series(x))
        return x - log_ratio

    @staticmethod
    def where(condition: bool, a: float, b: float) -> float:
        return a if condition else b

    @staticmethod
    def next_up(x: float) -> float:
        return math.nextafter(x, math.inf)


def _with_series(x: FloatArray, plain: FloatArray, radius: float, series: Callable[[FloatArray], Number]) -> FloatArray:
    """Overwrite the plain values by those of the series near zero; faster than `np.where` on mixed input."""
    near = np.nonzero(np.abs(x) < radius)
    if near[0].size:
        plain[near] = series(x[near])
    return plain


class _Arrays:
    """Arrays through numpy."""

    log = staticmethod(np.log)
    log1p = staticmethod(np.log1p)
    exp = staticmethod(np.exp)
    expm1 = staticmethod(np.expm1)
    absolute = staticmethod(np.absolute)
    minimum = staticmethod(np.minimum)
    maximum = staticmethod(np.maximum)
    where = staticmethod(np.where)

    @staticmethod
    def gap(x: FloatArray, ratio: FloatArray) -> FloatArray:
        return _with_series(x, x - np.log(ratio), _SERIES_RADIUS, _gap_series)

    @staticmethod
    def rough_gap(x: FloatArray, log_ratio: FloatArray) -> FloatArray:
        return _with_series(x, x - log_ratio, _ROUGH_RADIUS, _rough_series)

    @staticmethod
    def any(condition: BoolArray) -> bool:
        return bool(np.any(condition))

    @staticmethod
    def next_up(x: FloatArray) -> FloatArray:
        return np.nextafter(x, np.inf)


# a kernel is given numbers of one kind together with the arithmetic of that kind, which no type can say
FLOATS = cast("Arithmetic", _Floats())
ARRAYS = cast("Arithmetic", _Arrays())


def log_expm1(x: Number, ops: Arithmetic) -> Number:
    """Return ``log(exp(x) - 1)`` for ``x > 0`` without overflow or cancellation."""
    return x + ops.log(-ops.expm1(-x))
