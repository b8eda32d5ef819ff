"""Coverage by sums of binomial probabilities: how often a bound on counted errors fails, exactly, at several delta.

A simulation at one delta cannot tell a theorem whose dependence on delta is wrong from one that is right.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import pacbayes as pb

from coverage.test_coverage import risk_bounds

SIZES, DELTAS = (41, 200, 1000), (0.05, 0.01, 1e-3)
RISKS = np.linspace(0.05, 0.95, 19)
ROUNDING = 1e-9  # of the sums, relative


def count_bounds(n, delta):
    """Every bound for one fixed predictor, with its values for 0 to n errors among n rows."""
    losses = np.tri(n + 1, n, -1)
    yield from risk_bounds(losses, 0.0, n, delta)
    yield "progressive_chernoff", pb.bounds.progressive_chernoff(losses.mean(axis=1), n, delta)


def most_failures(values, n):
    """The largest probability that a bound is below the true risk; for a tight one that is just above a value."""
    risks = np.concatenate([RISKS, np.nextafter(values[:: max(n // 40, 1)], 1.0)])
    chances = binom.pmf(np.arange(n + 1), n, risks[:, None])
    return np.sum(chances * (values < risks[:, None]), axis=1).max()


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("n", SIZES)
def test_no_bound_on_counted_errors_fails_more_often_than_delta(n, delta):
    found = {name: most_failures(values, n) for name, values in count_bounds(n, delta)}
    assert not {name: chance for name, chance in found.items() if not chance <= delta * (1.0 + ROUNDING)}
    assert found["clopper_pearson"] > 0.999 * delta, "the worst risk was not among those tried"


def test_every_bound_that_reads_a_risk_or_errors_alone_is_tried():
    tried = {name.split()[0] for name, _ in count_bounds(41, 0.05)}
    read = {entry.name for entry in pb.bounds.catalogue() if entry.statistics in (("risk",), ("errors",))}
    assert read <= tried, "add it to risk_bounds of test_coverage.py"


@pytest.mark.parametrize("delta", DELTAS)
def test_a_slope_in_delta_that_is_half_of_what_is_proved_is_caught(delta):
    """The planted mistake passes every simulation at a delta of 0.05."""
    n = 1000
    wrong = np.minimum(np.arange(n + 1) / n + np.sqrt(np.log(1.0 / delta) / (4.0 * n)), 1.0)
    assert (most_failures(wrong, n) > delta) == (delta < 0.05)
