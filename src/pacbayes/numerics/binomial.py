"""Binomial coefficients, probabilities and lower tails in logarithms, rounded up.

Differences of log-gamma functions lose all digits for large ``n``, and tails below 1e-308 are no doubles. Here (Loader
2000) a probability is ``exp(-D)`` times a factor near ``1/sqrt(2 pi n p (1-p))``, where the deviance
``D = k g((n p - k)/k) + (n - k) g((k - n p)/(n - k))``, ``g(x) = x - log(1 + x)``, has positive terms only, and
``n p - k`` is computed exactly. A tail is the probability of its last term times a sum of falling ratios.

The slack
---------
``n p - k`` is correct to EPS of itself and ``g`` to ``425 EPS`` (:mod:`pacbayes._core.rounding`), so ``D`` is correct
to ``512 EPS`` of itself. Logarithms of counts are below 40 and correct to 4 EPS of themselves, of which there are at
most six: ``1e-13`` covers them and the remainders of Stirling's series. Products of 64 ratios are correct to
``64 * 4 EPS``, below ``1e-13`` as well.
"""

from __future__ import annotations

import math

import numpy as np

from pacbayes._core.arithmetic import ARRAYS
from pacbayes._core.rounding import EPS, two_product
from pacbayes._core.types import FloatArray

__all__ = ["log_binomial_probability", "log_binomial_tail", "log_choose"]

_RATIOS = 64  # terms of a tail that are summed; what follows is bounded by a geometric series
_SLACK = 1e-13
_SERIES_FROM = 16
# log(x!) minus Stirling's formula, exactly; from 16 on by its series, of which the next term is below 1e-14
_SMALL = np.array(
    [0.0, *(math.lgamma(x + 1) - (x + 0.5) * math.log(x) + x - 0.5 * math.log(2 * math.pi) for x in range(1, 16))]
)


def log_choose(n: FloatArray, k: FloatArray) -> FloatArray:
    """Return an upper bound on ``log C(n, k)`` for whole numbers ``0 <= k <= n``.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.numerics.binomial import log_choose
    >>> round(float(np.exp(log_choose(np.array(50.0), np.array(3.0)))), 6)
    19600.0
    """
    inside = (k > 0.0) & (k < n)
    m, rest = np.where(inside, k, 1.0), np.where(inside, n - k, 1.0)
    size = m + rest
    entropy = m * np.log1p(rest / m) + rest * np.log1p(m / rest)  # positive terms, each correct to 8 EPS
    total = entropy * (1.0 + 16.0 * EPS) + _log_factor(size, m, rest) + _SLACK
    return np.where(inside, total, 0.0)


def log_binomial_probability(k: FloatArray, n: FloatArray, p: FloatArray) -> FloatArray:
    """Return an upper bound on the logarithm of the probability of ``k`` successes in ``n`` trials, ``0 < p < 1``.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.numerics.binomial import log_binomial_probability
    >>> round(float(np.exp(log_binomial_probability(np.array(3.0), np.array(10.0), np.array(0.5)))), 9)
    0.1171875
    """
    rest = n - k
    more = _more(k, n, p)  # n p - k
    successes = _deviance(k, more, n * p)
    failures = _deviance(rest, -more, n * (1.0 - p))
    inside = (k > 0.0) & (rest > 0.0)
    factor = _log_factor(n, np.where(inside, k, 1.0), np.where(inside, rest, 1.0))
    return -(successes + failures) * (1.0 - 512.0 * EPS) + np.where(inside, factor, 0.0) + _SLACK


def log_binomial_tail(k: FloatArray, n: FloatArray, p: FloatArray) -> FloatArray:
    """Return an upper bound on the logarithm of the probability of at most ``k`` successes, for ``k/n <= p < 1``.

    The ratios ``r_j = (k-j+1)(1-p)/((n-k+j) p)`` of neighbouring probabilities fall with ``j``: 64 of them are
    multiplied and added, and what follows is at most a geometric series. Up to ``k = 64`` nothing is left out.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.numerics.binomial import log_binomial_tail
    >>> round(float(np.exp(log_binomial_tail(np.array(2.0), np.array(10.0), np.array(0.5)))), 9)
    0.0546875
    """
    step = np.arange(1.0, _RATIOS + 2.0)
    odds = ((1.0 - p) / p)[..., None]
    ratios = np.maximum(k[..., None] - step + 1.0, 0.0) / ((n - k)[..., None] + step) * odds
    products = np.cumprod(ratios[..., :-1], axis=-1)
    # 1 - r_j = ((n p - k) + p + j - 1)/((n - k + j) p), without cancellation
    gap = (np.maximum(_more(k, n, p), 0.0) + p + _RATIOS) / ((n - k + _RATIOS + 1.0) * p)
    last = np.where(ratios[..., -1] > 0.0, products[..., -1] * ratios[..., -1] / np.where(gap > 0.0, gap, 1.0), 0.0)
    terms = np.log1p(products.sum(axis=-1) + last)
    return np.asarray(log_binomial_probability(k, n, p) + terms * (1.0 + 4.0 * EPS) + _SLACK)


def _more(k: FloatArray, n: FloatArray, p: FloatArray) -> FloatArray:
    """Return ``n p - k``: the product exactly, so that only the difference is rounded."""
    product, error = two_product(n, p)
    return (product - k) + error


def _deviance(count: FloatArray, more: FloatArray, mean: FloatArray) -> FloatArray:
    """Return ``count g(more/count)``, where ``more`` is ``mean - count``; the mean itself where the count is zero."""
    some = np.where(count > 0.0, count, 1.0)
    ratio = np.where(count > 0.0, mean / some, 1.0)
    gap = ARRAYS.gap(np.atleast_1d(np.where(count > 0.0, more / some, 0.0)), np.atleast_1d(ratio))
    return np.where(count > 0.0, some * np.reshape(gap, np.shape(ratio)), mean)


def _log_factor(n: FloatArray, k: FloatArray, rest: FloatArray) -> FloatArray:
    """Return ``log(sqrt(n/(2 pi k rest)))`` and what Stirling's formula leaves out of ``n!/(k! rest!)``."""
    errors = _stirling_error(n) - _stirling_error(k) - _stirling_error(rest)
    return 0.5 * (np.log(n / rest) - np.log(2.0 * np.pi * k)) + errors


def _stirling_error(x: FloatArray) -> FloatArray:
    small = np.take(_SMALL, np.minimum(x, _SERIES_FROM - 1).astype(np.int64))
    square = np.square(np.maximum(x, _SERIES_FROM))
    series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - (1 / 1188) / square) / square) / square) / square) / np.sqrt(
        square
    )
    return np.where(x < _SERIES_FROM, small, series)
