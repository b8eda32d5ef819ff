"""The certified logistic regression: what it learns from which rows, and that its posterior is the best it finds."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MinMaxScaler

import pacbayes as pb
from pacbayes.certificate import Reference
from pacbayes.posteriors import Gaussian
from pacbayes.procedures.posterior_descent import bound_slopes, descend
from pacbayes.procedures.posterior_search import Task, best_on_the_line
from pacbayes.procedures.prior import SIGNS

SAMPLE = pb.datasets.make_known_risk(500, d=4, separation=0.8, random_state=2)
VARIANTS = [
    {},
    {"bound": "betting"},
    {"bound": "betting", "posterior": "isotropic"},
    {"bound": "betting", "prior": "zero"},
    {"bound": "betting", "reference": "fixed"},
    {"bound": "betting", "reference": "online"},
    {"bound": "betting", "reference": "learned"},
    {"bound": "maurer"},
    {"reference": "none"},
    {"reference": ("fixed", "learned")},
    {"prior": "zero"},
    {"prior": "zero", "reference": ("fixed", "online", "learned")},
]


def fitted(y=SAMPLE.y, X=SAMPLE.X, **options):
    return pb.CertifiedLogisticRegression(random_state=5, **options).fit(X, y)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_the_bounds_rows_have_no_part_in_the_prior(options):
    """With other rows and labels in the bound's part, everything learned on the prior's part stays as it was."""
    model = fitted(**options)
    rest = model.order_[model.n_learning_ :]
    X, y = SAMPLE.X.copy(), SAMPLE.y.copy()
    X[rest] = 3.0 * X[rest[::-1]] + 1.0
    y[rest] = 1 - y[rest]
    other = fitted(y, X, **options)
    assert np.array_equal(model.order_, other.order_)
    assert np.array_equal(model.prior_.mean, other.prior_.mean)
    assert np.array_equal(model.prior_.covariance, other.prior_.covariance)
    assert np.array_equal(model.preprocessing_.mean_, other.preprocessing_.mean_)
    first, second = (
        {choice.what: choice.value for choice in each.certificate_.choices if choice.where == "learning_rows"}
        for each in (model, other)
    )
    assert first == second
    assert "alpha" in first


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_the_same_seed_gives_the_same_certificate(options):
    one, two = fitted(**options).certificate_, fitted(**options).certificate_
    assert (one.statements, one.digests) == (two.statements, two.digests)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_statistics_are_those_of_the_posterior_on_the_bounds_rows(options):
    model = fitted(**options)
    rest = model.order_[model.n_learning_ :]
    Z, y = model.preprocessing_.transform(SAMPLE.X[rest]), SAMPLE.y[rest]
    risk = model.posterior_.zero_one(Z, y, classes=model.classes_).mean()
    assert abs(model.certificate_.statements[0].risk - risk) < (0.01 if not options else 1e-9)
    assert abs(model.certificate_.statements[0].kl - model.posterior_.kl(model.prior_)) < 1e-9
    assert model.certificate_.n == len(rest)


def task(strength=1.0, references=None):
    rates, weights = pb.bounds.betting_rates(n=SAMPLE.y.size)
    return Task(
        X=SAMPLE.X,
        signs=np.where(SAMPLE.y == 1, 1.0, -1.0),
        reference_losses=np.zeros((0, SAMPLE.y.size)) if references is None else references[None, :],
        reference=None if references is None else Reference("fixed", strength, "betting"),
        several=False,
        rates=rates,
        weights=weights,
        bound="betting",
        delta=0.05,
    )


def summarise(job, posterior):
    losses = posterior.zero_one(job.X, job.signs, classes=SIGNS)
    grid = {"rates": job.rates, "weights": job.weights}
    if job.reference is None:
        return pb.Summary.from_losses(losses, **grid)
    strength = job.reference.strength
    return pb.Summary.from_losses(losses, job.reference_losses[0], reference_kind="fixed", strength=strength, **grid)


@pytest.mark.parametrize("strength", [1.0, 0.5])
@pytest.mark.parametrize("reference", [False, True])
def test_statistics_on_a_grid_equal_those_of_summaries(strength, reference):
    references = (np.arange(SAMPLE.y.size) % 5 == 0).astype(float) if reference else None
    job = task(strength, references)
    start, towards = Gaussian([0.2, 0.1, -0.3, 0.0, 0.1], 0.3, intercept=True), np.array([1.0, 0.5, -0.5, 0.2, 0.0])
    steps, scales = np.array([0.0, 0.5, 1.0]), np.array([0.5, 2.0])
    grid = job.grid_statistics(start, towards, steps, scales)
    for row, step in enumerate(steps):
        for column, scale in enumerate(scales):
            summary = summarise(job, start.moved(towards, step).scaled(scale))
            for name in ("risk", "plus", "minus", "excess", "second", "variance", "log_growth"):
                assert np.allclose(grid[name][row, column], getattr(summary, name), atol=1e-12), name
            assert np.allclose(grid["reference_log_growth"], summary.reference_log_growth)


def test_the_posterior_is_no_worse_than_either_end():
    job = task()
    prior = Gaussian(np.zeros(5), 0.5, intercept=True)
    target = np.append(3.0 * SAMPLE.parameters["direction"], 0.0)
    best, step, scale = best_on_the_line(job, prior, prior, target)

    def value(posterior):
        summary = summarise(job, posterior)
        return summary.bound("betting", kl=posterior.kl(prior), delta=0.05)

    assert value(best) <= min(value(prior), value(prior.moved(target, 1.0))) + 1e-12
    assert 0.0 < step <= 1.0
    assert scale > 0.0


PAIRS = {
    "betting": ("betting", None),
    "maurer": ("maurer", None),
    "tolstikhin_seldin": ("tolstikhin_seldin", None),
    "unexpected_bernstein": ("unexpected_bernstein", None),
    "catoni": ("catoni", None),
    "betting of an excess": ("betting", "betting"),
    "excess_kl": ("excess_kl", "clopper_pearson"),
    "portfolio": ("portfolio", None),
}


def job_of(name):
    """A task for each way in which a bound comes about, with two references for the portfolio."""
    bound, reference = PAIRS[name]
    first, second = ((np.arange(SAMPLE.y.size) % k == 0).astype(float) for k in (5, 7))
    several = bound == "portfolio"
    losses = np.stack([first, second])[: 2 if several else int(reference is not None)]
    described = None if reference is None else Reference("fixed", 0.75, reference)
    return replace(task(), bound=bound, reference=described, reference_losses=losses, several=several)


@pytest.mark.parametrize("name", PAIRS)
def test_slopes_of_a_bound_are_those_of_differences(name):
    job = job_of(name)
    errors, kl, step = 61.3, 7.0, 1e-3
    both = np.array([31.7, 22.1])[: len(job.reference_losses)]

    def value(errors, both, kl):
        return float(job.bound_of(job.statistics(np.asarray(errors), both), kl))

    found = bound_slopes(job, errors, both, kl)
    assert np.isclose(found.value, value(errors, both, kl), rtol=1e-12)
    difference = (value(errors + step, both, kl) - value(errors - step, both, kl)) / (2.0 * step)
    assert np.isclose(found.errors, difference, rtol=1e-4)
    assert np.isclose(
        found.kl, (value(errors, both, kl + step) - value(errors, both, kl - step)) / (2.0 * step), rtol=1e-4
    )
    for place, unit in enumerate(np.eye(both.size)):
        difference = (value(errors, both + step * unit, kl) - value(errors, both - step * unit, kl)) / (2.0 * step)
        assert np.isclose(found.both[place], difference, rtol=1e-3, atol=1e-7)


@pytest.mark.parametrize("name", PAIRS)
def test_descent_finds_a_smaller_bound_or_nothing(name):
    job = job_of(name)
    prior = Gaussian(np.zeros(5), 0.5, intercept=True)
    target = np.append(3.0 * SAMPLE.parameters["direction"], 0.0)
    start, _, _ = best_on_the_line(job, prior, prior, target)
    shape = pb.laplace_covariance(job.X, job.signs, target, 1.0, intercept=True)
    narrow, wide = descend(job, prior, start, None), descend(job, prior, start, shape)
    first = job.value(start, prior)
    for found in (narrow, wide):
        assert found is None or job.value(found, prior) < first
    assert wide is not None
    assert job.value(wide, prior) < 0.99 * first  # a prior at zero leaves much to gain


def test_a_portfolio_needs_no_strength_and_speaks_of_none():
    model = fitted(bound="portfolio", reference=("fixed", "learned"))
    statement = model.certificate_.statements[0]
    assert (statement.bound, statement.reference, statement.references) == ("portfolio", None, ("fixed", "predictable"))
    assert [len(statement.observed[name]) for name in ("reference_errors", "both")] == [2, 2]
    assert [each.losses.sum() for each in model.reference_] == statement.observed["reference_errors"]
    assert "strength" not in {choice.what for choice in model.certificate_.choices}
    assert "strength 1" not in str(model.certificate_)
    with pytest.raises(ValueError, match="takes none"):
        fitted(bound="portfolio", strength=0.5)


def test_a_portfolio_without_references_is_betting_on_a_grid():
    statement = fitted(bound="portfolio", reference="none").certificate_.statements[0]
    assert (statement.bound, statement.rates, statement.references) == ("betting", "one_n", ())


@pytest.mark.parametrize(("prior", "kind"), [("informed", "fixed"), ("zero", "predictable")])
def test_the_reference_of_a_portfolio_by_default(prior, kind):
    assert fitted(bound="portfolio", prior=prior).certificate_.statements[0].references == (kind,)


@pytest.mark.parametrize("reference", ["nobody", (), ("fixed", "fixed"), ("fixed", 1), 3])
def test_a_reference_that_is_none_is_refused(reference):
    with pytest.raises(ValueError, match="The 'reference' parameter of CertifiedLogisticRegression must be"):
        fitted(bound="portfolio", reference=reference)


def test_several_references_need_a_portfolio():
    with pytest.raises(ValueError, match="takes one reference"):
        fitted(bound="betting", reference=("fixed", "learned"))


@pytest.mark.parametrize("name", ["online", "learned"])
def test_references_that_learn_do_not_look_ahead(name):
    """The losses on the first judged rows stay as they are if later rows change."""
    model = fitted(bound="portfolio", reference=name)
    later = model.order_[model.n_learning_ + 100 :]
    y = SAMPLE.y.copy()
    y[later] = 1 - y[later]
    assert np.array_equal(
        fitted(y, bound="portfolio", reference=name).reference_.losses[:100], model.reference_.losses[:100]
    )


def test_draws_are_those_of_the_posterior():
    model = fitted(bound="betting", prior="zero")
    X = np.repeat(SAMPLE.X[:1], 20_000, axis=0)
    share = np.mean(model.predict(X, randomized=True, random_state=0) == 1)
    zeros = np.full(1, model.classes_[0])
    exact = model.posterior_.zero_one(model.preprocessing_.transform(X[:1]), zeros, classes=model.classes_)[0]
    assert abs(share - exact) < 5.0 * np.sqrt(0.25 / 20_000)


def test_one_class_in_the_priors_part_gives_a_constant_and_an_honest_number():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.zeros(40, dtype=int)
    for seed in range(200):
        y[:] = 0
        odd = 1 + seed % 38
        y[odd] = 1
        model = pb.CertifiedLogisticRegression(random_state=seed).fit(X, y)
        if odd not in model.order_[: model.n_learning_]:
            break
    assert set(model.predict(X)) == {0}
    assert model.certificate_.value >= pb.bounds.clopper_pearson(1, model.certificate_.n, 0.05) / 2.0
    for options in ({"bound": "betting"}, {"prior": "zero"}, {"reference": "online"}):
        assert 0.0 < pb.CertifiedLogisticRegression(random_state=seed, **options).fit(X, y).certificate_.value <= 1.0


@pytest.mark.parametrize("n", [2, 3, 5, 10])
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_few_rows_give_a_wide_certificate(n, options):
    generator = np.random.default_rng(n)
    X, y = generator.normal(size=(n, 2)), np.arange(n) % 2
    certificate = pb.CertifiedLogisticRegression(random_state=0, **options).fit(X, y).certificate_
    assert certificate.value > 0.2
    assert certificate.verify()


def test_sparse_rows_need_preprocessing_that_takes_them():
    import scipy.sparse as sp
    from sklearn.preprocessing import MaxAbsScaler

    X = sp.random(400, 20, density=0.2, random_state=0, format="csr")
    y = (np.asarray(X.sum(axis=1)).ravel() > 2.0).astype(int)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        fitted(y, X)
    for options in ({}, {"bound": "betting"}):
        sparse = fitted(y, X, preprocessing=MaxAbsScaler(), **options).certificate_
        dense = fitted(y, X.toarray(), preprocessing=MaxAbsScaler(), **options).certificate_
        assert abs(sparse.value - dense.value) < 1e-6


def test_signs_are_the_two_labels():
    assert SIGNS.tolist() == [-1.0, 1.0]


@pytest.mark.parametrize("certify", [pb.CertifiedLogisticRegression, pb.RecursiveLogisticRegression])
@pytest.mark.parametrize("given", [3, len, MinMaxScaler, LogisticRegression(), "auto"])
def test_what_is_no_transformer_is_refused(certify, given):
    with pytest.raises(ValueError, match=r"must be a transformer, None or 'passthrough'. Got .* instead.$"):
        certify(preprocessing=given).fit(SAMPLE.X, SAMPLE.y)
