"""RefittedLogistic: the exact minimiser, from any start, on hard problems too."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

import pacbayes as pb

SAMPLE = pb.datasets.make_known_risk(700, d=4, random_state=0)
SMALL = pb.datasets.make_known_risk(400, d=3, random_state=0)


def test_refitted_logistic_is_the_exact_minimiser_whatever_came_before():
    X, y = SAMPLE.X, SAMPLE.y
    warm = pb.RefittedLogistic(alpha=0.02)
    for size in (30, 31, 200, 90, 700):
        warm.fit(X[:size], y[:size])
        cold = pb.RefittedLogistic(alpha=0.02, warm_start=False).fit(X[:size], y[:size])
        reference = LogisticRegression(C=1.0 / (0.02 * size), tol=1e-12, max_iter=10_000).fit(X[:size], y[:size])
        np.testing.assert_allclose(warm.weights_, cold.weights_, atol=2e-5)
        np.testing.assert_allclose(warm.coef_, reference.coef_, atol=2e-5)
        np.testing.assert_allclose(warm.predict_proba(X), reference.predict_proba(X), atol=2e-5)
    sparse = pb.RefittedLogistic(alpha=0.02).fit(sp.csr_matrix(X), y)
    np.testing.assert_allclose(sparse.weights_, warm.weights_, atol=2e-5)


def test_refitted_logistic_on_hard_problems():
    rng = np.random.default_rng(0)
    separable = rng.normal(size=(100, 2))
    problems = [
        (separable, separable[:, 0] > 0),
        (rng.normal(size=(20, 60)), rng.random(20) < 0.5),
        (np.column_stack([SMALL.X, np.zeros(400), np.ones(400)]), SMALL.y),
        (SMALL.X * [1e-4, 1.0, 1e3], SMALL.y),
    ]
    for X, y in problems:
        model = pb.RefittedLogistic(alpha=0.01).fit(X, y)
        assert np.isfinite(model.weights_).all()
    for alpha in (math.inf, math.nan):
        with pytest.raises(ValueError, match="positive and finite"):
            pb.RefittedLogistic(alpha=alpha).fit(SMALL.X, SMALL.y)
    model = pb.RefittedLogistic().fit(SMALL.X, SMALL.y)
    with pytest.raises(ValueError, match="NaN"):
        model.predict(SMALL.X * math.nan)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pb.RefittedLogistic(alpha=0.0).fit(SAMPLE.X, SAMPLE.y), r"'alpha' parameter of RefittedLogistic"),
        (lambda: pb.RefittedLogistic(C=-1.0).fit(SAMPLE.X, SAMPLE.y), r"'C' parameter of RefittedLogistic"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
