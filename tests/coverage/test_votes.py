"""Coverage of the bounds on majority votes: voters with common errors, weights chosen on the rows that judge them.

Rows are of 2**5 kinds, by which of five voters err, so that the true error of every vote is a sum of probabilities.
Ties count as errors.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import pacbayes as pb

from coverage.judging import DELTA

RUNS, VOTERS = 10_000, 5
KINDS = np.array(list(itertools.product((0.0, 1.0), repeat=VOTERS)))


def correlated():
    """Voters that err on one row in a hundred, and on half or more of the hard rows, which are one in twenty."""
    rates = np.array([[0.01] * VOTERS, [0.5, 0.5, 0.6, 0.6, 0.6]])
    easy, hard = (np.prod(np.where(KINDS == 1.0, each, 1.0 - each), axis=1) for each in rates)
    return 0.95 * easy + 0.05 * hard


def split_in_halves():
    """Voters one and two err on 3 % of the rows each, never together: even weights on both tie there."""
    wanted = [(1, 0, 1, 0, 1), (0, 1, 1, 1, 1)]
    probabilities = np.where((KINDS.sum(axis=1) == 0.0), 0.94, 0.0)
    for each in wanted:
        probabilities[(each == KINDS).all(axis=1)] = 0.03
    return probabilities


LAWS = {"correlated": correlated(), "never together": split_in_halves()}


def softmax_weights(errors, rate):
    """Weights that prefer the voters with few errors on these very rows."""
    weights = np.exp(-rate * (errors - errors.min(axis=1, keepdims=True)))
    return weights / weights.sum(axis=1, keepdims=True)


CHOOSE = {
    "even": lambda errors: np.full(errors.shape, 1.0 / VOTERS),
    "two of five": lambda errors: np.tile([0.5, 0.5, 0.0, 0.0, 0.0], (len(errors), 1)),
    "chosen": lambda errors: softmax_weights(errors, 0.03),
    "the best": lambda errors: softmax_weights(errors, 50.0),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("weights", CHOOSE)
@pytest.mark.parametrize("delta", [DELTA, 0.5])
def test_votes(law, weights, delta, judge):
    n = 1000
    counts = np.random.default_rng(11).multinomial(n, LAWS[law], size=RUNS).astype(float)
    errors = counts @ KINDS
    rho = CHOOSE[weights](errors)
    truth = ((rho @ KINDS.T) >= 0.5 - 1e-12) @ LAWS[law]
    pairs = (counts @ np.einsum("ki,kj->kij", KINDS, KINDS).reshape(len(KINDS), -1)).reshape(RUNS, VOTERS, VOTERS)
    gibbs, tandem = np.sum(rho * errors, axis=1) / n, np.einsum("ri,rij,rj->r", rho, pairs, rho) / n
    with np.errstate(divide="ignore", invalid="ignore"):
        kl = np.where(rho > 0.0, rho * np.log(rho * VOTERS), 0.0).sum(axis=1).clip(min=0.0)
    apart = np.clip(2.0 * (gibbs - tandem), 0.0, 1.0)
    for constant in ("exact", "published"):
        found = {
            "first_order": pb.bounds.first_order(gibbs, kl, n, delta, constant),
            "tandem": pb.bounds.tandem(tandem, kl, n, delta, constant),
            "disagreement": pb.bounds.disagreement(gibbs, apart, kl, n, n, delta, constant),
            "chebyshev_cantelli": pb.bounds.chebyshev_cantelli(gibbs, tandem, kl, n, n, delta, constant),
        }
        for name, values in found.items():
            assert np.median(values) < 0.9, "a bound that says nothing is no test of it"
            judge(f"votes, {law}, {weights}, delta {delta}: {name} {constant}", values, truth, delta)


@pytest.mark.parametrize("p", [0.1, 0.4, 0.7])
def test_the_limits_behind_them(p, judge):
    """The inequalities of Markov and Chebyshev leave slack; the limits that they start from hardly do."""
    n, rng = 60, np.random.default_rng(12)
    losses = rng.binomial(n, p, size=RUNS) / n
    judge(f"first_order, one voter, Gibbs loss {p}", pb.bounds.first_order(losses, 0.0, n, DELTA) / 2.0, min(p, 0.5))
    judge(f"tandem, one voter, tandem loss {p}", pb.bounds.tandem(losses, 0.0, n, DELTA) / 4.0, min(p, 0.25))
