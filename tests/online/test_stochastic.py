"""Stochastic and learned references, beside fixed and zero ones."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb

SAMPLE = pb.datasets.make_known_risk(700, d=4, random_state=0)


def test_stochastic_learned_fixed_and_zero_references():
    arguments = {"schedule": pb.Every(100), "random_state": 0}
    stochastic = pb.online_reference(pb.StochasticReference(variance=0.05), SAMPLE.X, SAMPLE.y, **arguments)
    plain = pb.online_reference(pb.RefittedLogistic(), SAMPLE.X, SAMPLE.y, **arguments)
    assert abs(stochastic.losses.mean() - plain.losses.mean()) < 0.03
    learned = pb.online_reference(pb.LearnedReference(), SAMPLE.X, SAMPLE.y, **arguments)
    final = pb.RefittedLogistic().fit(SAMPLE.X, SAMPLE.y).predict(SAMPLE.X) != SAMPLE.y
    tail = learned.order[200:]
    assert np.corrcoef(learned.losses[200:], final[tail])[0, 1] > 0.5  # it knows which examples are hard
    fixed = pb.fixed_reference(GaussianNB().fit(SAMPLE.X[:100], SAMPLE.y[:100]), SAMPLE.X[100:], SAMPLE.y[100:])
    assert fixed.kind == "fixed"
    assert fixed.losses.mean() < 0.4
    expected = np.full(600, 0.1)
    assert fixed.summary(expected).reference_kind == "fixed"
    assert pb.zero_reference(600).summary(expected).reference_kind == "none"
    assert plain.summary(np.full(700, 0.2)).reference_kind == "predictable"
    np.testing.assert_array_equal(plain.by_row()[plain.order], plain.losses)


def test_stochastic_reference_over_draws_for_several_classes():
    X, y = load_iris(return_X_y=True)
    linear = LogisticRegression(max_iter=1000)
    arguments = {"schedule": pb.Every(40), "random_state": 0}
    averaged = pb.online_reference(pb.StochasticReference(linear, 1e-3), X, y, **arguments)
    plain = pb.online_reference(linear, X, y, **arguments)
    assert abs(averaged.losses.mean() - plain.losses.mean()) < 0.05
    again = pb.online_reference(pb.StochasticReference(linear, 1e-3), X, y, **arguments)
    np.testing.assert_array_equal(averaged.losses, again.losses)
    unseen = pb.StochasticReference().fit(X[:100], y[:100]).reference_losses(X[100:], y[100:])
    assert np.all(unseen == 1.0)  # a label that was not met in the past
