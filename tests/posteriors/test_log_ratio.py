"""The log ratio of two Gaussian densities at a draw: against 80 digits, and what follows from its definition."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import pacbayes as pb


def exact_ratio(posterior, prior, weights):
    """From densities with whole covariances, by the inverse of a matrix: another way than the library's."""

    def log_density(gaussian):
        root = gaussian.root if gaussian.root.ndim == 2 else np.diag(gaussian.root)
        lower = mpmath.matrix(root.tolist())
        covariance = lower * lower.T
        offset = mpmath.matrix([mpf(float(a)) - mpf(float(b)) for a, b in zip(weights, gaussian.mean, strict=True)])
        square = (offset.T * mpmath.inverse(covariance) * offset)[0]
        return -(square + mpmath.log(mpmath.det(covariance))) / 2

    with mpmath.workdps(160):
        return log_density(posterior) - log_density(prior)


def _root(rng, size, spread):
    lower = np.tril(rng.normal(size=(size, size)))
    np.fill_diagonal(lower, np.exp(spread * rng.normal(size=size)))
    return lower


@pytest.mark.parametrize("spread", [0.1, 3.0, 10.0])
def test_is_never_below_the_exact_value(spread):
    """Well and badly conditioned roots, one of them a vector, and Gaussians that nearly agree."""
    rng = np.random.default_rng(5)
    for size in (1, 2, 5):
        lower = _root(rng, size, spread)
        forms = [lower, np.abs(np.diagonal(lower)).copy(), lower * (1.0 + 1e-9)]
        for one in forms:
            for other in forms:
                mean = rng.normal(size=size)
                posterior = pb.Gaussian(mean, one, cholesky=True)
                prior = pb.Gaussian(mean + 1e-7 * rng.normal(size=size), other, cholesky=True)
                draw = posterior.sample(1, 0)[0]
                found, exact = mpf(posterior.log_ratio(prior, draw)), exact_ratio(posterior, prior, draw)
                assert 0 <= found - exact <= mpf("1e-15") * (1 + abs(exact))


def test_its_mean_over_draws_is_the_divergence_and_the_density_ratio_averages_to_one():
    rng = np.random.default_rng(6)
    posterior, prior = pb.Gaussian([1.0, 0.3], [[0.3, 0.1], [0.1, 0.2]]), pb.Gaussian([0.8, 0.0], [0.4, 0.3])
    ratios = np.array([posterior.log_ratio(prior, draw) for draw in posterior.sample(4000, rng)])
    error = ratios.std() / np.sqrt(ratios.size)
    assert ratios.mean() == pytest.approx(posterior.kl(prior), abs=4 * error)
    assert np.exp(-ratios).mean() == pytest.approx(1.0, abs=4 * np.exp(-ratios).std() / np.sqrt(ratios.size))
    assert np.mean(ratios < 0.0) > 0.05


def test_equal_gaussians_have_none():
    gaussian = pb.Gaussian([1.0, 2.0], [[2.0, 0.5], [0.5, 1.0]])
    assert gaussian.log_ratio(pb.Gaussian([1.0, 2.0], gaussian.root, cholesky=True), [5.0, -3.0]) == 0.0


def test_bad_input():
    gaussian = pb.Gaussian([1.0, 2.0], 1.0)
    with pytest.raises(ValueError, match=r"'prior' argument of Gaussian.log_ratio must be a Gaussian .* \(2,\)"):
        gaussian.log_ratio(pb.Gaussian([1.0], 1.0), [1.0, 2.0])
    for weights in ([1.0], [1.0, np.nan], [[1.0, 2.0]]):
        with pytest.raises(ValueError, match=r"'weights' argument of Gaussian.log_ratio must be finite and of shape"):
            gaussian.log_ratio(gaussian, weights)
