"""The portfolio against references made to break it, at all n at once."""

from __future__ import annotations

import numpy as np
import pytest

import pacbayes as pb

from coverage import laws
from coverage.judging import too_often

RUNS, N, BLOCK = 5000, 100, 50
RUNS_AT_ALL_N = [1500, pytest.param(RUNS, marks=pytest.mark.long)]
DELTAS = (0.5, 0.2, 0.05)
RATES, WEIGHTS = pb.bounds.betting_rates()
STRENGTHS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
STRENGTH_WEIGHTS, SHARE = np.array([0.5, 0.1, 0.1, 0.1, 0.2]), 0.8
INDEX = np.arange(1, N + 1)


def _copying(rng, runs):
    """A reference that errs where the predictor does."""
    losses = (rng.random((runs, N)) < 0.2).astype(float)
    return losses, losses, np.full(losses.shape, 0.2), 0.2


def _opposed(rng, runs):
    """One that errs exactly where the predictor does not."""
    losses = (rng.random((runs, N)) < 0.2).astype(float)
    return losses, 1.0 - losses, np.full(losses.shape, 0.8), 0.2


def _stopping(rng, runs):
    """One that copies the predictor until its errors are suspiciously few, and is perfect from then on."""
    losses = (rng.random((runs, N)) < 0.2).astype(float)
    few = np.cumsum(losses, axis=1) < 0.2 * INDEX - 1.5 * np.sqrt(0.16 * INDEX)
    stopped = np.roll(np.maximum.accumulate(few, axis=1), 1, axis=1)  # decided by the examples before
    stopped[:, 0] = False
    return losses, np.where(stopped, 0.0, losses), np.where(stopped, 0.0, 0.2), 0.2


def _learning(rng, runs):
    """The majority so far, against the rule that always says 0."""
    labels, losses, conditional = laws.majority_reference(rng, runs, N, p=0.45)
    return labels, losses, conditional, 0.45


ADVERSARIES = {"copying": _copying, "opposed": _opposed, "stopping": _stopping, "learning": _learning}


def _counts(losses, references):
    """Return the shares up to each n on which the predictor errs alone, both err, the reference errs alone."""
    kinds = losses * (1.0 - references), losses * references, (1.0 - losses) * references
    return [np.cumsum(kind, axis=1) / INDEX for kind in kinds]


def _growths(alone, both, saved):
    gamma = STRENGTHS[:, None]
    parts = alone[..., None, None] * np.log1p(-RATES) + both[..., None, None] * np.log1p(-RATES * (1.0 - gamma))
    return parts + saved[..., None, None] * np.log1p(RATES * gamma), (both + saved)[..., None] * np.log1p(-RATES)


def _capital(counts, risk, average):
    """Return ``F`` at the truth for each run and n: what Ville's inequality is about."""
    growths, own = _growths(*counts)
    sizes = INDEX[:, None]
    logs = np.log1p(-RATES * (risk - STRENGTHS[:, None] * average[..., None, None]))
    first = np.exp(sizes[..., None] * (growths - logs)) @ WEIGHTS @ STRENGTH_WEIGHTS
    second = np.exp(sizes * (own - np.log1p(-RATES * average[..., None]))) @ WEIGHTS
    return SHARE * first + (1.0 - SHARE) * second


def _bound(counts, sizes, delta):
    growths, own = _growths(*counts)
    return pb.bounds.portfolio(growths, STRENGTHS, own, RATES, 0.0, sizes, delta, WEIGHTS)


@pytest.mark.parametrize("runs", RUNS_AT_ALL_N)
@pytest.mark.parametrize("name", ADVERSARIES)
def test_holds_at_all_n_at_once(name, runs, record_property):
    """The bound fails at some n only if the capital at the truth exceeds 1/delta there, so only there it is asked."""
    rng, failures, exceeded = np.random.default_rng(11), dict.fromkeys(DELTAS, 0), dict.fromkeys(DELTAS, 0)
    for _ in range(runs // BLOCK):
        losses, references, conditional, risk = ADVERSARIES[name](rng, BLOCK)
        counts = _counts(losses, references)
        capital = _capital(counts, risk, np.cumsum(conditional, axis=1) / INDEX)
        for delta in DELTAS:
            over = capital > 1.0 / delta
            exceeded[delta] += int(over.any(axis=1).sum())
            run, place = np.nonzero(over)
            if run.size:
                values = _bound([part[run, place] for part in counts], INDEX[place], delta)
                failures[delta] += np.unique(run[values < risk]).size
    for delta in DELTAS:
        record_property(
            f"line:portfolio, {name} reference, delta {delta}, all n: violated",
            f"{failures[delta] / runs:7.2%} of {runs} (capital above 1/delta in {exceeded[delta] / runs:.2%})",
        )
        assert not too_often(exceeded[delta], runs, delta)
        assert failures[delta] <= exceeded[delta]


@pytest.mark.parametrize("name", ADVERSARIES)
def test_holds_at_the_end(name, judge):
    """The same references, the bound itself in every run, and the mistake that a test must see."""
    losses, references, _, risk = ADVERSARIES[name](np.random.default_rng(12), 2000)
    last = [part[:, -1] for part in _counts(losses, references)]
    for delta in DELTAS:
        judge(f"portfolio, {name} reference, n {N}, delta {delta}", _bound(last, N, delta), risk, delta)


def test_a_reference_that_looks_ahead_is_caught():
    """Zero where the predictor errs, known only after the example: no longer predictable, and the capital shows it."""
    rng = np.random.default_rng(13)
    losses = (rng.random((RUNS, N)) < 0.2).astype(float)
    references = np.where(losses == 1.0, 0.0, (rng.random(losses.shape) < 0.2).astype(float))
    last = [part[:, -1] for part in _counts(losses, references)]
    growths, _ = _growths(*last)
    claimed = np.log1p(-RATES * 0.2)  # its loss, as it says with hindsight, is nowhere
    capital = np.exp(N * (growths - claimed)) @ WEIGHTS @ STRENGTH_WEIGHTS
    assert too_often(int(np.sum(SHARE * capital > 20.0)), RUNS)


def test_worst_of_many_predictors(judge):
    """The posterior is the predictor whose bound is furthest below its true risk, of 200 with an even prior."""
    rng, n, runs, count, found = np.random.default_rng(14), 60, 1000, 200, []
    rates, weights = pb.bounds.betting_rates(n, 0.05)
    gamma = STRENGTHS[:, None]
    for _ in range(runs // 20):
        losses = (rng.random((20, count, n)) < 0.1).astype(float)
        references = laws.fixed_reference(rng, (20, 1, n), losses[:, :1])
        kinds = losses * (1.0 - references), losses * references, (1.0 - losses) * references
        found.append(np.stack([kind.sum(axis=-1) for kind in kinds], axis=-1))
    # losses are 0 or 1, so that the bound is a function of three counts: a table instead of 200,000 bounds
    counts, where = np.unique(np.concatenate(found).reshape(-1, 3), axis=0, return_inverse=True)
    alone, both, saved = (part[:, None, None] / n for part in counts.T)
    growths = alone * np.log1p(-rates) + both * np.log1p(-rates * (1.0 - gamma)) + saved * np.log1p(rates * gamma)
    own = (both + saved)[:, 0] * np.log1p(-rates)
    values = pb.bounds.portfolio(growths, STRENGTHS, own, rates, np.log(count), n, 0.05, weights)
    worst = values[where.reshape(-1, count)].min(axis=1)
    judge("portfolio, worst of 200 predictors, fixed reference", worst, 0.1)
