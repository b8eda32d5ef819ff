"""The betting bound beyond its contract: against the union over rates that it replaced."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pacbayes as pb

units = st.floats(0.0, 1.0)


def _union(growth, rates, kl, n, delta, weights):
    """The smallest of the bounds at one rate, each with its share of delta."""
    cost = (kl + np.log(1.0 / delta) - np.log(weights)) / n
    return float(np.clip((-np.expm1(growth - cost) / rates).min(), -1.0, 1.0))


def test_one_rate_gives_one_derivative():
    _, gradient = pb.bounds.betting(-0.05, 0.5, 1.0, 100, 0.05, return_grad=True)
    assert isinstance(gradient["log_growth"], float)


@given(
    st.lists(st.tuples(units, units), min_size=1, max_size=20),
    st.lists(st.floats(0.001, 0.999), min_size=1, max_size=6, unique=True),
    st.floats(0.0, 1000.0),
    st.integers(1, 10_000),
    st.floats(1e-6, 0.99),
)
def test_never_above_the_union(pairs, rates, kl, times, delta):
    x = np.array([loss - reference for loss, reference in pairs])
    rates = np.array(rates)
    growth, weights = np.log1p(-rates[:, None] * x).mean(axis=1), np.full(rates.size, 1.0 / rates.size)
    arguments = growth, rates, kl, x.size * times, delta, weights
    assert pb.bounds.betting(*arguments) <= _union(*arguments) + 1e-12


@pytest.mark.parametrize(
    ("n", "risk", "kl", "gain"),
    [
        (200, 0.01, 0.0, 0.195),
        (1000, 0.01, 0.0, 0.14),
        (1000, 0.05, 0.0, 0.08),
        (1000, 0.1, 0.0, 0.07),
        (1000, 0.3, 0.0, 0.055),
        (1000, 0.01, 5.0, 0.065),
        (1000, 0.1, 5.0, 0.028),
        (1000, 0.01, 50.0, 0.01),
        (1000, 0.1, 50.0, 0.0),
    ],
)
def test_gain_over_the_union(n, risk, kl, gain, record_property):
    """Mathematics 9: the gain as a share of bound minus risk, with the grid for all n."""
    rates, weights = pb.bounds.betting_rates()
    arguments = risk * np.log1p(-rates), rates, kl, n, 0.05, weights
    union = _union(*arguments)
    found = (union - pb.bounds.betting(*arguments)) / (union - risk)
    record_property(f"line:betting, n {n}, risk {risk}, KL {kl:g}: gain over the union", f"{found:.1%}")
    assert found >= gain
