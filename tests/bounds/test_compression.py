"""Sample compression and pick-to-learn: published numbers, large n, deep tails, and which is never above which."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

import pacbayes as pb

from bounds import exact_bounds
from fixtures import fixture

sizes = st.integers(0, 60)
rests = st.integers(1, 400)
deltas = st.floats(1e-6, 0.99)


def test_published_results_of_pick_to_learn(record_property):
    """The printed bounds, before their correction; sizes are means of five runs, so values between two sizes count."""
    rows = np.loadtxt(fixture("pick_to_learn.csv"), delimiter=",", skiprows=1)
    n, sizes, printed = rows[rows[:, 2] <= 5000, 1:].T
    assert n.size == 37

    def between(form):
        low, high = (pb.bounds.pick_to_learn(k, n, 0.01, form=form) for k in (np.floor(sizes), np.floor(sizes) + 1))
        return low + (sizes - np.floor(sizes)) * (high - low)

    with pytest.warns(UserWarning, match="not a bound"):
        np.testing.assert_allclose(between("printed"), printed, rtol=0.003)
    larger = between("corrected") / printed
    record_property("line:pick-to-learn: corrected over printed", f"{larger.min():.4f} to {larger.max():.4f}")
    assert larger.min() > 1.02
    assert larger.max() < 1.10
    assert between("corrected").min() == pytest.approx(0.0167, abs=5e-5)


@pytest.mark.parametrize(
    ("size", "errors", "n", "delta"),
    [
        (1068, 0, 48_000, 0.01),
        (4460, 0, 42_000, 0.01),
        (9000, 1, 10_000, 0.05),
        (0, 0, 10**12, 1e-200),
        (3, 0, 10**15, 0.5),
        (100, 1900, 10**6, 1e-9),
    ],
)
@pytest.mark.parametrize("form", ["corrected", "one_sided"])
def test_pick_to_learn_of_large_samples(size, errors, n, delta, form):
    exact = exact_bounds.pick_to_learn(size, n, delta, errors, form=form)
    error = mpf(pb.bounds.pick_to_learn(size, n, delta, errors, form=form)) - exact
    assert 0 <= error <= 1e-20 + 1e-8 * (exact - mpf(size + errors) / n), float(error)


@pytest.mark.parametrize(
    ("errors", "size", "n", "delta"),
    [(0, 300, 1000, 0.05), (2000, 200, 24_000, 0.05), (3, 20_000, 48_000, 0.01), (10**4, 5000, 10**6, 1e-9)],
)
def test_compression_binomial_beyond_the_smallest_double(errors, size, n, delta):
    """Shares of delta down to e^-31,000."""
    exact = exact_bounds.compression_binomial(errors, size, n, delta)
    error = mpf(pb.bounds.compression_binomial(errors, size, n, delta)) - exact
    assert 0 <= error <= 1e-8


@settings(max_examples=20)
@given(sizes, sizes, rests, deltas)
def test_the_one_sided_form_is_below_the_corrected_one(size, errors, rest, delta):
    n = size + errors + rest
    both = (pb.bounds.pick_to_learn(size, n, delta, errors, form=form) for form in ("one_sided", "corrected"))
    assert (size + errors) / n <= next(both) <= next(both) <= 1.0


@settings(max_examples=20)
@given(sizes, sizes, rests, deltas)
def test_orderings_of_compression(size, errors, rest, delta):
    n = size + errors + rest
    risk = errors / (n - size)
    exact = pb.bounds.compression_binomial(errors, size, n, delta)
    anything = pb.bounds.compression(risk, size, n, delta)
    assert exact <= anything + 1e-8  # the slacks of two computations
    assert anything <= pb.bounds.compression(risk, size, n, delta, constant="published") + 1e-12
    if size == 0:  # one predictor for one set of rows: but for the share of its size, Clopper and Pearson's limit
        share = delta * 6.0 / np.pi**2
        assert exact == pytest.approx(pb.bounds.clopper_pearson(errors, n, share), abs=1e-9)


def test_a_choice_among_rules_costs_a_share_of_delta():
    value = pb.bounds.pick_to_learn(20, 1000, 0.05, errors=10, looks=25)
    assert value == pytest.approx(pb.bounds.pick_to_learn(30, 1000, 0.002), abs=1e-12)


@settings(max_examples=20)
@given(sizes, rests, deltas)
def test_more_rows_or_errors_never_lower_a_bound(size, rest, delta):
    n = size + rest + 1
    for form in ("corrected", "one_sided"):
        one, two = (pb.bounds.pick_to_learn(k, n, delta, form=form) for k in (size, size + 1))
        assert one < two or two == 1.0
        assert pb.bounds.pick_to_learn(size, n, delta, 1, form=form) == two


def test_rows_that_were_all_picked_prove_nothing():
    assert pb.bounds.pick_to_learn(10, 10, 0.05) == 1.0
    assert pb.bounds.pick_to_learn(4, 10, 0.05, errors=6) == 1.0
    assert pb.bounds.compression(0.0, 10, 10, 0.05) == 1.0
    assert pb.bounds.compression_binomial(0, 10, 10, 0.05) == 1.0


def test_the_printed_form_is_named_for_what_it_is():
    with pytest.warns(UserWarning, match="'printed' of pick_to_learn is not a bound"):
        printed = pb.bounds.pick_to_learn(339, 24_000, 0.01, form="printed")
    assert printed == pytest.approx(float(exact_bounds.pick_to_learn(339, 24_000, 0.01, form="printed")), rel=1e-9)
    assert printed < pb.bounds.pick_to_learn(339, 24_000, 0.01, form="one_sided")


def test_the_printed_form_fails():
    """A predictor that was fixed beforehand: its errors are the compression set, and 'printed' is below every limit."""
    n, p, delta = 1000, 0.1, 0.001
    errors = np.random.default_rng(0).binomial(n, p, 2000)
    with pytest.warns(UserWarning, match="not a bound"):
        printed = pb.bounds.pick_to_learn(0, n, delta, errors, form="printed")
    assert np.mean(printed < p) > 10 * delta
    assert np.mean(pb.bounds.pick_to_learn(0, n, delta, errors) < p) <= delta


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pb.bounds.pick_to_learn(11, 10, 0.05), "'size' and 'errors' together argument of pick_to_learn must"),
        (lambda: pb.bounds.pick_to_learn(6, 10, 0.05, errors=5), "must be at most 'n'. Got 11 of 10"),
        (lambda: pb.bounds.pick_to_learn(0.5, 10, 0.05), "'size' argument of pick_to_learn must be a whole number"),
        (lambda: pb.bounds.pick_to_learn(1, 10, 0.05, form="new"), "'form' argument of pick_to_learn must be one of"),
        (lambda: pb.bounds.compression(0.1, 11, 10, 0.05), "'size' argument of compression must be at most 'n'"),
        (lambda: pb.bounds.compression(0.1, 1, 10, 0.05, constant="none"), "'constant' argument of compression must"),
        (lambda: pb.bounds.compression_binomial(6, 5, 10, 0.05), "compression_binomial must be at most 'n'. Got 11"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
