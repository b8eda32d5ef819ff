"""The family of Gaussians around a prior: its members, divergences and losses, and gradients by differences."""

import numpy as np
import pytest
import scipy.sparse as sp

import pacbayes as pb
from pacbayes.posteriors import GaussianFamily

GENERATOR = np.random.default_rng(3)
X, SIGNS = GENERATOR.normal(size=(60, 3)), np.where(GENERATOR.random(60) < 0.5, -1.0, 1.0)
FACTOR = np.tril(GENERATOR.normal(size=(4, 4)), -1) + np.diag([0.5, 1.0, 0.3, 0.8])
LIKE = np.cov(GENERATOR.normal(size=(4, 50)))
PRIORS = {
    "full": pb.Gaussian([0.3, -0.2, 0.5, 0.1], FACTOR @ FACTOR.T, intercept=True),
    "isotropic": pb.Gaussian([0.0, 0.0, 0.0, 0.2], 0.7, intercept=True),
}
FAMILIES = {
    f"{name}, {shape}": GaussianFamily.around(prior, alike)
    for name, prior in PRIORS.items()
    for shape, alike in (("scale", None), ("axes", LIKE))
}


@pytest.fixture(params=FAMILIES)
def family(request):
    return FAMILIES[request.param]


def parameters_of(family, seed=0):
    generator = np.random.default_rng(seed)
    return np.append(generator.normal(size=4), 0.4 * generator.normal(size=family.shapes))


def difference(function, at, step=1e-6):
    return np.array([(function(at + step * e) - function(at - step * e)) / (2.0 * step) for e in np.eye(at.size)])


def test_the_divergence_is_that_of_the_member(family):
    parameters = parameters_of(family)
    value, gradient = family.kl(parameters)
    assert np.isclose(value, family.member(parameters).kl(family.prior), rtol=1e-10)
    assert np.allclose(gradient, difference(lambda at: family.kl(at)[0], parameters), atol=1e-7)
    assert family.kl(np.zeros_like(parameters))[0] == 0.0


@pytest.mark.parametrize("sparse", [False, True])
def test_losses_are_those_of_the_member(family, sparse):
    parameters, rows = parameters_of(family), sp.csr_matrix(X) if sparse else X
    losses, _ = family.losses_on(rows, SIGNS)(parameters)
    assert np.allclose(losses, family.member(parameters).zero_one(X, SIGNS, classes=[-1.0, 1.0]), atol=1e-12)


@pytest.mark.parametrize("sparse", [False, True])
def test_the_gradient_of_losses_is_that_of_differences(family, sparse):
    rows, weights = sp.csr_matrix(X) if sparse else X, GENERATOR.normal(size=60)
    on_rows, parameters = family.losses_on(rows, SIGNS), parameters_of(family)
    _, pull = on_rows(parameters)
    assert np.allclose(pull(weights), difference(lambda at: weights @ on_rows(at)[0], parameters), atol=1e-6)


def test_coordinates_lead_back(family):
    parameters = parameters_of(family, 1)
    assert np.allclose(family.coordinates(family.member(parameters)), parameters, atol=1e-9)


def test_axes_are_those_in_which_the_other_covariance_is_diagonal():
    family = FAMILIES["full, axes"]
    inverse = np.linalg.inv(family.basis)
    whitened = inverse @ LIKE @ inverse.T
    assert np.allclose(whitened, np.diag(np.diagonal(whitened)), atol=1e-10)
    assert np.allclose(family.basis @ family.basis.T, family.prior.covariance)


def test_a_mean_outside_the_family_is_kept_and_its_shape_approached():
    family = FAMILIES["full, axes"]
    other = pb.Gaussian([1.0, 0.0, 0.0, 0.0], LIKE, intercept=True)
    near = family.member(family.coordinates(other))
    assert np.allclose(near.mean, other.mean)
    assert np.allclose(near.covariance, LIKE)  # these are its axes
