"""Gaussian posteriors: exactness against draws and mpmath, grids equal one at a time, bad input."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

import pacbayes as pb

import reference_mp  # noqa: F401  (sets the precision)


def problem(n=200, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X @ rng.normal(size=d) + 0.5 * rng.normal(size=n) > 0, "yes", "no")
    return X, y, rng


def random_covariance(rng, d):
    root = rng.normal(size=(d, d))
    return root @ root.T + 0.1 * np.eye(d)


@pytest.mark.parametrize("form", ["isotropic", "diagonal", "full", "factor"])
@pytest.mark.parametrize("intercept", [False, True])
def test_zero_one_against_a_million_draws(form, intercept):
    X, y, rng = problem(n=12, d=3)
    size = 3 + intercept
    matrix = random_covariance(rng, size)
    given = {
        "isotropic": (0.5, {}),
        "diagonal": (np.diagonal(matrix).copy(), {}),
        "full": (matrix, {}),
        "factor": (np.linalg.cholesky(matrix), {"cholesky": True}),
    }
    covariance, options = given[form]
    posterior = pb.Gaussian(rng.normal(size=size), covariance, intercept=intercept, **options)
    exact = posterior.zero_one(X, y)
    draws = posterior.sample(1_000_000, np.random.default_rng(1))
    wrong = (posterior.scores(draws, X) > 0) != (y == "yes")
    observed = wrong.mean(axis=0)
    error = np.sqrt(exact * (1 - exact) / 1e6) + 1e-9
    assert np.all(np.abs(observed - exact) < 5 * error)


def test_zero_one_against_mpmath_at_extreme_margins():
    for margin in (-40.0, -20.0, -5.0, -1e-8, 0.0, 1e-8, 3.0, 8.0, 37.0):
        for spread in (1e-3, 1.0, 1e3):
            posterior = pb.Gaussian([margin * spread], spread**2)
            value = posterior.zero_one([[1.0]], [1], classes=(0, 1))[0]
            exact = mpmath.ncdf(-(mpf(margin * spread) / mpf(spread)))
            assert value == pytest.approx(float(exact), rel=1e-12, abs=1e-300)


def test_ties_and_zero_variance():
    """The rule says positive only where w.x > 0, so at x = 0 it is certainly negative."""
    posterior = pb.Gaussian([1.0, 1.0], 1.0)
    X = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, -1.0], [1.0, -1.0]])
    assert posterior.zero_one(X, [0, 1, 0, 1]).tolist() == [0.0, 1.0, 0.5, 0.5]


def test_sparse_equals_dense():
    X, y, rng = problem(n=300, d=6)
    X[rng.random(X.shape) < 0.6] = 0.0
    for covariance in (0.3, rng.random(7) + 0.1, random_covariance(rng, 7)):
        posterior = pb.Gaussian(rng.normal(size=7), covariance, intercept=True)
        np.testing.assert_allclose(posterior.zero_one(sp.csr_matrix(X), y), posterior.zero_one(X, y), rtol=1e-12)
        assert posterior.zero_one(sp.csc_array(X), y).shape == (300,)


@pytest.mark.parametrize("form", ["isotropic", "full"])
def test_grids_equal_one_at_a_time(form):
    X, y, rng = problem(n=50, d=4)
    covariance = 0.5 if form == "isotropic" else random_covariance(rng, 5)
    posterior = pb.Gaussian(rng.normal(size=5), covariance, intercept=True)
    prior = pb.Gaussian(np.zeros(5), random_covariance(rng, 5), intercept=True)
    target, scales, steps = rng.normal(size=5), np.array([0.1, 0.5, 1.0, 2.0]), np.array([0.0, 0.3, 1.0])
    losses = posterior.zero_one(X, y, scales=scales, towards=target, steps=steps)
    divergences = posterior.kl(prior, scales=scales, towards=target, steps=steps)
    assert losses.shape == (3, 4, 50)
    assert divergences.shape == (3, 4)
    for i, step in enumerate(steps):
        for j, scale in enumerate(scales):
            single = posterior.moved(target, step).scaled(scale)
            np.testing.assert_allclose(losses[i, j], single.zero_one(X, y), rtol=1e-12, atol=1e-300)
            assert divergences[i, j] == pytest.approx(single.kl(prior), rel=1e-12)
    assert posterior.zero_one(X, y, scales=scales).shape == (4, 50)


def _mp_kl(m, s, m0, s0):
    s, s0 = mpmath.matrix(s.tolist()), mpmath.matrix(s0.tolist())
    difference = mpmath.matrix((m - m0).tolist())
    inverse = s0**-1
    product = inverse * s
    trace = mpmath.fsum(product[i, i] for i in range(len(m)))
    distance = (difference.T * inverse * difference)[0]
    return (trace + distance - len(m) + mpmath.log(mpmath.det(s0)) - mpmath.log(mpmath.det(s))) / 2


@given(st.integers(1, 5), st.integers(0, 10_000))
@settings(max_examples=60)
def test_kl_against_mpmath(d, seed):
    rng = np.random.default_rng(seed)
    m, m0 = rng.normal(size=d), rng.normal(size=d)
    forms = [np.full(d, rng.random() + 0.1), rng.random(d) + 0.01, random_covariance(rng, d)]
    for covariance in forms:
        for other in forms:
            posterior, prior = pb.Gaussian(m, covariance), pb.Gaussian(m0, other)
            exact = _mp_kl(m, posterior.covariance, m0, prior.covariance)
            assert posterior.kl(prior) == pytest.approx(float(exact), rel=1e-9, abs=1e-12)


def test_kl_is_stable_next_to_the_prior():
    prior = pb.Gaussian(np.zeros(50), 1.0)
    tiny = pb.Gaussian(np.full(50, 1e-9), 1.0 + 1e-9)
    expected = 50 * (1e-18 + 0.5e-18) / 2
    assert tiny.kl(prior) == pytest.approx(expected, rel=1e-6)
    assert prior.kl(prior) == 0.0


def test_labels_of_any_two_values():
    X, y, rng = problem()
    posterior = pb.Gaussian(rng.normal(size=4), 0.2)
    reference = posterior.zero_one(X, y == "yes")
    for labels in (y, np.where(y == "yes", 7, 3), np.where(y == "yes", 1, -1), np.where(y == "yes", 2.5, -0.5)):
        np.testing.assert_array_equal(posterior.zero_one(X, labels), reference)
    np.testing.assert_allclose(posterior.zero_one(X, y, classes=("yes", "no")), 1.0 - reference, rtol=1e-12)


def test_scales_and_steps_must_make_sense():
    posterior = pb.Gaussian([2.0], 1.0)
    for bad in (-1.0, 0.0, math.nan, math.inf):
        for call in (
            lambda s: posterior.zero_one([[1.0], [-1.0]], [0, 1], scales=s),
            lambda s: posterior.kl(posterior, scales=s),
        ):
            with pytest.raises(ValueError, match="'scales' argument of Gaussian"):
                call(bad)
    with pytest.raises(ValueError, match="'steps' argument of Gaussian"):
        posterior.zero_one([[1.0], [-1.0]], [0, 1], towards=[1.0], steps=math.nan)


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-150, 1.0, 1e150, 1e200, 1e300])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_rows_of_any_size(size, kind):
    X = np.array([[size, 0.0], [-size, size]])
    matrix = sp.csr_matrix(X) if kind == "sparse" else X
    expected = pb.Gaussian([1.0, 0.5], 1.0).zero_one(np.sign(X), [1, 0])
    for covariance in (1.0, [1.0, 1.0], np.eye(2)):
        losses = pb.Gaussian([1.0, 0.5], covariance).zero_one(matrix, [1, 0], towards=[1.0, 0.5], steps=[0.0, 1.0])
        np.testing.assert_allclose(losses, [expected, expected], rtol=1e-12)
    if size > 1.0:  # beside which an intercept is nothing
        huge = pb.Gaussian([1.0, 0.5, 7.0], 1.0, intercept=True).zero_one(matrix, [1, 0])
        np.testing.assert_allclose(huge, expected, rtol=1e-9)


X2, Y2 = np.eye(2), np.array([0, 1])
BAD = [
    (lambda: pb.Gaussian([0.0], 1.0).zero_one(X2, Y2), "'X' argument of Gaussian.zero_one must have 1 columns.* Got 2"),
    (lambda: pb.Gaussian([0.0, 0.0], 1.0).zero_one(X2 * math.nan, Y2), "Input X contains NaN"),
    (
        lambda: pb.Gaussian([0.0, 0.0], np.eye(2)).zero_one(np.diag([math.inf, 1.0]), Y2),
        "Input X contains NaN or inf",
    ),
    (
        lambda: pb.Gaussian([0.0, 0.0], 1.0).zero_one(sp.csr_matrix(X2 * math.nan), Y2),
        "Input X contains NaN or infinity",
    ),
    (lambda: pb.Gaussian([0.0, 0.0], 1.0).zero_one(X2, [1, 1]), r"exactly two distinct labels.* Got 1: \[1\]"),
    (
        lambda: pb.Gaussian([0.0, 0.0], 1.0).zero_one(np.ones((3, 2)), [0, 1, 2]),
        r"exactly two distinct labels.* Got 3: \[0, 1, 2\]",
    ),
    (lambda: pb.Gaussian([0.0, 0.0], 1.0).zero_one(X2, [0, 5], classes=(0, 1)), "must hold only .* Got .*5"),
    (lambda: pb.Gaussian([0.0, 0.0], 1.0).zero_one(X2, [0.0, math.nan]), "must not contain NaN"),
    (lambda: pb.Gaussian([0.0, 0.0], 1.0).zero_one(X2, [0, 1, 1]), "one label per row of X"),
    (lambda: pb.Gaussian([0.0, 0.0], 1.0).zero_one(X2, Y2, classes=(1, 1)), "two different labels"),
    (lambda: pb.Gaussian([0.0, 0.0], 1.0).zero_one(X2, Y2, scales=[0.0]), "'scales' .* must be positive"),
    (lambda: pb.Gaussian([0.0, 0.0], -1.0), "'covariance' argument of Gaussian must be positive. Got -1.0"),
    (lambda: pb.Gaussian([0.0, 0.0], [1.0, 0.0]), "'covariance' argument of Gaussian must be positive. Got 0.0"),
    (lambda: pb.Gaussian([0.0, 0.0], [1.0, 1.0, 1.0]), r"one variance per weight \(2\). Got 3"),
    (lambda: pb.Gaussian([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]]), "must be positive definite"),
    (lambda: pb.Gaussian([0.0, 0.0], [[1.0, 0.5], [0.0, 1.0]]), "must be symmetric"),
    (lambda: pb.Gaussian([0.0, 0.0], np.eye(3)), "must be 2 x 2"),
    (lambda: pb.Gaussian([0.0, 0.0], [[1.0, 1.0], [0.0, 1.0]], cholesky=True), "lower triangular Cholesky factor"),
    (lambda: pb.Gaussian([0.0, 0.0], math.nan), "'covariance' argument of Gaussian must be finite"),
    (lambda: pb.Gaussian([math.inf], 1.0), "'mean' argument of Gaussian must be finite"),
    (
        lambda: pb.Gaussian([0.0], 1.0).kl(pb.Gaussian([0.0, 0.0], 1.0)),
        "'prior' argument of Gaussian.kl must be a Gaussian over",
    ),
    (lambda: pb.Gaussian([0.0], 1.0).moved([1.0, 2.0], 0.5), "'towards' argument of Gaussian must have the shape"),
    (lambda: pb.Gaussian(np.zeros((3, 2)), 1.0).zero_one(X2, Y2), "exact for two classes only.*MonteCarlo"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
