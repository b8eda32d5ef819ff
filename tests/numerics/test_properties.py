"""What must hold for all inputs: monotone, inverse to kl, consistent with each other, invariant."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mpf

import pacbayes as pb

import reference_mp as exact
from strategies import balls, budgets, inner_budgets, inner_probabilities, probabilities

SLACK = 3e-13  # results carry an outward slack of 1.1e-13 of their distance to the mean


@given(probabilities, budgets, budgets)
def test_inverses_are_monotone_in_the_budget(q, a, b):
    low, high = sorted([a, b])
    assert pb.kl_inv_upper(q, low) <= pb.kl_inv_upper(q, high) + SLACK
    assert pb.kl_inv_lower(q, low) >= pb.kl_inv_lower(q, high) - SLACK
    assert pb.kl_inv_lower(q, a) <= q <= pb.kl_inv_upper(q, a)


@given(probabilities, probabilities, budgets)
def test_inverses_are_monotone_in_q(a, b, budget):
    low, high = sorted([a, b])
    assert pb.kl_inv_upper(low, budget) <= pb.kl_inv_upper(high, budget) + SLACK
    assert pb.kl_inv_lower(low, budget) <= pb.kl_inv_lower(high, budget) + SLACK


@given(probabilities, budgets)
def test_kl_of_the_upper_inverse_is_at_least_the_budget(q, budget):
    p = pb.kl_inv_upper(q, budget)
    if p < 1.0:
        assert exact.kl(q, p) >= mpf(budget)
    if budget >= 1e-3 and p < 1.0 - 1e-6:
        assert pb.kl(q, p) <= budget * (1.0 + 1e-6)


@given(probabilities, budgets)
def test_kl_of_the_lower_inverse_is_at_least_the_budget(q, budget):
    p = pb.kl_inv_lower(q, budget)
    if p > 0.0:
        assert exact.kl(q, p) >= mpf(budget)
    if budget >= 1e-3 and p > 1e-6:
        assert pb.kl(q, p) <= budget * (1.0 + 1e-6)


@given(probabilities, budgets)
def test_lower_is_the_mirror_of_upper(q, budget):
    assert math.isclose(pb.kl_inv_lower(1.0 - q, budget), 1.0 - pb.kl_inv_upper(1.0 - (1.0 - q), budget), abs_tol=SLACK)


@given(probabilities, budgets)
def test_phi_without_minus_is_the_binary_inverse(u, budget):
    assert math.isclose(pb.phi(u, 0.0, budget), pb.kl_inv_upper(u, budget), rel_tol=1e-15, abs_tol=SLACK)


@given(balls(), budgets, st.randoms(use_true_random=False))
def test_ball_does_not_depend_on_the_order_of_atoms(ball, budget, random):
    weights, values = ball
    order = list(range(len(weights)))
    random.shuffle(order)
    width = np.ptp(values) + np.abs(values).max()
    shuffled = pb.kl_ball_max(weights[order], values[order], budget)
    assert math.isclose(pb.kl_ball_max(weights, values, budget), shuffled, rel_tol=1e-15, abs_tol=SLACK * width)


@given(balls(), budgets, st.floats(0.01, 100.0), st.floats(-10.0, 10.0))
def test_ball_follows_an_affine_change_of_values(ball, budget, scale, shift):
    weights, values = ball
    moved = pb.kl_ball_max(weights, scale * values + shift, budget)
    expected = scale * pb.kl_ball_max(weights, values, budget) + shift
    size = scale * (np.ptp(values) + np.abs(values).max()) + abs(shift)
    # rounding of the transformed values themselves comes first: 2 ulp of their size
    assert math.isclose(moved, expected, abs_tol=(SLACK + 1e-15) * size)


@given(balls(), budgets)
def test_ball_min_is_the_mirror_of_ball_max(ball, budget):
    weights, values = ball
    assert pb.kl_ball_min(weights, values, budget) == -pb.kl_ball_max(weights, -values, budget)
    assert pb.kl_ball_min(weights, values, budget) <= weights @ values + 1e-15 * np.abs(values).max()


@given(balls(), budgets)
def test_merging_atoms_of_equal_value_changes_nothing(ball, budget):
    weights, values = ball
    doubled = np.concatenate([weights / 2.0, weights / 2.0]), np.concatenate([values, values])
    width = np.ptp(values) + np.abs(values).max()
    assert math.isclose(
        pb.kl_ball_max(*doubled, budget), pb.kl_ball_max(weights, values, budget), abs_tol=SLACK * width
    )


@given(st.lists(st.tuples(probabilities, budgets), min_size=1, max_size=20))
def test_arrays_equal_scalars(pairs):
    q, b = map(np.array, zip(*pairs, strict=True))
    for function in (pb.kl_inv_upper, pb.kl_inv_lower):
        single = [function(x, y) for x, y in pairs]
        assert all(type(value) is float for value in single)
        np.testing.assert_allclose(function(q, b), single, rtol=1e-15, atol=1e-15)


def test_shapes_broadcast_like_numpy():
    q, budget = np.linspace(0, 1, 5)[:, None], np.linspace(0, 2, 7)
    assert pb.kl_inv_upper(q, budget).shape == (5, 7)
    assert pb.kl(q, np.linspace(0, 1, 3)).shape == (5, 3)
    assert pb.kl_ball_max(np.full((4, 1, 3), 1 / 3), np.arange(3.0), np.ones(6)).shape == (4, 6)
    assert pb.log_xi([[2], [3]], [5, 6, 7]).shape == (2, 3)
    assert pb.kl_inv_upper(np.empty((0, 3)), 1.0).shape == (0, 3)
    assert type(pb.kl_ball_max([0.5, 0.5], [0, 1], 1)) is float
    assert type(pb.log_xi(2, 10)) is float


@pytest.mark.parametrize(("atoms", "n"), [(m, n) for m in range(1, 6) for n in range(1, 9)])
def test_log_xi_equals_brute_force(atoms, n):
    answer = mpmath.log(exact.xi(atoms, n))
    assert 0 <= mpf(pb.log_xi(atoms, n)) - answer <= mpf("1e-13") * max(answer, 1)


@given(inner_probabilities, inner_budgets, st.sampled_from([("kl_inv_upper", 1), ("kl_inv_lower", -1)]))
def test_gradients_of_binary_inverses(q, budget, case):
    name, side = case
    value, (d_q, d_budget) = getattr(pb, name)(q, budget, return_grad=True)
    assume(1e-6 < value < 1 - 1e-6)
    reference, h = getattr(exact, name), mpf(10) ** -15
    q, budget = mpf(q), mpf(budget)
    assert math.isclose(d_q, (reference(q + h, budget) - reference(q - h, budget)) / (2 * h), rel_tol=1e-7)
    assert math.isclose(d_budget, (reference(q, budget + h) - reference(q, budget - h)) / (2 * h), rel_tol=1e-7)
    assert side * d_budget > 0


@given(balls(max_atoms=5, zeros=False), inner_budgets, st.integers(0, 4))
def test_gradients_of_the_ball(ball, budget, drawn):
    weights, values = ball
    assume(np.ptp(values) > 0.1)
    value, (d_weights, d_values, d_budget) = pb.kl_ball_max(weights, values, budget, return_grad=True)
    assume(value < values.max() - 1e-5)
    index, width = drawn % len(weights), np.ptp(values)  # one atom of each ball: sixty digits are slow
    change = exact_change(lambda moved: exact.kl_ball_max(moved, values.tolist(), budget), weights, index)
    assert math.isclose(d_weights[index], change, rel_tol=1e-6, abs_tol=1e-7 * width)
    change = exact_change(lambda moved: exact.kl_ball_max(weights.tolist(), moved, budget), values, index)
    assert math.isclose(d_values[index], change, rel_tol=1e-6, abs_tol=1e-8)
    change = exact_change(lambda moved: exact.kl_ball_max(weights.tolist(), values.tolist(), moved[0]), [budget], 0)
    assert math.isclose(d_budget, change, rel_tol=1e-6, abs_tol=1e-8 * width)


def exact_change(function, numbers, index):
    """The slope of a function of several numbers in one of them, by a difference in sixty digits."""
    h = mpf(10) ** -15
    up, down = ([mpf(float(a)) + (i == index) * step for i, a in enumerate(numbers)] for step in (h, -h))
    return (function(up) - function(down)) / (2 * h)


@given(st.floats(0.01, 0.5), st.floats(0.01, 0.45), inner_budgets)
def test_gradient_of_phi(plus, minus, budget):
    _, (d_plus, d_minus, d_budget) = pb.phi(plus, minus, budget, return_grad=True)
    plus, minus, budget, h = mpf(plus), mpf(minus), mpf(budget), mpf(10) ** -15
    change = [
        (exact.phi(plus + h, minus, budget) - exact.phi(plus - h, minus, budget)) / (2 * h),
        (exact.phi(plus, minus + h, budget) - exact.phi(plus, minus - h, budget)) / (2 * h),
        (exact.phi(plus, minus, budget + h) - exact.phi(plus, minus, budget - h)) / (2 * h),
    ]
    np.testing.assert_allclose([d_plus, d_minus, d_budget], [float(c) for c in change], rtol=1e-6, atol=1e-8)
