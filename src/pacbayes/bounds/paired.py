"""Two fixed predictors on the same rows, right or wrong: an upper limit on the difference of their true errors.

Rows on which both are right or both are wrong say nothing about the sign of the difference. Of the others, ``b`` rows
on which only the first errs and ``c`` on which only the second does, each is independently one of the first kind with a
probability ``theta``. With ``q`` the probability of such a row the difference is ``q (2 theta - 1)``.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import betaincc

from pacbayes._core.arguments import single_number
from pacbayes._core.types import FloatArray
from pacbayes.bounds.holdout import clopper_pearson
from pacbayes.numerics import kl_inv_upper

__all__ = ["paired"]

_SLACK = 1e-9  # tails are computed to 2e-12 of themselves at 1e8 discordant rows, by newer scipy to 1e-14
_RATIO = 1.05  # of the ends of a slice of distances from one half, on which the weight is constant
_LEAST = 1e-3  # divided by n: below that distance the weight is 0
_PARTS, _FINE = 16, 2e-4  # into so many parts slices are cut, until the limit is known as exactly
_TRIED = 4  # slices that are looked at first, to leave others out
_STEEP, _LARGEST_RATIO = 2.0, 3.0  # of the weights; these measured narrowest in `benchmarks/compare.py`
_LEAST_LOG = -640.0  # of a tail that is a number
_EPS = float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).tiny)
_NAMES = ("only_first", "only_second", "n")


def paired(only_first: int, only_second: int, n: int, delta: float) -> float:
    r"""Upper limit on the true error of one predictor minus that of another, from the rows on which one of them errs.

    Every pair ``(q, theta)`` is tested, and the limit is the largest ``q (2 theta - 1)`` that is not rejected. Given
    ``m = b + c``, the tail ``U = P(Bin(m, theta) <= b)`` is at least as large as a uniform number, whatever ``m`` is.
    So is ``V``, the tail of ``m`` under ``Bin(n, q)``: ``P(Bin(n, q) <= m)`` for ``theta`` above one half, where a
    small ``m`` speaks against a large difference, and ``P(Bin(n, q) >= m)`` below. A pair is rejected if
    ``(1 - s) log U + s log V <= -y``, where ``y`` is exceeded with probability ``delta`` by the sum of ``1 - s`` and
    ``s`` times two independent exponential numbers: the true pair is rejected with probability at most ``delta``. The
    weight ``s`` may be any function of ``theta``. It grows from 0 at one half, where the number of discordant rows says
    nothing, as it says more and more about the difference.

    At ``theta = 1/2`` that is McNemar's exact test: the limit is below 0 where that test says so at level ``delta``, of
    at most one half.

    Parameters
    ----------
    only_first, only_second : int
        Rows on which only the first, and only the second, of the two predictors errs.
    n : int
        All rows, independent, which neither of the predictors has seen.
    delta : float
        Allowed probability of failure, in (0, 1); for limits from both sides each has half of it.

    Returns
    -------
    float
        Between -1 and 1, and holds with probability at least ``1 - delta``. A lower limit is minus the upper one with
        the two predictors exchanged.

    References
    ----------
    McNemar, "Note on the sampling error of the difference between correlated proportions or percentages", 1947.

    Examples
    --------
    >>> import pacbayes as pb
    >>> upper = pb.bounds.paired(only_first=10, only_second=30, n=1000, delta=0.025)
    >>> lower = -pb.bounds.paired(only_first=30, only_second=10, n=1000, delta=0.025)
    >>> round(lower, 4), round(upper, 4)
    (-0.036, -0.0064)
    """
    b, c, rows = (_counted(name, value) for name, value in zip(_NAMES, (only_first, only_second, n), strict=True))
    if b + c > rows or rows < 1:
        raise ValueError(
            "The 'only_first' and 'only_second' arguments of paired must add up to at most 'n'. "
            f"Got {b}, {c} and {rows} instead."
        )
    own = single_number("paired", "delta", delta) * (1.0 - _SLACK)
    if _tail(b, c, 0.5) > own:
        return min(_largest(b, c, rows, own, 1.0), 1.0)
    above = _largest(b, c, rows, own, 1.0)  # nothing, but for a handful of rows at a large delta
    return above if above > 0.0 else max(min(_largest(b, c, rows, own, -1.0), -_TINY), -1.0)


def _counted(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise ValueError(f"The {name!r} argument of paired must be a whole number of rows. Got {value!r:.40} instead.")
    return int(value)


def _tail(b: int, c: int, theta: FloatArray | float) -> FloatArray:
    """Return ``P(Bin(b + c, theta) <= b)``.

    By the incomplete beta function itself: :func:`scipy.special.bdtr` loses a digit with each tenfold number of rows.
    """
    return np.asarray(betaincc(b + 1.0, float(c), theta) if c else np.ones_like(theta, dtype=np.float64))


def _largest(b: int, c: int, n: int, delta: float, sign: float) -> float:
    """Return the largest difference of a sign that is not rejected; minus infinity if there is none.

    Distances ``|2 theta - 1|`` are cut into slices. On each the tail ``U`` is largest at one end and the difference at
    one end, so that a slice gives a limit; those that may hold the largest one are cut finer.
    """
    slices, best = _slices(n, delta), _limit_near_half(b, c, _LEAST / n, delta, sign)
    while True:
        near, far = slices[:2] if sign > 0.0 else slices[1::-1]  # the ends with the largest tail and difference
        needed = _needed(b, c, near, slices[2], slices[3], sign)
        upper = sign * far * _rough_share(b + c, n, needed, sign)
        tried = np.argsort(-upper)[:_TRIED]
        sure = max(best, float((sign * near[tried] * _extreme_share(b + c, n, needed[tried], sign)).max()))
        kept = np.flatnonzero(upper > sure)
        share = _extreme_share(b + c, n, needed[kept], sign)
        upper, lower = sign * far[kept] * share, sign * near[kept] * share
        top, sure = float(upper.max(initial=best)), float(lower.max(initial=sure))
        if top - sure <= _FINE * abs(top) or top <= best:
            return top
        slices = _cut(slices[:, kept[upper > sure]])


@lru_cache(maxsize=16)
def _slices(n: int, delta: float) -> FloatArray:
    """Return the slices of distances from one half: where each begins and ends, its weight, and the threshold there."""
    least = _LEAST / n
    ends = np.geomspace(least, 1.0, int(np.ceil(np.log(1.0 / least) / np.log(_RATIO))) + 1)
    weight = _weight(ends[1:])
    return np.stack([ends[:-1], ends[1:], weight, _threshold(weight, delta)])


def _cut(slices: FloatArray) -> FloatArray:
    """Return finer slices with the same weights."""
    low, high = slices[:2]
    cuts = low + (high - low) * np.arange(_PARTS + 1)[:, None] / _PARTS
    return np.stack([cuts[:-1].ravel(), cuts[1:].ravel(), *(np.tile(each, _PARTS) for each in slices[2:])])


def _limit_near_half(b: int, c: int, least: float, delta: float, sign: float) -> float:
    """Return the limit from ``theta`` so close to one half that only the discordant rows themselves are looked at."""
    if sign > 0.0:
        return least if _tail(b, c, 0.5) > delta else -np.inf
    return -_TINY if _tail(b, c, (1.0 - least) / 2.0) > delta else -np.inf


def _needed(b: int, c: int, distance: FloatArray, weight: FloatArray, level: FloatArray, sign: float) -> FloatArray:
    """Return what the logarithm of ``V`` has to exceed for a pair not to be rejected."""
    with np.errstate(divide="ignore"):
        log_tail = np.log(_tail(b, c, (1.0 + sign * distance) / 2.0))
    return np.asarray((-level - (1.0 - weight) * log_tail) / weight)


def _rough_share(m: int, n: int, needed: FloatArray, sign: float) -> FloatArray:
    """Return a number beyond :func:`_extreme_share`, from ``V <= exp(-n kl(m/n, q))`` and two bounds on kl."""
    share, budget = m / n, np.maximum(-needed, 0.0) / n
    root = np.sqrt(2.0 * share * budget)
    rough = np.minimum(share + root + 2.0 * budget, 1.0) if sign > 0.0 else np.maximum(share - root, 0.0)
    rough = rough * (1.0 + sign * 1e-6) + sign * 1e-12
    return np.where(needed >= 0.0, -sign * np.inf, np.clip(rough, 0.0, 1.0))


def _extreme_share(m: int, n: int, needed: FloatArray, sign: float) -> FloatArray:
    """Return the ``q`` that is not rejected and makes the difference largest; infinite where all are rejected.

    For ``theta`` above one half that is the largest ``q``, below it the smallest.
    """
    share = np.full(needed.shape, -sign * np.inf)
    near, far = (needed < 0.0) & (needed > _LEAST_LOG), needed <= _LEAST_LOG
    count = m if sign > 0.0 else n - m
    if near.any():
        share[near] = clopper_pearson(count, n, np.exp(needed[near]) * (1.0 - _SLACK))
    if far.any():  # a tail that is too small for a number is below exp(-n kl), which gives a limit, too
        share[far] = kl_inv_upper(count / n, -needed[far] / n)
    return share if sign > 0.0 else np.where(near | far, np.maximum(1.0 - share - _EPS, 0.0), share)


def _weight(distance: FloatArray) -> FloatArray:
    """Return the weight of the number of discordant rows, by ``|2 theta - 1|``.

    A difference varies with ``b`` given ``m`` and with ``m``. The ratio of the two standard deviations is corrected for
    how steep the logarithms of the two tails are where they meet the limit, at about two standard deviations.
    """
    slope = distance / np.sqrt(np.maximum(1.0 - distance**2, 1e-300))
    ratio = np.minimum(slope * (_STEEP + slope) / (1.0 + _STEEP * slope), _LARGEST_RATIO)
    return np.asarray(ratio / (1.0 + ratio))


def _threshold(weight: FloatArray, delta: float) -> FloatArray:
    """Return ``y`` with ``P((1 - s) E + s F >= y) <= delta`` for independent exponential ``E`` and ``F``, by bisection.

    Weights that are almost equal are moved apart, which changes ``y`` by about the square of that.
    """
    large = np.minimum(np.maximum(np.maximum(weight, 1.0 - weight), 0.5 + 1e-4), 1.0)
    small = np.maximum(1.0 - large, 1e-300)
    low, high = np.zeros_like(weight), np.full_like(weight, 2.0 + 2.0 * np.log(1.0 / delta))
    for _ in range(50):
        middle = 0.5 * (low + high)
        tail = (large * np.exp(-middle / large) - small * np.exp(-middle / small)) / (large - small)
        low, high = np.where(tail > delta, middle, low), np.where(tail > delta, high, middle)
    return np.asarray(high * (1.0 + 1e-6))
