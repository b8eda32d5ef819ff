"""Every bound against 60-digit arithmetic: one golden number each, and a bracket on random points."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mpf

import pacbayes as pb

from bounds import cases, exact_bounds

ENTRIES = {entry.name: entry for entry in pb.bounds.catalogue()}
# risk 0.1 (plus 0.1, minus 0.02 where there are two), kl 5, n 1000, delta 0.05; from the formulas of
# `exact_bounds.py`, each written from the theorem cited in the entry, at 60 digits
GOLDEN = {
    "chernoff": 0.124808194172569,
    "clopper_pearson": 0.116991532096368,
    "progressive_chernoff": 0.124808194172569,
    "mcallester": 0.17791905124424,
    "maurer": 0.152001195181245,
    "maurer_relaxed": 0.17174167066206,
    "catoni": 0.151119046153951,
    "tolstikhin_seldin": 0.15657774975658,
    "unexpected_bernstein": 0.13561550131555,
    "vector_kl": 0.281713559777489,
    "excess_kl": 0.14393033377017,
    "excess_relaxed": 0.19457743885323,
    "split_kl": 0.14978196965317,
    "betting": 0.130538261204291,
    "portfolio": 0.149138325363315,
    # gibbs, tandem and disagreement at that risk as in `cases.py`, 600 rows for pairs
    "first_order": 0.180877469464266,
    "tandem": 0.258393792763267,
    "disagreement": 0.339524297335637,
    "chebyshev_cantelli": 0.196072568504105,
    "recursive": 0.177177137159177,
    "recursive_portfolio": 0.160105222911669,
    "maurer_draw": 0.152001195181245,
    "betting_draw": 0.130538261204291,
    "portfolio_draw": 0.149138325363315,
    "pick_to_learn": 0.134089378091917,
    "compression": 0.152266226347344,
    "compression_binomial": 0.145646124723427,
}


@pytest.mark.parametrize("name", ENTRIES)
def test_golden_number(name):
    assert name in GOLDEN, "add its value by exact_bounds.py to GOLDEN in this file"
    value = cases.call(ENTRIES[name])
    assert value == pytest.approx(GOLDEN[name], abs=1e-9)
    assert value >= GOLDEN[name] - 1e-15


def _plain(key, x):
    """Return a statistic as the plain number that the 60-digit formulas take."""
    if np.ndim(x):
        return x
    return int(x) if key in ("n", "n_pairs", "errors", "size", "looks") else float(x)


@pytest.mark.parametrize("name", [name for name in ENTRIES if "portfolio" not in name])  # they have their own
def test_bracket(name, record_worst, record_count):
    """exact <= value <= exact + tolerance, where the exact value is not clipped."""
    rng, entry = np.random.default_rng(7), ENTRIES[name]
    few = name == "clopper_pearson" or name in cases.COUNTS  # tails summed term by term
    count, worst = 300 if not few else 100, mpf(0)
    for _ in range(count):
        largest = rng.choice([3.3, 12.0], p=[0.8, 0.2])  # large n too: there the rounding of a formula of its own shows
        n = int(10 ** rng.uniform(0.4, largest)) if not few else int(rng.integers(2, 200))
        risk = rng.choice([0.0, 0.98, float(rng.random() * 0.98), float(10 ** rng.uniform(-6, -0.1))])
        kl = rng.choice([0.0, float(10 ** rng.uniform(-3, 3))])
        arguments = cases.arguments(entry, risk, kl, n, float(10 ** rng.uniform(-6, -0.01)))
        exact = getattr(exact_bounds, name)(**{key: _plain(key, x) for key, x in arguments.items()})
        exact = min(exact, mpf(cases.vacuous(entry)))
        error = mpf(entry.function(**arguments)) - exact
        assert error >= 0, (arguments, error)
        worst = max(worst, error)
    record_count("bounds below their exact value", 0)
    record_worst("bounds: worst distance above the exact value (allowed 1e-8)", worst)
    assert worst <= 1e-8
