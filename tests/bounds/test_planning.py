"""Bounds from plain numbers: what follows from the risk, what is asked for, what is refused."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.bounds.planning import MAY_RISE

NUMBERS = {"risk": 0.05, "n": 1000, "delta": 0.05}


OF_SUMMARIES = [record for record in pb.bounds.catalogue() if record.reads_summary]


@pytest.mark.parametrize("record", OF_SUMMARIES, ids=lambda record: record.name)
def test_every_bound_of_a_summary_follows_from_a_risk(record):
    numbers = NUMBERS | ({"kl": 5.0} if record.uses_kl else {})
    value = pb.bounds.from_numbers(record, numbers)
    assert 0.05 < value < 0.3
    assert value == pb.bounds.from_numbers(record.name.replace("_", "-"), numbers)


def test_given_statistics_take_precedence():
    numbers = {"risk": 0.05, "variance": 0.01, "kl": 5.0, "n": 1000, "delta": 0.05}
    assert pb.bounds.from_numbers("tolstikhin_seldin", numbers) == pb.bounds.tolstikhin_seldin(**numbers)


@pytest.mark.parametrize(
    ("bound", "change", "message"),
    [
        ("mauer", {}, "The bound must be one of chernoff, .* Got 'mauer' instead"),
        ("maurer", {"n": None}, "The bound 'maurer' needs risk, kl, n, delta. 'n' is missing"),
        ("maurer", {"risk": None}, "The bound 'maurer' needs risk, kl, n, delta. 'risk' is missing"),
        ("chernoff", {"kl": 2.0}, "is for one fixed predictor and takes no kl. Got 2"),
    ],
)
def test_refusals(bound, change, message):
    numbers = {name: value for name, value in (NUMBERS | change).items() if value is not None}
    with pytest.raises(ValueError, match=message):
        pb.bounds.from_numbers(bound, numbers)


@pytest.mark.parametrize("name", ["maurer", "betting", "clopper_pearson"])
def test_one_example_fewer_is_not_enough(name):
    n, value = pb.bounds.examples_needed(name, target=0.06, risk=0.02)
    assert value <= 0.06 < pb.bounds.from_numbers(name, {"risk": 0.02, "n": n - 1, "delta": 0.05})


FALLING = [record.name for record in OF_SUMMARIES if record.name not in {*MAY_RISE, "clopper_pearson"}]


def rises(name, risk, kl, delta):
    """By how much a bound rises at most from one number of examples to the next, to both sides of many of them."""
    numbers = {"risk": risk, "delta": delta} | ({"kl": kl} if pb.bounds.get(name).uses_kl else {})
    parts = (range(1, 150), range(300, 330), range(1000, 1030))
    values = [np.array([pb.bounds.from_numbers(name, numbers | {"n": n}) for n in part]) for part in parts]
    return max(float(np.diff(each).max()) for each in values)


@pytest.mark.parametrize("name", FALLING)
def test_every_larger_number_is_enough_where_it_is_said_to_be(name):
    for risk, kl, delta in product((0.0, 0.05, 0.3), (0.0, 10.0), (0.05, 0.5)):
        assert rises(name, risk, kl, delta) <= 1e-12


@pytest.mark.parametrize("name", sorted(MAY_RISE))
def test_a_grid_made_for_n_can_rise(name):
    assert max(rises(name, 0.2, kl, 0.5) for kl in (0.0, 10.0)) > 1e-4
