"""Bounds on the risk of one draw from a posterior that is kept for ever: a density ratio stands for the divergence.

For each predictor ``h`` let ``M(h)`` be non-negative with mean at most 1 over the examples. If ``h`` is drawn from the
posterior once the examples are seen, ``M(h) (d prior/d posterior)(h)`` still has a mean of at most 1 over examples and
draw, since it averages ``M`` over the prior. Markov's inequality bounds it by ``1/delta``: with probability at least
``1 - delta``, ``log M(h) <= log_ratio + log(1/delta)``. No predictor is averaged over, so no convexity is needed. The
proofs are in `docs/theory.md`.

``log_ratio`` is ``log (d posterior/d prior)(h)`` at the very draw. It may be negative: then less is charged than for a
predictor that was fixed beforehand. What is left of ``log_ratio + log(constant/delta)`` counts as 0 where it is
negative, so that no value is below what was observed.
"""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import checked
from pacbayes._core.rounding import EPS, log_inverse
from pacbayes._core.types import FloatArray, FloatOrArray
from pacbayes.bounds._budget import LARGEST, clipped, plain
from pacbayes.bounds._portfolio_solver import SHARE, find_bets, solve
from pacbayes.bounds._signatures import Result
from pacbayes.bounds.betting import bet
from pacbayes.numerics import kl_inv_upper, log_xi

__all__ = ["betting_draw", "maurer_draw", "portfolio_draw"]


@overload
def maurer_draw(
    risk: ArrayLike,
    log_ratio: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    constant: str = ...,
    *,
    return_grad: Literal[False] = ...,
) -> FloatOrArray: ...
@overload
def maurer_draw(
    risk: ArrayLike,
    log_ratio: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    constant: str = ...,
    *,
    return_grad: Literal[True],
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def maurer_draw(
    risk: ArrayLike,
    log_ratio: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    constant: str = "exact",
    *,
    return_grad: bool = False,
) -> Result:
    """One kept draw by the kl bound: an upper bound, ``kl_inv_upper(risk, (log_ratio + log(xi(2, n)/delta))/n)``.

    The form of :func:`maurer` for one draw from the posterior, made once and kept.

    Parameters
    ----------
    risk : array_like
        Empirical risk of the drawn predictor, in [0, 1].
    log_ratio : array_like
        ``log (d posterior/d prior)(h)`` at the draw ``h``, for a prior fixed before the data. It may be negative or
        infinite; where ``log_ratio + log(xi/delta)`` is negative, 0 takes its place.
    n : array_like of int
        Number of examples.
    delta : array_like
        Allowed probability of failure, in (0, 1).
    constant : {"exact", "published"}, default="exact"
        The exact Shtarkov constant, or Maurer's ``2 sqrt(n)``.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "risk" and "log_ratio".

    Returns
    -------
    float or ndarray
        Holds for the drawn predictor with probability at least ``1 - delta`` over i.i.d. examples and the draw: for the
        first draw, not for the best of several.

    References
    ----------
    Rivasplata et al., "PAC-Bayes analysis beyond the usual bounds", 2020.
    Viallard et al., "A general framework for the practical disintegration of PAC-Bayesian bounds", 2023.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.maurer_draw(risk=0.05, log_ratio=10.0, n=1000, delta=0.05), 6)
    0.099974
    >>> round(pb.bounds.maurer_draw(risk=0.05, log_ratio=-1.0, n=1000, delta=0.05), 6)
    0.07671
    """
    risks, ratios, sizes, deltas = checked("maurer_draw", risk=risk, log_ratio=log_ratio, n=n, delta=delta)
    limit = _level(ratios, log_xi(2, sizes, constant) + log_inverse(deltas)) / sizes * (1.0 + 2.0 * EPS)
    if not return_grad:
        return clipped(kl_inv_upper(risks, limit))
    value, (d_risk, d_budget) = kl_inv_upper(risks, limit, return_grad=True)
    flat = limit == 0.0
    of_ratio = np.where(flat, 0.0, np.asarray(d_budget) / sizes)
    return clipped(value), {"risk": plain(np.where(flat, 1.0, d_risk)), "log_ratio": plain(of_ratio)}


@overload
def betting_draw(
    log_growth: ArrayLike,
    rates: ArrayLike,
    log_ratio: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    weights: ArrayLike | None = ...,
    *,
    return_grad: Literal[False] = ...,
) -> FloatOrArray: ...
@overload
def betting_draw(
    log_growth: ArrayLike,
    rates: ArrayLike,
    log_ratio: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    weights: ArrayLike | None = ...,
    *,
    return_grad: Literal[True],
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def betting_draw(
    log_growth: ArrayLike,
    rates: ArrayLike,
    log_ratio: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    return_grad: bool = False,
) -> Result:
    """One kept draw by betting: an upper bound on a mean, the root of ``sum_k w_k M_k(m) = exp(log_ratio)/delta``.

    ``M_k(m) = exp(n (G_k - log(1 - lam_k m)))``: the form of :func:`betting` for one draw from the posterior, made once
    and kept. The mean is that of its risk, or of its excess ``loss - gamma * reference``.

    Parameters
    ----------
    log_growth : array_like, shape (..., K)
        ``G(lam) = mean_i log(1 - lam x_i)`` of the drawn predictor, one per rate on the last axis (no axis if ``rates``
        is a number).
    rates, weights : array_like
        As in :func:`betting`.
    log_ratio : array_like
        ``log (d posterior/d prior)(h)`` at the draw ``h``. It may be negative or infinite; where
        ``log_ratio + log(1/delta)`` is negative, 0 takes its place.
    n : array_like of int
        Number of examples.
    delta : array_like
        Allowed probability of failure, in (0, 1).
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "log_growth" and "log_ratio".

    Returns
    -------
    float or ndarray
        Holds for the drawn predictor with probability at least ``1 - delta`` over examples and draw, for any
        predictable reference; with rates that do not depend on n, also at all larger n at once if the same predictor is
        kept, but not at smaller ones. Between -1 and 1.

    References
    ----------
    Rivasplata et al., "PAC-Bayes analysis beyond the usual bounds", 2020.
    Viallard et al., "A general framework for the practical disintegration of PAC-Bayesian bounds", 2023.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> rates, weights = pb.bounds.betting_rates(n=1000)
    >>> log_growth = 0.05 * np.log1p(-rates)  # 50 errors in 1000 rows
    >>> round(pb.bounds.betting_draw(log_growth, rates, log_ratio=10.0, n=1000, delta=0.05, weights=weights), 6)
    0.098033
    """
    ratios, sizes, deltas = checked("betting_draw", log_ratio=log_ratio, n=n, delta=delta)
    level = _level(ratios, log_inverse(deltas))
    value, slopes = bet("betting_draw", log_growth, rates, weights, sizes, level)
    if not return_grad:
        return value
    return value, {"log_growth": slopes[0], "log_ratio": plain(np.where(level > 0.0, slopes[1], 0.0))}


@overload
def portfolio_draw(
    growths: ArrayLike,
    strengths: ArrayLike,
    reference_log_growth: ArrayLike,
    rates: ArrayLike,
    log_ratio: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    weights: ArrayLike | None = ...,
    strength_weights: ArrayLike | None = ...,
    share: float = ...,
    *,
    several: bool = ...,
    return_grad: Literal[False] = ...,
) -> FloatOrArray: ...
@overload
def portfolio_draw(
    growths: ArrayLike,
    strengths: ArrayLike,
    reference_log_growth: ArrayLike,
    rates: ArrayLike,
    log_ratio: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    weights: ArrayLike | None = ...,
    strength_weights: ArrayLike | None = ...,
    share: float = ...,
    *,
    several: bool = ...,
    return_grad: Literal[True],
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def portfolio_draw(
    growths: ArrayLike,
    strengths: ArrayLike,
    reference_log_growth: ArrayLike,
    rates: ArrayLike,
    log_ratio: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    weights: ArrayLike | None = None,
    strength_weights: ArrayLike | None = None,
    share: float = SHARE,
    *,
    several: bool = False,
    return_grad: bool = False,
) -> Result:
    """One kept draw by the portfolio: an upper bound on the risk from bets over rates and strengths of references.

    The smallest ``R`` with ``F(R, b) > 1/delta`` for all ``b``, where ``F`` is that of :func:`portfolio` with
    ``exp(-log_ratio)`` in place of ``exp(-kl)``: the bets on the references' own losses do not depend on the draw, and
    nothing is charged for them.

    Parameters
    ----------
    growths : array_like, shape (..., J, K)
        ``G_jk = mean_i log(1 - lam_k (l_i - gamma_j r_i))`` of the drawn predictor for each strength and rate.
    strengths, reference_log_growth, rates : array_like
        As in :func:`portfolio`.
    log_ratio : array_like
        ``log (d posterior/d prior)(h)`` at the draw ``h``. It may be negative or infinite; below ``-log(1/delta)`` it
        counts as that.
    n : array_like of int
        Number of examples.
    delta : array_like
        Allowed probability of failure, in (0, 1).
    weights, strength_weights, share, several
        As in :func:`portfolio`.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "growths", "reference_log_growth" and "log_ratio".

    Returns
    -------
    float or ndarray
        Holds for the drawn predictor with probability at least ``1 - delta`` over examples and draw, for any
        predictable references; at which n as for :func:`betting_draw`.

    References
    ----------
    Rivasplata et al., "PAC-Bayes analysis beyond the usual bounds", 2020.
    Viallard et al., "A general framework for the practical disintegration of PAC-Bayesian bounds", 2023.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> losses = np.repeat([1.0, 1.0, 0.0, 0.0], [10, 90, 10, 890])  # of the draw
    >>> reference = np.repeat([0.0, 1.0, 1.0, 0.0], [10, 90, 10, 890])  # errs on much the same examples
    >>> summary = pb.Summary.from_losses(losses, reference, reference_kind="predictable")
    >>> statistics = summary.growths, summary.strengths, summary.reference_log_growth, summary.rates
    >>> given = {"n": 1000, "delta": 0.05, "weights": summary.weights}
    >>> [round(pb.bounds.portfolio_draw(*statistics, log_ratio=x, **given), 6) for x in (-2.0, 10.0)]
    [0.129561, 0.157294]
    """
    ratios, sizes, deltas = checked("portfolio_draw", log_ratio=log_ratio, n=n, delta=delta)
    least = -log_inverse(deltas)
    bets = find_bets("portfolio_draw", strengths, rates, weights, strength_weights, share)
    value, slopes = solve(
        "portfolio_draw",
        bets,
        growths,
        reference_log_growth,
        (np.maximum(ratios, least), sizes, deltas),
        several=several,
        return_grad=return_grad,
    )
    if slopes is None:
        return value
    of_ratio = plain(np.where(ratios > least, slopes[2], 0.0))
    return value, {"growths": slopes[0], "reference_log_growth": slopes[1], "log_ratio": of_ratio}


def _level(ratios: FloatArray, others: FloatArray) -> FloatArray:
    """Return ``ratio + others``, rounded up, not below 0 and capped at :data:`LARGEST`; ``others`` are rounded up.

    A sum of two doubles is off by ``EPS/2`` of itself, and ``others`` by as much of itself where it is a sum: what
    cancels is counted in full.
    """
    with np.errstate(invalid="ignore"):
        total = ratios + others
        total = np.where(np.isfinite(total), total + EPS * (np.abs(total) + others), total)
    return np.asarray(np.clip(total, 0.0, LARGEST))
