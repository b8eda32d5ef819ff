r"""Where the largest of several sums of growths reaches a level: the root in one unknown, proved from above.

For blocks ``b`` of ``n_b`` terms with rates in [0, 1), ``f_t(m) = sum_{b <= t} n_b (g_b - log(1 - rate_b m))`` is
convex and increasing in ``m``, and so is the largest of the ``f_t``. Newton's method started to the right of its root
falls towards it and stays to its right; what is returned is then proved, by an evaluation whose rounding is bounded, to
lie at or above the root.

Rounding of a term ``n (g - log1p(-x))`` with ``x = rate m``: ``x`` is a product and ``log1p`` is correct to 4 units
(`_core/rounding.py`), so ``log1p(-x)`` is off by at most ``EPS (4 |log1p(-x)| + x/(1 - x))``; the difference and the
product add ``EPS (|g| + |log1p(-x)|)`` each. The growth itself is a mean of ``log(1 - y)`` of one sign, ``y = rate l``
with ``rate <= 0.99``: each is off by ``4 + y/((1 - y) |log(1 - y)|) <= 26`` units of itself, and numpy's pairwise sum
over as many as 2**40 adds at most 60. Sums over ``t`` blocks add ``t EPS`` of the sum of the terms' sizes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pacbayes._core.rounding import EPS
from pacbayes._core.types import FloatArray

__all__ = ["growth_root"]

_STEPS = 100
_PROOFS = 40
_NEAR = 4.0  # distance in units of the rounding at which the search ends
_GROWTH_UNITS = 96.0  # rounding of a mean of logarithms, in units of itself


def growth_root(growth: FloatArray, rates: FloatArray, sizes: FloatArray, level: FloatArray) -> FloatArray:
    """Return an upper bound on the ``m`` at which the largest of the sums ``f_t`` reaches a level.

    Parameters
    ----------
    growth, rates : ndarray, shape (N, B)
        Means of ``log(1 - rate l)`` over each block, for ``l`` in [0, 1]; rates in [0, 0.99].
    sizes : ndarray, shape (B,)
    level : ndarray, shape (N,)
        Positive, rounded up.

    Returns
    -------
    ndarray, shape (N,)
        At least the root and at most 1; 1 where the level is not reached at 1.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.numerics.growth import growth_root
    >>> rates = np.array([[0.5]])
    >>> root = growth_root(0.1 * np.log1p(-rates), rates, np.array([100.0]), np.array([3.0]))
    >>> round(float(root[0]), 6), round(float(2.0 * (1.0 - np.exp(0.1 * np.log(0.5) - 0.03))), 6)
    (0.189085, 0.189085)
    """
    m = np.ones(level.size)
    for _ in range(_STEPS):
        at = _evaluate(growth, rates, sizes, m)
        step = _quotient(at.value - level - _NEAR * at.error, at.slope)
        m = m - step
        if np.all(step <= 4.0 * EPS * m):
            break
    for attempt in range(_PROOFS):
        at = _evaluate(growth, rates, sizes, m)
        lacking = ~(at.value - at.error >= level) & (m < 1.0)
        if not np.any(lacking):
            break
        further = _quotient(2.0**attempt * (np.maximum(level - at.value, 0.0) + 2.0 * at.error), at.slope)
        m = np.where(lacking, np.minimum(np.nextafter(m + further, np.inf), 1.0), m)
    proved = _evaluate(growth, rates, sizes, m)
    return np.where(proved.value - proved.error >= level, m, 1.0)


class _Evaluation(NamedTuple):
    """The largest sum, its slope, and a bound on its rounding."""

    value: FloatArray
    slope: FloatArray
    error: FloatArray


def _evaluate(growth: FloatArray, rates: FloatArray, sizes: FloatArray, m: FloatArray) -> _Evaluation:
    x = rates * m[:, None]
    logs = np.log1p(-x)
    weight = x / (1.0 - x)
    sums = np.cumsum(sizes * (growth - logs), axis=1)
    scale = np.cumsum(sizes * ((8.0 + growth.shape[1]) * -logs + 2.0 * weight), axis=1)
    scale += (_GROWTH_UNITS + 2.0 + growth.shape[1]) * np.cumsum(sizes * -growth, axis=1)
    # the slope at m times m; at m = 0 every sum is at most 0 and no search gets there
    slopes = np.cumsum(sizes * weight, axis=1) / np.maximum(m, 1e-300)[:, None]
    best = np.argmax(sums, axis=1)[:, None]
    value, error, slope = (np.take_along_axis(each, best, axis=1)[:, 0] for each in (sums, EPS * scale, slopes))
    return _Evaluation(value, slope, error)


def _quotient(gap: FloatArray, slope: FloatArray) -> FloatArray:
    """Return the step, 0 where there is none to take."""
    found = (gap > 0.0) & (slope > 0.0)
    return np.where(found, gap / np.where(found, slope, 1.0), 0.0)
