"""Forged statistics of blocks: a certificate from bets that adapt is refused where no losses could have given it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.certificate import issue
from pacbayes.procedures.base import draw_order
from pacbayes.procedures.given import _ORDER_SEED

HONEST = pb.certify_predictions(losses=np.random.default_rng(0).beta(2.0, 8.0, 400))


def forge(**changes):
    """Issue the certificate again, value and digest made to fit, with other numbers in place of the observed ones."""
    first = HONEST.statements[0]
    observed = {name: np.array(value) for name, value in first.observed.items()}
    for name, change in changes.items():
        observed[name] = change(observed[name])
    mean = observed["block_means"]
    if "risk" not in changes and mean.shape == np.shape(first.observed["block_means"]):
        sizes = pb.bounds.sequential_statistics(np.zeros(first.n), 0.05, first.n).sizes
        observed["risk"] = (sizes * mean).sum() / sizes.sum()
    statement = replace(first, observed={name: np.asarray(value).tolist() for name, value in observed.items()})
    return issue("given", [statement], delta=HONEST.delta, choices=HONEST.choices, digests=HONEST.digests)


def test_the_honest_one_verifies():
    assert HONEST.verify()
    assert forge().verify()


@pytest.mark.parametrize(
    "changes",
    [
        {"block_growth": lambda g: 0.9 * g},
        {"block_growth": lambda g: g * np.where(np.arange(g.size) == 40, 0.8, 1.0)},
        {"block_growth": lambda g: g * np.where(np.arange(g.size) == g.size - 1, 0.999, 1.0)},
        {"block_growth": np.zeros_like},
        {"block_means": lambda m: 0.9 * m},
        {"block_squares": lambda s: 0.5 * s},
        {"block_cubes": lambda c: 0.0 * c},
        {"block_cubes": lambda c: 2.0 * c},
        {"block_squares": lambda s: 0.5 * s, "block_cubes": lambda c: 0.25 * c},
        {"risk": lambda r: r - 0.001},
    ],
)
def test_numbers_that_no_losses_give(changes):
    assert not forge(**changes).verify()


@pytest.mark.parametrize(
    "change",
    [
        {"n": 399},
        {"n": 4000},
        {"rates": "all_n"},
        {"rates": None},
        {"rates": 0.5},
        {"bound": "betting"},
        {"bound": "chernoff"},
        {"quantity": "error"},
        {"about": "watched"},
        {"value": HONEST.value - 1e-6},
        {"observed": {**HONEST.statements[0].observed, "errors": 0}},
        {"observed": {**HONEST.statements[0].observed, "log_growth": [0.0]}},
        {"observed": {"risk": 0.2, "block_means": [0.2]}},
    ],
)
def test_claims_that_do_not_go_together(change):
    first = replace(HONEST.statements[0], **change)
    assert not replace(HONEST, statements=(first,), digest="").verify()


def test_another_delta():
    assert not replace(HONEST, delta=0.06, digest="").verify()
    assert not replace(HONEST, candidates=2, digest="").verify()


def test_the_order_of_a_sorted_file_does_not_matter():
    """Losses that rise along a file are not in random order: bets on them as they stand would be wrong too often."""
    losses = np.sort(np.random.default_rng(1).beta(0.5, 0.5, (200, 60)), axis=-1)
    as_they_stand = pb.bounds.sequential(losses, 0.2, n=60)
    order, _ = draw_order(_ORDER_SEED, 60)
    as_issued = pb.bounds.sequential(losses[:, order], 0.2, n=60)
    for row, value in zip(losses[:10], as_issued, strict=False):
        assert pb.certify_predictions(losses=row, delta=0.2).value == pytest.approx(value, rel=1e-12)
    assert np.mean(as_issued < 0.5) <= 0.2
    assert np.mean(as_they_stand < 0.5) > 0.2
