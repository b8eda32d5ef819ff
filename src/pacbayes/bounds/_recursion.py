"""The parts of recursive bounds: checks, excesses of all steps at once, the correction for draws, the gradient."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_shapes, single
from pacbayes._core.rounding import EPS
from pacbayes._core.types import FloatArray, FloatOrArray
from pacbayes.bounds._budget import budget, plain
from pacbayes.numerics import kl_inv_upper, log_xi

__all__ = [
    "EVENTS",
    "Excess",
    "Moved",
    "Steps",
    "chain_gradient",
    "checked_frequencies",
    "checked_steps",
    "excess_of_steps",
    "moved_by_draws",
    "part_of",
    "without_draws",
]

EVENTS = 3  # each of the three frequencies is bounded on its own
_NESTED = 1e-9  # what rounding may leave of the order of nested frequencies


class Steps(NamedTuple):
    """The steps after the first, on the last axis; frequencies have one more."""

    frequencies: FloatArray
    kl: FloatArray
    n: FloatArray
    gamma: FloatArray


class Excess(NamedTuple):
    """Bounds on excesses, and their derivatives."""

    value: FloatArray
    by_frequency: FloatArray
    by_kl: FloatArray


class Moved(NamedTuple):
    """Frequencies, moved by what draws may be off, and the derivatives of that."""

    risk: FloatArray
    frequencies: FloatArray
    by_risk: FloatArray
    by_frequency: FloatArray

    @classmethod
    def without(cls, risk: FloatArray, frequencies: FloatArray) -> Moved:
        return cls(risk, frequencies, np.ones(()), np.ones(()))


def checked_frequencies(owner: str, name: str, given: ArrayLike) -> FloatArray:
    array = single(owner, name, given)
    if array.ndim == 0 or array.shape[-1] != EVENTS:
        if array.size == 0:
            return np.empty((*array.shape[:-1], 0, EVENTS))
        raise ValueError(
            f"The {name!r} argument of {owner} must have three frequencies on its last axis. Got shape {array.shape} "
            "instead."
        )
    if np.any(np.diff(array, axis=-1) > _NESTED):
        worst = array[(np.diff(array, axis=-1) > _NESTED).any(axis=-1)][0]
        raise ValueError(
            f"The {name!r} argument of {owner} must not increase along its last axis, being frequencies of events of "
            f"which each implies the one before. Got {worst.tolist()!r} instead."
        )
    return array


def checked_steps(owner: str, frequencies: ArrayLike, kl: ArrayLike, n: ArrayLike, gamma: ArrayLike) -> Steps:
    shares = checked_frequencies(owner, "step_frequencies", frequencies)
    if shares.ndim < 2:
        raise ValueError(
            f"The 'step_frequencies' argument of {owner} must have one axis for steps and one for three frequencies. "
            f"Got shape {shares.shape} instead."
        )
    arrays = [single(owner, name, each) for name, each in (("step_kl", kl), ("step_n", n), ("gamma", gamma))]
    for name, each in zip(("step_kl", "step_n"), arrays, strict=False):
        if each.ndim == 0 or each.shape[-1] != shares.shape[-2]:
            raise ValueError(
                f"The {name!r} argument of {owner} must have one entry per step after the first ({shares.shape[-2]}) "
                f"on its last axis. Got shape {each.shape} instead."
            )
    shapes = {name: each.shape for name, each in zip(("step_kl", "step_n", "gamma"), arrays, strict=True)}
    shape = check_shapes(owner, step_frequencies=shares.shape[:-1], **shapes)
    return Steps(np.broadcast_to(shares, (*shape, EVENTS)), *(np.broadcast_to(each, shape) for each in arrays))


def excess_of_steps(
    frequencies: FloatArray, kl: FloatArray, n: FloatArray, delta: FloatArray, gamma: FloatArray, constant: str
) -> Excess:
    """Bound ``E[l(h) - gamma l(h')]`` by its three frequencies, each with an even share of delta."""
    limit = budget(kl, n, part_of(delta, _events(gamma)), log_xi(2, n, constant))
    weights = np.stack(np.broadcast_arrays(gamma, 1.0 - gamma, gamma), axis=-1)
    upper, (by_frequency, by_budget) = kl_inv_upper(frequencies, limit[..., None], return_grad=True)
    upper = np.asarray(upper)
    value = weights[..., 1] * upper[..., 1] + gamma * (upper[..., 2] - (1.0 - upper[..., 0]))
    with np.errstate(invalid="ignore"):  # nothing times an infinite slope
        slopes = np.where(weights > 0.0, weights * by_frequency, 0.0)
        by_kl = np.where(weights > 0.0, weights * by_budget, 0.0).sum(axis=-1) / n
    return Excess(value, slopes, by_kl)


def _events(gamma: FloatArray) -> FloatArray:
    """Count the weights (gamma, 1 - gamma, gamma) that are positive: others are not of events that have to hold."""
    return np.where((gamma > 0.0) & (gamma < 1.0), 3.0, 1.0 + (gamma > 0.0))


def without_draws(owner: str, delta: FloatArray, share: FloatArray) -> FloatArray:
    check_shapes(owner, delta=delta.shape, delta_mc=share.shape)
    if np.any(share >= delta):
        raise ValueError(
            f"The 'delta_mc' argument of {owner} must be less than 'delta', of which it is a part. "
            f"Got {float(np.max(share))!r} instead."
        )
    return part_of(delta - share, 1.0)


def part_of(delta: FloatArray, parts: FloatOrArray) -> FloatArray:
    """Return an even share of delta, rounded down."""
    return np.asarray(delta / parts * (1.0 - EPS))


def moved_by_draws(
    owner: str, risk: FloatArray, steps: Steps, share: FloatArray, n: FloatArray, draws: ArrayLike | None
) -> Moved:
    """Return upper limits on what frequencies of draws estimate."""
    if draws is None:
        first, later = n, steps.n
    else:
        counts = single(owner, "draws", draws)
        count = steps.kl.shape[-1] + 1
        if counts.ndim == 0 or counts.shape[-1] not in (1, count):
            raise ValueError(
                f"The 'draws' argument of {owner} must have one entry per step ({count}) on its last axis. "
                f"Got shape {counts.shape} instead."
            )
        counts = np.broadcast_to(counts, (*counts.shape[:-1], count))
        first, later = counts[..., 0], counts[..., 1:]
    none = np.zeros(())
    at_first = kl_inv_upper(risk, budget(none, first, share), return_grad=True)
    each = part_of(share[..., None], _events(steps.gamma))
    at_later = kl_inv_upper(steps.frequencies, budget(none, later, each)[..., None], return_grad=True)
    values = (np.asarray(found[0]) for found in (at_first, at_later))
    return Moved(*values, *(np.asarray(found[1][0]) for found in (at_first, at_later)))


def chain_gradient(
    moved: Moved,
    steps: Steps,
    part: Excess,
    first: tuple[FloatOrArray, FloatOrArray],
    n: FloatArray,
    shape: tuple[int, ...],
) -> dict[str, FloatOrArray]:
    """Return the derivatives: what a step adds is carried on with the product of the strengths after it."""
    ones = np.ones((*steps.gamma.shape[:-1], 1))
    carried = np.cumprod(np.concatenate([ones, steps.gamma[..., ::-1]], axis=-1), axis=-1)[..., ::-1]
    whole, rest, count = carried[..., 0], carried[..., 1:], steps.kl.shape[-1]
    with np.errstate(invalid="ignore"):
        of_frequencies = rest[..., None] * part.by_frequency * moved.by_frequency
        return {
            "first_risk": plain(np.broadcast_to(whole * first[0] * moved.by_risk, shape)),
            "kl": plain(np.broadcast_to(whole * first[1] / n, shape)),
            "step_frequencies": np.broadcast_to(of_frequencies, (*shape, count, EVENTS)),
            "step_kl": np.broadcast_to(rest * part.by_kl, (*shape, count)),
        }
