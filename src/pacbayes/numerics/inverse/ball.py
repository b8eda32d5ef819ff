"""Suprema and infima of a mean over a KL ball, for any number of atoms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import (
    WEIGHT_TOLERANCE,
    broadcast,
    check_range,
    check_shapes,
    checked_weights,
    is_scalar,
    to_floats,
)
from pacbayes._core.arithmetic import ARRAYS, FLOATS, Arithmetic
from pacbayes._core.rounding import two_sum
from pacbayes._core.types import Array, FloatArray, FloatOrArray, Number
from pacbayes.numerics._blocks import in_blocks
from pacbayes.numerics.inverse._extremes import magnify, reduced, without_tiny
from pacbayes.numerics.inverse._solve import Mean, exact_mean, solve

__all__ = ["kl_ball_max", "kl_ball_min", "phi"]

_LARGEST_VALUE = 1e150


@overload
def kl_ball_max(
    weights: ArrayLike, values: ArrayLike, budget: ArrayLike, *, return_grad: Literal[False] = ...
) -> FloatOrArray: ...
@overload
def kl_ball_max(
    weights: ArrayLike, values: ArrayLike, budget: ArrayLike, *, return_grad: Literal[True]
) -> tuple[FloatOrArray, tuple[FloatArray, FloatArray, FloatOrArray]]: ...
def kl_ball_max(
    weights: ArrayLike, values: ArrayLike, budget: ArrayLike, *, return_grad: bool = False
) -> FloatOrArray | tuple[FloatOrArray, tuple[FloatArray, FloatArray, FloatOrArray]]:
    """Largest mean in a KL ball: an upper bound on ``sup{sum r_a v_a : r in the simplex, kl(weights||r) <= budget}``.

    Parameters
    ----------
    weights : array_like, shape (..., M)
        Non-negative, summing to 1 within 1e-6 along the last axis; taken as divided by their exact sum.
    values : array_like, shape (..., M)
        What each atom is worth; finite, at most 1e150 in absolute value. An atom of weight zero counts: mass may
        move there.
    budget : array_like, shape (...)
        Non-negative, may be infinite; broadcasts against the leading axes.
    return_grad : bool, default=False
        Also return the derivatives with respect to the three arguments.

    Returns
    -------
    value : float or ndarray, shape (...)
        Never less than the exact supremum for the given doubles; above it by at most 1e-12 of the range of the
        values (or 2 units in the last place, where doubles are coarser than that), and by at most 1e-9 of its
        distance to the mean plus 4 units in the last place.
    gradient : tuple, only with ``return_grad``
        ``(d/d weights, d/d values, d/d budget)``. The second is the maximising distribution. The first is that
        of the function of ``weights/sum(weights)``, so it is orthogonal to the weights, and infinite for a top atom
        of weight zero that receives mass. The last is infinite at a budget of 0 (unless all mass is on one value).

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.kl_ball_max([0.2, 0.1, 0.7], [1.0, -1.0, 0.0], 0.05), 12)
    0.275031636947
    >>> value, (d_weights, d_values, d_budget) = pb.kl_ball_max([0.2, 0.8], [3.0, 1.0], 0.05, return_grad=True)
    >>> d_values.round(6).tolist()  # the distribution that attains the value
    [0.343536, 0.656464]
    """
    return _ball("kl_ball_max", weights, values, budget, sign=1.0, return_grad=return_grad)


@overload
def kl_ball_min(
    weights: ArrayLike, values: ArrayLike, budget: ArrayLike, *, return_grad: Literal[False] = ...
) -> FloatOrArray: ...
@overload
def kl_ball_min(
    weights: ArrayLike, values: ArrayLike, budget: ArrayLike, *, return_grad: Literal[True]
) -> tuple[FloatOrArray, tuple[FloatArray, FloatArray, FloatOrArray]]: ...
def kl_ball_min(
    weights: ArrayLike, values: ArrayLike, budget: ArrayLike, *, return_grad: bool = False
) -> FloatOrArray | tuple[FloatOrArray, tuple[FloatArray, FloatArray, FloatOrArray]]:
    """Smallest mean in a KL ball: a lower bound on ``inf{sum r_a v_a : r in the simplex, kl(weights||r) <= budget}``.

    Equal to ``-kl_ball_max(weights, -values, budget)``; see :func:`kl_ball_max` for arguments and accuracy.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.kl_ball_min([0.2, 0.1, 0.7], [1.0, -1.0, 0.0], 0.05), 12)
    -0.074765171599
    """
    return _ball("kl_ball_min", weights, values, budget, sign=-1.0, return_grad=return_grad)


@overload
def phi(plus: float, minus: float, budget: float, *, return_grad: Literal[False] = ...) -> float: ...
@overload
def phi(plus: Array, minus: ArrayLike, budget: ArrayLike, *, return_grad: Literal[False] = ...) -> FloatArray: ...
@overload
def phi(plus: ArrayLike, minus: ArrayLike, budget: ArrayLike, *, return_grad: Literal[False] = ...) -> FloatOrArray: ...
@overload
def phi(
    plus: float, minus: float, budget: float, *, return_grad: Literal[True]
) -> tuple[float, tuple[float, float, float]]: ...
@overload
def phi(
    plus: ArrayLike, minus: ArrayLike, budget: ArrayLike, *, return_grad: Literal[True]
) -> tuple[FloatOrArray, tuple[FloatOrArray, FloatOrArray, FloatOrArray]]: ...
def phi(
    plus: ArrayLike, minus: ArrayLike, budget: ArrayLike, *, return_grad: bool = False
) -> FloatOrArray | tuple[FloatOrArray, tuple[FloatOrArray, FloatOrArray, FloatOrArray]]:
    """Largest excess in a KL ball: ``kl_ball_max((plus, minus, 1 - plus - minus), (1, -1, 0), budget)``.

    This is the function the paper inverts its three-way KL with; ``1 - plus - minus`` is taken exactly.

    Parameters
    ----------
    plus, minus : array_like
        Non-negative, with a sum of at most 1 (within 1e-6; larger sums are scaled to 1).
    budget : array_like
        Non-negative, may be infinite.
    return_grad : bool, default=False
        Also return ``(d/d plus, d/d minus, d/d budget)``.

    Returns
    -------
    value : float or ndarray
        Never less than the exact supremum; accuracy as in :func:`kl_ball_max`.

    References
    ----------
    Biggs and Guedj, "Tighter PAC-Bayes Generalisation Bounds by Leveraging Example Difficulty", 2023, Theorem 1.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.phi(0.2, 0.1, 0.05), 12)
    0.275031636947
    """
    if is_scalar(plus, minus, budget):
        p, m, b = float(plus), float(minus), float(budget)  # type: ignore[arg-type]
        _check_phi(p, m, b)
        value, *gradient = _phi(p, m, b, return_grad, FLOATS)
    else:
        named = {"plus": plus, "minus": minus, "budget": budget}
        arrays = broadcast("phi", **{name: to_floats("phi", name, argument) for name, argument in named.items()})
        _check_phi(*arrays)
        outputs = [None] * (4 if return_grad else 1)
        value, *gradient = in_blocks(lambda x, y, z: _phi(x, y, z, return_grad, ARRAYS), *arrays, outputs=outputs)
    if not return_grad:
        return value
    of_plus, of_minus, of_budget = gradient
    return value, (of_plus, of_minus, of_budget)


def _check_phi(plus: Number, minus: Number, budget: Number) -> None:
    check_range("phi", "plus", plus, 0.0, math.inf, "be non-negative")
    check_range("phi", "minus", minus, 0.0, math.inf, "be non-negative")
    requirement = f"have a sum with 'plus' of at most 1 (within {WEIGHT_TOLERANCE:g})"
    check_range("phi", "minus", plus + minus, 0.0, 1.0 + WEIGHT_TOLERANCE, requirement)
    check_range("phi", "budget", budget, 0.0, math.inf, "be non-negative")


def _phi(plus: Number, minus: Number, budget: Number, with_gradient: bool, ops: Arithmetic) -> list[Number]:
    partial, first_error = two_sum(1.0, -plus)
    partial, second_error = two_sum(partial, -minus)
    rest = ops.maximum(partial + (first_error + second_error), 0.0)
    one = plus * 0.0 + 1.0
    total, total_error = two_sum(plus, minus)
    over = (total > 1.0) | ((total == 1.0) & (total_error > 0.0))  # compared exactly: their sum rounds to 1
    mean = Mean(
        total=(ops.where(over, total, one), ops.where(over, total_error, 0.0)),
        weighted=two_sum(plus, -minus),
        uncertainty=0.0,
    ).divided(ops)
    value, gradient = solve((plus, minus, rest), (one, -one, one * 0.0), mean, budget, with_gradient, ops)
    if gradient is None:
        return [value]
    of_plus, of_minus, of_rest = gradient.weights
    return [value, of_plus - of_rest, of_minus - of_rest, gradient.budget]


def _ball(
    owner: str, weights: ArrayLike, values: ArrayLike, budget: ArrayLike, *, sign: float, return_grad: bool
) -> FloatOrArray | tuple[FloatOrArray, tuple[FloatArray, FloatArray, FloatOrArray]]:
    w = checked_weights(owner, "weights", weights)
    v = to_floats(owner, "values", values)
    requirement = f"be finite and at most {_LARGEST_VALUE:g} in absolute value"
    check_range(owner, "values", v, -_LARGEST_VALUE, _LARGEST_VALUE, requirement)
    b = to_floats(owner, "budget", budget)
    check_range(owner, "budget", b, 0.0, math.inf, "be non-negative")
    if v.ndim == 0 or v.shape[-1] != w.shape[-1]:
        raise ValueError(
            f"The 'values' argument of {owner} must have as many atoms on its last axis as 'weights'. "
            f"Got shapes {v.shape} and {w.shape} instead."
        )
    shape = check_shapes(owner, weights=w.shape[:-1], values=v.shape[:-1], budget=b.shape)
    atoms = w.shape[-1]
    if not shape:
        value, *gradient = _rows(FLOATS, return_grad, sign, atoms, *w.tolist(), *v.tolist(), float(b))
    else:
        rows = [np.broadcast_to(array[..., a], shape) for array in (w, v) for a in range(atoms)]
        value, *gradient = in_blocks(
            lambda *block: _rows(ARRAYS, return_grad, sign, atoms, *block),
            *rows,
            np.broadcast_to(b, shape),
            outputs=[None, atoms, atoms, None] if return_grad else [None],
        )
    if not return_grad:
        return value
    of_weights, of_values, of_budget = gradient
    return value, (np.asarray(of_weights), np.asarray(of_values), of_budget)


def _rows(ops: Arithmetic, with_gradient: bool, sign: float, atoms: int, *rows: Number) -> list[Number]:
    """Solve one block given as one row per weight, one per value, and the budget."""
    weights: Sequence[Number] = rows[:atoms]
    magnified, scale = magnify([sign * value for value in rows[atoms:-1]], ops)
    weights = without_tiny(weights, magnified, ops)
    mean = exact_mean(weights, magnified, ops)
    value, gradient = solve(weights, magnified, mean, rows[-1], with_gradient, ops)
    value = sign * reduced(value, scale, ops)
    if gradient is None:
        return [value]
    of_weights = [sign * scale * part for part in gradient.weights]
    return [value, np.array(of_weights), np.array(gradient.values), sign * scale * gradient.budget]
