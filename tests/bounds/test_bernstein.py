"""The bounds that see the variance: gradients in each of their cases, and the edges of their grids."""

from __future__ import annotations

import numpy as np
import pytest

import pacbayes as pb


@pytest.mark.parametrize(
    ("variance", "kl", "n"),
    [
        (0.03, 5.0, 1000),
        (0.25, 5.0, 1000),
        (0.001, 30.0, 1000),
        (0.0, 5.0, 1000),
        (0.05, 60.0, 1000),
        (0.2, 190.0, 1000),
    ],
)
def test_tolstikhin_seldin_in_each_of_its_cases(variance, kl, n):
    base = {"risk": 0.05, "variance": variance, "kl": kl, "n": n, "delta": 0.05}
    value, gradient = pb.bounds.tolstikhin_seldin(**base, return_grad=True)
    assert value < 1.0
    for name, slope in gradient.items():
        if name == "variance" and variance == 0.0:
            assert slope >= 0.0
            continue
        step = 1e-7
        up, down = (pb.bounds.tolstikhin_seldin(**base | {name: base[name] + sign * step}) for sign in (1, -1))
        assert slope == pytest.approx((up - down) / (2 * step), rel=1e-4, abs=1e-8), name


def test_a_posterior_can_be_trained_on_the_bound():
    """Following the gradient through the expected loss lowers the bound."""
    sample = pb.datasets.make_known_risk(400, d=3, random_state=0)
    prior, scale = pb.Gaussian(np.zeros(3), 1.0), 0.3
    signs = np.where(sample.y, 1.0, -1.0)
    spread = scale * np.linalg.norm(sample.X, axis=1)
    mean, values = np.full(3, 0.01), []
    for _ in range(60):
        margin = signs * (sample.X @ mean) / spread
        density = np.exp(-0.5 * margin**2) / np.sqrt(2 * np.pi)
        risk = pb.Gaussian(mean, scale**2).zero_one(sample.X, sample.y).mean()
        value, slope = pb.bounds.maurer(risk, pb.Gaussian(mean, scale**2).kl(prior), 400, 0.05, return_grad=True)
        values.append(value)
        of_risk = -(density * signs / spread) @ sample.X / 400
        mean = mean - 0.5 * (slope["risk"] * of_risk + slope["kl"] * mean)
    assert values[-1] < values[0] - 0.05
    assert max(np.diff(values)) < 0.01


def test_grid_size_at_the_edge_of_a_whole_number():
    assert pb.bounds.tolstikhin_seldin(0.1, 0.25, 0.0, 50, 0.002252068800143755) == pytest.approx(0.46186, abs=1e-5)


def test_unexpected_bernstein_is_vacuous_at_an_infinite_divergence():
    assert pb.bounds.unexpected_bernstein(0.1, 0.1, np.inf, 2**53, 0.99) == 1.0
