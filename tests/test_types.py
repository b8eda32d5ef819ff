"""What public functions return, as type checkers see it: `make lint` checks the file, and pytest runs it."""

from __future__ import annotations

import inspect
from typing import assert_type, get_overloads

import numpy as np
import pytest

import pacbayes as pb
from pacbayes._core.types import FloatArray, FloatOrArray
from pacbayes.bounds._signatures import ExcessBound, RiskBound
from pacbayes.statistics import from_outcomes

ARRAY: FloatArray = np.array([0.1, 0.2])


def test_floats_give_floats() -> None:
    assert_type(pb.kl(0.1, 0.2), float)
    assert_type(pb.kl_inv_upper(0.1, 0.05), float)
    assert_type(pb.phi(0.2, 0.1, 0.05), float)
    assert_type(pb.log_xi(2, 1000), float)
    assert_type(pb.bounds.maurer(0.05, 10.0, 1000, 0.05), float)
    assert_type(pb.bounds.excess_kl(plus=0.02, minus=0.01, kl=10.0, n=1000, delta=0.05), float)
    assert_type(pb.bounds.clopper_pearson(5, 1000, 0.05), float)
    assert_type(pb.bounds.gibbs_to_vote(0.1), float)
    assert_type(pb.Summary.from_losses([0.1, 0.2]).bound("maurer", kl=1.0, delta=0.05), float)


def test_arrays_give_arrays() -> None:
    assert_type(pb.kl(ARRAY, 0.2), FloatArray)
    assert_type(pb.kl_inv_upper([0.1, 0.2], 0.05), FloatArray)
    assert_type(pb.bounds.maurer(ARRAY, 10.0, 1000, 0.05), FloatArray)
    assert_type(pb.bounds.catoni([0.1, 0.2], 10.0, 1000, 0.05), FloatArray)
    assert_type(pb.bounds.chernoff(ARRAY, 1000, 0.05), FloatArray)


def test_what_depends_on_shapes_may_be_either() -> None:
    assert_type(pb.kl_ball_max([0.2, 0.8], [1.0, 0.0], 0.05), FloatOrArray)
    assert_type(pb.bounds.maurer(0.05, ARRAY, 1000, 0.05), FloatOrArray)
    assert_type(from_outcomes(10, 2, rates=[0.5], weights=[1.0]), dict[str, FloatOrArray])


def test_derivatives_come_beside_the_value() -> None:
    assert_type(pb.kl_inv_upper(0.1, 0.05, return_grad=True), tuple[float, tuple[float, float]])
    assert_type(pb.phi(0.2, 0.1, 0.05, return_grad=True), tuple[float, tuple[float, float, float]])
    assert_type(pb.bounds.maurer(0.05, 10.0, 1000, 0.05, return_grad=True), tuple[float, dict[str, float]])
    assert_type(
        pb.bounds.split_kl(ARRAY, 0.0, 10.0, 1000, 0.05, return_grad=True),
        tuple[FloatOrArray, dict[str, FloatOrArray]],
    )


@pytest.mark.parametrize(
    ("role", "names"),
    [
        (RiskBound, ["maurer", "mcallester", "maurer_relaxed"]),
        (ExcessBound, ["excess_kl", "excess_relaxed", "split_kl"]),
    ],
)
def test_shared_overloads_have_the_arguments_of_their_functions(role: type, names: list[str]) -> None:
    """The decorator takes the function's word for it."""
    for name in names:
        expected = list(inspect.signature(getattr(pb.bounds, name)).parameters)
        for each in get_overloads(role.__call__):
            assert list(inspect.signature(each).parameters)[1:] == expected
