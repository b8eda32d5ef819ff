"""The Laplace shape is the inverse Hessian, and needs a vector and a penalty."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

import pacbayes as pb


def problem(n=200, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X @ rng.normal(size=d) + 0.5 * rng.normal(size=n) > 0, "yes", "no")
    return X, y, rng


def test_laplace_covariance_is_the_inverse_hessian():
    X, y, rng = problem(n=400, d=5)
    labels = (y == "yes").astype(int)
    fit = LogisticRegression(C=0.5, tol=1e-10, max_iter=1000).fit(X, labels)
    w = np.append(fit.coef_[0], fit.intercept_)

    def objective(v):
        z = X @ v[:-1] + v[-1]
        return np.sum(np.logaddexp(0.0, z) - labels * z) + (v @ v) / 0.5 / 2

    covariance = pb.laplace_covariance(X, y, w, alpha=2.0, intercept=True)
    h = 1e-4
    numeric = np.array(
        [
            [
                (
                    objective(w + h * (a + b))
                    - objective(w + h * (a - b))
                    - objective(w - h * (a - b))
                    + objective(w - h * (a + b))
                )
                / (4 * h * h)
                for b in np.eye(6)
            ]
            for a in np.eye(6)
        ]
    )
    np.testing.assert_allclose(covariance @ numeric, np.eye(6), atol=1e-4)
    np.testing.assert_allclose(
        pb.laplace_covariance(sp.csr_matrix(X), y, w, alpha=2.0, intercept=True), covariance, rtol=1e-9
    )
    loose = pb.laplace_covariance(X, y, w, alpha=2.0, intercept=True, penalise_intercept=False)
    assert loose[-1, -1] > covariance[-1, -1]
    pb.Gaussian(w, covariance, intercept=True)
    assert pb.laplace_covariance(rng.normal(size=(300, 1500)), rng.random(300) < 0.5, np.zeros(1500), 1.0).shape == (
        1500,
        1500,
    )


X2, Y2 = np.eye(2), np.array([0, 1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: pb.laplace_covariance(X2, Y2, [0.0, 0.0], 0.0),
            "'alpha' argument of laplace_covariance must be positive. Got 0.0",
        ),
        (lambda: pb.laplace_covariance(X2, Y2, [0.0], 1.0), "must have 1 columns"),
        (
            lambda: pb.laplace_covariance(X2, Y2, [[0.0]], 1.0),
            "'weights' argument of laplace_covariance must be a finite vector",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
