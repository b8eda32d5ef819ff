"""One kept draw: as bounds, and as certificates of refitted models.

maurer_draw, betting_draw and portfolio_draw fail in at most delta of runs, over examples and draw: two hundred
predictors with an even prior; posteriors that look at all examples, and one that knows the truth besides. Then
``CertifiedLogisticRegression(derandomize="draw")`` on data whose true risk is known.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import pacbayes as pb

from coverage.judging import repeat, too_often

PREDICTORS, N, BLOCK = 200, 60, 250
DELTAS = (0.5, 0.05)
LAWS = ("gaussian", "logistic", "grid")
RATES, WEIGHTS = pb.bounds.betting_rates(N, 0.5)
STRENGTHS = np.array([0.0, 0.5, 1.0])


def _sharp(losses, _truth):
    """All weight on the predictors with the fewest errors."""
    errors = losses.sum(axis=2)
    return (errors == errors.min(axis=1, keepdims=True)).astype(float)


def _mild(losses, _truth):
    """Weights that fall with the errors so slowly that the log ratio of a draw is often negative."""
    return np.exp(-0.3 * losses.sum(axis=2))


def _lucky(losses, truth):
    """What an enemy would choose: more weight the further the observed risk is below the true one, which it knows."""
    risk = losses.mean(axis=2)
    return np.where(risk < truth, np.exp(N * pb.kl(risk, np.broadcast_to(truth, risk.shape))), 1e-3)


POSTERIORS = {"sharp": _sharp, "mild": _mild, "lucky": _lucky}


def _draw(rng, weights):
    """Draw one predictor per run, and return it with its log ratio to the even prior."""
    posterior = weights / weights.sum(axis=1, keepdims=True)
    places = (rng.random((len(weights), 1)) > np.cumsum(posterior, axis=1)).sum(axis=1)
    places = np.minimum(places, PREDICTORS - 1)
    return places, np.log(posterior[np.arange(len(weights)), places] * PREDICTORS)


def _values(losses, reference, log_ratio, delta):
    """All three bounds for losses of the kept draws, one per row."""
    given = {"log_ratio": log_ratio, "n": N, "delta": delta}
    yield "maurer_draw", pb.bounds.maurer_draw(losses.mean(axis=1), **given)
    growth = losses.mean(axis=1)[:, None] * np.log1p(-RATES)
    yield "betting_draw", pb.bounds.betting_draw(growth, RATES, weights=WEIGHTS, **given)
    x = losses[:, None, None] - STRENGTHS[:, None, None] * reference[:, None, None]
    growths = np.log1p(-RATES[:, None] * x).mean(axis=-1)
    own = np.log1p(-RATES[:, None] * reference[:, None]).mean(axis=-1)
    yield "portfolio_draw", pb.bounds.portfolio_draw(growths, STRENGTHS, own, RATES, weights=WEIGHTS, **given)


def _examples(rng, runs):
    """Losses of predictors that share what makes an example difficult, and a reference that copies the first one."""
    truth = np.linspace(0.1, 0.4, PREDICTORS)
    common = rng.random((runs, 1, N))
    own = rng.random((runs, PREDICTORS, N))
    losses = (np.where(own < 0.5, common, rng.random((runs, PREDICTORS, N))) < truth[:, None]).astype(float)
    return losses, truth, losses[:, 0]


@pytest.mark.parametrize("runs", [2000, pytest.param(20_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", POSTERIORS)
def test_holds_over_examples_and_draw(name, runs, judge, record_property):
    rng, found, ratios = np.random.default_rng(21), {}, []
    for _ in range(runs // BLOCK):
        losses, truth, reference = _examples(rng, BLOCK)
        places, ratio = _draw(rng, POSTERIORS[name](losses, truth))
        ratios.append(ratio)
        kept = losses[np.arange(BLOCK), places]
        for delta in DELTAS:
            for bound, values in _values(kept, reference, ratio, delta):
                found.setdefault((bound, delta), []).append(values - truth[places])
    record_property(
        f"line:one kept draw, {name}: share of negative log ratios", f"{np.mean(np.hstack(ratios) < 0):.1%}"
    )
    for (bound, delta), parts in found.items():
        judge(f"one kept draw, {name} posterior, delta {delta}: {bound}", np.concatenate(parts), 0.0, delta)


def _keep_the_best(rng, losses, weights, draws):
    """Draw again and again, and keep the draw with the fewest errors."""
    errors, rows = losses.sum(axis=2), np.arange(BLOCK)
    places, ratio = _draw(rng, weights)
    for _ in range(draws - 1):
        again, other = _draw(rng, weights)
        better = errors[rows, again] < errors[rows, places]
        places, ratio = np.where(better, again, places), np.where(better, other, ratio)
    return places, ratio


@pytest.mark.parametrize("mistake", ["no ratio", "best of 50 draws", "ratio of another draw"])
def test_mistakes_are_caught(mistake):
    """The ratio left out, draws until one looks good, or the ratio of a draw that was not kept."""
    rng, wrong, runs = np.random.default_rng(22), 0, 500
    for _ in range(runs // BLOCK):
        losses = (rng.random((BLOCK, PREDICTORS, N)) < 0.3).astype(float)
        places, ratio = _draw(rng, _sharp(losses, None))
        if mistake == "no ratio":
            ratio = np.zeros(BLOCK)
        elif mistake == "best of 50 draws":
            places, ratio = _keep_the_best(rng, losses, np.ones((BLOCK, PREDICTORS)), 50)
        else:
            ratio = np.full(BLOCK, -1.0)
        risk = losses[np.arange(BLOCK), places].mean(axis=1)
        values = pb.bounds.betting_draw(risk * np.log1p(-0.5), 0.5, ratio, N, 0.5)
        wrong += int((values < 0.3).sum())
    assert too_often(wrong, runs, 0.5)


def test_bets_hold_from_the_draw_on(record_property):
    """The predictor is kept, and more examples come: betting_draw with the same log ratio holds at all of them."""
    rng, runs, later = np.random.default_rng(23), 1000, 300
    rates, weights = pb.bounds.betting_rates()
    failed = dict.fromkeys(DELTAS, 0)
    for _ in range(runs // BLOCK):
        losses, truth, _ = _examples(rng, BLOCK)
        places, ratio = _draw(rng, _lucky(losses, truth))
        risk = truth[places]
        fresh = (rng.random((BLOCK, later)) < risk[:, None]).astype(float)
        errors = losses[np.arange(BLOCK), places].sum(axis=1)[:, None] + np.cumsum(fresh, axis=1)
        sizes = N + np.arange(1, later + 1)
        growth = (errors / sizes)[:, ::7, None] * np.log1p(-rates)
        for delta in DELTAS:
            values = pb.bounds.betting_draw(growth, rates, ratio[:, None], sizes[::7], delta, weights)
            failed[delta] += int((values < risk[:, None]).any(axis=1).sum())
    for delta, count in failed.items():
        record_property(f"line:one kept draw, all later n, delta {delta}: betting_draw violated", f"{count / runs:.2%}")
        assert not too_often(count, runs, delta)


def _refit(prior, delta, runs):
    """Certificates and true risks of models refitted on samples of one distribution, and their log ratios."""

    def fit(run):
        law = LAWS[run % len(LAWS)]
        sample = pb.datasets.make_known_risk(200, d=3, law=law, separation=0.7, random_state=run)
        model = pb.CertifiedLogisticRegression(delta, prior=prior, derandomize="draw", random_state=run)
        model.fit(sample.X, sample.y)
        slopes = model.coef_[0] / model.preprocessing_.scale_
        risk = sample.risk(slopes, model.intercept_[0] - slopes @ model.preprocessing_.mean_)
        statement = model.certificate_.statements[0]
        return statement.value, risk, statement.observed["log_ratio"]

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", pb.CertificateWarning)
        return np.array(repeat(fit, runs, delta, lambda row: row[0] < row[1])).T


@pytest.mark.parametrize("runs", [20, pytest.param(500, marks=pytest.mark.long)])
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("prior", ["informed", "zero"])
def test_certificates_of_refitted_models(prior, delta, runs, judge, record_property):
    values, risks, ratios = _refit(prior, delta, runs)
    words = f"from {ratios.min():.2f} to {ratios.max():.2f}, {np.mean(ratios < 0.0):.0%} negative"
    record_property(f"line:certificate of a kept draw, {prior} prior, delta {delta}: log ratios", words)
    judge(f"certificate of a kept draw, {prior} prior, delta {delta}", values, risks, delta)
