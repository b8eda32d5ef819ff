"""The one kernel behind every inverse: the supremum of a mean over a KL ball, through its dual.

Notation: atoms ``a`` with weights ``u_a`` (summing to 1) and values ``v_a``, mean ``m``, largest value
``V``, budget ``b``. The supremum of ``sum r_a v_a`` over ``kl(u||r) <= b`` is the infimum over
``t >= V`` of ``h(t) = t - exp(sum_a u_a log(t - v_a) - b)``, and every ``t >= V`` gives an upper bound.

With ``s = t - m`` and ``x_a = -(v_a - m)/s`` the weighted sum of the ``x_a`` is zero, so

    h(t) - m = -s expm1(-(Phi + b)),     Phi = sum_a u_a (x_a - log(1 + x_a)) >= 0,

a product and sum of non-negative terms: *the distance above the mean* is computed to a few units in the
last place of itself, however small the budget. ``t`` is held as ``tau = t - V >= 0`` so that
``1 + x_a = (tau + V - v_a)/s`` is accurate too, down to ``tau = 0``.

The minimiser solves ``psi(t) = log sum_a u_a/(t - v_a) + sum_a u_a log(t - v_a) = b``. Relative to the
heaviest atom ``r``, with ``y_a = (v_a - v_r)/(t - v_a)`` and ``E = sum_a u_a y_a``,

    psi = sum_a u_a (y_a - log(1 + y_a)) - (E - log(1 + E)),

in which at most a factor of the number of atoms cancels while ``E`` is small (``E**2 <= (1 - u_r) sum u y**2``); for
large ``E`` the linear terms are left out, ``psi = log(1 + E) - sum_a u_a log(1 + y_a)``. ``psi``
behaves like ``tau**-2`` for large ``tau`` and like ``-log tau`` for small, so ``log(exp(psi) - 1)`` is close
to linear in ``log tau`` at both ends; Newton's method on that curve needs two or three steps.
An inexact minimiser costs tightness in second order and validity never.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.arithmetic import ARRAYS, Arithmetic, log_expm1
from pacbayes._core.types import Condition, FloatArray, Number

__all__ = [
    "FOR_GRADIENTS",
    "FOR_VALUES",
    "LARGEST_BUDGET",
    "SMALLEST_BUDGET",
    "Atom",
    "Ball",
    "distance",
    "minimiser",
    "settled_at_edge",
]

# Budgets in (0, SMALLEST_BUDGET) count as SMALLEST_BUDGET (never below the exact value, as the supremum grows
# with the budget). Then Phi + b >= 1e-280, beside which anything lost to underflow (< 1e-307) is no rounding error.
SMALLEST_BUDGET = 1e-280
# Budgets above count as infinite: the supremum is then the largest value.
LARGEST_BUDGET = 1e300

# Newton's last step in log tau, after which the error is about a quarter of its square. The value depends on
# the minimiser in second order (an error of 1e-13 of the distance), its gradient in first.
FOR_VALUES = 1e-3
FOR_GRADIENTS = 1e-5

_LOWEST, _HIGHEST = -690.0, 345.0  # range of log tau: exp stays clear of underflow and overflow
_FREE_STEPS = 4
_MAX_STEPS = 80  # bisection alone gets from the whole range to below 1e-6 in 31 steps
_TINY = 1e-300
_LARGE_MEAN = 0.5  # of y: from here on psi itself is at least of order log(1.5)
_KEEP = 0.75  # fewer unsettled elements than this fraction of a block are gathered into a smaller one


_Bracket: TypeAlias = "tuple[Number, Number] | None"
_Lighter: TypeAlias = "tuple[Number, Number, Number]"  # weight, offset and drop of an atom
_Curve: TypeAlias = "tuple[Number, Sequence[_Lighter]]"  # the drop of the heaviest atom, and the lighter ones


class Atom(NamedTuple):
    """One atom: floats, or arrays of one block, each correct to a few units in the last place of itself."""

    weight: Number
    deviation: Number  # v_a - m
    drop: Number  # V - v_a
    offset: Number  # v_a - v_r, r the heaviest atom


@dataclass(frozen=True, slots=True)
class Ball:
    """A KL-ball problem whose values have a range of at most 1."""

    atoms: Sequence[Atom]
    top_deviation: Number  # V - m
    heaviest_drop: Number  # V - v_r
    budget: Number  # in [SMALLEST_BUDGET, LARGEST_BUDGET]
    lighter: Sequence[Atom]  # every atom with an offset other than zero
    # a first log tau from log(exp(budget) - 1), where one better is known
    start: Callable[[Number], Number] | None = None


def distance(ball: Ball, tau: Number, ops: Arithmetic) -> tuple[Number, Number, Number]:
    """Return ``(h(t) - m, s, Phi)`` at ``t = V + tau``; the first is an upper bound up to rounding."""
    s = tau + ball.top_deviation
    phi: Number = 0.0
    for atom in ball.atoms:
        phi += atom.weight * ops.gap(atom.deviation / -s, (tau + atom.drop) / s)
    return -s * ops.expm1(-(phi + ball.budget)), s, phi


def minimiser(ball: Ball, ops: Arithmetic, tolerance: float) -> Number:
    """Return ``log tau`` at the minimum of ``h``; the last step is at most ``tolerance``."""
    target = log_expm1(ball.budget, ops)
    x = ball.start(target) if ball.start else _start(ball, target, ops)
    x = ops.minimum(ops.maximum(x, _LOWEST), _HIGHEST)
    curve = ball.heaviest_drop, [(atom.weight, atom.offset, atom.drop) for atom in ball.lighter]
    if ops is ARRAYS:
        return _settle_block(np.asarray(x), np.asarray(target), curve, tolerance)
    bracket: _Bracket = None
    for count in range(_MAX_STEPS):
        before = x
        x, bracket = _improve(x, target, curve, bracket, count, ops)
        if ops.absolute(x - before) <= tolerance:
            break
    return x


def settled_at_edge(log_tau: Number) -> Condition:
    """Return whether the minimum is at ``t = V`` (or closer to it than doubles can tell)."""
    return log_tau <= _LOWEST


def _settle_block(x: FloatArray, target: FloatArray, curve: _Curve, tolerance: float) -> FloatArray:
    """Improve every element of a block until it settles, going on with the unsettled ones alone."""
    result, where = x, np.arange(x.size)
    bracket: _Bracket = None
    for count in range(_MAX_STEPS):
        before = x
        better, bracket = _improve(x, target, curve, bracket, count, ARRAYS)
        x = np.asarray(better)
        unsettled = np.abs(x - before) > tolerance
        left = np.count_nonzero(unsettled)
        if left > _KEEP * x.size:
            continue
        result[where] = x
        if left == 0:
            break
        kept = np.flatnonzero(unsettled)
        x, target, where = x[kept], target[kept], where[kept]
        bracket = None if bracket is None else (np.asarray(bracket[0])[kept], np.asarray(bracket[1])[kept])
        drop, lighter = curve
        curve = np.asarray(drop)[kept], [_kept(atom, kept) for atom in lighter]
    return result


def _kept(atom: _Lighter, kept: NDArray[np.intp]) -> _Lighter:
    weight, offset, drop = (np.asarray(array)[kept] for array in atom)
    return weight, offset, drop


def _start(ball: Ball, target: Number, ops: Arithmetic) -> Number:
    """Return a first ``log tau`` from the expansion of ``psi`` for small budgets.

    ``psi = mu_2/(2 s**2) + 2 mu_3/(3 s**3) + ...`` gives ``s = s_0 + (2/3) mu_3/mu_2`` with ``s_0**2 = mu_2/(2b)``,
    that is ``tau = s_0 - k``; the form ``s_0**2/(s_0 + k)`` agrees with it and stays positive.
    """
    second: Number = 0.0
    third: Number = 0.0
    for atom in ball.atoms:
        square = atom.weight * atom.deviation * atom.deviation
        second += square
        third += square * atom.deviation
    second = ops.maximum(second, _TINY)
    log_scale = ops.maximum(0.5 * (ops.log(0.5 * second) - target), _LOWEST)
    k = ops.maximum(ball.top_deviation - third / second / 1.5, ball.top_deviation / 3.0)
    return log_scale - ops.log(1.0 + k * ops.exp(-log_scale))


def _improve(
    x: Number, target: Number, curve: _Curve, bracket: _Bracket, count: int, ops: Arithmetic
) -> tuple[Number, _Bracket]:
    """Take a Newton step; from the fifth on, keep a bracket and bisect it where the step would leave it."""
    height, slope = _curve(ops.exp(x), curve, ops)
    height -= target
    step = ops.minimum(ops.maximum(x - height / slope, _LOWEST), _HIGHEST)
    if count < _FREE_STEPS:
        return step, None
    low, high = bracket or (x * 0.0 + 2.0 * _LOWEST, x * 0.0 + 2.0 * _HIGHEST)
    rises = height > 0.0
    low, high = ops.where(rises, x, low), ops.where(rises, high, x)
    return ops.where((step < low) | (step > high), 0.5 * (low + high), step), (low, high)


def _curve(tau: Number, curve: _Curve, ops: Arithmetic) -> tuple[Number, Number]:
    """Return ``log(exp(psi) - 1)`` and its derivative in ``log tau``.

    ``-d psi/d log tau = share (sum u y**2 - E**2)/(1 + E)`` with ``share = tau/(t - v_r)``; ``y`` may be as large
    as ``1/tau``, but ``share y`` is at most 1.
    """
    heaviest_drop, lighter = curve
    heaviest = tau + heaviest_drop
    share = tau / heaviest
    mean: Number = 0.0
    jensen: Number = 0.0
    second: Number = 0.0
    logs: Number = 0.0
    for weight, offset, drop in lighter:
        width = tau + drop
        y = offset / width
        part = weight * y
        mean += part
        second += part * (y * share)
        log_ratio = ops.log(heaviest / width)
        logs += weight * log_ratio
        jensen += weight * ops.rough_gap(y, log_ratio)
    total = 1.0 + mean
    log_total = ops.log(total)
    psi = ops.where(mean > _LARGE_MEAN, log_total - logs, jensen - ops.rough_gap(mean, log_total))
    psi = ops.maximum(psi, _TINY)
    complement = -ops.expm1(-psi)
    slope = ops.minimum((mean * (mean * share) - second) / (total * complement), -_TINY)
    return psi + ops.log(complement), slope
