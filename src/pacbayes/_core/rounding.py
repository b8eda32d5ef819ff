"""Outward rounding, exact sums and products, and the slack that makes results certain.

The model of arithmetic
-----------------------
``+ - * /`` are correct to half a unit in the last place (relative error ``EPS/2``, ``EPS = 2**-52``);
``log``, ``exp`` and ``expm1`` of the C library and of numpy are assumed correct to 4 units in the last
place (relative error ``4 EPS``); their published worst cases are below that.

The slack of a KL-ball distance
-------------------------------
:func:`pacbayes.numerics.inverse._dual.distance` evaluates ``D = -s expm1(-(sum_a u_a gap(x_a) + b))``.
Its inputs carry at most ``3 EPS`` of relative error each (a difference, a division by the range, a
normalised weight), hence:

- ``x_a`` and ``1 + x_a = (tau + drop)/s``: at most ``3 + 3 + 2 = 8 EPS``, call it ``e``;
- ``gap`` by its series (``|x| < 1/4``): its condition number there is at most ``2.34`` (at ``x = -1/4``), so
  ``2.34 e`` and 12 operations of ``EPS/2`` whose terms do not cancel: ``25 EPS``;
- ``gap`` by ``x - log(1 + x)`` (``|x| >= 1/4``): the absolute error is ``|x| e + e + 4 EPS |log(1 + x)|``, and
  ``gap`` is at least ``0.0268``, ``|x|/gap <= 9.4``, ``|log(1 + x)|/gap <= 8.4`` (all at ``x = 1/4``):
  ``75 + 298 + 34 EPS``, below ``410 EPS``;
- the weighted sum of ``M`` non-negative terms: ``(M + 4)/2 EPS`` more;
- ``expm1(-y)`` has condition number at most 1 in ``y > 0``, and costs 4, ``s`` 4, the product 1/2 ``EPS``.

Altogether below ``(425 + M/2) EPS``; :func:`distance_slack` returns ``(512 + M) EPS``, 1.1e-13 for few atoms.
"""

from __future__ import annotations

from typing import overload

import numpy as np

from pacbayes._core.types import FloatArray, Number

__all__ = ["EPS", "distance_slack", "log_inverse", "raised", "two_product", "two_sum"]

EPS = 2.0**-52
_SPLITTER = 2.0**27 + 1.0


def distance_slack(atoms: int) -> float:
    """Return the factor by which a computed KL-ball distance is enlarged; derived in this module's docstring."""
    return 1.0 + (512 + atoms) * EPS


@overload
def raised(x: FloatArray, units: float) -> FloatArray: ...
@overload
def raised(x: Number, units: float) -> Number: ...
def raised(x: Number, units: float) -> Number:
    """Return ``x`` moved up by ``units`` units of 2**-52 of itself, and to the next double.

    That is at or above the exact value of anything computed with a relative error of at most ``units`` times that.
    """
    return np.nextafter(x + np.abs(x) * (units * EPS), np.inf)


def log_inverse(delta: FloatArray) -> FloatArray:
    """Return ``log(1/delta)``, rounded up."""
    return np.asarray(-np.log(delta) * (1.0 + 8.0 * EPS))


@overload
def two_sum(a: FloatArray, b: Number) -> tuple[FloatArray, FloatArray]: ...
@overload
def two_sum(a: Number, b: Number) -> tuple[Number, Number]: ...
def two_sum(a: Number, b: Number) -> tuple[Number, Number]:
    """Return ``(s, e)`` with ``s = fl(a + b)`` and ``s + e = a + b`` exactly (Knuth)."""
    s = a + b
    shadow = s - a
    return s, (a - (s - shadow)) + (b - shadow)


def two_product(a: Number, b: Number) -> tuple[Number, Number]:
    """Return ``(p, e)`` with ``p = fl(a b)`` and ``p + e = a b`` exactly, ``|a|, |b| < 2**995`` (Dekker)."""
    p = a * b
    scaled_a, scaled_b = _SPLITTER * a, _SPLITTER * b
    high_a = scaled_a - (scaled_a - a)
    high_b = scaled_b - (scaled_b - b)
    low_a, low_b = a - high_a, b - high_b
    return p, ((high_a * high_b - p) + high_a * low_b + low_a * high_b) + low_a * low_b
