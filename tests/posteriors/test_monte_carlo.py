"""Monte-Carlo draws with their correction."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import brentq
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

import pacbayes as pb

SMALL = pb.datasets.make_known_risk(400, d=3, random_state=0)


@pytest.fixture(scope="module")
def binary():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + 0.3 * rng.normal(size=60) > 0).astype(int)
    return X, y, pb.Gaussian([1.0, 0.3, -0.2], 0.4)


def all_at_once(work):
    """What ``work()`` returns, with the limits of all its summaries computed by one call for each number of draws.

    A sequence does not depend on those beside it, and one call for many takes little more time than one for one. The
    work is done twice: to hear what is asked, and with the answers.
    """
    asked, answers = [], {}

    def listen(losses, delta, n):
        asked.append((losses, np.broadcast_to(delta, len(losses)), n))
        return np.ones(len(losses))

    def answer(losses, delta, n):
        return answers[n].pop((losses.tobytes(), np.broadcast_to(delta, len(losses)).tobytes()))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pacbayes.summary._monte_carlo.sequential", listen)
        work()
        for n in {each[2] for each in asked}:
            losses, deltas = zip(*[each[:2] for each in asked if each[2] == n], strict=True)
            values = np.split(
                pb.bounds.sequential(np.concatenate(losses), np.concatenate(deltas), n), np.cumsum([*map(len, losses)])
            )
            keys = ((one.tobytes(), delta.tobytes()) for one, delta in zip(losses, deltas, strict=True))
            answers[n] = dict(zip(keys, values[:-1], strict=True))
        patch.setattr("pacbayes.summary._monte_carlo.sequential", answer)
        found = work()
    assert not any(answers.values())
    return found


def test_limits_at_once_are_those_one_by_one(binary):
    X, y, posterior = binary

    def work():
        made = [pb.MonteCarlo(posterior, draws=50, delta=0.1, random_state=seed).summary(X, y) for seed in range(3)]
        return [(each.risk, each.variance, each.log_growth.tolist()) for each in made]

    assert all_at_once(work) == work()


@pytest.mark.parametrize("runs", [120, pytest.param(400, marks=pytest.mark.long)])
def test_correction_is_on_the_safe_side_and_the_plain_mean_is_not(binary, runs):
    """At delta = 0.1 all statistics together are safe in at least 90 % of runs; plain means are wrong in half."""
    X, y, posterior = binary
    rates = [0.9, 0.5, 0.1]
    reference = (np.arange(60) % 5 == 0).astype(float)
    options = {"rates": rates, "reference": reference, "reference_kind": "fixed"}
    exact, delta = pb.Summary.from_losses(posterior.zero_one(X, y), **options), 0.1

    def is_safe(summary):
        return (
            summary.risk >= exact.risk
            and summary.plus >= exact.plus
            and summary.minus <= exact.minus
            and summary.second >= exact.second
            and summary.excess >= exact.excess
            and summary.variance >= exact.variance - 1e-12
            and np.all(summary.log_growth <= exact.log_growth)
            and np.all(summary.growths <= exact.growths)
        )

    def work():
        rng = np.random.default_rng(1)
        draws = [pb.MonteCarlo(posterior, draws=200, delta=delta, random_state=rng) for _ in range(runs)]
        summaries = [each.summary(X, y, **options) for each in draws]
        for each in summaries:  # all that is looked at is asked for, safe or not
            assert each.risk + np.sum(each.log_growth) + np.sum(each.growths) < np.inf
        return [*map(is_safe, summaries)], [each.totals.high[0] / 60 < exact.risk for each in summaries]

    safe, plain_wrong = all_at_once(work)
    assert runs - sum(safe) <= delta * runs
    assert 0.4 * runs < sum(plain_wrong) < 0.6 * runs


def test_total_delta_of_a_bound_built_on_draws(binary):
    """Data, then draws: a bound with a total delta of 0.3, of which the draws spend 0.2, fails in at most 30 %."""
    _, _, posterior = binary
    runs, big = 300, pb.datasets.make_known_risk(200_000, d=3, random_state=3)
    true_risk = posterior.zero_one(big.X, big.y).mean()

    def work():
        rng, found = np.random.default_rng(2), []
        for _ in range(runs):
            rows = rng.integers(200_000, size=80)
            draws = pb.MonteCarlo(posterior, draws=50, delta=0.2, random_state=rng)
            found.append(draws.summary(big.X[rows], big.y[rows], classes=(0, 1), rates=[0.5]))
        return [each.bound("maurer", kl=0.0, delta=0.3) for each in found], found[0].risk

    values, first = all_at_once(work)
    assert values[0] == pb.bounds.maurer(first, 0.0, 80, 0.3 - 0.2)
    assert np.sum(np.array(values) < true_risk) <= 0.3 * runs


def test_delta_spent_is_part_of_delta(binary):
    X, y, posterior = binary
    summary = pb.MonteCarlo(posterior, draws=100, delta=0.02, random_state=0).summary(X, y)
    with pytest.raises(ValueError, match=r"must exceed what Monte-Carlo draws have spent \(0.02\)"):
        summary.bound("maurer", kl=1.0, delta=0.02)
    with pytest.raises(ValueError, match=r"must exceed what Monte-Carlo draws have spent \(0.02\)"):
        pb.bounds.debiased(summary, kl=1.0, delta=0.01)
    assert pb.bounds.debiased(summary, kl=1.0, delta=0.05) == summary.bound("betting", kl=1.0, delta=0.05)


def test_a_thousand_draws_come_within_a_hundredth():
    """A risk of .1059: limits for any numbers with that mean, on 70 even shares of delta, gave .1509."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 3))
    y = (X[:, 0] + 0.2 * rng.normal(size=500) > 0).astype(int)
    scale = brentq(lambda s: pb.Gaussian([1.0, 0.1, -0.1], s).zero_one(X, y).mean() - 0.1059, 0.01, 3.0)
    posterior = pb.Gaussian([1.0, 0.1, -0.1], scale)
    before = pb.bounds.chernoff(0.1059, 1000, 0.01 / 70)
    assert before == pytest.approx(0.1509, abs=2e-3)
    for seed in range(5):
        summary = pb.MonteCarlo(posterior, draws=1000, delta=0.01, random_state=seed).summary(X, y)
        assert 0.1059 < summary.risk < 0.1159


def test_rates_are_moved_less_than_by_limits_for_any_numbers(binary):
    X, y, posterior = binary
    exact = pb.Summary.from_losses(posterior.zero_one(X, y)).log_growth
    summary = pb.MonteCarlo(posterior, draws=1000, delta=0.01, random_state=0).summary(X, y)
    low = np.log1p(-summary.rates)
    share = 1.0 - np.clip(exact / low, 0.0, 1.0)
    before = low * (1.0 - pb.kl_inv_lower(share, np.log(70 / 0.01) / 1000))
    assert np.all(summary.log_growth <= exact)
    assert np.mean((exact - summary.log_growth) / (exact - before)) < 0.7


def test_chunks_of_examples_keep_their_draws(binary):
    X, y, posterior = binary
    scores = posterior.sample(200, 0) @ X.T
    losses = ((scores > 0.0) != y).astype(float)
    options = {"delta": 0.05, "rates": [0.5, 0.1]}
    whole = pb.Summary.from_draws(losses, **options)
    parts = [pb.Summary.from_draws(losses[:, part], **options) for part in (slice(0, 7), slice(7, 40), slice(40, 60))]
    merged = parts[0] + parts[1] + parts[2]
    assert merged.n == whole.n
    for name, value in whole.statistics().items():
        np.testing.assert_allclose(merged.statistic(name), value, rtol=1e-9, err_msg=name)
    assert parts[0].risk != whole.risk


@pytest.mark.parametrize("reference", [None, np.arange(60) % 2], ids=["no reference", "reference"])
def test_shares_add_up_to_at_most_delta(monkeypatch, binary, reference):
    """Every delta that is asked for on the way, once; without a reference growths cost nothing of their own."""
    X, y, posterior = binary
    kind, spent = None if reference is None else "fixed", []

    def record(losses, delta, n):
        spent.extend(np.ravel(delta).tolist())
        return np.ones(len(losses))

    monkeypatch.setattr("pacbayes.summary._monte_carlo.sequential", record)
    draws = pb.MonteCarlo(posterior, draws=20, delta=0.01, random_state=0)
    summary = draws.summary(X, y, reference=reference, reference_kind=kind)
    summary.statistics()
    summary.statistics()
    assert len(spent) == 7 + (63 if reference is None else 6 * 63)
    assert 0.999 * 0.01 < sum(spent) <= 0.01


def test_more_draws_come_closer_to_the_exact_value(binary):
    X, y, posterior = binary
    exact = posterior.zero_one(X, y).mean()
    gaps = [pb.MonteCarlo(posterior, n, 0.01, random_state=0).summary(X, y).risk - exact for n in (100, 1000, 10_000)]
    assert gaps[0] > gaps[1] > gaps[2] > 0


def test_multi_class_and_other_losses():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    fit = LogisticRegression(max_iter=1000).fit(X, y)
    mean = np.column_stack([fit.coef_, fit.intercept_])
    posterior = pb.Gaussian(mean, 1e-3, intercept=True)
    assert posterior.sample(5, 0).shape == (5, 3, 5)
    sure = pb.MonteCarlo(posterior, draws=2000, delta=0.01, random_state=0)
    error = np.mean(fit.predict(X) != y)
    assert abs(sure.summary(X, names).risk - error) < 0.05
    for loss in ("brier", "log_loss"):
        values = sure.summary(X, y, loss=loss)
        probability = fit.predict_proba(X)
        expected = pb.losses.get(loss)(probability, y).mean()
        assert 0 < values.risk - expected < 0.06
    np.testing.assert_allclose(posterior.scores(mean[None], X)[0], fit.decision_function(X))


def test_binary_probability_losses(binary):
    X, y, posterior = binary
    summary = pb.MonteCarlo(posterior, draws=300, delta=0.01, random_state=0).summary(X, y, loss="brier")
    assert 0 < summary.risk < 0.5
    assert summary.second < summary.risk  # a loss between 0 and 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p, X, y: pb.MonteCarlo(p, draws=0), "must be a whole number"),
        (lambda p, X, y: pb.MonteCarlo(p, delta=1.0), "'delta' argument of MonteCarlo"),
        (lambda p, X, y: pb.MonteCarlo(p).summary(X, y + 2, classes=(0, 1)), "must hold only"),
        (lambda p, X, y: pb.MonteCarlo(p).summary(X, np.zeros(60)), "exactly two distinct labels"),
        (lambda p, X, y: pb.MonteCarlo(p).summary(X, y, loss="hinge"), "'loss' argument must be one of .* Got 'hinge'"),
        (
            lambda p, X, y: pb.MonteCarlo(pb.Gaussian(np.zeros((3, 3)), 1.0)).summary(X, y),
            "must have 3 distinct labels",
        ),
    ],
)
def test_bad_draws(call, message, binary):
    X, y, posterior = binary
    with pytest.raises(ValueError, match=message):
        call(posterior, X, y)


def test_draws_need_one_label_per_row():
    posterior = pb.Gaussian([1.0, 0.0, 0.0], 0.1)
    for y, options in ((SMALL.y[:200], {}), (np.array([1]), {"classes": (0, 1)})):
        with pytest.raises(ValueError, match="one label per row"):
            pb.MonteCarlo(posterior).summary(SMALL.X, y, **options)
    with pytest.raises(ValueError, match="losses of labels or probabilities"):
        pb.MonteCarlo(posterior).summary(SMALL.X, SMALL.y, loss="absolute")
    with pytest.raises(ValueError, match="'draws' argument of MonteCarlo"):
        pb.MonteCarlo(posterior, draws=0)
    pb.MonteCarlo(posterior, draws=10).summary(sp.coo_matrix(SMALL.X), SMALL.y)
