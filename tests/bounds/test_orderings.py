"""Which bound is never above which, at the same budget or the same rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pacbayes as pb

TINY = 1e-12
risks = st.one_of(st.just(0.0), st.floats(0.0, 1.0), st.floats(-6.0, 0.0).map(lambda e: 10.0**e))
kls = st.one_of(st.just(0.0), st.floats(0.0, 1000.0))
sizes = st.integers(1, 100_000)
deltas = st.floats(1e-6, 0.99)


@st.composite
def excesses(draw):
    plus = draw(risks)
    return plus, (1.0 - plus) * draw(risks)


@given(risks, kls, sizes, deltas, st.sampled_from(["exact", "published"]))
def test_maurer_is_below_its_relaxations(risk, kl, n, delta, constant):
    value = pb.bounds.maurer(risk, kl, n, delta, constant)
    assert value <= pb.bounds.mcallester(risk, kl, n, delta, constant) + TINY
    assert value <= pb.bounds.maurer_relaxed(risk, kl, n, delta, constant) + TINY


@given(excesses(), st.floats(0.0, 10.0))
def test_phi_is_below_split_and_relaxed_form_at_the_same_budget(parts, budget):
    plus, minus = parts
    value = pb.phi(plus, minus, budget)
    assert value <= pb.kl_inv_upper(plus, budget) - pb.kl_inv_lower(minus, budget) + TINY
    assert value <= plus - minus + 2.0 * math.sqrt(budget * (plus + minus)) + 2.0 * budget + TINY


@given(excesses(), kls, sizes, deltas)
def test_excess_kl_is_below_its_relaxed_form(parts, kl, n, delta):
    assert pb.bounds.excess_kl(*parts, kl, n, delta) <= pb.bounds.excess_relaxed(*parts, kl, n, delta) + TINY


@given(st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=30), kls, deltas, st.floats(0.01, 0.99))
def test_betting_is_below_unexpected_bernstein_at_the_same_rate(x, kl, delta, rate):
    x = np.array(x)
    betting = pb.bounds.betting(np.log1p(-rate * x).mean(), rate, kl, x.size, delta)
    bernstein = pb.bounds.unexpected_bernstein(x.mean(), (x**2).mean(), kl, x.size, delta, rates=[rate])
    assert betting <= bernstein + TINY


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30), kls, deltas, st.floats(0.01, 0.99))
def test_betting_is_below_catoni_at_the_same_rate(x, kl, delta, rate):
    x = np.array(x)
    betting = pb.bounds.betting(np.log1p(-rate * x).mean(), rate, kl, x.size, delta)
    assert betting <= pb.bounds.catoni(x.mean(), kl, x.size, delta, rates=-math.log1p(-rate)) + TINY


@given(excesses(), kls, st.integers(1, 1000), deltas)
def test_betting_on_zero_one_losses_is_the_dual_of_phi(parts, kl, n, delta):
    """With no union, the best rate of all gives phi at the budget without its constant; every rate is above."""
    plus, minus = parts
    rates = 1.0 / (1.0 + np.geomspace(1e-9, 1e9, 2000))
    growth = plus * np.log1p(-rates) + minus * np.log1p(rates)
    budget = (kl + math.log(1.0 / delta)) / n
    values = [pb.bounds.betting(g, r, kl, n, delta) for g, r in zip(growth[::50], rates[::50], strict=True)]
    assert min(values) >= pb.phi(plus, minus, budget) - 1e-9
    best = pb.bounds.betting(growth, rates, kl, n, delta, weights=np.full(2000, 1 / 2000))
    assert best <= pb.phi(plus, minus, budget + math.log(2000) / n) + 1e-4


@given(risks, kls, sizes, deltas)
def test_excess_kl_without_minus_has_maurers_form(risk, kl, n, delta):
    budget = (kl + pb.log_xi(3, n) + math.log(1.0 / delta)) / n
    assert pb.bounds.excess_kl(risk, 0.0, kl, n, delta) == pytest.approx(pb.kl_inv_upper(risk, budget), abs=1e-11)


def test_the_grids_reach_where_the_design_says():
    """At n = 1000, kl = 300 and no errors, excess_kl gives .267 and the grid {1/2, 1/4, ...} .525."""
    rates, weights = pb.bounds.betting_rates(n=1000)
    zero = np.zeros(rates.size)
    assert pb.bounds.excess_kl(0.0, 0.0, 300.0, 1000, 0.05) == pytest.approx(0.267, abs=1e-3)
    assert pb.bounds.betting(zero, rates, 300.0, 1000, 0.05, weights) < 0.2665
    halving = 0.5 ** np.arange(1, 6)
    assert pb.bounds.betting(np.zeros(5), halving, 300.0, 1000, 0.05) == pytest.approx(0.525, abs=2e-3)
