"""Recursive PAC-Bayes as an estimator: its numbers computed once more, no look-ahead, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.base import clone
from sklearn.preprocessing import MinMaxScaler

import pacbayes as pb
from pacbayes.certificate import part_ends
from pacbayes.verification import recheck

SAMPLE = pb.datasets.make_known_risk(600, d=3, separation=0.7, random_state=0)
SPLIT_KL = {"bound": "split_kl", "gamma": 0.3, "parts": "geometric"}
OPTIONS = [{}, SPLIT_KL, {"posterior": "isotropic", "alpha": 1.0}, {"steps": 2, "preprocessing": MinMaxScaler()}]


def fit(X=SAMPLE.X, y=SAMPLE.y, **options):
    return pb.RecursiveLogisticRegression(**{"steps": 3, "random_state": 0} | options).fit(X, y)


def expected_losses(model, posterior):
    """The probability that a draw misclassifies each row, in the order of the fit, from its definition."""
    rows = model.preprocessing_.transform(SAMPLE.X[model.order_])
    rows = np.column_stack([rows, np.ones(len(rows))])
    signs = np.where(SAMPLE.y[model.order_] == model.classes_[1], 1.0, -1.0)
    covariance = posterior.covariance
    full = np.diag(np.broadcast_to(covariance, posterior.mean.shape)) if np.ndim(covariance) < 2 else covariance
    return ndtr(-signs * (rows @ posterior.mean) / np.sqrt(np.einsum("ij,jk,ik->i", rows, full, rows)))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_number_once_more(options):
    model = fit(**options)
    statement, steps = model.certificate_.statements[0], model.steps
    ends = part_ends(600, steps, model.parts)
    losses = [expected_losses(model, each) for each in model.posteriors_]
    assert len(losses) == steps
    assert statement.n == 600 - ends[0]
    assert statement.observed["first_risk"] == pytest.approx(losses[0][ends[0] :].mean(), rel=1e-9)
    for t in range(1, steps):
        before, after = (each[ends[t - 1] :] for each in (losses[t - 1], losses[t]))
        expected = {
            "risk": after.mean(),
            "worse": (after * (1.0 - before)).mean(),
            "better": (before * (1.0 - after)).mean(),
            "kl": model.posteriors_[t].kl(model.posteriors_[t - 1]),
            "n": 600 - ends[t - 1],
        }
        for name, number in expected.items():
            assert statement.observed[f"step_{name}"][t - 1] == pytest.approx(number, rel=1e-9), name
    numbers = {name: each for name, each in statement.observed.items() if name != "risk"}
    bound = pb.bounds.recursive if model.bound == "split_kl" else pb.bounds.recursive_portfolio
    assert model.certificate_.value == bound(**numbers, kl=0.0, n=statement.n, delta=0.05)
    assert model.certificate_.vote_value == pytest.approx(min(2.0 * model.certificate_.value, 1.0))
    assert statement.risk == statement.observed["step_risk"][-1]


@pytest.mark.parametrize("options", OPTIONS[:2], ids=str)
def test_a_posterior_depends_on_no_row_after_its_part(options):
    """Rows of later parts get other features and labels; all earlier posteriors stay as they are, digit for digit."""
    model = fit(**options)
    ends = part_ends(600, 3, model.parts)
    rng = np.random.default_rng(1)
    for t, end in enumerate(ends[:-1]):
        later = model.order_[end:]
        X, y = SAMPLE.X.copy(), SAMPLE.y.copy()
        X[later] = rng.normal(size=(later.size, 3)) * 7.0
        y[later] = rng.integers(0, 2, later.size)
        other = fit(X, y, **options)
        for one, two in zip(model.posteriors_[: t + 1], other.posteriors_, strict=False):
            np.testing.assert_array_equal(one.mean, two.mean)
            np.testing.assert_array_equal(one.covariance, two.covariance)
        assert not np.array_equal(model.posteriors_[-1].mean, other.posteriors_[-1].mean)


def test_posteriors_learn():
    """From part to part the distributions come nearer to the best predictor."""
    sample = pb.datasets.make_known_risk(4000, d=3, separation=1.0, random_state=3)
    model = pb.RecursiveLogisticRegression(steps=4, random_state=0).fit(sample.X, sample.y)
    assert all(kl > 0.0 for kl in model.certificate_.statements[0].observed["step_kl"])
    assert sample.risk(model.coef_[0] / model.preprocessing_.scale_) < sample.best_risk + 0.01
    assert model.certificate_.value < 0.22


def test_recheck_learns_again_and_refuses_other_rows():
    model = fit()
    assert recheck(model.certificate_, SAMPLE.X, SAMPLE.y, model)
    assert not recheck(model.certificate_, SAMPLE.X, 1 - SAMPLE.y, model)
    assert not recheck(model.certificate_, SAMPLE.X, SAMPLE.y, fit(alpha=3.0))
    changed = fit()
    changed.posterior_ = changed.posterior_.scaled(0.5)
    assert not recheck(changed.certificate_, SAMPLE.X, SAMPLE.y, changed)


def test_the_bets_are_tighter_than_the_published_bound():
    for steps in (2, 4):
        assert fit(steps=steps).certificate_.value < fit(steps=steps, bound="split_kl").certificate_.value


def test_predicts_by_the_vote_or_by_draws():
    model = fit()
    vote, drawn = model.predict(SAMPLE.X), model.predict(SAMPLE.X, randomized=True, random_state=0)
    assert np.mean(vote == SAMPLE.y) > 0.7
    assert 0.8 < np.mean(vote == drawn) < 1.0
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": 1}, "'steps' parameter of RecursiveLogisticRegression must be a whole number from 2 to 100. Got 1"),
        ({"steps": 2.0}, "'steps' parameter .* Got 2.0"),
        ({"gamma": 1.5}, r"'gamma' parameter of RecursiveLogisticRegression must be a float in \[0, 1\]. Got 1.5"),
        ({"bound": "maurer"}, "'bound' parameter .* must be one of 'portfolio', 'split_kl'. Got 'maurer'"),
        ({"parts": "odd"}, "'parts' parameter .* must be one of 'even', 'geometric'. Got 'odd'"),
        ({"alpha": -1.0}, "'alpha' parameter .* must be 'auto' or a positive float. Got -1.0"),
        ({"delta": 1.0}, "'delta' parameter .* must be a float in"),
        ({"preprocessing": "scale"}, "'preprocessing' parameter .* Got 'scale'"),
        ({"posterior": "full"}, "'posterior' parameter .* Got 'full'"),
        ({"candidates": 0}, "'candidates' parameter .* Got 0"),
        ({"steps": 100}, "steps=100 needs at least 200 rows. Got n_samples=150"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        fit(SAMPLE.X[:150], SAMPLE.y[:150], **options)


def test_parts():
    for steps in (2, 3, 8, 50):
        for rows in (2 * steps, 137, 1000):
            for parts in ("even", "geometric"):
                ends = part_ends(max(rows, 2 * steps), steps, parts)
                assert ends[-1] == max(rows, 2 * steps)
                assert np.all(np.diff(ends, prepend=0) >= 1)
