"""Where the logarithm of a mixture of exponentials reaches a level, rounded to the safe side.

``log sum_k exp(c_k + n (g_k - log(1 - lam_k m)))`` is convex and increasing in ``m``. Where one of its terms reaches
the level alone, the sum has reached it too; from there Newton's method falls towards the root and stays to its right.
What is returned is then *proved* to lie at or above the root, by an evaluation whose rounding is bounded.

Rounding of an exponent
-----------------------
``x`` is a product of doubles and ``log1p`` is correct to 4 units (`_core/rounding.py`), so that ``log1p(-x)`` is off by
at most ``EPS (4 |log1p(-x)| + |x|/(1 - x))``; the difference ``g - log1p(-x)`` adds ``EPS (|g| + |log1p(-x)|)``, the
product with ``n`` and the sum with ``c`` one ``EPS`` each of what they give. Altogether below
``EPS (n (6 |log1p(-x)| + 2 |g| + 2 |x|/(1 - x)) + 2 |c| + |exponent|)``. If every exponent is lowered by at most
``r_i``, the logarithm of the sum of exponentials falls by at most ``sum_i p_i r_i`` with the shares ``p`` of the terms
(Jensen's inequality); evaluating it costs ``(terms + 16) EPS`` more, of 1 and of the largest exponent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pacbayes._core.rounding import EPS
from pacbayes._core.types import FloatArray

__all__ = ["approach_root", "bound_rounding", "mixture_root", "to_shares"]

_STEPS = 60
_PROOFS = 40
_NEAR = 4.0  # how far above the level to aim, in units of the rounding there


def mixture_root(
    growth: FloatArray, rates: FloatArray, log_weights: FloatArray, n: FloatArray, level: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return an upper bound on where ``log sum_k exp(log_weights_k + n (growth_k - log(1 - rates_k m)))`` is ``level``.

    Parameters
    ----------
    growth : ndarray, shape (N, K)
    rates, log_weights : ndarray, shape (K,)
        Rates in (0, 1); weights rounded down.
    n, level : ndarray, shape (N,)
        ``level`` rounded up.

    Returns
    -------
    root : ndarray, shape (N,)
        At least the root and at most 1; 1 where the level is not reached at 1.
    shares : ndarray, shape (N, K)
        The share of each term in the sum there.
    slope : ndarray, shape (N,)
        The derivative of the logarithm of the sum there, over n.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.numerics.mixture import mixture_root
    >>> rates = np.array([0.5])
    >>> root, _, _ = mixture_root(np.log1p(-rates)[None] * 0.1, rates, np.zeros(1), np.full(1, 1e3), np.full(1, 3.0))
    >>> round(float(root[0]), 6)  # one rate has a closed form: (1 - exp(g - level/n))/rate
    0.139524
    """
    m, at = approach_root(growth, rates, log_weights, n, level)
    for attempt in range(_PROOFS):
        error = at.rounding(growth, log_weights, n)
        lacking = ~(at.value - error >= level) & (m < 1.0)
        if not np.any(lacking):
            break
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            further = 2.0**attempt * (np.maximum(level - at.value, 0.0) + 2.0 * error) / (n * at.slope)
        further = np.where(np.isfinite(further), further, 1.0)
        m = np.where(lacking, np.minimum(np.nextafter(m + further, np.inf), 1.0), m)
        at = _evaluate(growth, rates, log_weights, n, m)
    proved = at.value - at.rounding(growth, log_weights, n) >= level
    return np.where(proved, m, 1.0), at.shares, at.slope


class _Mixture(NamedTuple):
    """The logarithm of the sum, its slope over n, the shares of the terms, and what they were made of."""

    value: FloatArray
    slope: FloatArray
    shares: FloatArray
    x: FloatArray
    logs: FloatArray
    exponents: FloatArray

    def rounding(self, growth: FloatArray, log_weights: FloatArray, n: FloatArray) -> FloatArray:
        """Bound the rounding of the value."""
        each = bound_rounding(growth, self.x, self.logs, log_weights, n[:, None], self.exponents)
        own = (self.x.shape[-1] + 16) * EPS * (1.0 + np.abs(self.exponents.max(axis=-1)))
        return np.asarray((self.shares * each).sum(axis=-1) + own)


def approach_root(
    growth: FloatArray,
    rates: FloatArray,
    log_weights: FloatArray,
    n: FloatArray,
    level: FloatArray,
    steps: int = _STEPS,
    *,
    precise: bool = True,
) -> tuple[FloatArray, _Mixture]:
    """Return a point near the root of :func:`mixture_root`, unproved, and the mixture there.

    If ``precise`` it aims just above the rounding of the level, so that a proof is likely.
    """
    cost = (level[:, None] - log_weights) / n[:, None]
    alone = -np.expm1(growth - cost) / rates
    m = np.minimum(alone.min(axis=-1), 1.0)
    at = _evaluate(growth, rates, log_weights, n, m)
    for _ in range(steps):
        above = _NEAR * at.rounding(growth, log_weights, n) if precise else 0.0
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            step = (at.value - level - above) / (n * at.slope)
        step = np.where(np.isfinite(step) & (step > 0.0), step, 0.0)
        if np.all(step <= 4.0 * EPS * np.abs(m)):
            break
        m = m - step
        at = _evaluate(growth, rates, log_weights, n, m)
    return m, at


def _evaluate(growth: FloatArray, rates: FloatArray, log_weights: FloatArray, n: FloatArray, m: FloatArray) -> _Mixture:
    x = rates * m[:, None]
    logs = np.log1p(-x)
    exponents = log_weights + n[:, None] * (growth - logs)
    shares, value = to_shares(exponents)
    return _Mixture(value, (shares * (rates / (1.0 - x))).sum(axis=-1), shares, x, logs, exponents)


def to_shares(exponents: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the shares of the terms in a sum of exponentials over the last axis, and its logarithm."""
    top = exponents.max(axis=-1)
    terms = np.exp(exponents - top[..., None])
    total = terms.sum(axis=-1)
    terms /= total[..., None]
    return terms, top + np.log(total)


def bound_rounding(
    growth: FloatArray, x: FloatArray, logs: FloatArray, constant: FloatArray, n: FloatArray, exponents: FloatArray
) -> FloatArray:
    """Bound the rounding of ``constant + n (growth - logs)`` with ``logs = log1p(-x)``."""
    size = n * (6.0 * np.abs(logs) + 2.0 * np.abs(growth) + 2.0 * np.abs(x) / (1.0 - x))
    return np.asarray(EPS * (size + 2.0 * np.abs(constant) + np.abs(exponents)))
