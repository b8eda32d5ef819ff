"""The parts of recursive bounds: checks, excesses of all steps at once, the correction for draws, the gradient."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import broadcast, check_shapes, single
from pacbayes._core.rounding import EPS
from pacbayes._core.types import FloatArray, FloatOrArray
from pacbayes.bounds._budget import budget
from pacbayes.numerics import kl_inv_lower, kl_inv_upper, log_xi

__all__ = ["Excess", "Shares", "Steps", "check_shares", "checked_steps", "excess_of", "moved_by_draws", "part_of"]

_ROUNDING = 1e-9  # frequencies are sums of millions of terms


class Shares(NamedTuple):
    """How often a draw errs, only it errs, and only the draw before it errs; or derivatives with respect to these."""

    risk: FloatArray
    worse: FloatArray
    better: FloatArray


class Steps(NamedTuple):
    """The steps after the first, on the last axis."""

    shares: Shares
    kl: FloatArray
    n: FloatArray
    gamma: FloatArray


class Excess(NamedTuple):
    """Bounds on excesses, and their derivatives."""

    value: FloatArray
    by: Shares
    by_kl: FloatArray


def check_shares(owner: str, prefix: str, shares: Shares) -> None:
    """Refuse frequencies that no two predictors have."""
    risk, worse, better = shares
    for name, bad, words in (
        ("worse", worse > risk + _ROUNDING, "be at most"),
        ("better", better > 1.0 - risk + _ROUNDING, "be at most 1 minus"),
    ):
        if np.any(bad):
            place = np.unravel_index(int(np.argmax(bad)), bad.shape)
            pair = float(getattr(shares, name)[place]), float(risk[place])
            raise ValueError(
                f"The '{prefix}{name}' argument of {owner} must {words} '{prefix}risk'. "
                f"Got {pair[0]!r} at {pair[1]!r} instead."
            )


def checked_steps(
    owner: str, risk: ArrayLike, worse: ArrayLike, better: ArrayLike, kl: ArrayLike, n: ArrayLike, gamma: ArrayLike
) -> Steps:
    """Return what describes the steps after the first, one each on the last axis; strengths may be one for all."""
    given = {"step_risk": risk, "step_worse": worse, "step_better": better, "step_kl": kl, "step_n": n}
    arrays = {name: single(owner, name, each) for name, each in given.items()}
    count = arrays["step_risk"].shape[-1:] or (0,)
    for name, each in arrays.items():
        if each.ndim == 0 or each.shape[-1:] != count:
            raise ValueError(
                f"The {name!r} argument of {owner} must have one entry per step after the first ({count[0]}) on its "
                f"last axis. Got shape {each.shape} instead."
            )
    all_arrays = broadcast(owner, **arrays, gamma=single(owner, "gamma", gamma))
    shares = Shares(*all_arrays[:3])
    check_shares(owner, "step_", shares)
    return Steps(shares, *all_arrays[3:])


def excess_of(
    shares: Shares, kl: FloatArray, n: FloatArray, delta: FloatArray, gamma: FloatArray, constant: str
) -> Excess:
    """Bound ``E[l(h) - gamma l(h')]``, the mean of its levels, by three frequencies with an even share of delta each.

    ``(1 - gamma) P(h errs) + gamma (P(only h errs) - P(only h' errs))`` is that mean.
    """
    limit = budget(kl, n, part_of(delta, _events(gamma)), log_xi(2, n, constant))
    bounds = (kl_inv_upper, kl_inv_upper, kl_inv_lower)
    found = [bound(share, limit, return_grad=True) for bound, share in zip(bounds, shares, strict=True)]
    risk, worse, better = (np.asarray(each[0]) for each in found)
    weights = (1.0 - gamma, gamma, -gamma)
    with np.errstate(invalid="ignore"):  # nothing times an infinite slope
        by = Shares(*(_times(w, each[1][0]) for w, each in zip(weights, found, strict=True)))
        parts = [_times(w, each[1][1]) for w, each in zip(weights, found, strict=True)]
        by_kl = np.asarray((parts[0] + parts[1] + parts[2]) / n)
    return Excess(np.asarray((1.0 - gamma) * risk + gamma * (worse - better)), by, by_kl)


def _times(weight: FloatArray, slope: FloatOrArray) -> FloatArray:
    return np.asarray(np.where(weight == 0.0, 0.0, weight * np.asarray(slope)))


def _events(gamma: FloatArray) -> FloatArray:
    """Count the weights (1 - gamma, gamma, gamma) that are positive: others are not of events that have to hold."""
    return np.where((gamma > 0.0) & (gamma < 1.0), 3.0, 1.0 + (gamma > 0.0))


def part_of(delta: FloatArray, parts: FloatOrArray) -> FloatArray:
    """Return an even share of delta, rounded down."""
    return np.asarray(delta / parts * (1.0 - EPS))


def moved_by_draws(
    owner: str, risk: FloatArray, n: FloatArray, steps: Steps, share: FloatArray, draws: ArrayLike | None
) -> tuple[FloatArray, Shares, FloatArray, Shares]:
    """Return what frequencies of draws estimate, at worst but for ``share`` at each step, and the derivatives."""
    count = steps.kl.shape[-1] + 1
    first, later = n, steps.n
    if draws is not None:
        counts = single(owner, "draws", draws)
        if counts.ndim == 0 or counts.shape[-1] != count:
            raise ValueError(
                f"The 'draws' argument of {owner} must have one entry per step ({count}) on its last axis. "
                f"Got shape {counts.shape} instead."
            )
        first, later = counts[..., 0], counts[..., 1:]
    check_shapes(owner, n=n.shape, draws=first.shape, delta_mc=share.shape)
    at_first = kl_inv_upper(risk, budget(np.zeros(()), first, share), return_grad=True)
    limit = budget(np.zeros(()), later, part_of(share[..., None], _events(steps.gamma)))
    bounds = (kl_inv_upper, kl_inv_upper, kl_inv_lower)
    found = [bound(each, limit, return_grad=True) for bound, each in zip(bounds, steps.shares, strict=True)]
    moved, slopes = (Shares(*(np.asarray(each) for each in part)) for part in _pairs(found))
    return np.asarray(at_first[0]), moved, np.asarray(at_first[1][0]), slopes


def _pairs(found: list[tuple[FloatOrArray, tuple[FloatOrArray, FloatOrArray]]]) -> tuple[list[FloatOrArray], ...]:
    return [each[0] for each in found], [each[1][0] for each in found]
