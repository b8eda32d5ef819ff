"""Binomial probabilities in logarithms: never below 50 digits of them, and close, up to n = 2^53."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from pacbayes.numerics.binomial import log_binomial_probability, log_binomial_tail, log_choose


@pytest.fixture(autouse=True)
def digits():
    with mpmath.workdps(50):
        yield


def _log_choose(n, k):
    return mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)


def _points(count, largest):
    rng = np.random.default_rng(0)
    for _ in range(count):
        n = int(10 ** rng.uniform(0.0, largest))
        k = int(n * rng.random() ** rng.integers(1, 8))
        p = k / n + (1.0 - k / n) * rng.random() ** rng.integers(1, 20)
        if 0.0 < p < 1.0:
            yield n, k, p


def _arrays(*numbers):
    return [np.array(float(x)) for x in numbers]


def test_probabilities_and_coefficients():
    for n, k, p in _points(1000, 15.9):
        choose = _log_choose(n, k)
        exact = choose + k * mpmath.log(mpf(p)) + (n - k) * mpmath.log1p(-mpf(p))
        error = mpf(float(log_binomial_probability(*_arrays(k, n, p)))) - exact
        assert -1e-25 <= error <= 1e-12 * (1 + abs(exact)), (n, k, p)
        error = mpf(float(log_choose(*_arrays(n, k)))) - choose
        assert -1e-25 <= error <= 1e-12 * (1 + choose), (n, k)


def test_tails():
    for n, k, p in _points(400, 3.3):
        exact, term = mpf(0), mpf(1)
        for j in range(k + 1):
            exact += term
            term *= mpf(k - j) / (n - k + j + 1) * (1 - mpf(p)) / mpf(p)
        exact = mpmath.log(exact) + _log_choose(n, k) + k * mpmath.log(mpf(p)) + (n - k) * mpmath.log1p(-mpf(p))
        error = mpf(float(log_binomial_tail(*_arrays(k, n, p)))) - exact
        assert 0 <= error <= (1e-10 * (1 + abs(exact)) if k <= 64 else 0.05), (n, k, p)
