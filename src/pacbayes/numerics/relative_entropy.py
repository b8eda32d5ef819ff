"""Relative entropies: between two coins, and between two distributions on finitely many atoms."""

from __future__ import annotations

import math
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import broadcast, check_range, checked_weights, is_scalar, to_floats
from pacbayes._core.arithmetic import ARRAYS, FLOATS, Arithmetic
from pacbayes._core.types import Array, FloatArray, FloatOrArray, Number
from pacbayes.numerics._blocks import in_blocks

__all__ = ["categorical_kl", "kl"]


@overload
def kl(q: float, p: float) -> float: ...
@overload
def kl(q: Array, p: ArrayLike) -> FloatArray: ...
@overload
def kl(q: ArrayLike, p: ArrayLike) -> FloatOrArray: ...
def kl(q: ArrayLike, p: ArrayLike) -> FloatOrArray:
    r"""Relative entropy between two coins, ``q log(q/p) + (1-q) log((1-q)/(1-p))``.

    Written as ``q g(p/q - 1) + (1-q) g((1-p)/(1-q) - 1)`` with ``g(x) = x - log(1+x) >= 0``, in which nothing
    cancels, so the result is accurate relative to itself even where ``p`` is next to ``q``.

    Parameters
    ----------
    q, p : array_like
        Probabilities in [0, 1]; they broadcast.

    Returns
    -------
    float or ndarray
        The divergence, within 1e-13 of itself: 0 where ``q == p``, infinite where ``p`` excludes what ``q`` allows.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.kl(0.1, 0.2), 12)
    0.036690014035
    >>> pb.kl(0.5, 1.0), pb.kl(0.0, 0.0)
    (inf, 0.0)
    >>> pb.kl(0.3, 0.3 + 1e-12) > 0
    True
    """
    if is_scalar(q, p):
        q, p = float(q), float(p)  # type: ignore[arg-type]
        _check(q, p)
        return 0.0 if q == p else _kl_float(q, p)
    q_array, p_array = to_floats("kl", "q", q), to_floats("kl", "p", p)
    _check(q_array, p_array)
    return in_blocks(_kl_block, *broadcast("kl", q=q_array, p=p_array), outputs=[None])[0]


def _check(q: Number, p: Number) -> None:
    check_range("kl", "q", q, 0.0, 1.0, "lie in [0, 1]")
    check_range("kl", "p", p, 0.0, 1.0, "lie in [0, 1]")


def _kl_float(q: float, p: float) -> float:
    if (p == 0.0 and q > 0.0) or (p == 1.0 and q < 1.0):
        return math.inf
    return float(_side(q, p, p - q, FLOATS) + _side(1.0 - q, 1.0 - p, q - p, FLOATS))


def _kl_block(q: FloatArray, p: FloatArray) -> list[FloatArray]:
    total = _side(q, p, p - q, ARRAYS) + _side(1.0 - q, 1.0 - p, q - p, ARRAYS)
    return [np.where(q == p, 0.0, total)]


def _side(weight: Number, other: Number, difference: Number, ops: Arithmetic) -> Number:
    """Return ``weight g(other/weight - 1)``; ``other`` where the weight is zero."""
    safe = ops.where(weight > 0.0, weight, 1.0)
    ratio = ops.where(weight > 0.0, other / safe, 1.0)
    # beyond a ratio of 1e290 the term differs from `other` by less than 1e-287 of it
    near = ratio < 1e290
    side = safe * ops.gap(ops.where(near, difference / safe, 0.0), ops.where(near, ratio, 1.0))
    return ops.where((weight > 0.0) & near, side, other)


def categorical_kl(u: ArrayLike, v: ArrayLike) -> FloatOrArray:
    r"""Relative entropy ``sum_a u_a log(u_a / v_a)`` between distributions on the atoms of the last axis.

    Parameters
    ----------
    u, v : array_like
        Non-negative weights along the last axis, each summing to 1 within 1e-6 and taken as divided by
        their sum; leading axes broadcast.

    Returns
    -------
    float or ndarray
        The divergence, infinite where ``v`` excludes an atom that ``u`` allows.

    Examples
    --------
    >>> import pacbayes as pb
    >>> round(pb.categorical_kl([0.2, 0.3, 0.5], [0.3, 0.3, 0.4]), 12)
    0.030478754035
    >>> pb.categorical_kl([0.5, 0.5, 0.0], [1.0, 0.0, 0.0])
    inf
    """
    u_array = checked_weights("categorical_kl", "u", u)
    v_array = checked_weights("categorical_kl", "v", v)
    if u_array.shape[-1] != v_array.shape[-1]:
        raise ValueError(
            "The 'u' and 'v' arguments of categorical_kl must have as many atoms as each other on their last axis. "
            f"Got {u_array.shape[-1]} and {v_array.shape[-1]} instead."
        )
    u_array, v_array = broadcast("categorical_kl", u=u_array, v=v_array)
    with np.errstate(all="ignore"):
        sums = [np.sum(w, axis=-1, keepdims=True) for w in (u_array, v_array)]
        u_unit, v_unit = u_array / sums[0], v_array / sums[1]
        total = np.sum(_side(u_unit, v_unit, v_unit - u_unit, ARRAYS), axis=-1)
    total = np.where(np.all(u_array * sums[1] == v_array * sums[0], axis=-1), 0.0, total)
    return total if total.shape else float(total)
