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
from pacbayes._core.types import FloatOrArray
from pacbayes.bounds._budget import budget, clipped, plain
from pacbayes.bounds._recursion import (
    EVENTS,
    Moved,
    chain_gradient,
    checked_frequencies,
    checked_steps,
    excess_of_steps,
    moved_by_draws,
    part_of,
    without_draws,
)
from pacbayes.bounds._signatures import Result
from pacbayes.numerics import kl_inv_upper, log_xi

__all__ = ["recursive", "recursive_step"]

# (1 - g) k2 + g (k1 + k3 - 1 + previous): six operations of EPS/2 each, on numbers of at most 4
_SLACK = 12.0 * EPS


@overload
def recursive_step(
    previous: ArrayLike,
    frequencies: ArrayLike,
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
    frequencies: ArrayLike,
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
    frequencies: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    gamma: ArrayLike = 0.5,
    constant: str = "exact",
    *,
    return_grad: bool = False,
) -> Result:
    """One step of :func:`recursive`: an upper bound on the risk of a posterior from one on that of its prior.

    ``-gamma + sum_j (b_j - b_{j-1}) kl_inv_upper(F_j, (kl + log(k xi(2, n)/delta))/n) + gamma previous`` with
    ``b = (-gamma, 0, 1 - gamma, 1)``, and ``k`` the number of positive differences: 3, but 2 at gamma = 1 and 1 at 0.

    Parameters
    ----------
    previous : array_like
        A bound on the risk of the prior, in [0, 1], that fails with a probability that is not part of ``delta``.
    frequencies : array_like, shape (..., 3)
        ``F_j``: how often ``l(h) - gamma l(h')`` is at least 0, at least ``1 - gamma`` and 1, for independent draws
        ``h`` from the posterior and ``h'`` from the prior, expected or with a fresh ``h'`` for each row. They
        decrease; the second is how often ``h`` errs.
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
        Also return a dict with the derivatives with respect to "previous", "frequencies" and "kl", before clipping.

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
    >>> round(pb.bounds.recursive_step(0.12, [0.97, 0.06, 0.02], kl=10.0, n=1000, delta=0.05), 6)
    0.142856
    >>> round(pb.bounds.recursive_step(0.12, [0.97, 0.06, 0.02], kl=10.0, n=1000, delta=0.05, gamma=0.0), 6)
    0.112849
    >>> round(pb.bounds.maurer(0.06, kl=10.0, n=1000, delta=0.05), 6)
    0.112849
    """
    owner = "recursive_step"
    shares = checked_frequencies(owner, "frequencies", frequencies)
    before, kls, sizes, deltas, weight = checked(owner, previous=previous, kl=kl, n=n, delta=delta, gamma=gamma)
    check_shapes(owner, frequencies=shares.shape[:-1], others=kls.shape)
    part = excess_of_steps(shares, kls, sizes, deltas, weight, constant)
    value = clipped(part.value + weight * before + _SLACK)
    if not return_grad:
        return value
    shape = np.shape(value)
    return value, {
        "previous": plain(np.broadcast_to(weight, shape)),
        "frequencies": np.broadcast_to(part.by_frequency, (*shape, EVENTS)),
        "kl": plain(np.broadcast_to(part.by_kl, shape)),
    }


@overload
def recursive(
    first_risk: ArrayLike,
    step_frequencies: ArrayLike,
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
    step_frequencies: ArrayLike,
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
    step_frequencies: ArrayLike,
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
    step_frequencies : array_like, shape (..., T - 1, 3)
        Of each later step, how often ``l(h) - gamma l(h')`` is at least 0, at least ``1 - gamma`` and 1, for draws
        ``h`` from its posterior and ``h'`` from the one before.
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
        The part of ``delta`` for the error of draws, if frequencies are of one draw per example rather than expected:
        each is replaced by ``kl_inv_upper(., log(k T/delta_mc)/draws)`` first, with ``k = 1`` for the first step.
        (Publications count it separately: what they call delta is ``delta - delta_mc`` here.)
    draws : array_like, shape (..., T), optional
        How many draws there were at each step; by default one for each example.
    constant : {"exact", "published"}, default="exact"
        The exact Shtarkov constant, or the published ``2 sqrt(n)``.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "first_risk", "step_frequencies", "step_kl" and "kl",
        of the formula before clipping.

    Returns
    -------
    float or ndarray
        Holds for all posteriors at once with probability at least ``1 - delta``, for i.i.d. examples, as long as each
        posterior but the last has seen no example that is judged after its own step.

    References
    ----------
    Wu, Zhang, Cherief-Abdellatif and Seldin, "Recursive PAC-Bayes: a frequentist approach to sequential prior updates
    with no information loss", 2024.

    Examples
    --------
    >>> import pacbayes as pb
    >>> steps = [[0.97, 0.07, 0.02], [0.98, 0.06, 0.01]]
    >>> round(pb.bounds.recursive(0.08, steps, [9.0, 7.0], [3000, 2000], kl=30.0, n=4000, delta=0.05), 6)
    0.120627
    >>> pb.bounds.recursive(0.08, steps[:0], [], [], 30.0, 4000, 0.05) == pb.bounds.maurer(0.08, 30.0, 4000, 0.05)
    True
    """
    owner = "recursive"
    steps = checked_steps(owner, step_frequencies, step_kl, step_n, gamma)
    count = steps.kl.shape[-1] + 1
    risks, kls, sizes, deltas = checked(owner, first_risk=first_risk, kl=kl, n=n, delta=delta)
    check_shapes(owner, steps=steps.kl.shape[:-1], others=kls.shape)
    moved = Moved.without(risks, steps.frequencies)
    if delta_mc is not None:
        share = single(owner, "delta_mc", delta_mc)
        deltas = without_draws(owner, deltas, share)
        moved = moved_by_draws(owner, risks, steps, part_of(share, count), sizes, draws)
    deltas = deltas if count == 1 else part_of(deltas, count)
    first = kl_inv_upper(moved.risk, budget(kls, sizes, deltas, log_xi(2, sizes, constant)), return_grad=True)
    part = excess_of_steps(moved.frequencies, steps.kl, steps.n, deltas[..., None], steps.gamma, constant)
    value = np.asarray(clipped(first[0]))
    for step in range(count - 1):
        weight = steps.gamma[..., step]
        value = np.asarray(clipped(part.value[..., step] + weight * value + _SLACK))
    if not return_grad:
        return plain(value)
    return plain(value), chain_gradient(moved, steps, part, first[1], sizes, value.shape)
