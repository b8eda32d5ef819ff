"""Where a portfolio of bets refutes a risk, whatever its references' own losses are: its checks, and its solution.

The bounds that rest on it differ in what is charged for the choice of the predictor: a divergence, or of one kept draw
the logarithm of a density ratio, which may be negative.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_range, check_shapes, single, to_floats
from pacbayes._core.rounding import EPS, log_inverse
from pacbayes._core.types import FloatArray, FloatOrArray
from pacbayes.bounds._budget import LARGEST, clipped, plain
from pacbayes.bounds._grid import checked_grid
from pacbayes.numerics.minimum import minimum_root
from pacbayes.numerics.two_parts import MinimumProblem
from pacbayes.statistics import STRENGTHS

__all__ = ["SHARE", "Bets", "find_bets", "solve"]

SHARE = 0.8
_WEIGHTS = (0.5, 0.1, 0.1, 0.1, 0.2)  # of the strengths of a summary
_ROUNDING = 1e-9  # growths are sums of millions of terms
_MOST_KNOWN = 64
_KNOWN: dict[tuple[object, ...], Bets] = {}
_BLOCK = 16384  # numbers at a time, so that temporaries stay in a core's second-level cache


def solve(
    owner: str,
    bets: Bets,
    growths: ArrayLike,
    reference_log_growth: ArrayLike,
    others: tuple[FloatArray, FloatArray, FloatArray],
    *,
    several: bool,
    return_grad: bool,
) -> tuple[FloatOrArray, tuple[FloatArray, FloatArray, FloatOrArray] | None]:
    """Return the smallest risk that is refuted, and its derivatives if asked for.

    Parameters
    ----------
    owner : str
        The bound that asks, for messages.
    bets : Bets
        What is fixed before the data.
    growths, reference_log_growth : array_like
        As in :func:`pacbayes.bounds.portfolio`.
    others : three ndarray of one shape
        What is charged, as the logarithm of the factor by which the bets on the risk are divided; n; delta.
    several, return_grad : bool
        As there.

    Returns
    -------
    value : float or ndarray
    slopes : tuple or None
        With respect to growths, reference_log_growth and what is charged.
    """
    growth, other = _checked_growths(owner, growths, reference_log_growth, bets, several=several)
    check_shapes(owner, growths=growth.shape[:-3], reference_log_growth=other.shape[:-2], others=others[0].shape)
    shape = np.broadcast_shapes(growth.shape[:-3], other.shape[:-2], others[0].shape)
    flat = _Rows(
        np.broadcast_to(growth, (*shape, *growth.shape[-3:])).reshape(-1, *growth.shape[-3:]),
        np.broadcast_to(other, (*shape, *other.shape[-2:])).reshape(-1, *other.shape[-2:]),
        *(np.broadcast_to(each, shape).reshape(-1) for each in others),
    )
    value, gradient = _in_blocks(bets, flat, return_grad=return_grad)
    result = clipped(value.reshape(shape))
    if not return_grad:
        return result, None
    skip = 1 if several else 2  # of several references their axis is kept
    return result, (
        gradient.growth.reshape(*shape, *growth.shape[-4 + skip :]),
        gradient.other.reshape(*shape, *other.shape[-3 + skip :]),
        plain(gradient.charge.reshape(shape)),
    )


@dataclass(frozen=True, slots=True)
class Bets:
    """Everything about a portfolio that is fixed before the data; logarithms of weights are rounded down."""

    strengths: FloatArray
    rates: FloatArray
    first: FloatArray
    second: FloatArray

    @classmethod
    def of(
        cls,
        owner: str,
        strengths: ArrayLike,
        rates: ArrayLike,
        weights: ArrayLike | None,
        strength_weights: ArrayLike | None,
        share: float,
    ) -> Bets:
        lam, log_cost = checked_grid(owner, rates, weights)
        gamma = np.atleast_1d(single(owner, "strengths", strengths))
        if gamma.ndim != 1 or gamma.size == 0:
            raise ValueError(
                f"The 'strengths' argument of {owner} must be a list of numbers. Got shape {gamma.shape} instead."
            )
        check_range(owner, "share", np.asarray(float(share)), 1e-12, 1.0 - 1e-12, "lie strictly between 0 and 1")
        log_strengths = np.log(_checked_strength_weights(owner, gamma, strength_weights))
        return cls(
            gamma,
            lam,
            _lowered(log_strengths[:, None] - log_cost + np.log(share)),
            _lowered(np.log1p(-share) - log_cost),
        )


def find_bets(
    owner: str,
    strengths: ArrayLike,
    rates: ArrayLike,
    weights: ArrayLike | None,
    strength_weights: ArrayLike | None,
    share: float,
) -> Bets:
    """Check what is fixed before the data, once for each: calls with the same grid find it made."""
    given = strengths, rates, weights, strength_weights
    if any(each is not None and np.asarray(each).dtype.kind not in "fiub" for each in given):
        return Bets.of(owner, strengths, rates, weights, strength_weights, share)  # which says what is wrong
    key = (*(None if each is None else (np.asarray(each, float).tobytes(), np.shape(each)) for each in given), share)
    if key not in _KNOWN:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[key] = Bets.of(owner, strengths, rates, weights, strength_weights, share)
    return _KNOWN[key]


def _lowered(logarithm: FloatArray) -> FloatArray:
    """Return a sum of three logarithms of weights, moved below what it is."""
    return np.asarray(logarithm - 16.0 * EPS * (1.0 + np.abs(logarithm)))


def _checked_strength_weights(owner: str, strengths: FloatArray, given: ArrayLike | None) -> FloatArray:
    weights = _default_weights(strengths) if given is None else to_floats(owner, "strength_weights", given)
    if weights.shape != strengths.shape or not np.all(weights > 0.0) or not weights.sum() <= 1.0 + 1e-12:
        raise ValueError(
            f"The 'strength_weights' argument of {owner} must be positive, one per strength, and sum to at most 1. "
            f"Got {weights.tolist()!r:.80} instead."
        )
    return np.asarray(weights / max(1.0, weights.sum() * (1.0 + weights.size * EPS)))


def _default_weights(strengths: FloatArray) -> FloatArray:
    if strengths.tolist() == list(STRENGTHS):
        return np.array(_WEIGHTS)
    alone = strengths == 0.0
    if not np.any(alone) or np.all(alone):
        return np.full(strengths.size, 1.0 / strengths.size)
    return np.asarray(np.where(alone, 0.5 / alone.sum(), 0.5 / (~alone).sum()))


def _checked_growths(
    owner: str, growths: ArrayLike, reference_log_growth: ArrayLike, bets: Bets, *, several: bool
) -> tuple[FloatArray, FloatArray]:
    """Return growths with an axis of references, each within what its definition allows."""
    growth = to_floats(owner, "growths", growths)
    other = to_floats(owner, "reference_log_growth", reference_log_growth)
    tail = (bets.strengths.size, bets.rates.size)
    if growth.ndim < 2 + several or growth.shape[-2:] != tail:
        raise ValueError(
            f"The 'growths' argument of {owner} must end in one axis for {tail[0]} strengths and one for {tail[1]} "
            f"rates. Got shape {growth.shape} instead."
        )
    if other.ndim < 1 + several or other.shape[-1] != tail[1] or (several and other.shape[-2] != growth.shape[-3]):
        raise ValueError(
            f"The 'reference_log_growth' argument of {owner} must have one entry per rate ({tail[1]}) on its last "
            f"axis, for each reference. Got shape {other.shape} instead."
        )
    low, high = np.log1p(-bets.rates), np.log1p(bets.rates * bets.strengths[:, None])
    growth = _within(owner, "growths", growth, low, high)
    other = _within(owner, "reference_log_growth", other, low, np.zeros_like(low))
    return (growth, other) if several else (growth[..., None, :, :], other[..., None, :])


def _within(owner: str, name: str, values: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    tolerance = _ROUNDING * (high - low)
    inside = (values >= low - tolerance) & (values <= high + tolerance)
    if not np.all(inside):
        raise ValueError(
            f"The {name!r} argument of {owner} must lie between log(1 - rate) and log(1 + strength * rate). "
            f"Got {float(values[~inside].flat[0])!r} instead."
        )
    return np.clip(values, low, high)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Portfolios, one per row: what is known of each, or the derivatives with respect to it."""

    growth: FloatArray
    other: FloatArray
    charge: FloatArray
    n: FloatArray
    delta: FloatArray

    def part(self, rows: slice) -> _Rows:
        return _Rows(self.growth[rows], self.other[rows], self.charge[rows], self.n[rows], self.delta[rows])


def _in_blocks(bets: Bets, rows: _Rows, *, return_grad: bool) -> tuple[FloatArray, _Rows]:
    """Solve for every row, a cache-sized block at a time; the gradient is empty unless asked for."""
    count = rows.charge.size
    value, slopes = np.empty(count), rows
    if return_grad:
        slopes = _Rows(np.empty(rows.growth.shape), np.empty(rows.other.shape), np.empty(count), rows.n, rows.delta)
    step = max(1, _BLOCK // max(1, rows.growth[:1].size))
    for start in range(0, count, step):
        part = slice(start, start + step)
        value[part], at = minimum_root(_problem(bets, rows.part(part)), log_inverse(rows.delta[part]))
        if return_grad:
            with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
                (first, second), slope = at.weights(), at.slope()
                shares = -first[:, :, None] * at.p / slope[:, None, None]
                slopes.growth[part] = shares.reshape(slopes.growth[part].shape)
                slopes.other[part] = -second[:, :, None] * at.q / slope[:, None, None]
                slopes.charge[part] = first.sum(axis=1) / (rows.n[part] * slope)
    return value, slopes


def _problem(bets: Bets, rows: _Rows) -> MinimumProblem:
    size, count = rows.growth.shape[:2]
    alike = np.log(count) * (1.0 + 8.0 * EPS)  # references share the weight evenly
    return MinimumProblem(
        growth=rows.growth.reshape(size, count, -1),
        other=rows.other,
        first=bets.first.reshape(1, 1, -1) - (np.minimum(rows.charge, LARGEST) + alike)[:, None, None],
        second=bets.second - alike,
        term_rates=np.tile(bets.rates, bets.strengths.size),
        strengths=np.repeat(bets.strengths, bets.rates.size),
        rates=bets.rates,
        n=rows.n,
    )
