r"""Derivatives of every certified value, by argument: one table for all that PyTorch differentiates.

Most bounds know their derivatives (``return_grad=True``). Added here are those of the few that do not, and those with
respect to delta. All are derived in `docs/numerics.md`: implicit differentiation of ``kl(q||p) = budget`` and of the
mixtures of bets, the envelope theorem where a supremum or an infimum is taken, plain calculus elsewhere. Where a bound
is the smallest over a grid, the derivative is that at the rate which attains it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, xlog1py, xlogy

from pacbayes import bounds, numerics
from pacbayes._core.rounding import EPS
from pacbayes._core.types import BoolArray, FloatArray, FloatOrArray

__all__ = ["RULES", "Rule", "finite_slopes"]

Slopes: TypeAlias = "dict[str, FloatOrArray]"

# Arguments at whose edges a slope can be infinite; a slope that is so is replaced by that one unit inside.
_PROBABILITIES = frozenset(
    {"risk", "reference", "plus", "minus", "variance", "frequencies", "q", "p", "u", "v", "weights"}
    | {"gibbs", "tandem", "disagreement"}
    | {"first_risk", "step_risk", "step_worse", "step_better"}
)
_STEEPEST = 1.0 / EPS


class Rule(NamedTuple):
    """How one function is evaluated and differentiated.

    Attributes
    ----------
    value : callable
        The certified function.
    slopes : callable
        Takes the same arguments and returns derivatives by name, each of the shape of the value, with the axes that
        belong to the argument alone (rates, strengths, atoms) behind it.
    clipped : bool
        Whether the value is kept between -1 and 1, where it stays and the derivatives are 0.
    """

    value: Callable[..., FloatOrArray]
    slopes: Callable[..., Slopes]
    clipped: bool = False


def finite_slopes(
    rule: Rule, statistics: Mapping[str, ArrayLike], others: Mapping[str, ArrayLike], value: FloatArray
) -> dict[str, FloatArray]:
    """Return the derivatives as arrays of finite numbers: 0 where the value is clipped, large where they are infinite.

    An infinite one (of a kl inverse at ``q = 0``, of a square root at 0) is replaced by that at the statistics moved
    to 2**-52 inside their range, and is at most 2**52. So it never becomes NaN when it is multiplied by 0.
    """
    with np.errstate(all="ignore"):
        found = {name: np.asarray(each) for name, each in rule.slopes(**statistics, **others).items()}
        if not all(np.isfinite(each).all() for each in found.values()):
            moved = rule.slopes(**{name: _inside(name, each) for name, each in statistics.items()}, **others)
            found = {name: _mended(each, np.asarray(moved[name])) for name, each in found.items()}
    if rule.clipped:
        moves = np.asarray(np.abs(value) < 1.0)
        if not moves.all():
            found = {name: each * _with_axes(moves, each.ndim) for name, each in found.items()}
    return found


def _inside(name: str, values: ArrayLike) -> ArrayLike:
    if name in _PROBABILITIES:
        return np.clip(np.asarray(values, dtype=np.float64), EPS, 1.0 - EPS)
    return np.maximum(np.asarray(values, dtype=np.float64), EPS) if name == "budget" else values


def _mended(slope: FloatArray, inside: FloatArray) -> FloatArray:
    mended = np.where(np.isfinite(slope), slope, inside)
    return np.nan_to_num(mended, nan=0.0, posinf=_STEEPEST, neginf=-_STEEPEST).clip(-_STEEPEST, _STEEPEST)


def _with_axes(array: BoolArray, ndim: int) -> BoolArray:
    """Return an array with axes of length 1 behind its own."""
    return array.reshape((*array.shape, *[1] * (ndim - array.ndim)))


def _of_bound(bound: Callable[..., tuple[FloatOrArray, Slopes]]) -> Callable[..., Slopes]:
    """Take over what a bound knows; delta enters as ``kl + log(1/delta)``, so its slope is ``-1/delta`` that of kl."""

    def slopes(**given: FloatOrArray) -> Slopes:
        known = bound(**given, return_grad=True)[1]
        return {**known, "delta": -np.asarray(known["kl"]) / given["delta"]}

    return slopes


def _of_vote(bound: Callable[..., tuple[FloatOrArray, Slopes]]) -> Callable[..., Slopes]:
    """Take over what a bound on a vote knows, delta included: of a pair of voters it counts half as much as kl."""
    return lambda **given: bound(**given, return_grad=True)[1]


def _of_portfolio(n: FloatOrArray, delta: FloatOrArray, **given: Any) -> Slopes:
    """Add the slope in delta: of ``log F = log(1/delta)``, of which kl moves one part and growths move both."""
    known = bounds.portfolio(**given, n=n, delta=delta, return_grad=True)[1]
    ndim = np.ndim(known["kl"])
    both = [np.asarray(known[name]) for name in ("growths", "reference_log_growth")]
    total = sum(each.sum(axis=tuple(range(ndim, each.ndim))) for each in both)
    return {**known, "delta": total / np.multiply(n, delta)}


def _of_recursive(delta: FloatOrArray, delta_mc: FloatOrArray | None = None, **given: Any) -> Slopes:
    """Add the slope in delta, which enters each step as its divergence does."""
    known = bounds.recursive(**given, delta=delta, delta_mc=delta_mc, return_grad=True)[1]
    own = np.subtract(delta, 0.0 if delta_mc is None else delta_mc)
    return {**known, "delta": -_of_all_steps(known) / own}


def _of_recursive_portfolio(delta: FloatOrArray, **given: Any) -> Slopes:
    known = bounds.recursive_portfolio(**given, delta=delta, return_grad=True)[1]
    return {**known, "delta": -_of_all_steps(known) / delta}


def _of_all_steps(known: Slopes) -> FloatArray:
    return np.asarray(np.asarray(known["kl"]) + np.asarray(known["step_kl"]).sum(axis=-1))


def _of_chernoff(statistic: str) -> Callable[..., Slopes]:
    def slopes(*, n: FloatOrArray, delta: FloatOrArray, **given: FloatOrArray) -> Slopes:
        return _of_kl_inverse(statistic, given[statistic], 0.0, n, delta)

    return slopes


def _of_maurer(
    risk: FloatOrArray, kl: FloatOrArray, n: FloatOrArray, delta: FloatOrArray, constant: str = "exact"
) -> Slopes:
    """Quicker than what the bound itself returns, since single numbers stay numbers: it is called in every step."""
    return _of_kl_inverse("risk", risk, kl + numerics.log_xi(2, n, constant), n, delta)


def _of_kl_inverse(
    statistic: str, mean: FloatOrArray, cost: FloatOrArray, n: FloatOrArray, delta: FloatOrArray
) -> Slopes:
    """Differentiate ``kl_inv_upper(mean, (cost + log(1/delta))/n)``."""
    _, (of_mean, of_budget) = numerics.kl_inv_upper(mean, (cost - np.log(delta)) / n, return_grad=True)
    of_kl = np.asarray(of_budget / n)
    return {statistic: of_mean, "kl": of_kl, "delta": -of_kl / delta}


def _of_clopper_pearson(errors: ArrayLike, n: ArrayLike, delta: ArrayLike) -> Slopes:
    """The limit ``p`` is where a beta distribution leaves delta above it, so ``dp/ddelta`` is -1 over its density."""
    p, k, rest = bounds.clopper_pearson(errors, n, delta), np.asarray(errors), np.subtract(n, errors)
    log_density = xlogy(k, p) + xlog1py(rest - 1.0, np.negative(p)) - betaln(k + 1.0, np.maximum(rest, 1.0))
    return {"delta": -np.exp(-log_density)}


def _of_kl(q: ArrayLike, p: ArrayLike) -> Slopes:
    one, other = np.asarray(q), np.asarray(p)
    gap = other - one
    near = -gap / (other * (1.0 - one))  # the logarithm of 1 plus this, which keeps its digits where q is next to p
    far = np.log(one / other) - np.log((1.0 - one) / (1.0 - other))
    return {"q": np.where(np.abs(near) < 0.5, np.log1p(near), far), "p": gap / (other * (1.0 - other))}


def _of_categorical_kl(u: ArrayLike, v: ArrayLike) -> Slopes:
    """Of the function of both divided by their sums, so that each is orthogonal to its argument."""
    sums = [np.sum(each, axis=-1, keepdims=True) for each in (u, v)]
    one, other = np.broadcast_arrays(u / sums[0], v / sums[1])
    divergence = np.asarray(numerics.categorical_kl(one, other))[..., None]
    return {"u": (np.log(one / other) - divergence) / sums[0], "v": (1.0 - one / other) / sums[1]}


def _of_numbers(function: Callable[..., tuple[FloatOrArray, tuple[FloatOrArray, ...]]]) -> Callable[..., Slopes]:
    """Take over what a function of `pacbayes.numerics` knows: derivatives in the order of its arguments."""

    def slopes(**given: ArrayLike) -> Slopes:
        return dict(zip(given, function(**given, return_grad=True)[1], strict=True))

    return slopes


_BOUNDS = (
    *("mcallester", "maurer_relaxed", "catoni", "tolstikhin_seldin", "unexpected_bernstein"),
    *("excess_kl", "excess_relaxed", "split_kl", "betting"),
)
_VOTES = ("first_order", "tandem", "disagreement", "chebyshev_cantelli")
_NUMERICS = ("kl_inv_upper", "kl_inv_lower", "kl_ball_max", "kl_ball_min", "phi")
RULES = {
    **{name: Rule(getattr(bounds, name), _of_bound(getattr(bounds, name)), clipped=True) for name in _BOUNDS},
    **{name: Rule(getattr(bounds, name), _of_vote(getattr(bounds, name)), clipped=True) for name in _VOTES},
    **{name: Rule(getattr(numerics, name), _of_numbers(getattr(numerics, name))) for name in _NUMERICS},
    "vector_kl": Rule(bounds.vector_kl, _of_bound(bounds.vector_kl)),
    "portfolio": Rule(bounds.portfolio, _of_portfolio, clipped=True),
    "recursive": Rule(bounds.recursive, _of_recursive, clipped=True),
    "recursive_portfolio": Rule(bounds.recursive_portfolio, _of_recursive_portfolio, clipped=True),
    "maurer": Rule(bounds.maurer, _of_maurer, clipped=True),
    "chernoff": Rule(bounds.chernoff, _of_chernoff("risk"), clipped=True),
    "progressive_chernoff": Rule(bounds.progressive_chernoff, _of_chernoff("reference"), clipped=True),
    "clopper_pearson": Rule(bounds.clopper_pearson, _of_clopper_pearson, clipped=True),
    "kl": Rule(numerics.kl, _of_kl),
    "categorical_kl": Rule(numerics.categorical_kl, _of_categorical_kl),
}
