"""Where the printed paper departs from what its proofs support, shown by numbers (the table is in docs/theory.md)."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import pacbayes as pb


def test_e1_the_sign_of_c_eta():
    """With the printed sign the unexpected-Bernstein lemma is false for a fair coin; with the other it holds."""
    for eta in (0.1, 0.5, 0.9):
        printed = (eta + math.log(1.0 - eta)) / eta
        for c, holds in ((printed, False), (-printed, True)):
            moment = 0.5 * math.exp(eta * 0.5) + 0.5 * math.exp(eta * (0.5 - 1.0 - c))
            assert (moment <= 1.0) == holds


def test_e3_the_printed_bound_on_xi():
    """The general formula at three atoms, m = 3, is 6.247 and above 2 m; the exact constant is 5.889 and below."""
    m = 3
    general = sum(math.comb(3, k) / ((m * math.pi) ** (k / 2) * math.gamma((3 - k) / 2)) for k in range(3))
    general *= math.sqrt(math.pi) * math.exp(1 / (12 * m)) * (m / 2)
    corrected = math.exp(1 / (12 * m)) * (1 + 3 / (2 * math.sqrt(m)) + 3 / (2 * math.pi * m)) * m
    printed = 0.5 * math.exp(1 / (12 * m)) * (1 + 3 / math.sqrt(m) + 6 / (math.pi * m)) * m
    assert general == pytest.approx(corrected, rel=1e-12)
    assert corrected == pytest.approx(6.247, abs=1e-3)
    assert printed < math.exp(pb.log_xi(3, m)) < 2 * m < corrected
    sizes = np.arange(3, 100_000)
    assert np.all(pb.log_xi(3, sizes) <= np.log(2.0 * sizes))
    assert math.exp(pb.log_xi(3, 1)) > 2
    assert math.exp(pb.log_xi(3, 2)) > 4


# Means of three successive categorical vectors: the first, three for the second (one for each first outcome) and nine
# for the third. Zeros stand for 1e-9.
POLICY = np.array(
    [[1, 0, 0]]
    + [[1, 0, 0]] * 3
    + [
        [0.3142, 0.1683, 0.5174],
        [0.668, 0, 0.332],
        [0, 1, 0],
        [0, 0, 1],
        [1, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
        [1, 0, 0],
        [1, 0, 0],
    ]
)


def test_e7_the_moment_inequality_fails_for_means_that_depend_on_the_past():
    """n = 3, three atoms: E exp(n kl) is 7.02, above xi(3, 3) = 5.889 and above 2 n = 6."""
    means = np.maximum(POLICY, 1e-9)
    means = means / means.sum(axis=1, keepdims=True)
    moment = 0.0
    for a, b, c in product(range(3), repeat=3):
        path = np.stack([means[0], means[1 + a], means[4 + 3 * a + b]])
        probability = path[0, a] * path[1, b] * path[2, c]
        frequencies = np.bincount([a, b, c], minlength=3) / 3.0
        moment += probability * math.exp(3.0 * pb.categorical_kl(frequencies, path.mean(axis=0)))
    assert moment > 2 * 3 > math.exp(pb.log_xi(3, 3))


def test_e14_the_relaxed_form_holds_without_its_condition():
    """kl(u||v) <= b implies v1 - v2 <= u1 - u2 + 2 sqrt(b (u1 + u2)) + 2 b, on 20,000 random points."""
    rng = np.random.default_rng(0)
    u, v = rng.dirichlet([0.5, 0.5, 1.0], 20_000), rng.dirichlet([0.5, 0.5, 1.0], 20_000)
    b = pb.categorical_kl(u, v)
    relaxed = u[:, 0] - u[:, 1] + 2.0 * np.sqrt(b * (u[:, 0] + u[:, 1])) + 2.0 * b
    assert np.all(v[:, 0] - v[:, 1] <= relaxed + 1e-12)


def test_a_midpoint_is_no_bound():
    """A bisection for the kl inverse that stops at a relative width of 1e-5 and returns its last midpoint."""

    def midpoint(q, budget):
        low, high, p = q, 1.0 - 1e-10, q
        while (high - low) / high >= 1e-5:
            p = (low + high) / 2.0
            low, high = (low, p) if pb.kl(q, p) > budget else (p, high)
        return p

    rng = np.random.default_rng(0)
    points = np.column_stack([rng.random(300) * 0.2, 10.0 ** rng.uniform(-3.0, -1.0, 300)])
    found = np.array([midpoint(*point) for point in points.tolist()])
    gaps = found / pb.kl_inv_upper(points[:, 0], points[:, 1]) - 1.0
    assert 0.4 < np.mean(gaps < -1e-9) < 0.6
    assert gaps.min() < -5e-6


def test_twice_the_rows():
    """The numbers of the entry on the rows that a learned prior has left."""
    values = [pb.bounds.maurer(0.012, 500.0, n, 0.01, constant="published") for n in (30_000, 60_000)]
    assert values == pytest.approx([0.0441, 0.0321], abs=5e-5)
