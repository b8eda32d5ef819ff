"""Defects that a review found, each with the call that showed it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from mpmath import mpf

import pacbayes as pb

import reference_mp as exact


def test_parts_whose_sum_exceeds_one_by_less_than_rounding():
    plus, minus = 0.25 + 2**-53, 0.75
    assert mpf(pb.phi(plus, minus, 0.0)) >= exact.phi(plus, minus, 0.0)
    rng = np.random.default_rng(0)
    for plus in rng.random(300):
        for minus in (1.0 - plus, np.nextafter(1.0 - plus, 2.0)):
            for budget in (0.0, 1e-14, 1e-10):
                assert mpf(pb.phi(plus, minus, budget)) >= exact.phi(plus, minus, budget)


def test_grid_size_at_the_edge_of_a_whole_number():
    assert pb.bounds.tolstikhin_seldin(0.1, 0.25, 0.0, 50, 0.002252068800143755) == pytest.approx(0.46186, abs=1e-5)


def test_tiny_values_and_weights():
    assert pb.kl_ball_max([0.3, 0.7], [5e-324, 0.0], 0.0) > 0.0
    value = pb.kl_ball_max([1 / 500] * 500, [1e-321] * 250 + [2e-321] * 250, 0.0)
    assert 1.499e-321 <= value <= 1.52e-321
    assert pb.kl_ball_max([0.9999995, 7e-323], [0.0, -9.3e149], 1e-280) >= 0.0
    assert pb.kl_ball_max(np.array([[0.9999995, 7e-323]]), [0.0, -9.3e149], 1e-280)[0] >= 0.0
    assert pb.kl_ball_min([0.3, 0.7], [5e-324, 0.0], 0.0) == 0.0


def test_clopper_pearson_is_tight_where_its_inverse_is_not():
    assert pb.bounds.clopper_pearson(9, 10**7, 0.05) == pytest.approx(1.5705e-6, rel=1e-4)
    assert pb.bounds.clopper_pearson(945335, 1135667, 0.025) == pytest.approx(0.83309, abs=1e-5)
    rng = np.random.default_rng(0)
    errors = rng.integers(0, 10**6, 2000)
    values = pb.bounds.clopper_pearson(
        errors, errors + rng.integers(1, 10**7, 2000), 10.0 ** rng.uniform(-6, -0.3, 2000)
    )
    assert np.all(values < 1.0)


@pytest.mark.parametrize("budget", [1e-200, 1e-40, 1e-32, 1e-9, 1.0, 12.0, 15.0, 30.0, 600.0])
def test_gradients_at_small_and_large_budgets(budget):
    _, (d_weights, d_values, d_budget) = pb.kl_ball_max([0.5, 0.5], [1.0, 0.0], budget, return_grad=True)
    _, (d_q, d_b) = pb.kl_inv_upper(0.5, budget, return_grad=True)
    assert d_values.sum() == pytest.approx(1.0, abs=1e-9)
    assert d_weights[0] - d_weights[1] == pytest.approx(d_q, rel=1e-6, abs=1e-300)
    assert d_budget == pytest.approx(d_b, rel=1e-6)
    if budget < 1e-20:
        assert d_q == pytest.approx(1.0, rel=1e-9)


def test_no_gain_where_all_mass_is_on_the_top_value():
    for weights, values in (([1.0, 0, 0], [1, -1, 1]), ([0.5, 0.5, 0], [1, 1, 1])):
        _, (d_weights, _, _) = pb.kl_ball_max(weights, values, 0.1, return_grad=True)
        assert np.all(d_weights == 0.0)


def test_relative_entropies_of_tiny_probabilities():
    for q, p in ((1e-300, 2e-300), (1e-291, 1e-292), (5e-324, 0.5), (1e-310, 0.3)):
        for shape in (float, lambda x: np.array([x])):
            assert float(np.ravel(pb.kl(shape(q), shape(p)))[0]) == pytest.approx(float(exact.kl(q, p)), rel=1e-13)
    with pytest.raises(ValueError, match="as many atoms as each other"):
        pb.categorical_kl([0.2, 0.3, 0.5], [1.0])


def _statistics(**fields):
    return SimpleNamespace(
        **{"n": 1000, "strength": 1.0, "reference_kind": "fixed", "plus": 0.01, "minus": 0.3} | fields
    )


def test_debiased_refuses_statistics_that_contradict_themselves():
    for change in (
        {"reference_kind": "none"},
        {"strength": 0.0},
        {"reference_kind": "none", "log_growth": [0.1], "minus": 0.0},
    ):
        with pytest.raises(ValueError, match="they have a negative part"):
            pb.bounds.debiased(_statistics(**change), kl=1.0, delta=0.05, excess="excess_kl")


def test_clopper_pearson_is_for_zero_one_references_alone():
    for change in ({"reference": 0.5005}, {"reference": 0.5, "reference_second": 0.25}):
        with pytest.raises(ValueError, match="for losses of 0 and 1 alone"):
            pb.bounds.debiased(_statistics(**change), 1.0, 0.05, excess="excess_kl", reference="clopper_pearson")


def test_only_needed_statistics_are_read():
    rates = np.array([0.5])
    fields = {"log_growth": [-0.01], "reference_log_growth": [-0.05], "rates": rates, "weights": [1.0]}
    statistics = SimpleNamespace(n=1000, strength=1.0, reference_kind="predictable", **fields)
    assert pb.bounds.debiased(statistics, kl=1.0, delta=0.05) < 1.0


def test_at_strength_zero_there_is_no_reference():
    statistics = _statistics(strength=0.0, reference_kind="predictable", minus=0.0)
    assert pb.bounds.debiased(statistics, 1.0, 0.05, excess="excess_kl") == pb.bounds.excess_kl(
        0.01, 0.0, 1.0, 1000, 0.05
    )


def test_smaller_matters():
    _, gradient = pb.bounds.betting(-0.05, 0.5, 1.0, 100, 0.05, return_grad=True)
    assert isinstance(gradient["log_growth"], float)
    with pytest.raises(ValueError, match="'value' argument of gibbs_to_vote"):
        pb.bounds.gibbs_to_vote(1.5)
    with pytest.raises(ValueError, match="at least 1e-290"):
        pb.bounds.maurer(0.1, 1.0, 100, 5e-324)
    with pytest.raises(ValueError, match=r"between 1 and 2\*\*53"):
        pb.bounds.maurer(0.1, 1.0, 2**54, 0.05)
    with pytest.raises(ValueError, match="'values' argument of vector_kl"):
        pb.bounds.vector_kl([0.5, 0.5], [1.0, 2.0, 3.0], 1.0, 100, 0.05)
    assert pb.bounds.unexpected_bernstein(0.1, 0.1, np.inf, 2**53, 0.99) == 1.0
