"""Coverage of sequential bets by simulation: at one sample size, and for all at once whenever one stops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from pacbayes.bounds import clopper_pearson, sequential, sequential_statistics

from coverage import laws
from coverage.judging import too_often

RUNS = [2000, pytest.param(10_000, marks=pytest.mark.long)]
N = 60
DELTAS = (0.5, 0.2, 0.05)
LOSSES = {
    "bernoulli": laws.LOSSES["bernoulli"],
    "uniform": laws.LOSSES["uniform"],
    "skewed": (lambda rng, shape: rng.beta(0.2, 3.8, shape), 0.05),
    "mostly zero": (lambda rng, shape: (rng.random(shape) < 0.2) * rng.random(shape), 0.1),
}


def largest_capital(losses, mean, delta, planned):
    """The logarithm of the largest capital after any row, at the true mean: what a run that stops at will looks at."""
    found = sequential_statistics(losses, delta, planned)
    rates = np.repeat(found.rates, found.sizes.astype(int), axis=-1)
    return np.cumsum(np.log1p(-rates * losses) - np.log1p(-rates * mean), axis=-1).max(axis=-1)


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("planned", [N, None], ids=["one n", "all n"])
@pytest.mark.parametrize("law", LOSSES)
def test_one_predictor(law, planned, runs, judge):
    draw, mean = LOSSES[law]
    losses = draw(np.random.default_rng(11), (runs, N))
    for delta in DELTAS:
        judge(f"sequential, {law}, delta {delta}", sequential(losses, delta, planned), mean, delta)


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("planned", [N, None], ids=["one n", "all n"])
@pytest.mark.parametrize("law", ["bernoulli", "mostly zero"])
def test_stopping_when_the_bound_looks_best(law, planned, runs):
    draw, mean = LOSSES[law]
    losses = draw(np.random.default_rng(12), (runs, N))
    for delta in DELTAS:
        stopped = largest_capital(losses, mean, delta, planned) >= np.log(1.0 / delta)
        assert not too_often(stopped.sum(), runs, delta)


def test_exact_limits_fail_if_rows_are_collected_until_they_look_well():
    """One of the limits after every 100 of 2,000 rows is too low far more often than delta; each by itself is not."""
    rows, runs = np.arange(100, 2001, 100), 2000
    errors = np.cumsum(np.random.default_rng(0).binomial(100, 0.1, (runs, rows.size)), axis=1)
    failed = np.empty(errors.shape, dtype=bool)
    for column, n in enumerate(rows):
        limits = np.asarray(clopper_pearson(np.arange(errors[:, column].max() + 1), n, 0.05))
        failed[:, column] = limits[errors[:, column]] < 0.1
    assert failed.mean(axis=0).max() < 0.065
    assert 0.15 < failed.any(axis=1).mean() < 0.21


def test_exact_limits_fail_if_each_round_of_new_rows_has_all_of_delta():
    """Rounds of 300 new rows until a limit is below 10 %, at most 20: how often it is below a true error of 10 %."""
    below = np.asarray(clopper_pearson(np.arange(301), 300, 0.05)) < 0.1
    in_one_round = binom.pmf(np.arange(301), 300, 0.1)[below].sum()
    assert in_one_round < 0.05
    assert round(1.0 - (1.0 - in_one_round) ** 20, 2) == 0.61
