"""Bounds for one fixed predictor: tight wherever scipy's inverse is not exact."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, ctx

import pacbayes as pb


def test_clopper_pearson_is_tight_where_its_inverse_is_not():
    assert pb.bounds.clopper_pearson(9, 10**7, 0.05) == pytest.approx(1.5705e-6, rel=1e-4)
    assert pb.bounds.clopper_pearson(945335, 1135667, 0.025) == pytest.approx(0.83309, abs=1e-5)
    rng = np.random.default_rng(0)
    errors = rng.integers(0, 10**6, 2000)
    values = pb.bounds.clopper_pearson(
        errors, errors + rng.integers(1, 10**7, 2000), 10.0 ** rng.uniform(-6, -0.3, 2000)
    )
    assert np.all(values < 1.0)


def exact_tail(errors, n, p):
    """The probability of so many errors or fewer: the last term exactly, and the others by their ratios to it."""
    with ctx.workdps(60):
        chance = arb(p)
        choose = arb(n + 1).lgamma() - arb(errors + 1).lgamma() - arb(n - errors + 1).lgamma()
        term = total = arb(1)
        for k in range(errors, 0, -1):
            term = term * k * (1 - chance) / ((n - k + 1) * chance)
            total += term
        return total * (choose + errors * chance.log() + (n - errors) * (1 - chance).log()).exp()


def test_clopper_pearson_is_proved_for_large_numbers_too():
    rng = np.random.default_rng(0)
    for _ in range(300):
        n, delta = int(10 ** rng.uniform(0, 12)), 10 ** rng.uniform(-10, -0.3)
        errors = min(n - 1, int(10 ** rng.uniform(0, 3)) - 1)
        limit = pb.bounds.clopper_pearson(errors, n, delta)
        share = exact_tail(errors, n, limit) / arb(delta)
        assert share < 1
        assert share > 1 - 1e-6 or limit > 0.999  # beside 1 the next double has another tail
