"""Edges with known answers, gradients there, and the messages for bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mpf

import pacbayes as pb

import reference_mp as exact

INF, NAN = math.inf, math.nan


def test_values_at_the_edges():
    assert pb.kl_inv_upper(0.0, 1.0) == pytest.approx(1.0 - math.exp(-1.0), abs=1e-12)
    assert pb.kl_inv_lower(1.0, 1.0) == pytest.approx(math.exp(-1.0), abs=1e-12)
    for q in (0.0, 0.3, 1.0):
        assert pb.kl_inv_upper(q, 0.0) == pb.kl_inv_lower(q, 0.0) == q
        assert pb.kl_inv_upper(q, INF) == 1.0
        assert pb.kl_inv_lower(q, INF) == 0.0
    assert pb.kl_inv_upper(1.0, 0.5) == 1.0
    assert pb.kl_inv_lower(0.0, 0.5) == 0.0
    assert pb.kl_ball_max([1.0, 0.0], [0.0, 1.0], 1.0) == pytest.approx(1.0 - math.exp(-1.0), abs=1e-12)
    assert pb.kl_ball_max([0.5, 0.5], [2.0, 2.0], 3.0) == 2.0
    assert pb.kl_ball_max([0.5, 0.5], [-1.0, 3.0], 0.0) == 1.0
    assert pb.kl_ball_max([0.5, 0.5], [-1.0, 3.0], INF) == 3.0
    assert pb.kl_ball_max([1.0], [4.0], 3.0) == 4.0
    assert pb.phi(0.0, 1.0, 0.0) == -1.0


def test_tiny_budgets_stay_meaningful():
    for budget in (1e-30, 1e-100, 1e-250):
        assert pb.kl_inv_upper(0.0, budget) == pytest.approx(budget, rel=1e-9)
        assert 0.3 <= pb.kl_inv_upper(0.3, budget) <= 0.3 + 1e-15
    assert pb.kl_inv_upper(5e-324, 1e-15) == pytest.approx(1e-15, rel=1e-9)
    assert 0.0 < pb.kl_inv_upper(0.0, 5e-324) <= 1.1e-280  # counts as 1e-280


def test_kl_at_the_edges():
    assert pb.kl(0.0, 0.0) == pb.kl(1.0, 1.0) == pb.kl(0.4, 0.4) == 0.0
    assert pb.kl(0.0, 1.0) == pb.kl(1.0, 0.0) == pb.kl(0.5, 0.0) == pb.kl(0.5, 1.0) == INF
    assert pb.kl(0.0, 0.5) == pytest.approx(math.log(2.0), rel=1e-15)
    np.testing.assert_array_equal(pb.kl([0.0, 1.0, 0.5], [0.0, 1.0, 1.0]), [0.0, 0.0, INF])
    assert pb.categorical_kl([0.5, 0.5], [0.5, 0.5]) == 0.0
    assert pb.categorical_kl([0.0, 1.0], [0.5, 0.5]) == pytest.approx(math.log(2.0), rel=1e-15)
    assert pb.categorical_kl([1.0, 0.0], [0.0, 1.0]) == INF


@pytest.mark.parametrize(
    ("q", "budget", "d_q", "d_budget"),
    [
        (0.3, 0.0, 1.0, INF),
        (0.0, 0.0, 1.0, 1.0),
        (1.0, 0.0, 1.0, 0.0),
        (0.0, 1.0, INF, math.exp(-1)),
        (1.0, 1.0, 0.0, 0.0),
    ],
)
def test_gradients_of_the_upper_inverse_at_the_edges(q, budget, d_q, d_budget):
    for shape in (float, lambda x: np.array([x])):
        _, gradient = pb.kl_inv_upper(shape(q), shape(budget), return_grad=True)
        np.testing.assert_allclose(np.ravel(gradient), [d_q, d_budget], rtol=1e-9, atol=1e-12)
        _, gradient = pb.kl_inv_lower(shape(1.0 - q), shape(budget), return_grad=True)
        np.testing.assert_allclose(np.ravel(gradient), [d_q, -d_budget], rtol=1e-9, atol=1e-12)


def test_gradients_of_the_ball_at_the_edges():
    value, (d_weights, d_values, d_budget) = pb.kl_ball_max([0.0, 0.5, 0.5], [1.0, -1.0, 0.0], 5.0, return_grad=True)
    assert d_weights[0] == INF  # mass moves to an atom of weight zero
    assert d_values.sum() == pytest.approx(1.0, abs=1e-12)
    assert d_values @ [1.0, -1.0, 0.0] == pytest.approx(value, abs=1e-12)
    assert d_budget == pytest.approx(1.0 - value, rel=1e-9)
    value, (d_weights, d_values, d_budget) = pb.kl_ball_max([0.25, 0.75], [1.0, 0.0], 0.0, return_grad=True)
    np.testing.assert_allclose(d_weights, [0.75, -0.25])
    np.testing.assert_allclose(d_values, [0.25, 0.75])
    assert d_budget == INF
    _, (_, d_values, d_budget) = pb.kl_ball_max([1.0, 0.0], [1.0, 0.0], 0.5, return_grad=True)
    np.testing.assert_allclose(d_values, [1.0, 0.0])
    assert d_budget == pytest.approx(0.0, abs=1e-12)
    _, (_, _, d_budget) = pb.kl_ball_max([1.0, 0.0], [0.0, 1.0], 0.0, return_grad=True)
    assert d_budget == pytest.approx(1.0)
    _, (d_plus, d_minus, _) = pb.phi(0.2, 0.1, 0.0, return_grad=True)
    assert (d_plus, d_minus) == pytest.approx((1.0, -1.0))


BAD = [
    (lambda: pb.kl_inv_upper(1.5, 0.1), r"'q' argument of kl_inv_upper must lie in \[0, 1\]. Got 1.5"),
    (lambda: pb.kl_inv_upper([0.1, -0.2], 0.1), r"'q' argument of kl_inv_upper .* Got -0.2"),
    (lambda: pb.kl_inv_lower(NAN, 0.1), r"'q' argument of kl_inv_lower .* Got nan"),
    (lambda: pb.kl_inv_upper(0.1, -1.0), r"'budget' argument of kl_inv_upper must be non-negative. Got -1.0"),
    (lambda: pb.kl_inv_upper(0.1, [0.1, NAN]), r"'budget' .* Got nan"),
    (lambda: pb.kl_inv_upper("half", 0.1), r"'q' argument .* must be a real number .* Got 'half'"),
    (lambda: pb.kl_inv_upper(0.1 + 1j, 0.1), r"'q' argument .* must be a real number"),
    (lambda: pb.kl_inv_upper(None, 0.1), r"'q' argument .* must be a real number .* Got None"),
    (
        lambda: pb.kl_inv_upper(np.ones(3), np.ones(4)),
        r"kl_inv_upper must have shapes that broadcast. Got q \(3,\), budget \(4,\)",
    ),
    (lambda: pb.kl(0.1, 2.0), r"'p' argument of kl must lie in \[0, 1\]. Got 2.0"),
    (lambda: pb.kl_ball_max([0.5, 0.6], [0, 1], 0.1), r"'weights' .* must sum to 1 within 1e-06 .* Got 1.1"),
    (lambda: pb.kl_ball_max([1.5, -0.5], [0, 1], 0.1), r"'weights' .* must be non-negative and finite. Got -0.5"),
    (lambda: pb.kl_ball_max([NAN, 1.0], [0, 1], 0.1), r"'weights' .* Got nan"),
    (lambda: pb.kl_ball_max([0.5, 0.5], [0, INF], 0.1), r"'values' .* must be finite .* Got inf"),
    (lambda: pb.kl_ball_max([0.5, 0.5], [0, 1, 2], 0.1), r"'values' .* as many atoms .* Got shapes \(3,\) and \(2,\)"),
    (lambda: pb.kl_ball_max([], [], 0.1), r"'weights' .* at least one atom"),
    (lambda: pb.kl_ball_max(0.5, 0.5, 0.1), r"'weights' .* at least one atom"),
    (lambda: pb.kl_ball_min([0.5, 0.5], [0, 1], -0.1), r"'budget' argument of kl_ball_min .* Got -0.1"),
    (lambda: pb.kl_ball_max(np.full((3, 2), 0.5), [0, 1], np.ones(4)), r"shapes that broadcast"),
    (lambda: pb.phi(0.7, 0.4, 0.1), r"'minus' argument of phi must have a sum with 'plus' of at most 1 .* Got 1.1"),
    (lambda: pb.phi(-0.1, 0.4, 0.1), r"'plus' argument of phi must be non-negative. Got -0.1"),
    (lambda: pb.categorical_kl([0.5, 0.4], [0.5, 0.5]), r"'u' argument of categorical_kl must sum to 1"),
    (lambda: pb.log_xi(2, 0), r"'n' argument of log_xi must be a whole number .* Got 0.0"),
    (lambda: pb.log_xi(2, 2.5), r"'n' argument of log_xi must be a whole number .* Got 2.5"),
    (lambda: pb.log_xi(0, 5), r"'atoms' argument of log_xi"),
    (lambda: pb.log_xi(2, 5, constant="loose"), r"'constant' argument must be one of .* Got 'loose'"),
    (lambda: pb.bounds.maurer(0.1, 1.0, 100, 0.05, constant="loose"), r"'constant' argument must be one of"),
    (lambda: pb.log_xi(3, 2, constant="published"), r"from n = 3 only.* Got n = 2"),
    (lambda: pb.log_xi(4, 10, constant="published"), r"2 or 3 atoms only.* Got 4 atoms"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input_gets_one_clear_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_published_constants():
    assert pb.log_xi(2, 100, constant="published") == pytest.approx(math.log(20.0), rel=1e-14)
    assert pb.log_xi(3, 100, constant="published") == pytest.approx(math.log(200.0), rel=1e-14)
    n = np.arange(3, 2000)
    assert np.all(pb.log_xi(2, n) <= pb.log_xi(2, n, constant="published"))
    assert np.all(pb.log_xi(3, n) <= pb.log_xi(3, n, constant="published"))


def test_single_precision_and_integers_are_taken():
    assert pb.kl_inv_upper(np.float32(0.25), 1) == pb.kl_inv_upper(0.25, 1.0)
    assert pb.kl_inv_upper(np.array([0, 1]), 1).tolist() == [pb.kl_inv_upper(0.0, 1.0), 1.0]
    assert 0.0 < pb.kl_ball_max(np.array([0.1, 0.9], dtype=np.float32), [1, 0], 0.1) < 1.0


def test_parts_whose_sum_exceeds_one_by_less_than_rounding():
    plus, minus = 0.25 + 2**-53, 0.75
    assert mpf(pb.phi(plus, minus, 0.0)) >= exact.phi(plus, minus, 0.0)
    rng = np.random.default_rng(0)
    for plus in rng.random(300):
        for minus in (1.0 - plus, np.nextafter(1.0 - plus, 2.0)):
            for budget in (0.0, 1e-14, 1e-10):
                assert mpf(pb.phi(plus, minus, budget)) >= exact.phi(plus, minus, budget)


def test_tiny_values_and_weights():
    assert pb.kl_ball_max([0.3, 0.7], [5e-324, 0.0], 0.0) > 0.0
    value = pb.kl_ball_max([1 / 500] * 500, [1e-321] * 250 + [2e-321] * 250, 0.0)
    assert 1.499e-321 <= value <= 1.52e-321
    assert pb.kl_ball_max([0.9999995, 7e-323], [0.0, -9.3e149], 1e-280) >= 0.0
    assert pb.kl_ball_max(np.array([[0.9999995, 7e-323]]), [0.0, -9.3e149], 1e-280)[0] >= 0.0
    assert pb.kl_ball_min([0.3, 0.7], [5e-324, 0.0], 0.0) == 0.0


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
