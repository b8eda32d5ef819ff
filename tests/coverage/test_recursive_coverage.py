"""Recursive PAC-Bayes by simulation: its posteriors choose among predictors of which all are equally good."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import pacbayes as pb

from coverage.judging import DELTA, repeat
from coverage.test_certificates import LAWS, N, true_risks

PREDICTORS, PARTS = 12, (150, 150, 300)
HARD, FLIPPED = 0.2, 0.03  # rows on which predictors err, but for those on which one does otherwise
RISK = HARD * (1.0 - FLIPPED) + (1.0 - HARD) * FLIPPED
ENDS = np.cumsum(PARTS)
SHARPNESS = (0.1, 0.3, 1.0)  # of the last posterior, of which the one with the smallest bound is taken
NAMES = ("step_risk", "step_worse", "step_better")


def _posterior(losses, sharpness):
    """Return weights of predictors that fall with their errors, shape (runs, predictors)."""
    errors = losses.sum(axis=-1)
    weights = np.exp(-sharpness * (errors - errors.min(axis=-1, keepdims=True)))
    return weights / weights.sum(axis=-1, keepdims=True)


def _divergence(one, other):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(one > 0.0, one * np.log(one / other), 0.0).sum(axis=-1)


def _expected(rng, weights, losses):
    """Return the loss on each row, averaged over predictors."""
    return np.einsum("rp,rpn->rn", weights, losses)


def _drawn(rng, weights, losses):
    """Return the loss on each row of a predictor drawn for it."""
    cumulated = np.cumsum(weights, axis=-1)[..., None]
    chosen = (rng.random((losses.shape[0], 1, losses.shape[-1])) > cumulated).sum(axis=1, keepdims=True)
    return np.take_along_axis(losses, np.minimum(chosen, PREDICTORS - 1), axis=1)[:, 0]


def simulate(runs, seed, look, sharpness):
    """Return the numbers of three steps; the last posterior is the one of that sharpness, learned from all rows."""
    rng = np.random.default_rng(seed)
    hard = rng.random((runs, 1, sum(PARTS))) < HARD
    losses = (hard ^ (rng.random((runs, PREDICTORS, sum(PARTS))) < FLIPPED)).astype(float)
    prior = np.full((runs, PREDICTORS), 1.0 / PREDICTORS)
    posteriors = [_posterior(losses[..., :end], beta) for end, beta in zip(ENDS, (0.1, 0.1, sharpness), strict=True)]
    shares = []
    for start, (before, after) in zip(ENDS, pairwise(posteriors), strict=False):
        one, other = (look(rng, weights, losses[..., start:]) for weights in (before, after))
        shares.append([part.mean(axis=-1) for part in (other, other * (1.0 - one), one * (1.0 - other))])
    return {
        "first_risk": look(rng, posteriors[0], losses).mean(axis=-1),
        **dict(zip(NAMES, np.moveaxis(np.array(shares), 0, -1), strict=True)),
        "kl": _divergence(posteriors[0], prior),
        "step_kl": np.stack([_divergence(b, a) for a, b in pairwise(posteriors)], axis=-1),
        "n": sum(PARTS),
        "step_n": [sum(PARTS[1:]), PARTS[2]],
    }


@pytest.mark.parametrize("delta", [DELTA, 0.5])
def test_recursive_with_the_last_posterior_chosen_by_the_bound(delta, judge):
    found = [simulate(1000, 11, _expected, sharpness) for sharpness in SHARPNESS]
    values = [pb.bounds.recursive_portfolio(**each, delta=delta) for each in found]
    judge(f"recursive_portfolio, delta {delta}", np.min(values, axis=0), RISK, delta)
    for gamma in (0.0, 0.5, 1.0):
        values = [pb.bounds.recursive(**each, delta=delta, gamma=gamma) for each in found]
        judge(f"recursive, gamma {gamma}, delta {delta}", np.min(values, axis=0), RISK, delta)


def test_recursive_with_draws(judge):
    """Frequencies are those of one pair of draws for each row."""
    found = simulate(1000, 12, _drawn, 1.0)
    judge("recursive, draws, delta 0.5", pb.bounds.recursive(**found, delta=0.5, delta_mc=0.1), RISK, 0.5)


def fits(law, runs, delta, **options):
    """Return values of certificates and true risks of draws from the last posterior, over many samples."""
    generator = np.random.default_rng(7)

    def fit(run):
        sample = pb.datasets.make_known_risk(N, d=3, law=law, separation=0.7, random_state=run)
        model = pb.RecursiveLogisticRegression(delta=delta, random_state=run, **options).fit(sample.X, sample.y)
        return model.certificate_.value, true_risks(model, sample, generator)[1]

    with threadpool_limits(1):
        return np.array(repeat(fit, runs, delta)).T


@pytest.mark.filterwarnings("ignore::pacbayes.CertificateWarning")
@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("bound", ["portfolio", "split_kl"])
@pytest.mark.parametrize("runs", [12, pytest.param(1000, marks=pytest.mark.long)])
def test_certificates(bound, delta, runs, judge):
    for place, steps in enumerate((2, 3)):
        law = LAWS[(place + (bound == "portfolio")) % len(LAWS)]
        values, truths = fits(law, runs, delta, steps=steps, bound=bound, alpha=1.0)
        judge(f"recursive certificate, {bound}, {steps} steps, {law}, delta {delta}", values, truths, delta)
