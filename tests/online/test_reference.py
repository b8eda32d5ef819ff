"""What can be said of a reference: its summary, its anytime bound, fixed and zero references."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb

SAMPLE = pb.datasets.make_known_risk(700, d=4, random_state=0)
SMALL = pb.datasets.make_known_risk(400, d=3, random_state=0)
ARGUMENTS = {"schedule": pb.Every(50), "shuffle": False}


def test_summary_pairs_each_row_with_its_own_reference():
    reference = pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, schedule=pb.Every(50), random_state=3)
    summary = reference.summary(reference.by_row(), rates=[0.5])
    assert summary.plus == summary.minus == 0.0  # compared with itself nothing is left


def test_anytime_bound_equals_betting_at_each_prefix():
    reference = pb.online_reference(
        pb.StochasticReference(), SAMPLE.X, SAMPLE.y, schedule=pb.Every(100), random_state=0
    )
    rates, weights = pb.bounds.betting_rates()
    curve = reference.bound(0.05)
    for n in (1, 10, 500, 700):
        growth = np.log1p(-np.outer(rates, reference.losses[:n])).mean(axis=1)
        assert curve[n - 1] == pytest.approx(pb.bounds.betting(growth, rates, 0.0, n, 0.05, weights), abs=1e-12)


def test_anytime_bound_is_not_below_the_summary():
    reference = pb.online_reference(GaussianNB(), SMALL.X, SMALL.y, loss="brier", **ARGUMENTS)
    rates, weights = pb.bounds.betting_rates()
    summary = reference.summary(np.zeros(400))
    exact = pb.bounds.betting(summary.reference_log_growth, rates, 0.0, 400, 0.05, weights)
    assert reference.bound(0.05)[-1] >= exact


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: pb.fixed_reference(np.array([2.0]), None, None),
            r"'predictor' argument of fixed_reference must lie in",
        ),
        (lambda: pb.zero_reference(3).summary([0.1]), r"one entry per row \(3\)"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
