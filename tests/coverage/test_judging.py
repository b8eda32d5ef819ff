"""The judge of simulations: what is proven ends a study, and what fails too often is never taken for proven."""

import numpy as np
import pytest
from scipy.stats import binom

from coverage.judging import LEVEL, LOOKS, SETTLED, repeat, too_often, too_rarely


def drawn(seed, share):
    """Runs that fail with a given probability."""
    generator = np.random.default_rng(seed)
    return lambda _: bool(generator.random() < share)


@pytest.mark.parametrize("delta", [0.05, 0.2, 0.5])
def test_a_bound_that_fails_as_often_as_it_may_is_never_ended_early(delta):
    assert all(len(repeat(drawn(seed, delta), 1000, delta, bool)) == 1000 for seed in range(50))


@pytest.mark.parametrize(("delta", "looks"), [(0.5, 50), (0.2, 100), (0.05, 300)])
def test_a_bound_that_never_fails_is_proven_as_soon_as_it_can_be(delta, looks):
    assert len(repeat(drawn(0, 0.0), 5000, delta, bool)) == looks
    assert (1.0 - delta) ** looks < SETTLED


def test_without_delta_all_runs_are_made():
    assert len(repeat(drawn(0, 0.0), 500)) == 500


def test_every_statement_of_a_run_must_be_proven():
    often = drawn(0, 0.5)
    assert len(repeat(lambda run: (0.5, 0.0, 0.0 if often(run) else 1.0, 0.5), 400, 0.5)) == 400


def test_a_faulty_bound_is_caught_as_often_as_if_no_study_were_ended():
    """The chance that a study of a bound with one failure too many in ten ends early, exactly, over all looks."""
    for delta in (0.05, 0.2, 0.5):
        most = [max((k for k in range(n) if too_rarely(k, n, delta)), default=-1) for n in LOOKS]
        assert sum(binom.cdf(k, n, delta) for k, n in zip(most, LOOKS, strict=True)) <= len(LOOKS) * SETTLED < LEVEL
    found = repeat(drawn(1, 0.6), 2000, 0.5, bool)
    assert too_often(sum(found), len(found), 0.5)
