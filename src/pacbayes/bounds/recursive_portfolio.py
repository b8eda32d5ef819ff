"""Recursive PAC-Bayes by bets: in each step over rates and over how much of the prior's loss is subtracted.

A step's bets are those of :func:`pacbayes.bounds.portfolio`, whose reference is a draw from the posterior before. The
reference's own risk, which a portfolio bounds on the same rows, is bounded by the step before. The proof is in
`docs/theory.md`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_shapes, checked
from pacbayes._core.rounding import EPS, log_inverse
from pacbayes._core.types import FloatArray, FloatOrArray
from pacbayes.bounds._budget import LARGEST, clipped, plain
from pacbayes.bounds._grid import checked_grid
from pacbayes.bounds._recursion import Shares, check_shares, checked_steps, part_of
from pacbayes.bounds._signatures import Result
from pacbayes.bounds.betting import betting_rates
from pacbayes.numerics.mixture import mixture_root
from pacbayes.statistics import STRENGTHS

__all__ = ["recursive_portfolio", "recursive_portfolio_step"]

_WEIGHTS = (0.5, 0.1, 0.1, 0.1, 0.2)  # of the strengths, as in a portfolio


@overload
def recursive_portfolio_step(
    previous: ArrayLike,
    risk: ArrayLike,
    worse: ArrayLike,
    better: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    rates: ArrayLike | None = ...,
    weights: ArrayLike | None = ...,
    *,
    return_grad: Literal[False] = ...,
) -> FloatOrArray: ...
@overload
def recursive_portfolio_step(
    previous: ArrayLike,
    risk: ArrayLike,
    worse: ArrayLike,
    better: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    rates: ArrayLike | None = ...,
    weights: ArrayLike | None = ...,
    *,
    return_grad: Literal[True],
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def recursive_portfolio_step(
    previous: ArrayLike,
    risk: ArrayLike,
    worse: ArrayLike,
    better: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    rates: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    *,
    return_grad: bool = False,
) -> Result:
    """One step of :func:`recursive_portfolio`: an upper bound on the risk of a posterior from one on that of its prior.

    The root ``R`` of ``sum_jk v_j w_k exp(n (G_jk - log(1 - lam_k (R - gamma_j previous)))) = exp(kl)/delta`` with
    ``G_jk = worse log(1 - lam_k) + (risk - worse) log(1 - lam_k (1 - gamma_j)) + better log(1 + lam_k gamma_j)``, over
    rates ``lam_k`` and the strengths ``gamma_j`` of a :class:`pacbayes.Summary`: no strength has to be chosen.

    Parameters
    ----------
    previous, risk, worse, better, kl, n, delta : array_like
        As in :func:`recursive_step`.
    rates, weights : array_like, shape (K,), optional
        In (0, 1), fixed before the examples, and their weights, which sum to at most 1 and are even by default; without
        rates ``betting_rates(n)``.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "previous", "risk", "worse", "better" and "kl".

    Returns
    -------
    float or ndarray
        Holds for all posteriors at once with probability at least ``1 - delta``, if ``previous`` holds.

    References
    ----------
    Wu et al., "Recursive PAC-Bayes", 2024, for the recursion. The bets are those of :func:`portfolio`.

    Examples
    --------
    >>> import pacbayes as pb
    >>> pair = {"risk": 0.06, "worse": 0.02, "better": 0.03, "kl": 10.0, "n": 1000, "delta": 0.05}
    >>> round(pb.bounds.recursive_portfolio_step(0.12, **pair), 6)
    0.112721
    >>> round(pb.bounds.recursive_step(0.12, **pair), 6)
    0.142856
    """
    owner = "recursive_portfolio_step"
    given = checked(owner, previous=previous, risk=risk, worse=worse, better=better, kl=kl, n=n, delta=delta)
    before, shares, (kls, sizes, deltas) = given[0], Shares(*given[1:4]), given[4:]
    check_shares(owner, "", shares)
    found = _solved(_Bets(owner, rates, weights), before, shares, kls, sizes, deltas)
    if not return_grad:
        return plain(found.value)
    slopes = {"previous": found.by_previous, **found.by._asdict(), "kl": found.by_kl}
    return plain(found.value), {name: plain(each) for name, each in slopes.items()}


@overload
def recursive_portfolio(
    first_risk: ArrayLike,
    step_risk: ArrayLike,
    step_worse: ArrayLike,
    step_better: ArrayLike,
    step_kl: ArrayLike,
    step_n: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    rates: ArrayLike | None = ...,
    weights: ArrayLike | None = ...,
    *,
    return_grad: Literal[False] = ...,
) -> FloatOrArray: ...
@overload
def recursive_portfolio(
    first_risk: ArrayLike,
    step_risk: ArrayLike,
    step_worse: ArrayLike,
    step_better: ArrayLike,
    step_kl: ArrayLike,
    step_n: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    rates: ArrayLike | None = ...,
    weights: ArrayLike | None = ...,
    *,
    return_grad: Literal[True],
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def recursive_portfolio(
    first_risk: ArrayLike,
    step_risk: ArrayLike,
    step_worse: ArrayLike,
    step_better: ArrayLike,
    step_kl: ArrayLike,
    step_n: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    rates: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    *,
    return_grad: bool = False,
) -> Result:
    """Recursive PAC-Bayes by bets: an upper bound on the risk of the last of T posteriors, each the prior of the next.

    The first bound is that of :func:`betting` on the risk at ``delta/T``, and each further one that of
    :func:`recursive_portfolio_step` at ``delta/T``. The steps after the first are on the last axis of what describes
    them. In our benchmarks it is far below :func:`recursive`, and no strength has to be chosen.

    Parameters
    ----------
    first_risk, step_risk, step_worse, step_better, step_kl, step_n, kl, n, delta : array_like
        As in :func:`recursive`; frequencies are expected ones.
    rates, weights : array_like, shape (K,), optional
        As in :func:`recursive_portfolio_step`, the same for all steps.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "first_risk", "step_risk", "step_worse", "step_better",
        "step_kl" and "kl".

    Returns
    -------
    float or ndarray
        Holds for all posteriors at once with probability at least ``1 - delta``, for i.i.d. examples, as long as each
        posterior but the last has seen no example of the next step.

    References
    ----------
    Wu et al., "Recursive PAC-Bayes: a frequentist approach to sequential prior updates with no information loss", 2024,
    for the recursion. The bets are those of :func:`portfolio`.

    Examples
    --------
    >>> import pacbayes as pb
    >>> steps = {"step_risk": [0.07, 0.06], "step_worse": [0.02, 0.01], "step_better": [0.03, 0.02]}
    >>> first = {"first_risk": 0.08, "kl": 30.0, "n": 4000, "delta": 0.05}
    >>> round(pb.bounds.recursive_portfolio(**first, **steps, step_kl=[9.0, 7.0], step_n=[3000, 2000]), 6)
    0.092634
    """
    owner = "recursive_portfolio"
    steps = checked_steps(owner, step_risk, step_worse, step_better, step_kl, step_n, 1.0)
    risks, kls, sizes, deltas = checked(owner, first_risk=first_risk, kl=kl, n=n, delta=delta)
    shape = check_shapes(owner, steps=steps.kl.shape[:-1], others=kls.shape)
    count, bets = steps.kl.shape[-1] + 1, _Bets(owner, rates, weights)
    each = deltas if count == 1 else part_of(deltas, count)
    found = [_solved(bets, np.zeros(()), Shares(risks, risks, np.zeros(())), kls, sizes, each)]
    for t in range(count - 1):
        shares = Shares(*(part[..., t] for part in steps.shares))
        found.append(_solved(bets, found[-1].value, shares, steps.kl[..., t], steps.n[..., t], each))
    value = plain(np.broadcast_to(found[-1].value, shape).copy())
    return (value, _gradient(found, shape)) if return_grad else value


class _Bets:
    """The rates for a number of examples and their weights: given ones, or the library's own."""

    def __init__(self, owner: str, rates: ArrayLike | None, weights: ArrayLike | None) -> None:
        self._owner, self._given = owner, None if rates is None else (rates, weights)

    def mixture(self, n: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return rates, strengths and logarithms of weights, rounded down, of all pairs of a strength and a rate."""
        rates, costs = checked_grid(self._owner, *(betting_rates(n) if self._given is None else self._given))
        of_strengths = np.log(_WEIGHTS) * (1.0 + 8.0 * EPS)
        lam, gamma = np.tile(rates, len(STRENGTHS)), np.repeat(STRENGTHS, rates.size)
        return lam, gamma, (of_strengths[:, None] - costs).ravel() * (1.0 + 2.0 * EPS)


class _Solved(NamedTuple):
    """Bounds of one step, and their derivatives."""

    value: FloatArray
    by_previous: FloatArray
    by: Shares
    by_kl: FloatArray


def _solved(
    bets: _Bets, previous: FloatArray, shares: Shares, kl: FloatArray, n: FloatArray, delta: FloatArray
) -> _Solved:
    """Solve each step, those with the same number of examples together."""
    arrays = np.broadcast_arrays(previous, *shares, kl, n, delta)
    shape, rows = arrays[0].shape, np.stack([np.ravel(each) for each in arrays])
    results = np.empty((6, rows.shape[1]))
    for size in np.unique(rows[5]):
        same = rows[5] == size
        results[:, same] = _solve(bets.mixture(int(size)), rows[:, same])
    value, of_previous, risk, worse, better, of_kl = (each.reshape(shape) for each in results)
    return _Solved(np.asarray(clipped(value)), of_previous, Shares(risk, worse, better), of_kl)


def _solve(mixture: tuple[FloatArray, FloatArray, FloatArray], rows: FloatArray) -> FloatArray:
    """Return roots and their derivatives with respect to previous bound, frequencies and divergence.

    ``1 - lam (R - gamma B) = c (1 - lam R/c)`` with ``c = 1 + lam gamma B``: a mixture at the rates ``lam/c``, of which
    growths have lost ``log c``. Both are moved down by more than their rounding, which lowers the mixture where R is
    not negative, so that its root is not below the exact one: each logarithm is correct to 4 units, its argument to 1,
    each product and sum to half a unit, of terms that are all counted by their size.
    """
    lam, gamma, log_weights = mixture
    previous, risk, worse, better, kl, n, delta = rows[..., None]
    logs = np.log1p(-lam), np.log1p(-lam * (1.0 - gamma)), np.log1p(lam * gamma)
    carried = lam * gamma * previous
    parts = worse * logs[0], np.maximum(risk - worse, 0.0) * logs[1], better * logs[2], -np.log1p(carried)
    steep = EPS * lam / (1.0 - lam)  # what the rounding of lam (1 - gamma) makes of its logarithm
    growth = sum(parts) - 12.0 * EPS * sum(map(np.abs, parts)) - 2.0 * steep * risk - EPS * np.abs(logs[1])
    rates = lam / (1.0 + carried) * (1.0 - 4.0 * EPS)
    level = np.minimum(kl + log_inverse(delta), LARGEST)[:, 0] * (1.0 + 2.0 * EPS)
    root, weights, slope = mixture_root(growth, rates, log_weights, n[:, 0], level)
    with np.errstate(all="ignore"):
        shares = weights / slope[:, None]
        of_previous = (shares * gamma * rates / (1.0 - rates * root[:, None])).sum(axis=-1)
        of_risk, of_worse, of_better = (-shares @ each for each in (logs[1], logs[0] - logs[1], logs[2]))
        of_kl = 1.0 / (n[:, 0] * slope)
    return np.stack([np.maximum(root, 0.0), of_previous, of_risk, of_worse, of_better, of_kl])


def _gradient(found: list[_Solved], shape: tuple[int, ...]) -> dict[str, FloatOrArray]:
    """Return the derivatives: what a step adds is carried on by those of the steps after it in their previous bound."""
    carried = [np.ones(shape)]
    for each in found[:0:-1]:
        carried.append(carried[-1] * each.by_previous)
    carried.reverse()
    first, *later = found
    with np.errstate(invalid="ignore"):
        slopes = {
            "first_risk": plain(carried[0] * (first.by.risk + first.by.worse)),
            "kl": plain(carried[0] * first.by_kl),
        }
        for name in ("risk", "worse", "better", "kl"):
            parts = [each.by_kl if name == "kl" else getattr(each.by, name) for each in later]
            whole = [np.broadcast_to(c * part, shape) for c, part in zip(carried[1:], parts, strict=True)]
            slopes[f"step_{name}"] = np.stack(whole, axis=-1) if whole else np.empty((*shape, 0))
        return slopes
