"""Coverage of networks: learned over and over on a distribution of known risk, they fail in at most delta of the runs.

A row is one of few cells, whose labels have known probabilities, so that the true error of a network that is drawn for
each row is a finite sum. The stand-in for a network learns each cell by heart; its posterior from the judged rows too.
What must not be done is planted and caught: a divergence that is not counted, and draws that are repeated until they
look well.
"""

from dataclasses import replace

import numpy as np
import pytest

from pacbayes.certificate import Drawn, Statement, evaluate_statement, expected_limit
from pacbayes.posteriors import expected_zero_one
from pacbayes.procedures import Network, Sample, draw_order

from coverage.judging import repeat, too_often
from procedures.linear_network import LinearLearner

CELLS, CLASSES, ROWS = 12, 3, 120
TRUTH = np.random.default_rng(0).dirichlet(np.full(CLASSES, 0.5), CELLS)  # of the labels, in each cell
RUNS = [80, pytest.param(2000, marks=pytest.mark.long)]
KINDS = {
    "exact": ({}, {}),
    "exact, close to the prior": ({"prior_scale": 1.0, "scale": 1.0}, {}),
    "exact, maurer": ({}, {"bound": "maurer"}),
    "exact, rate": ({"rate": 0.5}, {}),
    "drawn": ({"is_drawn": True}, {}),
    "drawn, close to the prior": ({"is_drawn": True, "prior_scale": 1.0, "scale": 1.0}, {}),
    "drawn, 3 passes": ({"is_drawn": True}, {"passes": 3}),
    "prior": ({"is_prior": True}, {}),
    "no data in the prior": ({}, {"fraction": 0.0}),
    "no data in the prior, settled": ({"is_prior": True}, {"fraction": 0.0}),
}


class CellLearner(LinearLearner):
    """Weights are the shares of the labels in each cell, with one row of each label besides."""

    def _means(self, sample, rows):
        cells, labels = sample.X[rows].argmax(axis=1), sample.y[rows]
        counts = np.ones((CLASSES, CELLS + 1))
        np.add.at(counts, (labels, cells), 1.0)
        counts[:, -1] = 0.0
        return 3.0 * counts / np.maximum(counts.sum(axis=0), 1.0)


def draw(run):
    generator = np.random.default_rng(run)
    cells = generator.integers(CELLS, size=ROWS)
    labels = (generator.random(ROWS)[:, None] > np.cumsum(TRUTH[cells], axis=1)).sum(axis=1)
    return Sample(np.eye(CELLS)[cells], labels, *draw_order(run, ROWS), run)


def true_risk(network):
    means, variances = (np.repeat(each, CLASSES, axis=0) for each in network.scores(np.eye(CELLS)))
    errors = expected_zero_one(means, variances, np.tile(np.arange(CLASSES), CELLS))
    return float(np.mean(np.sum(TRUTH * errors.reshape(CELLS, CLASSES), axis=1)))


def learner(**options):
    return CellLearner(classes=CLASSES, **options)


@pytest.mark.parametrize("delta", [0.05, 0.2])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("runs", RUNS)
def test_certificates_hold(kind, delta, runs, judge):
    options, given = KINDS[kind]
    network = Network(**{"learner": learner(**options), "fraction": 0.5, "delta": delta} | given)
    runs = 5 * runs if "is_prior" in options else runs  # whose limit is exact, and fails as often as it may

    def fit(run):
        sample = draw(run)
        truth = true_risk(network.learner.learn(sample, int(network.fraction * ROWS)))
        return network.run(sample).certificate.value, truth

    judge(f"network, {kind}, delta {delta}", *np.array(repeat(fit, runs, delta)).T, delta)


def test_a_divergence_that_is_not_counted_is_caught():
    """A posterior that has the judged rows by heart, judged on them as if it had not."""
    wrong, runs = 0, 100
    for run in range(runs):
        sample = draw(run)
        network = replace(learner(scale=0.1).learn(sample, 0), mean=2.0 * learner().learn(sample, 0).mean)
        errors = network.draw_errors(sample, 0, 1, run)
        statement = Statement(about="prior_draw", n=ROWS, observed={"errors": errors}, bound="clopper_pearson")
        wrong += evaluate_statement(statement, 0.2) < true_risk(network)
    assert too_often(wrong, runs, 0.2)


def test_draws_that_are_repeated_until_they_look_well_are_caught():
    wrong, runs = 0, 100
    for run in range(runs):
        sample = draw(run)
        network = learner(is_prior=True).learn(sample, 60)
        errors = min(network.draw_errors(sample, 60, 1, seed) for seed in range(30))
        statement = Statement(about="prior_draw", n=60, observed={"errors": errors}, bound="clopper_pearson")
        wrong += evaluate_statement(statement, 0.2) < true_risk(network)
    assert too_often(wrong, runs, 0.2)


def test_the_limit_on_the_expected_error_holds_for_unequal_means():
    """Rows of every difficulty: given them, the limit on draws fails in at most its part of delta."""
    generator, chances = np.random.default_rng(5), np.repeat([0.0, 0.02, 0.5, 0.9], [40, 30, 20, 10])
    counts = (generator.random((4000, 3, 100)) < chances).sum(axis=(1, 2))
    limits = {
        count: expected_limit(
            Statement(about="network_draw", n=100, observed={}, bound="maurer", drawn=Drawn(int(count), 300, 0.1)), 0.5
        )
        for count in np.unique(counts)
    }
    wrong = sum(limits[count] < chances.mean() for count in counts)
    assert not too_often(wrong, counts.size, 0.05)
