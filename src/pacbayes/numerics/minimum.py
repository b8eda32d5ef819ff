"""Where the smallest value of a sum of mixtures, over one unknown of each, reaches a level; rounded to the safe side.

``log F(R, b) = log sum_s F_s(R, b_s)`` with ``F_s`` the sum of two mixtures. The first, of terms
``exp(first_i + n (growth_si - log(1 - rate_i (R - strength_i b_s))))``, rises in the risk ``R`` and falls in ``b_s``;
the second, of terms ``exp(second_k + n (other_sk - log(1 - rate_k b_s)))``, rises in ``b_s``. Each logarithm is convex.
The answer is the smallest ``R`` from which on ``F`` exceeds the level whatever the ``b_s`` in [0, 1] are: it is
searched for freely, then proved.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pacbayes._core.rounding import EPS
from pacbayes._core.types import BoolArray, FloatArray
from pacbayes.numerics.mixture import approach_root
from pacbayes.numerics.two_parts import Evaluation, MinimumProblem, log_sum

__all__ = ["minimum_root"]

_START = 2  # steps towards each part's own root
_SETTLE = 6  # steps in b alone before risk moves
_JOINT = 14
_FALL = 60
_INNER = 80
_SHRINK = 0.01
_PROOFS = 40
_BALANCED = 2.0  # a balance from which on the value says something about the minimum
_CLOSE = 1e-10  # to the root, for the quick search to do
_STILL = 1e-16
_LEAP = 2e-11  # the first step of a proof that has no slope to go by
_NEAR = 4.0  # how far above the level a search aims, in units of the rounding there
_MARGIN = 32.0  # the same for the first proof, whose tangent is rounded too


def minimum_root(problem: MinimumProblem, level: FloatArray) -> tuple[FloatArray, Evaluation]:
    """Return an upper bound on the smallest ``R`` in [0, 1] from which on ``min_b log F(R, b)`` exceeds the level.

    The answer is 1 where the level is not reached at 1. The evaluation there and at its minimisers is returned too.
    """
    start, b = _start(problem, level)
    risk, b = _search(problem, start, b, level)
    risk, b, proved, at = _prove(problem, risk, b, level, attempts=3)
    hard = np.flatnonzero(~(proved & (_excess(at, risk, level) <= _CLOSE)))
    if hard.size:  # a poor start: search from the right, where every step is safe
        part = problem.take(hard)
        found, where = _fall(part, start[hard], np.full_like(b[hard], 0.5), level[hard])
        found, where, proved[hard], _ = _prove(part, found, where, level[hard], attempts=_PROOFS)
        risk[hard], b[hard] = found, where
        at = problem.evaluate(risk, b)
    return np.where(proved, risk, 1.0), at


def _start(problem: MinimumProblem, level: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Start where the terms without reference reach the level by themselves, and likewise for each reference."""
    plain = np.flatnonzero(problem.strengths == 0.0)
    rows, count = problem.other.shape[:2]
    risk = np.ones_like(level)
    if plain.size:
        first = problem.first[:, 0, plain]
        top = first.max(axis=1)
        risk, _ = approach_root(
            problem.growth[:, 0, plain],
            problem.term_rates[plain],
            first[0] - top[0],
            problem.n,
            level - top,
            _START,
            precise=False,
        )
    flat = problem.other.reshape(rows * count, -1)
    sizes, levels = np.repeat(problem.n, count), np.repeat(level, count)
    b, _ = approach_root(flat, problem.rates, problem.second, sizes, levels, _START, precise=False)
    return np.clip(risk, 0.0, 1.0), np.clip(b, 0.0, 1.0).reshape(rows, count)


def _search(
    problem: MinimumProblem, start: FloatArray, b: FloatArray, level: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Follow the minimum over ``b`` down to the level, by Newton's method in all unknowns at once."""
    risk = start
    for point, balance in _settle(problem, risk, b, _SETTLE):
        b = point
        if np.all(np.abs(balance) < _BALANCED):
            break
    for _ in range(_JOINT):
        at = problem.evaluate(risk, b)
        new_risk, new_b = _joint_step(at, risk, b, level, start)
        moved = np.abs(new_risk - risk) + np.abs(new_b - b).max(axis=1)
        risk, b = new_risk, new_b
        if np.all(moved * moved * (problem.n + 1.0) <= _STILL):  # the next step would be of this size
            break
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):  # by what the proof will need
        margin = _MARGIN * at.error() / (problem.n * at.slope())
    return np.minimum(risk + np.where(np.isfinite(margin), margin, 1.0), 1.0), b


def _joint_step(
    at: Evaluation, risk: FloatArray, b: FloatArray, level: FloatArray, most: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the next point on the way to ``log F = level`` with every ``F_s`` at its smallest in ``b_s``."""
    balance, value = at.balance(), at.value()
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        slope = (np.exp(at.parts[0] - value[:, None]) * balance.steep).sum(axis=1)
        step = (level - value) / (at.problem.n * slope)
        step = np.where(np.isfinite(step) & (np.abs(balance.level).max(axis=1) < _BALANCED), step, 0.0)
        step_b = (balance.level + balance.of_risk * step[:, None]) / balance.of_b
    step_b = np.where(np.isfinite(step_b), step_b, 0.0)
    return np.clip(risk + step, 0.5 * risk, most), np.clip(b + step_b, 0.25 * b, np.minimum(4.0 * b + 1e-12, 1.0))


def _settle(
    problem: MinimumProblem, risk: FloatArray, b: FloatArray, steps: int
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield points on the way to where each ``F_s(R, .)`` is smallest on [0, 1], with the balance before each.

    Newton's method for the balance, inside a bracket of its signs.
    """
    low, high = np.zeros_like(b), np.ones_like(b)
    for _ in range(steps):
        balance = problem.evaluate(risk, b).balance()
        low, high = np.where(balance.level > 0.0, b, low), np.where(balance.level <= 0.0, b, high)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            new = b + balance.level / balance.of_b
        middle = np.where(low > 0.0, 0.5 * (low + high), _SHRINK * high)  # towards zero by orders of magnitude
        b = np.where((new >= low) & (new <= high), new, middle)
        yield b, balance.level


def _minimise(problem: MinimumProblem, risk: FloatArray, b: FloatArray, steps: int = _INNER) -> FloatArray:
    """Return where each ``F_s(R, .)`` is smallest on [0, 1]."""
    for point, _ in _settle(problem, risk, b, steps):
        moved, b = np.abs(point - b), point
        if np.all(moved <= 1e-13 * np.maximum(b, 1e-12)):
            break
    return b


def _fall(problem: MinimumProblem, risk: FloatArray, b: FloatArray, level: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Newton's method in ``R`` from the right, with the minima over ``b`` found at each step."""
    for _ in range(_FALL):
        b = _minimise(problem, risk, b)
        at = problem.evaluate(risk, b)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            step = (at.value() - level - _NEAR * at.error()) / (problem.n * at.slope())
        step = np.where(np.isfinite(step), np.maximum(step, 0.0), 0.0)
        risk = np.maximum(risk - step, 0.0)
        if np.all(step <= 1e-15 * np.maximum(risk, 1e-12)):
            break
    return risk, b


def _excess(at: Evaluation, risk: FloatArray, level: FloatArray) -> FloatArray:
    """Return by how much ``R`` is beyond the root, to first order, with what a better ``b`` could still lower."""
    (first, second), balance = at.weights(), at.balance()
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        reach = np.abs(second * at.rises() - first * at.falls()) * np.minimum(np.abs(balance.level) / balance.of_b, 1.0)
        reach = np.where(np.isfinite(reach), reach, 0.0).sum(axis=1)
        return np.where(risk < 1.0, ((at.value() - level) / at.problem.n + reach) / at.slope(), np.inf)


def _prove(
    problem: MinimumProblem, risk: FloatArray, b: FloatArray, level: FloatArray, attempts: int
) -> tuple[FloatArray, FloatArray, BoolArray, Evaluation]:
    """Move ``R`` up until the level is proved to be exceeded for all ``b``."""
    for attempt in range(attempts):
        at = problem.evaluate(risk, b)
        found = _lower_bound(at, risk, b, level)
        proved = (found >= level) | (risk >= 1.0)
        if np.all(proved) or attempt + 1 == attempts:
            break
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            further = 2.0**attempt * (np.maximum(level - found, 0.0) + at.error()) / (problem.n * at.slope())
        # where a part that does not depend on the risk outweighs the others, its slope says nothing
        further = np.fmin(further, 2.0**attempt * _LEAP)
        risk = np.where(proved, risk, np.minimum(np.nextafter(risk + further, np.inf), 1.0))
        b = _minimise(problem, risk, b, steps=2 if attempts < _PROOFS else _INNER)
    return risk, b, proved, at


def _lower_bound(at: Evaluation, risk: FloatArray, b: FloatArray, level: FloatArray) -> FloatArray:
    """Return a proved lower bound on ``min_b log F(R, b)``, or something above the level.

    To the left of ``left`` the first part of a summand alone reaches the level, since it falls in ``b_s``; to the right
    of ``right`` the second part alone does. Between them a convex function lies above its tangent at ``b_s``.
    """
    problem, n = at.problem, at.problem.n[:, None]
    falls, rises, roundings = at.falls(), at.rises(), at.roundings()
    errors = at.errors(roundings)
    left, right = _ends(at, b, level[:, None] + 8.0 * np.maximum(*errors) + 1e-9, falls, rises)
    outside = np.where(left > 0.0, problem.risk_floor(risk, left), np.inf)
    beyond = np.where(right < 1.0, problem.other_floor(right), np.inf)
    values = np.logaddexp(*at.parts)
    error = np.maximum(*errors) + 16.0 * EPS * (1.0 + np.abs(values))
    first, second = np.exp(at.parts[0] - values), np.exp(at.parts[1] - values)
    slack = first * _doubt(at.p * at.gain * problem.strengths, roundings[0], error)
    slack += second * _doubt(at.q * at.other_gain, roundings[1], error)
    slope = second * rises - first * falls
    tilt = np.maximum((slope + slack) * (b - left), (slack - slope) * (right - b))
    with np.errstate(invalid="ignore", over="ignore"):  # of an infinite divergence, where minus infinity proves nothing
        inside = values - error - np.maximum(n * tilt, 0.0) * (1.0 + 8.0 * EPS)
        lowest = np.minimum(inside, np.minimum(outside, beyond))
        return np.asarray(log_sum(lowest) - (lowest.shape[1] + 16) * EPS * (1.0 + np.abs(level)))


def _ends(
    at: Evaluation, b: FloatArray, goal: FloatArray, falls: FloatArray, rises: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return where the first part, to the left of ``b``, and the second, to its right, should have reached the goal."""
    n = at.problem.n[:, None]
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        left = b - 1.01 * (goal - at.parts[0]) / (n * falls)
        right = b + 1.01 * (goal - at.parts[1]) / (n * rises)
    left = np.where(np.isfinite(left), np.clip(np.minimum(left, b), 0.0, 1.0), 0.0)
    return left, np.where(np.isfinite(right), np.clip(np.maximum(right, b), 0.0, 1.0), 1.0)


def _doubt(terms: FloatArray, roundings: FloatArray, error: FloatArray) -> FloatArray:
    """Bound the rounding of a slope: each share is off by its exponent's rounding and that of the sum, relatively."""
    each = np.expm1(np.minimum(2.0 * roundings + (2.0 * error + 64.0 * EPS)[:, :, None], 700.0))
    return np.asarray((terms * each).sum(axis=2))
