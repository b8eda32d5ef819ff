"""Inverses of the binary relative entropy, certified from above and from below."""

from __future__ import annotations

import math
from typing import Literal, overload

from numpy.typing import ArrayLike

from pacbayes._core.arguments import broadcast, check_range, is_scalar, to_floats
from pacbayes._core.arithmetic import ARRAYS, FLOATS, Arithmetic
from pacbayes._core.rounding import distance_slack
from pacbayes._core.types import Array, FloatArray, FloatOrArray, Number
from pacbayes.numerics._blocks import in_blocks
from pacbayes.numerics.inverse._dual import (
    FOR_GRADIENTS,
    FOR_VALUES,
    LARGEST_BUDGET,
    SMALLEST_BUDGET,
    Atom,
    Ball,
    distance,
    minimiser,
)

__all__ = ["kl_inv_lower", "kl_inv_upper"]

_SLACK = distance_slack(2)
_TINY = 1e-300


@overload
def kl_inv_upper(q: float, budget: float, *, return_grad: Literal[False] = ...) -> float: ...
@overload
def kl_inv_upper(q: Array, budget: ArrayLike, *, return_grad: Literal[False] = ...) -> FloatArray: ...
@overload
def kl_inv_upper(q: ArrayLike, budget: ArrayLike, *, return_grad: Literal[False] = ...) -> FloatOrArray: ...
@overload
def kl_inv_upper(q: float, budget: float, *, return_grad: Literal[True]) -> tuple[float, tuple[float, float]]: ...
@overload
def kl_inv_upper(
    q: ArrayLike, budget: ArrayLike, *, return_grad: Literal[True]
) -> tuple[FloatOrArray, tuple[FloatOrArray, FloatOrArray]]: ...
def kl_inv_upper(
    q: ArrayLike, budget: ArrayLike, *, return_grad: bool = False
) -> FloatOrArray | tuple[FloatOrArray, tuple[FloatOrArray, FloatOrArray]]:
    """Upper inverse of the binary relative entropy: an upper bound on ``sup{p : kl(q||p) <= budget}``.

    Parameters
    ----------
    q : array_like
        Probability in [0, 1].
    budget : array_like
        Non-negative, may be infinite; broadcasts against ``q``.
    return_grad : bool, default=False
        Also return the derivatives with respect to ``q`` and ``budget``.

    Returns
    -------
    value : float or ndarray
        Never less than the exact supremum for the given doubles; above it by at most 1e-12, and by at most
        1e-9 of its distance to ``q`` plus 4 units in the last place. Budgets in (0, 1e-280) count as 1e-280.
    gradient : tuple of (float or ndarray), only with ``return_grad``
        ``(d value/d q, d value/d budget)``; infinite at the edges where they are (``budget`` at a budget of
        0, ``q`` at ``q = 0``).

    See Also
    --------
    kl_ball_max : the same for more than two atoms.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.kl_inv_upper(0.1, 0.05), 12)
    0.220078601107
    >>> pb.kl_inv_upper([0.0, 0.5, 1.0], 0.0).tolist()
    [0.0, 0.5, 1.0]
    >>> value, (d_q, d_budget) = pb.kl_inv_upper(0.1, 0.05, return_grad=True)
    >>> round(d_budget, 6)
    1.42943
    """
    return _inverse("kl_inv_upper", q, budget, upper=True, return_grad=return_grad)


@overload
def kl_inv_lower(q: float, budget: float, *, return_grad: Literal[False] = ...) -> float: ...
@overload
def kl_inv_lower(q: Array, budget: ArrayLike, *, return_grad: Literal[False] = ...) -> FloatArray: ...
@overload
def kl_inv_lower(q: ArrayLike, budget: ArrayLike, *, return_grad: Literal[False] = ...) -> FloatOrArray: ...
@overload
def kl_inv_lower(q: float, budget: float, *, return_grad: Literal[True]) -> tuple[float, tuple[float, float]]: ...
@overload
def kl_inv_lower(
    q: ArrayLike, budget: ArrayLike, *, return_grad: Literal[True]
) -> tuple[FloatOrArray, tuple[FloatOrArray, FloatOrArray]]: ...
def kl_inv_lower(
    q: ArrayLike, budget: ArrayLike, *, return_grad: bool = False
) -> FloatOrArray | tuple[FloatOrArray, tuple[FloatOrArray, FloatOrArray]]:
    """Lower inverse of the binary relative entropy: a lower bound on ``inf{p : kl(q||p) <= budget}``.

    Parameters, accuracy and gradients are those of :func:`kl_inv_upper`, mirrored: the value is never more
    than the exact infimum.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.kl_inv_lower(0.1, 0.05), 12)
    0.031278396272
    >>> pb.kl_inv_lower(0.0, 1.0)
    0.0
    """
    return _inverse("kl_inv_lower", q, budget, upper=False, return_grad=return_grad)


def _inverse(
    owner: str, q: ArrayLike, budget: ArrayLike, *, upper: bool, return_grad: bool
) -> FloatOrArray | tuple[FloatOrArray, tuple[FloatOrArray, FloatOrArray]]:
    if is_scalar(q, budget):
        single, limit = float(q), float(budget)  # type: ignore[arg-type]
        _check(owner, single, limit)
        value, *gradient = _mirrored(single, limit, upper, return_grad, FLOATS)
    else:
        q_array, budget_array = to_floats(owner, "q", q), to_floats(owner, "budget", budget)
        _check(owner, q_array, budget_array)
        value, *gradient = in_blocks(
            lambda a, b: _mirrored(a, b, upper, return_grad, ARRAYS),
            *broadcast(owner, q=q_array, budget=budget_array),
            outputs=[None] * (3 if return_grad else 1),
        )
    if not return_grad:
        return value
    of_q, of_budget = gradient
    return value, (of_q, of_budget)


def _check(owner: str, q: Number, budget: Number) -> None:
    check_range(owner, "q", q, 0.0, 1.0, "lie in [0, 1]")
    check_range(owner, "budget", budget, 0.0, math.inf, "be non-negative")


def _mirrored(q: Number, budget: Number, upper: bool, with_gradient: bool, ops: Arithmetic) -> list[Number]:
    """Solve upwards with weights (q, 1-q), or downwards with the two exchanged."""
    other = 1.0 - q
    if upper:
        above, *gradient = _distance_above(q, other, budget, with_gradient, ops)
        return [ops.minimum(ops.where(budget > 0.0, ops.next_up(q + above), q), 1.0), *gradient]
    below, *gradient = _distance_above(other, q, budget, with_gradient, ops)
    value = ops.maximum(ops.where(budget > 0.0, -ops.next_up(below - q), q), 0.0)
    return [value, *(sign * part for sign, part in zip((1.0, -1.0), gradient, strict=False))]


def _distance_above(top: Number, rest: Number, budget: Number, with_gradient: bool, ops: Arithmetic) -> list[Number]:
    """Return an upper bound on ``sup{p : kl(top||p) <= budget} - top``; ``rest`` is ``1 - top``."""
    top_is_light = ops.where(top < rest, 1.0, 0.0)
    light = Atom(
        weight=ops.minimum(top, rest),
        deviation=0.0,  # not used here
        drop=1.0 - top_is_light,
        offset=2.0 * top_is_light - 1.0,
    )
    ball = Ball(
        atoms=(Atom(top, rest, 0.0, 0.0), Atom(rest, -top, 1.0, 0.0)),
        top_deviation=rest,
        heaviest_drop=top_is_light,
        budget=ops.minimum(ops.maximum(budget, SMALLEST_BUDGET), LARGEST_BUDGET),
        lighter=(light,),
        start=lambda target: _start(top, rest, target, budget, ops),
    )
    log_tau = minimiser(ball, ops, FOR_GRADIENTS if with_gradient else FOR_VALUES)
    tau = ops.exp(log_tau)
    found, s, gap = distance(ball, tau, ops)
    found = found * _SLACK
    if not with_gradient:
        return [found]
    slope = s * ops.exp(-ops.minimum(gap + ball.budget, 740.0))  # t - value, without subtracting
    return [found, *_gradient(top, rest, budget, tau, slope, ops)]


def _start(top: Number, rest: Number, target: Number, budget: Number, ops: Arithmetic) -> Number:
    """Return a first ``log tau`` within 0.32 of the root, mostly within 0.1.

    The root lies between two asymptotes: ``high``, from the expansion for small budgets in ``_dual``, where
    ``k = (1 + top)/3``, and ``low = (log(top) - budget)/rest``, exact as ``tau`` vanishes. The weight between them is a
    logistic curve whose four coefficients were fitted to 40,000 roots; how good they are affects speed alone.
    """
    log_top = ops.log(ops.maximum(top, _TINY))
    rest = ops.maximum(rest, _TINY)
    log_scale = ops.maximum(0.5 * (log_top + ops.log(0.5 * rest) - target), -690.0)
    high = log_scale - ops.log(1.0 + (1.0 + top) / 3.0 * ops.exp(-log_scale))
    between = ops.minimum(ops.maximum(high - (log_top - budget) / rest, 0.0), 1e4)
    bend = 4.413 + 2.465 * high - 2.194 * log_top - 2.094 * between
    return high - between / (1.0 + ops.exp(ops.minimum(ops.maximum(bend, -600.0), 600.0)))


def _gradient(
    top: Number, rest: Number, budget: Number, tau: Number, slope: Number, ops: Arithmetic
) -> tuple[Number, Number]:
    """Return the derivatives with respect to ``top`` and to ``budget``; ``slope`` is ``t - value``.

    From the dual: ``d/d budget = t - value`` and ``d/d top = (t - value) log(t/(t - 1))``.
    """
    d_top = slope * ops.log1p(1.0 / tau)
    d_top = ops.where(top > 0.0, d_top, math.inf)
    d_top = ops.where((rest > 0.0) & (budget < math.inf), d_top, 0.0)
    d_top = ops.where(budget > 0.0, d_top, 1.0)
    inner_edge = (budget > 0.0) | (top == 0.0) | (rest == 0.0)
    d_budget = ops.where(inner_edge, ops.where(rest > 0.0, slope, 0.0), math.inf)
    return d_top, d_budget
