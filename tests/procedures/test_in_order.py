"""Rows that were not shuffled: the guarantee holds for the distribution of the later rows, whatever came before."""

import numpy as np
import pytest
from scipy.stats import binom, norm
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb


def draw(generator, rows, shift, angle):
    """Two classes a distance of two apart, in a direction and at a place that change with time."""
    y = generator.integers(0, 2, rows)
    direction = np.array([np.cos(angle), np.sin(angle)])
    return generator.normal(size=(rows, 2)) + np.outer(2.0 * y - 1.0, direction) + shift, y


def true_error(model, generator, shift, angle):
    X, y = draw(generator, 10_000, shift, angle)
    return float(np.mean(model.predict(X) != y))


@pytest.mark.parametrize("delta", [0.5, 0.05])
def test_coverage_under_a_change_between_learning_and_judged_rows(delta, record_worst):
    """The learning rows are of another distribution each time; of the judged rows alone anything is assumed."""
    generator, runs, wrong, drifted = np.random.default_rng(0), 200, 0, 0
    for _ in range(runs):
        angle = generator.uniform(0.0, 1.5)
        X, y = draw(generator, 60, 0.0, 0.0)
        later, labels = draw(generator, 60, 0.3, angle)
        model = pb.CertifiedClassifier(GaussianNB(), delta=delta, split=0.5, random_state=0)
        model.fit(np.vstack([X, later]), np.concatenate([y, labels]), in_order=True)
        error = true_error(model, generator, 0.3, angle)
        wrong += error > model.certificate_.value
        drifted += error > norm.cdf(-1.0) + 0.1
    assert drifted > runs / 4
    record_worst(f"rows in order: wrong at delta {delta}", wrong / runs)
    assert wrong <= binom.ppf(1.0 - 1e-4, runs, delta)


def test_a_sorted_sample_is_not_what_a_shuffled_one_is():
    """Where the later rows are harder, only the order of time tells; where all are alike, both say the same."""
    generator = np.random.default_rng(1)
    parts = [draw(generator, 400, 0.0, 0.0), draw(generator, 400, 0.0, 3.0)]
    X, y = np.vstack([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
    by_time, shuffled = (
        pb.CertifiedClassifier(GaussianNB(), split=0.5, random_state=0).fit(X, y, in_order=so).certificate_.value
        for so in (True, False)
    )
    assert by_time > 0.8
    assert shuffled < 0.65


def test_without_a_seed_one_is_drawn_and_the_order_is_that_of_the_rows():
    X, y = draw(np.random.default_rng(0), 200, 0.0, 0.0)
    certificate = pb.CertifiedClassifier(GaussianNB(), split=0.5).fit(X, y, in_order=True).certificate_
    assert certificate.seed is not None
    assert certificate.notes == ()
    assert certificate.verify()
    assert certificate.period is None
    assert "on rows like the judged ones, which came last, is at most" in certificate.sentence()
