"""Bounds that see the variance: Tolstikhin-Seldin's and unexpected Bernstein."""

from __future__ import annotations

import math
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import checked
from pacbayes._core.arithmetic import ARRAYS
from pacbayes._core.rounding import log_inverse, raised
from pacbayes._core.types import Array, FloatArray, FloatOrArray
from pacbayes.bounds._budget import LARGEST, budget, clipped, plain
from pacbayes.bounds._grid import best_of_grid, checked_grid
from pacbayes.bounds._signatures import Result

__all__ = ["tolstikhin_seldin", "unexpected_bernstein"]

_C = 1.15  # both grids' ratio, c1 = c2, as in the paper
_E2 = math.e - 2.0


@overload
def unexpected_bernstein(
    excess: float,
    second: float,
    kl: float,
    n: float,
    delta: float,
    rates: ArrayLike | None = ...,
    *,
    return_grad: Literal[False] = ...,
) -> float: ...
@overload
def unexpected_bernstein(
    excess: Array,
    second: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    rates: ArrayLike | None = ...,
    *,
    return_grad: Literal[False] = ...,
) -> FloatArray: ...
@overload
def unexpected_bernstein(
    excess: ArrayLike,
    second: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    rates: ArrayLike | None = ...,
    *,
    return_grad: Literal[False] = ...,
) -> FloatOrArray: ...
@overload
def unexpected_bernstein(
    excess: float,
    second: float,
    kl: float,
    n: float,
    delta: float,
    rates: ArrayLike | None = ...,
    *,
    return_grad: Literal[True],
) -> tuple[float, dict[str, float]]: ...
@overload
def unexpected_bernstein(
    excess: ArrayLike,
    second: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    rates: ArrayLike | None = ...,
    *,
    return_grad: Literal[True],
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def unexpected_bernstein(
    excess: ArrayLike,
    second: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    rates: ArrayLike | None = None,
    *,
    return_grad: bool = False,
) -> Result:
    """Unexpected Bernstein: an upper bound on an excess, ``excess + c second + (kl + log(K/delta))/(n rate)``.

    The best over the rates is taken; ``c = -(rate + log(1 - rate))/rate > 0`` (the paper's main text has the sign
    wrong, erratum E1).

    Parameters
    ----------
    excess, second : array_like
        Means of ``x = loss - gamma * reference`` and of ``x**2``.
    kl : array_like
        Divergence of the posterior from the prior; may be infinite.
    n : array_like of int
        Number of examples.
    delta : array_like
        Allowed probability of failure, in (0, 1).
    rates : array_like, optional
        Grid in (0, 1) of ``K`` rates, even shares of delta. By default 1/2, 1/4, ..., ``2**-K`` with
        ``K = max(1, ceil(log2(sqrt(n/log(1/delta))/2)))``.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "excess", "second" and "kl", before clipping.

    Returns
    -------
    float or ndarray
        Holds for all posteriors and any predictable reference with probability at least ``1 - delta``; for all n at
        once with rates that do not depend on n.

    References
    ----------
    Mhammedi, Grunwald and Guedj, "PAC-Bayes un-expected Bernstein inequality", 2019.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.unexpected_bernstein(excess=0.01, second=0.03, kl=10.0, n=1000, delta=0.05), 6)
    0.050353
    """
    owner = "unexpected_bernstein"
    means, squares, kls, sizes, deltas = checked(owner, excess=excess, second=second, kl=kl, n=n, delta=delta)
    if rates is None:
        eta, log_cost = _halving_rates(sizes, deltas)
    else:
        eta, log_cost = checked_grid(owner, rates, None)
    b = budget(kls[..., None], sizes[..., None], deltas[..., None], log_cost)
    c = ARRAYS.gap(-eta, 1.0 - eta) / eta
    # c is correct to 60 units (its series or logarithm), everything else to a few; all terms are non-negative
    with np.errstate(over="ignore"):  # an infinite candidate is the vacuous one
        increments = raised(c * squares[..., None] + b / eta, 64)
    increment, best = best_of_grid(np.minimum(increments, LARGEST))
    value = clipped(raised(means + increment, 0), -1.0)
    if not return_grad:
        return value
    of_second, of_budget = best(c), best(1.0 / eta)
    return value, {
        "excess": plain(np.ones(means.shape)),
        "second": plain(of_second),
        "kl": plain(of_budget / sizes),
    }


def _halving_rates(n: FloatArray, delta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return 1/2, 1/4, ... and for each element its ``log K``, infinite beyond the element's own ``K``."""
    count = np.maximum(1.0, _whole_above(np.log2(np.sqrt(n / (log_inverse(delta) * (1.0 - 1e-14))) / 2.0)))
    index = np.arange(1.0, count.max(initial=1.0) + 1.0)
    log_cost = raised(np.log(count), 8)[..., None]
    return 2.0**-index, np.where(index <= count[..., None], log_cost, np.inf)


def _whole_above(x: FloatArray) -> FloatArray:
    """Return the smallest whole number above ``x`` even if rounding has lowered it a little."""
    return np.ceil(x + 1e-12 * (1.0 + np.abs(x)))


@overload
def tolstikhin_seldin(
    risk: float, variance: float, kl: float, n: float, delta: float, *, return_grad: Literal[False] = ...
) -> float: ...
@overload
def tolstikhin_seldin(
    risk: Array,
    variance: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    *,
    return_grad: Literal[False] = ...,
) -> FloatArray: ...
@overload
def tolstikhin_seldin(
    risk: ArrayLike,
    variance: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    *,
    return_grad: Literal[False] = ...,
) -> FloatOrArray: ...
@overload
def tolstikhin_seldin(
    risk: float, variance: float, kl: float, n: float, delta: float, *, return_grad: Literal[True]
) -> tuple[float, dict[str, float]]: ...
@overload
def tolstikhin_seldin(
    risk: ArrayLike, variance: ArrayLike, kl: ArrayLike, n: ArrayLike, delta: ArrayLike, *, return_grad: Literal[True]
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def tolstikhin_seldin(
    risk: ArrayLike,
    variance: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    *,
    return_grad: bool = False,
) -> Result:
    """Tolstikhin-Seldin: an upper bound on the risk from the posterior's average sample variance.

    First the variance is bounded, ``VB = min(1/4, V + (1+c) sqrt(V b2/2) + 2 c b2)``, then the risk,
    ``risk + (1+c) sqrt((e-2) VB b1)`` where ``b1 <= (e-2) VB``, else ``risk + 2 b1``, with ``c = 1.15``, half of
    delta each, and budgets that include a union over two grids. Just above the border ``b1 = (e-2) VB`` the printed
    second form is smaller than the first was just below it; the value here is kept from falling as the divergence
    grows, which is valid too.

    Parameters
    ----------
    risk : array_like
        Empirical risk of the posterior, in [0, 1].
    variance : array_like
        Posterior mean of the unbiased sample variance of the loss, in [0, 1/2].
    kl, n, delta : array_like
        As in :func:`maurer`; for ``n = 1`` the bound is vacuous.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "risk", "variance" and "kl", of the case that applies,
        before clipping.

    Returns
    -------
    float or ndarray
        Holds for all posteriors at once with probability at least ``1 - delta``, for i.i.d. examples.

    References
    ----------
    Tolstikhin and Seldin, "PAC-Bayes-empirical-Bernstein inequality", 2013, Theorems 3 and 4.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.tolstikhin_seldin(risk=0.05, variance=0.01, kl=10.0, n=1000, delta=0.05), 6)
    0.110582
    """
    owner = "tolstikhin_seldin"
    risks, variances, kls, sizes, deltas = checked(owner, risk=risk, variance=variance, kl=kl, n=n, delta=delta)
    rest = np.maximum(sizes - 1.0, 1.0)
    b1, b2 = _empirical_budgets(kls, sizes, rest, deltas / 2.0)
    spread = variances + raised((1.0 + _C) * np.sqrt(variances * b2 / 2.0) + 2.0 * _C * b2, 8)
    scale = _E2 * np.minimum(0.25, raised(spread, 0))
    slow = (1.0 + _C) * np.sqrt(scale * b1)
    fast = np.maximum(2.0 * b1, (1.0 + _C) * scale)
    above = raised(risks + raised(np.where(b1 <= scale, slow, fast), 12), 0)
    value = clipped(np.where(sizes >= 2.0, above, 1.0))
    if not return_grad:
        return value
    with np.errstate(all="ignore"):
        of_scale = np.where(b1 <= scale, slow / (2.0 * scale), np.where(2.0 * b1 >= (1.0 + _C) * scale, 0.0, 1.0 + _C))
        of_b1 = np.where(b1 <= scale, slow / (2.0 * b1), np.where(of_scale == 0.0, 2.0, 0.0))
        moves = np.where(spread < 0.25, _E2, 0.0)  # whether the variance's own bound is below its cap
        of_variance, of_b2 = _spread_gradient(variances, b2, of_scale * moves)
    return value, {
        "risk": plain(np.ones(risks.shape)),
        "variance": plain(np.where(moves * of_scale > 0.0, of_variance, 0.0)),
        "kl": plain(of_b1 / sizes + of_b2 / rest),
    }


def _empirical_budgets(
    kl: FloatArray, n: FloatArray, rest: FloatArray, half: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the budgets for the risk and for its variance, each with its union over a grid and half of delta."""
    # the sizes of the grids fall with log(1/delta), so it is rounded down, and their whole numbers are rounded up
    inverse, log_c = log_inverse(half) * (1.0 - 1e-14), math.log(_C)
    v2 = np.maximum(1.0, _whole_above(np.log(np.sqrt(rest / inverse + 1.0) / 2.0 + 0.5) / log_c))
    v1 = np.maximum(1.0, _whole_above(np.log(np.sqrt(_E2 * n / (4.0 * inverse))) / log_c) + 1.0)
    return budget(kl, n, half, raised(np.log(v1), 8)), budget(kl, rest, half, raised(np.log(v2), 8))


def _spread_gradient(variance: FloatArray, b2: FloatArray, slope: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the derivatives of the variance's own bound with respect to variance and ``b2``, times the slope in it."""
    root = np.sqrt(variance * b2 / 2.0)
    of_variance = slope * (1.0 + (1.0 + _C) * np.where(variance > 0.0, root / (2.0 * variance), np.inf))
    return of_variance, slope * ((1.0 + _C) * root / (2.0 * b2) + 2.0 * _C)
