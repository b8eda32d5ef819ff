"""Losses of predicted numbers, against exact arithmetic: never below, and above by no more than a few roundings."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacbayes.metrics import LOSSES, Judged, LossRule, get_loss, label_spread

FINITE = st.floats(-1e150, 1e150, allow_nan=False, allow_infinity=False)
SCALES = st.floats(1e-100, 1e100)


def exact(name, label, prediction, scale):
    """The loss by fractions."""
    distance = abs(Fraction(label) - Fraction(prediction))
    if name == "within":
        return Fraction(int(distance > Fraction(scale)))
    ratio = min(distance, Fraction(scale)) / Fraction(scale)
    return ratio if name == "absolute" else ratio**2


def loss(name, label, prediction, scale):
    return float(LOSSES[name]().values(np.array([label]), np.array([prediction]), scale)[0])


@pytest.mark.parametrize("name", LOSSES)
@settings(max_examples=300, deadline=None)
@given(label=FINITE, prediction=FINITE, scale=SCALES)
def test_is_the_exact_loss_rounded_up(name, label, prediction, scale):
    found, truth = loss(name, label, prediction, scale), exact(name, label, prediction, scale)
    assert 0.0 <= found <= 1.0
    assert Fraction(found) >= truth
    assert Fraction(found) <= truth * (1 + Fraction(1, 10**14)) + Fraction(1, 10**300)


@pytest.mark.parametrize("name", LOSSES)
@settings(max_examples=200, deadline=None)
@given(label=st.floats(-100, 100), scale=st.floats(1e-3, 100), units=st.integers(-3, 3))
def test_close_to_the_scale_nothing_is_decided_by_rounding(name, label, scale, units):
    prediction = label + scale
    for _ in range(abs(units)):
        prediction = math.nextafter(prediction, math.copysign(math.inf, units))
    assert Fraction(loss(name, label, prediction, scale)) >= exact(name, label, prediction, scale)
    if name == "within":
        assert loss(name, label, prediction, scale) == exact(name, label, prediction, scale)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("prediction", [math.nan, math.inf, -math.inf, 1e308, -1e308])
def test_what_is_not_finite_or_far_away_has_the_largest_loss(name, prediction):
    assert loss(name, 1.0, prediction, 5.0) == 1.0
    assert loss(name, -1e308, abs(prediction), 1e300) == 1.0


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_that_is_none_is_zero(name):
    assert loss(name, 0.1, 0.1, 1e-9) == 0.0


def test_observed_are_counts_of_misses_and_lists_of_losses():
    judged = Judged(np.array([0.0, 0.0, 0.0]), np.array([1.0, 2.0, 3.0]), scale=2.0)
    assert LOSSES["within"]().observe(judged).observed == {"errors": 1}
    assert np.allclose(LOSSES["absolute"]().observe(judged).losses, [0.5, 1.0, 1.0])
    assert np.allclose(LOSSES["squared"]().observe(judged).losses, [0.25, 1.0, 1.0])
    with pytest.raises(ValueError, match="needs a scale"):
        LOSSES["absolute"]().observe(Judged(judged.labels, judged.predictions))


@pytest.mark.parametrize(
    ("labels", "spread"),
    [
        (np.arange(101.0), 90.0),
        (np.array([1.0, 1.0, 1.0, 1.0] * 20 + [9.0]), 8.0),  # the quantiles are the same
        (np.full(4, -7.0), 7.0),
        (np.zeros(3), 1.0),
        (np.array([1.234567, 2.5]), 1.1),
        (np.array([-1.7e308, 1.7e308]), np.finfo(float).max),
    ],
)
def test_spread_of_labels(labels, spread):
    assert label_spread(labels) == spread


def test_a_rule_looks_at_labels_only_where_nothing_was_given():
    assert LossRule("squared", 3.0).measure(None) == 3.0
    assert LossRule("within").measure(np.arange(101.0)) == 22.5
    with pytest.raises(ValueError, match="needs a scale"):
        _ = LossRule("absolute").fixed
    with pytest.raises(ValueError, match="'loss' parameter of Me must be one of 'absolute', 'squared', 'within'"):
        get_loss("Me", "huber")
