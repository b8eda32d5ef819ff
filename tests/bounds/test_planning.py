"""Bounds from plain numbers: what follows from the risk, what is asked for, what is refused."""

from __future__ import annotations

import pytest

import pacbayes as pb

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
