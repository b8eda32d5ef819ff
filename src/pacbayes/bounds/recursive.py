"""Recursive PAC-Bayes: each posterior is the prior of the next, and its own bound is carried on.

The rows are split into parts. A posterior ``pi_t``, learned from the first t parts, is judged on the t-th part and all
after it, which ``pi_{t-1}`` has not seen; so ``pi_{t-1}`` is a prior for it. What is bounded is not its risk but the
excess ``l(h) - gamma l(h')`` over a draw ``h'`` from ``pi_{t-1}``, whose risk the step before has bounded. The proof is
in `docs/theory.md`.
"""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_shapes, checked, single
from pacbayes._core.rounding import EPS
from pacbayes._core.types import FloatArray, FloatOrArray
from pacbayes.bounds._budget import budget, clipped, plain
from pacbayes.bounds._recursion import (
    Excess,
    Shares,
    Steps,
    check_shares,
    checked_steps,
    excess_of,
    moved_by_draws,
    part_of,
)
from pacbayes.bounds._signatures import Result
from pacbayes.numerics import kl_inv_upper, log_xi

__all__ = ["recursive", "recursive_step"]

# (1 - g) a + g (b - c) + g previous: seven operations of EPS/2 each, on numbers of at most 3
_SLACK = 12.0 * EPS


@overload
def recursive_step(
    previous: ArrayLike,
    risk: ArrayLike,
    worse: ArrayLike,
    better: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    gamma: ArrayLike = ...,
    constant: str = ...,
    *,
    return_grad: Literal[False] = ...,
) -> FloatOrArray: ...
@overload
def recursive_step(
    previous: ArrayLike,
    risk: ArrayLike,
    worse: ArrayLike,
    better: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    gamma: ArrayLike = ...,
    constant: str = ...,
    *,
    return_grad: Literal[True],
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def recursive_step(
    previous: ArrayLike,
    risk: ArrayLike,
    worse: ArrayLike,
    better: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    gamma: ArrayLike = 0.5,
    constant: str = "exact",
    *,
    return_grad: bool = False,
) -> Result:
    """One step of :func:`recursive`: an upper bound on the risk of a posterior from one on that of its prior.

    ``(1 - gamma) kl_inv_upper(risk, b) + gamma (kl_inv_upper(worse, b) - kl_inv_lower(better, b) + previous)`` with
    ``b = (kl + log(k xi(2, n)/delta))/n``, where ``k`` counts what is bounded: 3, but 2 at gamma = 1, and 1 at
    gamma = 0, where it is :func:`maurer`.

    Parameters
    ----------
    previous : array_like
        A bound on the risk of the prior, in [0, 1], that fails with a probability that is not part of ``delta``.
    risk : array_like
        How often a draw ``h`` from the posterior errs: ``P(l(h) - gamma l(h') >= 1 - gamma)``, with an independent
        draw ``h'`` from the prior. Frequencies are expected, or those of a fresh pair for each example.
    worse, better : array_like
        How often only ``h`` errs, ``P(l(h) - gamma l(h') = 1)``, and how often only ``h'`` errs,
        ``1 - P(l(h) - gamma l(h') >= 0)``.
    kl : array_like
        Divergence of the posterior from the prior; may be infinite.
    n : array_like of int
        Number of examples, which the prior has not seen.
    delta : array_like
        Allowed probability of failure of this step, in (0, 1).
    gamma : array_like, default=0.5
        How much of the prior's loss is subtracted, in [0, 1], fixed before the examples.
    constant : {"exact", "published"}, default="exact"
        The exact Shtarkov constant ``xi(2, n)``, or the published ``2 sqrt(n)``.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "previous", "risk", "worse", "better" and "kl", before
        clipping.

    Returns
    -------
    float or ndarray
        Holds for all posteriors at once with probability at least ``1 - delta``, if ``previous`` holds.

    References
    ----------
    Wu, Zhang, Cherief-Abdellatif and Seldin, "Recursive PAC-Bayes", 2024.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.bounds.recursive_step(0.12, risk=0.06, worse=0.02, better=0.03, kl=10.0, n=1000, delta=0.05), 6)
    0.142856
    >>> pair = {"risk": 0.06, "worse": 0.02, "better": 0.03}
    >>> round(pb.bounds.recursive_step(0.12, **pair, kl=10.0, n=1000, delta=0.05, gamma=0.0), 6)
    0.11323
    >>> round(pb.bounds.maurer(0.06, kl=10.0, n=1000, delta=0.05), 6)
    0.11323
    """
    owner = "recursive_step"
    given = checked(
        owner, previous=previous, risk=risk, worse=worse, better=better, kl=kl, n=n, delta=delta, gamma=gamma
    )
    before, shares, (kls, sizes, deltas, weight) = given[0], Shares(*given[1:4]), given[4:]
    check_shares(owner, "", shares)
    part = excess_of(shares, kls, sizes, deltas, weight, constant)
    value = clipped(part.value + weight * before + _SLACK)
    if not return_grad:
        return value
    slopes = {"previous": weight, **part.by._asdict(), "kl": part.by_kl}
    return value, {name: plain(np.array(each)) for name, each in slopes.items()}


@overload
def recursive(
    first_risk: ArrayLike,
    step_risk: ArrayLike,
    step_worse: ArrayLike,
    step_better: ArrayLike,
    step_kl: ArrayLike,
    step_n: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    gamma: ArrayLike = ...,
    delta_mc: ArrayLike | None = ...,
    draws: ArrayLike | None = ...,
    constant: str = ...,
    *,
    return_grad: Literal[False] = ...,
) -> FloatOrArray: ...
@overload
def recursive(
    first_risk: ArrayLike,
    step_risk: ArrayLike,
    step_worse: ArrayLike,
    step_better: ArrayLike,
    step_kl: ArrayLike,
    step_n: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    gamma: ArrayLike = ...,
    delta_mc: ArrayLike | None = ...,
    draws: ArrayLike | None = ...,
    constant: str = ...,
    *,
    return_grad: Literal[True],
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def recursive(
    first_risk: ArrayLike,
    step_risk: ArrayLike,
    step_worse: ArrayLike,
    step_better: ArrayLike,
    step_kl: ArrayLike,
    step_n: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    gamma: ArrayLike = 0.5,
    delta_mc: ArrayLike | None = None,
    draws: ArrayLike | None = None,
    constant: str = "exact",
    *,
    return_grad: bool = False,
) -> Result:
    """Recursive PAC-Bayes: an upper bound on the risk of the last of T posteriors, each the prior of the next.

    ``B_1`` is :func:`maurer` at ``delta/T``, and ``B_t = E_t + gamma_t B_{t-1}`` is :func:`recursive_step` at
    ``delta/T``. One step is :func:`maurer`. The steps after the first are on the last axis of what describes them.

    Parameters
    ----------
    first_risk : array_like
        Empirical risk of the first posterior, in [0, 1].
    step_risk, step_worse, step_better : array_like, shape (..., T - 1)
        Of each later step, how often a draw from its posterior errs, how often only that draw errs, and how often only
        a draw from the posterior before errs: the ``F_j`` of the publication are ``1 - better``, ``risk``, ``worse``.
    step_kl, step_n : array_like, shape (..., T - 1)
        Of each later step, the divergence from the posterior before, and the number of examples, which that posterior
        has not seen.
    kl, n : array_like
        Of the first step: the divergence of the first posterior from a prior fixed before the data, and the number of
        examples.
    delta : array_like
        Allowed probability of failure in total, in (0, 1).
    gamma : array_like, default=0.5
        How much of the loss before is subtracted, in [0, 1]: a number, or one for each later step on the last axis.
        Fixed before the examples of its step.
    delta_mc : array_like, optional
        The part of ``delta`` for the error of draws, if frequencies are of draws rather than expected: each of the
        ``k`` of a step (one at the first) is moved by ``log(k T/delta_mc)/draws`` to its adverse side first.
        (Publications count it separately: what they call delta is ``delta - delta_mc`` here.)
    draws : array_like, shape (..., T), optional
        How many draws there were at each step, evenly over its examples; by default one for each example.
    constant : {"exact", "published"}, default="exact"
        The exact Shtarkov constant, or the published ``2 sqrt(n)``.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "first_risk", "step_risk", "step_worse",
        "step_better", "step_kl" and "kl", of the formula before clipping.

    Returns
    -------
    float or ndarray
        Holds for all posteriors at once with probability at least ``1 - delta``, for i.i.d. examples, as long as each
        posterior but the last has seen no example of the next step.

    References
    ----------
    Wu, Zhang, Cherief-Abdellatif and Seldin, "Recursive PAC-Bayes: a frequentist approach to sequential prior updates
    with no information loss", 2024.

    Examples
    --------
    >>> import pacbayes as pb
    >>> steps = {"step_risk": [0.07, 0.06], "step_worse": [0.02, 0.01], "step_better": [0.03, 0.02]}
    >>> first = {"first_risk": 0.08, "kl": 30.0, "n": 4000, "delta": 0.05}
    >>> round(pb.bounds.recursive(**first, **steps, step_kl=[9.0, 7.0], step_n=[3000, 2000]), 6)
    0.120627
    """
    owner = "recursive"
    steps = checked_steps(owner, step_risk, step_worse, step_better, step_kl, step_n, gamma)
    count = steps.kl.shape[-1] + 1
    risks, kls, sizes, deltas = checked(owner, first_risk=first_risk, kl=kl, n=n, delta=delta)
    check_shapes(owner, steps=steps.kl.shape[:-1], others=kls.shape)
    at_risk, at_shares, by_risk, by_shares = risks, steps.shares, np.ones(()), Shares(*[np.ones(())] * 3)
    if delta_mc is not None:
        part = single(owner, "delta_mc", delta_mc)
        deltas = _without_draws(owner, deltas, part)
        at_risk, at_shares, by_risk, by_shares = moved_by_draws(owner, risks, sizes, steps, part_of(part, count), draws)
    deltas = deltas if count == 1 else part_of(deltas, count)
    limit = budget(kls, sizes, deltas, log_xi(2, sizes, constant))
    first, (of_risk, of_budget) = kl_inv_upper(at_risk, limit, return_grad=True)
    excess = excess_of(at_shares, steps.kl, steps.n, deltas[..., None], steps.gamma, constant)
    value = _chained(first, excess, steps)
    if not return_grad:
        return plain(value)
    slopes = (np.asarray(of_risk * by_risk), np.asarray(of_budget / sizes))
    moved = excess._replace(by=Shares(*(a * b for a, b in zip(excess.by, by_shares, strict=True))))
    return plain(value), _gradient(slopes, moved, steps, value.shape)


def _chained(first: FloatOrArray, excess: Excess, steps: Steps) -> FloatArray:
    """Return the last bound: each is the excess of its step plus what it takes of the one before."""
    value = np.asarray(clipped(first))
    for step in range(steps.kl.shape[-1]):
        value = np.asarray(clipped(excess.value[..., step] + steps.gamma[..., step] * value + _SLACK))
    return value


def _without_draws(owner: str, delta: FloatArray, part: FloatArray) -> FloatArray:
    check_shapes(owner, delta=delta.shape, delta_mc=part.shape)
    if np.any(part >= delta):
        raise ValueError(
            f"The 'delta_mc' argument of {owner} must be less than 'delta', of which it is a part. "
            f"Got {float(np.max(part))!r} instead."
        )
    return part_of(delta - part, 1.0)


def _gradient(
    first: tuple[FloatArray, FloatArray], excess: Excess, steps: Steps, shape: tuple[int, ...]
) -> dict[str, FloatOrArray]:
    """Return the derivatives: what a step adds is carried on with the product of the strengths after it."""
    ones = np.ones((*steps.gamma.shape[:-1], 1))
    carried = np.cumprod(np.concatenate([ones, steps.gamma[..., ::-1]], axis=-1), axis=-1)[..., ::-1]
    rest, wide = carried[..., 1:], (*shape, steps.kl.shape[-1])
    later = {f"step_{name}": each for name, each in excess.by._asdict().items()} | {"step_kl": excess.by_kl}
    with np.errstate(invalid="ignore"):
        return {
            "first_risk": plain(np.broadcast_to(carried[..., 0] * first[0], shape).copy()),
            "kl": plain(np.broadcast_to(carried[..., 0] * first[1], shape).copy()),
            **{name: np.broadcast_to(rest * each, wide).copy() for name, each in later.items()},
        }
