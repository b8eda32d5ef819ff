"""The table of statistics: complete, consistent with itself, and read by everything that needs it."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pacbayes as pb
from pacbayes import statistics
from pacbayes._core.arguments import DOMAINS
from pacbayes.cli.bound import bound

RATES, WEIGHTS = np.array([0.9, 0.4, 0.05]), np.array([0.2, 0.3, 0.5])
MEANS = {entry.name: entry for entry in statistics.means()}
COMBINED = {"strength", "risk_second", "reference_second"}  # read where parts are put together
COUNTS = {"errors", "frequencies", "values"}  # of 0-1 losses alone, which a summary of any losses does not have


def test_a_statistic_of_a_bound_is_in_the_table():
    read = {name for record in pb.bounds.catalogue() if record.reads_summary for name in record.statistics}
    assert read <= set(statistics.TABLE), "add an entry to pacbayes/statistics/table.py"


def test_every_statistic_is_read():
    """One that nobody reads is not free: after draws, all statistics of a summary share their part of delta."""
    read = {name for record in pb.bounds.catalogue() if record.reads_summary for name in record.statistics}
    assert set(statistics.TABLE) - read == COMBINED, "name it among the arguments of a bound"


@pytest.mark.parametrize("entry", statistics.TABLE.values(), ids=lambda entry: entry.name)
def test_an_entry_is_complete(entry):
    assert entry.name in DOMAINS, "add its domain to pacbayes/_core/arguments.py"
    assert entry.help.endswith(".")
    is_mean, is_derived = isinstance(entry, statistics.Mean), entry.derived is not None
    assert is_mean + is_derived == (entry.name not in {"strength", "rates", "weights"}), "say how it is computed"


unit = st.floats(0.0, 1.0)


@pytest.mark.parametrize("name", MEANS)
@given(p=unit, r=unit, strength=unit)
def test_expected_losses_are_averages_of_real_ones(name, p, r, strength):
    """The two formulas of an entry are one: a loss is 1 with probability p, else 0."""
    entry = MEANS[name]
    expected = entry.expected(statistics.ExpectedLosses.of(np.array([p]), np.array([r]), strength, RATES))
    one, zero = (
        entry.values(statistics.RealLosses.of(np.array([loss]), np.array([r]), strength, RATES[:, None]))
        for loss in (1.0, 0.0)
    )
    np.testing.assert_allclose(expected, p * one + (1.0 - p) * zero, atol=1e-15, rtol=1e-13)


@pytest.mark.parametrize("name", MEANS)
@given(loss=unit, r=unit, strength=unit)
def test_every_example_lies_within_the_limits(name, loss, r, strength):
    entry = MEANS[name]
    value = entry.values(statistics.RealLosses.of(np.array([loss]), np.array([r]), strength, RATES[:, None]))
    low, high = entry.limits(strength, RATES)
    assert np.all(np.ravel(value) >= np.asarray(low) - 1e-15)
    assert np.all(np.ravel(value) <= np.asarray(high) + 1e-15)


@pytest.mark.parametrize("strength", [1.0, 0.6, 0.0])
def test_outcomes_give_what_a_summary_gives(strength):
    rng = np.random.default_rng(3)
    losses, reference = (rng.random((2, 500)) < 0.2).astype(float)
    options = {"strength": strength, "rates": RATES, "weights": WEIGHTS}
    summary = pb.Summary.from_losses(losses, reference, reference_kind="fixed", **options)
    counts = int(losses.sum()), int(reference.sum()), int((losses * reference).sum())
    found = statistics.from_outcomes(500, *counts, **options)
    assert set(found) == set(statistics.TABLE)
    assert set(summary.statistics()) == set(found) - COUNTS
    for name, value in summary.statistics().items():
        np.testing.assert_allclose(found[name], value, atol=1e-14, err_msg=name)
        np.testing.assert_array_equal(getattr(summary, name), value, err_msg=name)
    assert found["errors"] == counts[0]
    assert found["frequencies"] @ found["values"] == found["risk"]


def test_many_posteriors_at_once():
    errors, both = np.array([[8.0, 9.5], [11.25, 30.0]]), np.array([[6.0, 2.5], [1.0, 10.0]])
    together = statistics.from_outcomes(100, errors, 10, both, strength=0.7, rates=RATES, weights=WEIGHTS)
    for index in np.ndindex(errors.shape):
        alone = statistics.from_outcomes(
            100, errors[index], 10, both[index], strength=0.7, rates=RATES, weights=WEIGHTS
        )
        for name, entry in statistics.TABLE.items():
            value = together[name]
            shared = entry.per is not None and name in {
                "rates",
                "weights",
                "values",
                "strengths",
                "reference_log_growth",
            }
            part = value if shared or np.ndim(value) == 0 else value[index]
            np.testing.assert_array_equal(part, alone[name], err_msg=name)


def test_large_counts_stay_counts():
    for errors in (0, 1, 123_456_789, 2**40 + 1):
        assert statistics.from_outcomes(2**41, errors, rates=RATES, weights=WEIGHTS)["errors"] == errors


def test_outcomes_refuse_what_is_no_count():
    with pytest.raises(ValueError, match=r"'errors' argument of from_outcomes must lie between 0 and n\. Got 11\.0"):
        statistics.from_outcomes(10, 11, rates=RATES, weights=WEIGHTS)


def test_every_statistic_of_a_bound_is_an_option_of_the_command():
    offered = set(inspect.signature(bound).parameters)
    assert {name for record in pb.bounds.catalogue() for name in pb.bounds.arguments_of(record)} <= offered


def test_a_summary_has_what_the_bounds_it_feeds_read():
    summary = pb.Summary.from_losses([0.1, 0.3], rates=RATES)
    for name in summary.feeds:
        assert set(pb.bounds.get(name).statistics) <= set(summary.statistics()), name
