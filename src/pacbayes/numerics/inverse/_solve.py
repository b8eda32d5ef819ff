"""From weights and values to a certified supremum: exact mean, dual minimum, outward rounding, gradient."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pacbayes._core.arithmetic import Arithmetic
from pacbayes._core.rounding import EPS, distance_slack, two_product, two_sum
from pacbayes._core.types import Number
from pacbayes.numerics.inverse._dual import (
    FOR_GRADIENTS,
    FOR_VALUES,
    LARGEST_BUDGET,
    SMALLEST_BUDGET,
    Atom,
    Ball,
    distance,
    minimiser,
    settled_at_edge,
)

__all__ = ["Gradient", "Mean", "exact_mean", "solve"]


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean as a quotient of two unevaluated sums of two doubles: ``weighted/total``.

    ``uncertainty`` bounds the error of ``weighted``; it is zero when every operation was exact.
    """

    total: tuple[Number, Number]
    weighted: tuple[Number, Number]
    uncertainty: Number

    def divided(self, ops: Arithmetic) -> tuple[Number, Number, Number]:
        """Return ``(high, low, total)`` with ``high + low`` at or above the mean, by about 2**-100 of it.

        Using a number above the exact mean as origin is safe: with ``m' >= m`` the identity of ``_dual`` gives
        ``h(t) = m' + s - s exp(-(Phi + b) + (m' - m)/s) <= m' - s expm1(-(Phi + b))``.
        """
        (total, total_low), (high, low) = self.total, self.weighted
        quotient = high / total
        product, error = two_product(quotient, total)
        remainder = ((high - product) - error) + (low - quotient * total_low)
        # the remainder is correct to a few EPS of itself, its quotient is below EPS of the mean
        correction = remainder / total
        inexact = (remainder != 0.0) | (total_low != 0.0)
        margin = ops.where(inexact, 16.0 * EPS * (ops.absolute(correction) + EPS * ops.absolute(quotient)), 0.0)
        mean, mean_low = two_sum(quotient, correction)
        return mean, mean_low + margin + 2.0 * self.uncertainty, total


def exact_mean(weights: Sequence[Number], values: Sequence[Number], ops: Arithmetic) -> tuple[Number, Number, Number]:
    """Return the weighted mean as ``(high, low, total)`` through error-free sums and products (Ogita et al., Dot2)."""
    total: Number = 0.0
    total_low: Number = 0.0
    weighted: Number = 0.0
    low: Number = 0.0
    lost: Number = 0.0
    for weight, value in zip(weights, values, strict=True):
        total, error = two_sum(total, weight)
        total_low = total_low + error
        product, product_error = two_product(weight, value)
        weighted, sum_error = two_sum(weighted, product)
        low = low + (product_error + sum_error)
        lost = lost + (ops.absolute(product_error) + ops.absolute(sum_error))
    # `low` was accumulated in plain doubles: 2M additions of at most EPS/2 of `lost` each
    uncertainty = len(weights) * EPS * lost
    return Mean(two_sum(total, total_low), two_sum(weighted, low), uncertainty).divided(ops)


@dataclass(frozen=True, slots=True)
class Gradient:
    """Derivatives of the supremum; ``values`` is the maximising distribution."""

    weights: list[Number]
    values: list[Number]
    budget: Number


def solve(
    weights: Sequence[Number],
    values: Sequence[Number],
    mean: tuple[Number, Number, Number],
    budget: Number,
    with_gradient: bool,
    ops: Arithmetic,
) -> tuple[Number, Gradient | None]:
    """Return an upper bound on the supremum over the KL ball, and its gradient if asked."""
    high, low, total = mean
    top, bottom = _extremes(values, ops)
    width = ops.where(top > bottom, top - bottom, 1.0)
    ball = _scaled(weights, values, mean, top, width, budget, ops)
    log_tau = minimiser(ball, ops, FOR_GRADIENTS if with_gradient else FOR_VALUES)
    found, s, gap = distance(ball, ops.exp(log_tau), ops)
    found = ops.where((budget > 0.0) & (top > bottom), found * distance_slack(len(weights)), 0.0)
    rise = ops.where(found > 0.0, ops.next_up(low + found * width), low)
    value = ops.minimum(ops.where(rise != 0.0, ops.next_up(high + rise), high), top)
    if not with_gradient:
        return value, None
    slope = s * ops.exp(-ops.minimum(gap + ball.budget, 740.0))  # t - value, without subtracting
    return value, _gradient(ball, log_tau, s, gap, slope, width, total, budget, ops)


def _extremes(values: Sequence[Number], ops: Arithmetic) -> tuple[Number, Number]:
    top = bottom = values[0]
    for value in values[1:]:
        top, bottom = ops.maximum(top, value), ops.minimum(bottom, value)
    return top, bottom


def _scaled(
    weights: Sequence[Number],
    values: Sequence[Number],
    mean: tuple[Number, Number, Number],
    top: Number,
    width: Number,
    budget: Number,
    ops: Arithmetic,
) -> Ball:
    """Return the problem with values scaled to a range of 1."""
    high, low, total = mean
    heaviest_weight, heaviest = weights[0], values[0]
    for weight, value in zip(weights[1:], values[1:], strict=True):
        heavier = weight > heaviest_weight
        heaviest_weight = ops.where(heavier, weight, heaviest_weight)
        heaviest = ops.where(heavier, value, heaviest)
    atoms = [
        Atom(weight / total, ((value - high) - low) / width, (top - value) / width, (value - heaviest) / width)
        for weight, value in zip(weights, values, strict=True)
    ]
    return Ball(
        atoms=atoms,
        top_deviation=ops.maximum(((top - high) - low) / width, 0.0),
        heaviest_drop=(top - heaviest) / width,
        budget=ops.minimum(ops.maximum(budget, SMALLEST_BUDGET), LARGEST_BUDGET),
        lighter=atoms,
    )


def _gradient(
    ball: Ball,
    log_tau: Number,
    s: Number,
    gap: Number,
    slope: Number,
    width: Number,
    total: Number,
    budget: Number,
    ops: Arithmetic,
) -> Gradient:
    """Return the gradient from the dual solution; ``slope`` is ``(t - value)/width``.

    ``d/d budget = t - value``, ``d/d u_a = -(t - value) (log(t - v_a) - sum_b u_b log(t - v_b))`` and
    ``d/d v_a = r_a = (t - value) u_a/(t - v_a)``. At the edge ``t = V`` what is missing from ``sum r_a`` is on the top
    atom.
    """
    tau, at_edge, moves = ops.exp(log_tau), settled_at_edge(log_tau), budget > 0.0
    of_weights: list[Number] = []
    shares: list[Number] = []
    spread: Number = 0.0
    missing: Number = 1.0
    for atom in ball.atoms:
        distance_to_top = tau + atom.drop
        x = -atom.deviation / s
        # log(1 + x) as x - gap(x), which keeps its digits where x is tiny
        rate = -slope * (gap + x - ops.gap(x, distance_to_top / s))
        gains = at_edge & (atom.drop == 0.0) & (atom.weight == 0.0) & (ball.top_deviation > 0.0)
        rate = ops.where(ball.top_deviation > 0.0, rate, 0.0)
        rate = ops.where(gains, math.inf, rate)
        of_weights.append(ops.where(moves, rate, atom.deviation) * width / total)
        on_edge = at_edge & (atom.drop == 0.0)
        share = ops.where(moves, slope * atom.weight / distance_to_top, atom.weight)
        share = ops.where(on_edge & moves, 0.0, share)
        shares.append(share)
        missing = missing - share
        spread = spread + atom.weight * ops.absolute(atom.deviation)
    for index, atom in enumerate(ball.atoms):  # the first top atom takes what is missing at the edge
        takes = at_edge & moves & (atom.drop == 0.0)
        shares[index] = shares[index] + ops.where(takes, missing, 0.0)
        missing = ops.where(takes, 0.0, missing)
    of_budget = ops.where(moves | (spread == 0.0), slope * width, math.inf)
    return Gradient(of_weights, shares, of_budget)
