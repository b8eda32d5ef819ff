"""The smooth expected 0-1 loss against adaptive integration, exact cases and draws; gradients by differences."""

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from scipy.stats import norm

from pacbayes.torch import expected_zero_one

rng = np.random.default_rng(0)


def exact(means, variances, label):
    scales = np.sqrt(variances)
    others = [c for c in range(len(means)) if c != label]

    def correct(z):
        score = means[label] + scales[label] * z
        return norm.pdf(z) * np.prod(norm.cdf((score - means[others]) / scales[others]))

    return 1.0 - quad(correct, -12, 12, limit=400, epsabs=1e-12)[0]


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_close_to_adaptive_integration(classes):
    means = rng.normal(size=(40, classes)) * 2.0
    scales = rng.uniform(0.2, 1.0, size=means.shape)
    labels = rng.integers(classes, size=40)
    found = expected_zero_one(torch.tensor(means), torch.tensor(scales**2), torch.tensor(labels)).numpy()
    expected = [exact(m, v, y) for m, v, y in zip(means, scales**2, labels, strict=True)]
    assert np.abs(found - expected).max() < 1e-3


def test_gradients_by_differences():
    means = torch.tensor(rng.normal(size=(3, 2, 4)), requires_grad=True)
    variances = torch.tensor(rng.uniform(0.3, 1.0, size=(3, 2, 4)), requires_grad=True)
    labels = torch.tensor(rng.integers(4, size=(3, 2)))
    assert torch.autograd.gradcheck(lambda m, v: expected_zero_one(m, v, labels), (means, variances))
    assert torch.autograd.gradgradcheck(lambda m, v: expected_zero_one(m, v, labels), (means, variances))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_extremes_are_finite(dtype):
    means = torch.tensor([[1e4, 0.0, 0.0], [-1e4, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 0.0, 0.0]], dtype=dtype)
    variances = torch.tensor([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 0.0]], dtype=dtype)
    means.requires_grad_(True)
    variances.requires_grad_(True)
    risk = expected_zero_one(means, variances, torch.zeros(4, dtype=torch.int64))
    risk.sum().backward()
    assert risk.dtype == dtype
    assert risk[0] == 0.0
    assert risk[1].item() == pytest.approx(1.0, abs=1e-6)
    assert risk[2].item() == pytest.approx(2.0 * norm.sf(9.0 / np.sqrt(2.0)), rel=0.02)
    for gradient in (means.grad, variances.grad):
        assert torch.isfinite(gradient).all()


def test_gradient_in_variances_against_the_normal_distribution():
    variances = torch.tensor([[0.5, 0.5]], dtype=torch.float64, requires_grad=True)
    expected_zero_one(torch.tensor([[2.0, 0.0]], dtype=torch.float64), variances, torch.tensor([0])).sum().backward()
    slope = norm.pdf(2.0) * 2.0 / 2.0  # of Phi(-2/sqrt(v)) in v, at v = 1
    assert variances.grad.numpy() == pytest.approx(np.full((1, 2), slope), rel=1e-6)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="must have at least two classes on its last axis"):
        expected_zero_one(torch.zeros(3, 1), torch.ones(3, 1), torch.zeros(3))
