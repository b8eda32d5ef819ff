"""Finite posteriors against their definition, with predictors of any classes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier

import pacbayes as pb


class TestFinite:
    def test_against_the_definition(self):
        rng = np.random.default_rng(0)
        losses, weights, prior = rng.random((5, 40)), rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5))
        posterior = pb.Finite(weights, losses=losses)
        assert posterior.kl(prior) == pytest.approx(np.sum(weights * np.log(weights / prior)), rel=1e-12)
        summary = posterior.summary(rates=[0.3])
        assert summary.risk == pytest.approx((weights @ losses).mean(), rel=1e-14)
        assert summary.second == pytest.approx((weights @ losses**2).mean(), rel=1e-14)
        assert summary.log_growth[0] == pytest.approx((weights @ np.log1p(-0.3 * losses)).mean(), rel=1e-13)
        assert pb.Finite([1.0, 0.0], losses=[[0.0], [1.0]]).kl([0.0, 1.0]) == math.inf

    def test_predictors(self):
        X, y = load_iris(return_X_y=True)
        models = [DummyClassifier(strategy="constant", constant=c).fit(X, y) for c in range(3)]
        posterior = pb.Finite([0.5, 0.25, 0.25], models)
        assert posterior.summary(X, y).risk == pytest.approx(2 / 3)
        assert posterior.summary(X, y, loss="brier").risk == pytest.approx(2 / 3)

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: pb.Finite([0.5, 0.5]), "either 'predictors' or 'losses'"),
            (
                lambda: pb.Finite([0.5, 0.4], losses=np.zeros((2, 3))),
                "'weights' argument of Finite must sum to 1. Got 0.9",
            ),
            (lambda: pb.Finite([0.5, 0.5], losses=np.zeros((3, 3))), r"one entry per predictor \(3\). Got 2"),
            (
                lambda: pb.Finite([0.5, 0.5], losses=np.full((2, 3), 1.5)),
                "'losses' argument of Finite must lie in .* Got 1.5",
            ),
            (lambda: pb.Finite([1.0], losses=np.zeros((1, 3))).kl([2.0]), "'prior' argument of Finite must lie in"),
        ],
    )
    def test_bad_input(self, call, message):
        with pytest.raises(ValueError, match=message):
            call()


class Fixed:
    """Gives the same probabilities to every row."""

    def __init__(self, classes, probabilities):
        self.classes_, self._p = np.array(classes), np.array(probabilities)

    def predict_proba(self, X):
        return np.tile(self._p, (len(X), 1))


@pytest.mark.parametrize("classes", [(1, 2), ("no", "yes"), (1, 2, 3), ("a", "b", "c")])
def test_probability_losses_follow_the_classes_of_each_predictor(classes):
    p = np.array([0.1, 0.9]) if len(classes) == 2 else np.array([0.05, 0.9, 0.05])
    posterior = pb.Finite([1.0], [Fixed(classes, p)])
    y = np.array(classes)
    losses = posterior.losses(np.zeros((len(y), 1)), y, "log_loss")[0]
    np.testing.assert_allclose(losses, np.log(p) / math.log(1e-3))
    brier = posterior.losses(np.zeros((len(y), 1)), y, "brier")[0]
    np.testing.assert_allclose(brier, [0.5 * (np.sum(p**2) - 2 * q + 1) for q in p])
