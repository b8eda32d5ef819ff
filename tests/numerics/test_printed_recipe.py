"""Errata E2: the paper's printed recipe for phi mixes two parameterisations and misses the supremum."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pacbayes as pb


def _printed_f(u, s):
    u1, u2, u3 = u
    return math.log(u1 + u2 / (1 + 2 * s) + u3 / (1 + s)) + u2 * math.log(1 + 2 * s) + u3 * math.log(1 + s)


def _inverse_of_printed_f(u, budget):
    low, high = 0.0, 1.0
    while _printed_f(u, high) < budget:
        high *= 2.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _printed_f(u, middle) < budget else (low, middle)
    return low


def _printed_phi(u, t):
    u1, u2, u3 = u
    return (u1 / (t + 1) - u2 / (t - 1)) / (u1 / (t + 1) + u2 / (t - 1) + u3 / t)


def _brute_force_supremum(u, budget, side=400, rounds=12):
    """Maximise r1 - r2 over a grid on the simplex, zooming in on the best feasible point."""
    centre, radius, best = np.array([0.5, 0.25]), 0.5, -1.0
    for _ in range(rounds):
        axes = [np.clip(np.linspace(c - radius, c + radius, side), 1e-12, 1.0) for c in centre]
        r1, r2 = np.meshgrid(*axes, indexing="ij")
        r3 = 1.0 - r1 - r2
        with np.errstate(all="ignore"):
            terms = [a * np.log(a / r) for a, r in zip(u, (r1, r2, r3), strict=True) if a > 0]
        feasible = (r3 > 0) & (sum(terms) <= budget)
        height = np.where(feasible, r1 - r2, -np.inf)
        where = np.unravel_index(np.argmax(height), height.shape)
        best = max(best, height[where])
        centre, radius = np.array([r1[where], r2[where]]), radius / 5.0
    return best


@pytest.mark.parametrize(("u", "budget"), [((0.2, 0.1, 0.7), 0.05), ((0.05, 0.02, 0.93), 0.01), ((0.3, 0.3, 0.4), 0.5)])
def test_printed_recipe_misses_the_supremum_that_kl_ball_max_attains(u, budget):
    supremum = _brute_force_supremum(u, budget)
    s = _inverse_of_printed_f(u, budget)
    printed = _printed_phi(u, -math.exp(-s) - 1.0)
    mended = _printed_phi(u, -(1.0 + 1.0 / s))
    ours = pb.kl_ball_max(u, (1.0, -1.0, 0.0), budget)
    assert ours == pytest.approx(supremum, abs=2e-6)
    assert supremum <= ours
    assert mended == pytest.approx(supremum, abs=2e-6)
    assert abs(printed - supremum) > 0.01


def test_printed_recipe_has_no_answer_without_positive_excess():
    u, budget = (0.0, 0.5, 0.5), 0.1
    assert max(_printed_f(u, s) for s in np.logspace(-6, 12, 500)) < 0.0589  # so f never reaches the budget
    assert pb.kl_ball_max(u, (1.0, -1.0, 0.0), budget) == pytest.approx(_brute_force_supremum(u, budget), abs=2e-6)
