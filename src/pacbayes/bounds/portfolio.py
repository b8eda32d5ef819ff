"""The portfolio: bets over rates and strengths of a reference in one martingale, so that nothing has to be chosen.

For each strength ``gamma`` and rate ``lam``, ``prod_i (1 - lam (l_i - gamma r_i))/(1 - lam (L - gamma rho_i))`` is a
non-negative martingale that starts at 1, with ``rho_i`` the conditional mean of the reference; so is
``prod_i (1 - lam r_i)/(1 - lam rho_i)``. A mixture of all of them is one too, and what it cannot exceed bounds the
risk, whatever the reference's own average loss is. The proof is in `docs/theory.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_range, check_shapes, checked, single, to_floats
from pacbayes._core.rounding import EPS, log_inverse
from pacbayes._core.types import FloatArray, FloatOrArray
from pacbayes.bounds._budget import LARGEST, clipped, plain
from pacbayes.bounds._grid import checked_grid
from pacbayes.bounds._signatures import Result
from pacbayes.numerics.minimum import minimum_root
from pacbayes.numerics.two_parts import MinimumProblem
from pacbayes.statistics import STRENGTHS

__all__ = ["portfolio"]

_WEIGHTS = (0.5, 0.1, 0.1, 0.1, 0.2)  # of the strengths of a summary
_SHARE = 0.8
_OWNER = "portfolio"
_ROUNDING = 1e-9  # growths are sums of millions of terms
_BLOCK = 16384  # numbers at a time, so that temporaries stay in a core's second-level cache


@overload
def portfolio(
    growths: ArrayLike,
    strengths: ArrayLike,
    reference_log_growth: ArrayLike,
    rates: ArrayLike,
    kl: ArrayLike,
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
def portfolio(
    growths: ArrayLike,
    strengths: ArrayLike,
    reference_log_growth: ArrayLike,
    rates: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    weights: ArrayLike | None = ...,
    strength_weights: ArrayLike | None = ...,
    share: float = ...,
    *,
    several: bool = ...,
    return_grad: Literal[True],
) -> tuple[FloatOrArray, dict[str, FloatOrArray]]: ...
def portfolio(
    growths: ArrayLike,
    strengths: ArrayLike,
    reference_log_growth: ArrayLike,
    rates: ArrayLike,
    kl: ArrayLike,
    n: ArrayLike,
    delta: ArrayLike,
    weights: ArrayLike | None = None,
    strength_weights: ArrayLike | None = None,
    share: float = _SHARE,
    *,
    several: bool = False,
    return_grad: bool = False,
) -> Result:
    """Portfolio: an upper bound on the risk from bets over rates and strengths of one or several references.

    The smallest ``R`` with ``F(R, b) > 1/delta`` for all ``b``, which stands for the reference's average true loss:
    ``F(R, b) = a e^-kl sum_jk v_j w_k exp(n (G_jk - log(1 - lam_k (R - gamma_j b)))) + (1 - a) sum_k w_k
    exp(n (G*_k - log(1 - lam_k b)))``.

    Parameters
    ----------
    growths : array_like, shape (..., J, K)
        ``G_jk = mean_i E_posterior log(1 - lam_k (l_i - gamma_j r_i))`` for each strength and rate.
    strengths : array_like, shape (J,)
        ``gamma_j`` in [0, 1]. With 0 among them the bound is never worse than one without reference by more than
        ``log(1/(a v_0))`` nats.
    reference_log_growth : array_like, shape (..., K)
        ``G*_k = mean_i log(1 - lam_k r_i)``.
    rates : array_like, shape (K,)
        In (0, 1), fixed before the data (:func:`betting_rates`).
    kl : array_like
        Divergence of the posterior from the prior; may be infinite.
    n : array_like of int
        Number of examples.
    delta : array_like
        Allowed probability of failure, in (0, 1).
    weights : array_like, shape (K,), optional
        Of the rates, positive, summing to at most 1; even by default.
    strength_weights : array_like, shape (J,), optional
        ``v_j`` of the strengths, likewise; by default half for 0 if it is among them, and the rest even (for those of
        a :class:`pacbayes.Summary`: .5, .1, .1, .1, .2).
    share : float, default=0.8
        ``a``: the weight of the bets on the risk; the rest is for the reference's own loss.
    several : bool, default=False
        Whether there are several references, on one more axis before the strengths of ``growths`` and before the rates
        of ``reference_log_growth``; they share the weight evenly, each with its own ``b``.
    return_grad : bool, default=False
        Also return a dict with the derivatives with respect to "growths", "reference_log_growth" and "kl".

    Returns
    -------
    float or ndarray
        Holds for all posteriors with probability at least ``1 - delta``, for any predictable references, and for all n
        at once if the rates do not depend on n.

    References
    ----------
    Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", 2024, for the martingale.
    Biggs and Guedj, "Tighter PAC-Bayes generalisation bounds by leveraging example difficulty", 2023, for references.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> losses = np.repeat([1.0, 1.0, 0.0, 0.0], [10, 90, 10, 890])
    >>> reference = np.repeat([0.0, 1.0, 1.0, 0.0], [10, 90, 10, 890])  # errs on much the same examples
    >>> summary = pb.Summary.from_losses(losses, reference, reference_kind="predictable")
    >>> statistics = summary.growths, summary.strengths, summary.reference_log_growth, summary.rates
    >>> round(pb.bounds.portfolio(*statistics, kl=10.0, n=1000, delta=0.05, weights=summary.weights), 6)
    0.157294
    >>> round(summary.bound("maurer", kl=10.0, delta=0.05), 6)
    0.163511
    """
    bets = _Bets.of(strengths, rates, weights, strength_weights, share)
    growth, other = _checked_growths(growths, reference_log_growth, bets, several=several)
    kls, sizes, deltas = checked(_OWNER, kl=kl, n=n, delta=delta)
    check_shapes(_OWNER, growths=growth.shape[:-3], reference_log_growth=other.shape[:-2], others=kls.shape)
    shape = np.broadcast_shapes(growth.shape[:-3], other.shape[:-2], kls.shape)
    flat = _Rows(
        np.broadcast_to(growth, (*shape, *growth.shape[-3:])).reshape(-1, *growth.shape[-3:]),
        np.broadcast_to(other, (*shape, *other.shape[-2:])).reshape(-1, *other.shape[-2:]),
        *(np.broadcast_to(each, shape).reshape(-1) for each in (kls, sizes, deltas)),
    )
    value, gradient = _in_blocks(bets, flat, return_grad=return_grad)
    result = clipped(value.reshape(shape))
    if not return_grad:
        return result
    skip = 1 if several else 2  # of several references their axis is kept
    return result, {
        "growths": gradient.growth.reshape(*shape, *growth.shape[-4 + skip :]),
        "reference_log_growth": gradient.other.reshape(*shape, *other.shape[-3 + skip :]),
        "kl": plain(gradient.kl.reshape(shape)),
    }


@dataclass(frozen=True, slots=True)
class _Bets:
    """Everything about a portfolio that is fixed before the data; logarithms of weights are rounded down."""

    strengths: FloatArray
    rates: FloatArray
    first: FloatArray
    second: FloatArray

    @classmethod
    def of(
        cls,
        strengths: ArrayLike,
        rates: ArrayLike,
        weights: ArrayLike | None,
        strength_weights: ArrayLike | None,
        share: float,
    ) -> _Bets:
        lam, log_cost = checked_grid(_OWNER, rates, weights)
        gamma = np.atleast_1d(single(_OWNER, "strengths", strengths))
        if gamma.ndim != 1 or gamma.size == 0:
            raise ValueError(
                f"The 'strengths' argument of {_OWNER} must be a list of numbers. Got shape {gamma.shape} instead."
            )
        check_range(_OWNER, "share", np.asarray(float(share)), 1e-12, 1.0 - 1e-12, "lie strictly between 0 and 1")
        log_strengths = np.log(_checked_strength_weights(gamma, strength_weights))
        return cls(
            gamma,
            lam,
            _lowered(log_strengths[:, None] - log_cost + np.log(share)),
            _lowered(np.log1p(-share) - log_cost),
        )


def _lowered(logarithm: FloatArray) -> FloatArray:
    """Return a sum of three logarithms of weights, moved below what it is."""
    return np.asarray(logarithm - 16.0 * EPS * (1.0 + np.abs(logarithm)))


def _checked_strength_weights(strengths: FloatArray, given: ArrayLike | None) -> FloatArray:
    weights = _default_weights(strengths) if given is None else to_floats(_OWNER, "strength_weights", given)
    if weights.shape != strengths.shape or not np.all(weights > 0.0) or not weights.sum() <= 1.0 + 1e-12:
        raise ValueError(
            f"The 'strength_weights' argument of {_OWNER} must be positive, one per strength, and sum to at most 1. "
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
    growths: ArrayLike, reference_log_growth: ArrayLike, bets: _Bets, *, several: bool
) -> tuple[FloatArray, FloatArray]:
    """Return growths with an axis of references, each within what its definition allows."""
    growth = to_floats(_OWNER, "growths", growths)
    other = to_floats(_OWNER, "reference_log_growth", reference_log_growth)
    tail = (bets.strengths.size, bets.rates.size)
    if growth.ndim < 2 + several or growth.shape[-2:] != tail:
        raise ValueError(
            f"The 'growths' argument of {_OWNER} must end in one axis for {tail[0]} strengths and one for {tail[1]} "
            f"rates. Got shape {growth.shape} instead."
        )
    if other.ndim < 1 + several or other.shape[-1] != tail[1] or (several and other.shape[-2] != growth.shape[-3]):
        raise ValueError(
            f"The 'reference_log_growth' argument of {_OWNER} must have one entry per rate ({tail[1]}) on its last "
            f"axis, for each reference. Got shape {other.shape} instead."
        )
    low, high = np.log1p(-bets.rates), np.log1p(bets.rates * bets.strengths[:, None])
    growth = _within("growths", growth, low, high)
    other = _within("reference_log_growth", other, low, np.zeros_like(low))
    return (growth, other) if several else (growth[..., None, :, :], other[..., None, :])


def _within(name: str, values: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    tolerance = _ROUNDING * (high - low)
    inside = (values >= low - tolerance) & (values <= high + tolerance)
    if not np.all(inside):
        raise ValueError(
            f"The {name!r} argument of {_OWNER} must lie between log(1 - rate) and log(1 + strength * rate). "
            f"Got {float(values[~inside].flat[0])!r} instead."
        )
    return np.clip(values, low, high)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Portfolios, one per row: what is known of each, or the derivatives with respect to it."""

    growth: FloatArray
    other: FloatArray
    kl: FloatArray
    n: FloatArray
    delta: FloatArray

    def part(self, rows: slice) -> _Rows:
        return _Rows(self.growth[rows], self.other[rows], self.kl[rows], self.n[rows], self.delta[rows])


def _in_blocks(bets: _Bets, rows: _Rows, *, return_grad: bool) -> tuple[FloatArray, _Rows]:
    """Solve for every row, a cache-sized block at a time; the gradient is empty unless asked for."""
    count = rows.kl.size
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
                slopes.kl[part] = first.sum(axis=1) / (rows.n[part] * slope)
    return value, slopes


def _problem(bets: _Bets, rows: _Rows) -> MinimumProblem:
    size, count = rows.growth.shape[:2]
    alike = np.log(count) * (1.0 + 8.0 * EPS)  # references share the weight evenly
    return MinimumProblem(
        growth=rows.growth.reshape(size, count, -1),
        other=rows.other,
        first=bets.first.reshape(1, 1, -1) - (np.minimum(rows.kl, LARGEST) + alike)[:, None, None],
        second=bets.second - alike,
        term_rates=np.tile(bets.rates, bets.strengths.size),
        strengths=np.repeat(bets.strengths, bets.rates.size),
        rates=bets.rates,
        n=rows.n,
    )
