"""Bounds on the risk of a randomised predictor from its empirical risk and KL divergence alone."""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import checked
from pacbayes._core.rounding import raised
from pacbayes._core.types import Array, FloatArray, FloatOrArray
from pacbayes.bounds._budget import LARGEST, budget, clipped, plain
from pacbayes.bounds._grid import best_of_grid, checked_grid
from pacbayes.bounds._signatures import Result, risk_bound
from pacbayes.bounds.betting import betting_rates
from pacbayes.numerics import kl_inv_upper, log_xi

__all__ = ["catoni", "maurer", "maurer_relaxed", "mcallester"]


@risk_bound
def maurer(
    risk: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    constant: str = "exact",
    *,
    return_grad: bool = False,
) -> Result:
    """Seeger-Langford-Maurer: an upper bound on the risk, ``kl_inv_upper(risk, (kl + log(xi(2, n)/delta))/n)``.

    Parameters
    ----------
    risk : array_like
        Empirical risk of the posterior, in [0, 1].
    kl : array_like
        Divergence of the posterior from a prior fixed before the data; may be infinite.
    n : array_like of int
        Number of examples.
    delta : array_like
        Allowed probability of failure, in (0, 1).
    constant : {"exact", "published"}, default="exact"
        The exact Shtarkov constant, or Maurer's ``2 sqrt(n)``.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "risk" and "kl".

    Returns
    -------
    float or ndarray
        Holds for all posteriors at once with probability at least ``1 - delta``, for i.i.d. examples.

    References
    ----------
    Maurer, "A note on the PAC Bayesian theorem", 2004.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.maurer(risk=0.05, kl=10.0, n=1000, delta=0.05), 6)
    0.099974
    """
    risks, kls, sizes, deltas = checked("maurer", risk=risk, kl=kl, n=n, delta=delta)
    limit = budget(kls, sizes, deltas, log_xi(2, sizes, constant))
    if not return_grad:
        return clipped(kl_inv_upper(risks, limit))
    value, (d_risk, d_budget) = kl_inv_upper(risks, limit, return_grad=True)
    return clipped(value), {"risk": plain(d_risk), "kl": plain(d_budget / sizes)}


@risk_bound
def mcallester(
    risk: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    constant: str = "published",
    *,
    return_grad: bool = False,
) -> Result:
    """McAllester: an upper bound on the risk, ``risk + sqrt((kl + log(2 sqrt(n)/delta))/(2n))``.

    Pinsker's relaxation of :func:`maurer`, the simplest bound there is. Arguments as there, except that the
    published constant is the default; the derivatives are those of the formula before clipping at 1.

    References
    ----------
    McAllester, "PAC-Bayesian model averaging", 1999, with the constant of Maurer, 2004.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.mcallester(risk=0.05, kl=10.0, n=1000, delta=0.05), 6)
    0.142582
    """
    risks, kls, sizes, deltas = checked("mcallester", risk=risk, kl=kl, n=n, delta=delta)
    width = np.sqrt(budget(kls, sizes, deltas, log_xi(2, sizes, constant)) / 2.0)
    value = clipped(raised(risks + raised(width, 4), 0))
    if not return_grad:
        return value
    with np.errstate(all="ignore"):
        return value, {"risk": plain(np.ones(width.shape)), "kl": plain(0.25 / (sizes * width))}


@risk_bound
def maurer_relaxed(
    risk: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    constant: str = "exact",
    *,
    return_grad: bool = False,
) -> Result:
    """Relaxed form of :func:`maurer`: ``risk + sqrt(2 risk b) + 2 b`` with the budget ``b`` of that bound.

    Shows the fast rate ``kl/n`` at small risk; never below :func:`maurer`. Arguments as there; the derivatives
    are those of the formula before clipping at 1.

    References
    ----------
    McAllester, "Simplified PAC-Bayesian margin bounds", 2003.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.maurer_relaxed(risk=0.05, kl=10.0, n=1000, delta=0.05), 6)
    0.12424
    """
    risks, kls, sizes, deltas = checked("maurer_relaxed", risk=risk, kl=kl, n=n, delta=delta)
    b = budget(kls, sizes, deltas, log_xi(2, sizes, constant))
    root = np.sqrt(2.0 * risks * b)
    value = clipped(raised(risks + raised(root + 2.0 * b, 6), 0))
    if not return_grad:
        return value
    with np.errstate(all="ignore"):
        d_risk = 1.0 + np.where(risks > 0.0, b / root, np.inf)
        d_budget = 2.0 + np.where(risks > 0.0, risks / root, 0.0)
    return value, {"risk": plain(d_risk), "kl": plain(d_budget / sizes)}


@overload
def catoni(
    risk: float,
    kl: float,
    n: float,
    delta: float,
    rates: ArrayLike | None = ...,
    weights: ArrayLike | None = ...,
    *,
    return_grad: Literal[False] = ...,
) -> float: ...
@overload
def catoni(
    risk: Array,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    rates: ArrayLike | None = ...,
    weights: ArrayLike | None = ...,
    *,
    return_grad: Literal[False] = ...,
) -> FloatArray: ...
@overload
def catoni(
    risk: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    rates: ArrayLike | None = ...,
    weights: ArrayLike | None = ...,
    *,
    return_grad: Literal[False] = ...,
) -> FloatOrArray: ...
@overload
def catoni(
    risk: float,
    kl: float,
    n: float,
    delta: float,
    rates: ArrayLike | None = ...,
    weights: ArrayLike | None = ...,
    *,
    return_grad: Literal[True],
) -> tuple[float, dict[str, float]]: ...
@overload
def catoni(
    risk: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    rates: ArrayLike | None = ...,
    weights: ArrayLike | None = ...,
    *,
    return_grad: Literal[True],
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def catoni(
    risk: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    rates: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    *,
    return_grad: bool = False,
) -> Result:
    """Catoni: an upper bound on the risk, ``(1 - exp(-C risk - (kl + log(1/delta))/n))/(1 - exp(-C))``.

    Parameters
    ----------
    risk, kl, n, delta : array_like
        As in :func:`maurer`.
    rates : array_like, optional
        ``C > 0``: a number fixed before the data, or a one-dimensional grid of them, over which the smallest bound is
        taken and a union paid. By default the grid of :func:`betting_rates` for all n, as ``C = -log(1 - rate)``.
    weights : array_like, optional
        Shares of delta for the grid, summing to at most 1; even by default.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "risk" and "kl", at the best rate, before clipping.

    Returns
    -------
    float or ndarray
        Holds for all posteriors with probability at least ``1 - delta``, and for all n at once if the rates do not
        depend on n, as by default.

    References
    ----------
    Catoni, "PAC-Bayesian supervised classification", 2007, Theorem 1.2.6.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.catoni(risk=0.05, kl=10.0, n=1000, delta=0.05, rates=0.7), 6)
    0.093089
    """
    risks, kls, sizes, deltas = checked("catoni", risk=risk, kl=kl, n=n, delta=delta)
    if rates is None:
        bets, shares = betting_rates()
        rates, weights = -np.log1p(-bets), shares if weights is None else weights
    c, log_cost = checked_grid("catoni", rates, weights, high=700.0)
    b = budget(kls[..., None], sizes[..., None], deltas[..., None], log_cost)
    exponent = c * risks[..., None] + b
    scale = -np.expm1(-c)
    candidates = raised(-np.expm1(-exponent) / scale, 16)
    value, best = best_of_grid(candidates)
    if not return_grad:
        return clipped(value)
    slope = best(np.exp(-np.minimum(exponent, LARGEST)) / scale)
    return clipped(value), {"risk": plain(slope * best(np.broadcast_to(c, exponent.shape))), "kl": plain(slope / sizes)}
