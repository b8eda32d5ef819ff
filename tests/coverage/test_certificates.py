"""Coverage of certificates: refitted many times on data whose true risk is known, they fail in at most delta of it.

Three synthetic laws, and Adult's rows as a population to draw samples from. The defaults are refitted 200 times, each
option 50 times, at delta .05 and .5, where a certificate has least room for a mistake; ten and four times as often
where there is time, unless fewer prove that it fails less often than it may.
"""

import warnings
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from hashlib import sha256
from types import SimpleNamespace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import pacbayes as pb
from pacbayes.online import stream
from pacbayes.procedures import posterior as whole
from pacbayes.procedures import posterior_plan, references
from pacbayes.procedures import prior as learning

from coverage.judging import repeat, too_often
from coverage.quick import NearestMean, QuickScaler

OPTIONS = {
    "betting": {"bound": "betting"},
    "isotropic": {"bound": "betting", "posterior": "isotropic"},
    "zero prior, maurer": {"prior": "zero", "bound": "maurer"},
    "zero prior, isotropic, betting": {"prior": "zero", "posterior": "isotropic", "bound": "betting"},
    "fixed reference": {"bound": "betting", "reference": "fixed"},
    "fixed reference, excess_kl": {"reference": "fixed", "bound": "excess_kl", "strength": 1.0},
    "online reference": {"bound": "betting", "reference": "online"},
    "online reference, unexpected_bernstein": {"reference": "online", "bound": "unexpected_bernstein"},
    "portfolio, zero prior": {"prior": "zero"},
    "portfolio, two references": {"reference": ("fixed", "learned")},
    "portfolio, three references": {"prior": "zero", "reference": ("fixed", "online", "learned")},
    "tolstikhin_seldin": {"bound": "tolstikhin_seldin"},
    "catoni": {"bound": "catoni"},
    "small prior": {"prior_fraction": 0.1, "bound": "betting"},
}
LAWS = ("gaussian", "logistic", "grid")
N = 200
DRAWS = 16


def raw_weights(model, weights):
    """Weights for standardised columns, as weights and intercepts for the columns themselves."""
    scaler = model.preprocessing_
    slopes = weights[..., :-1] / scaler.scale_
    return slopes, weights[..., -1] - slopes @ scaler.mean_


def true_risks(model, law, generator):
    """The true error of the vote, and (by draws) of the randomised predictor."""
    vote = law.risk(*raw_weights(model, model.posterior_.mean))
    slopes, intercepts = raw_weights(model, model.posterior_.sample(DRAWS, generator))
    return vote, float(np.mean([law.risk(w, b) for w, b in zip(slopes, intercepts, strict=True)]))


KNOWN = {}


def parts_of(record):
    return tuple(getattr(record, field.name) for field in fields(record))


def remembered(function):
    """The function, computed once for the same arguments: the same samples are fitted at other deltas and bounds."""

    def look_up(*given):
        parts = [part for each in given for part in (parts_of(each) if is_dataclass(each) else (each,))]
        key = (function, *(sha256(part.tobytes()).digest() if isinstance(part, np.ndarray) else part for part in parts))
        if key not in KNOWN:
            KNOWN[key] = function(*given)
        return KNOWN[key]

    return look_up


def predicted_kls(prior, shape, X, signs, alphas, honest=posterior_plan.Planner._predicted_kls):
    """As the method, which reads no more of its object than this."""
    return honest(SimpleNamespace(prior=prior, shape=shape), X, signs, alphas)


@contextmanager
def remembering():
    """What is learned from the learning rows alone, and whatever the delta is, is computed once for each sample.

    Nor is the scaler of these tests asked in every fit whether it takes each row by itself: it changes no number.
    """
    look_up = remembered(predicted_kls)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole, "_check_steadiness", lambda *_: None)
        patch.setattr(learning, "cross_validate", remembered(learning.cross_validate))
        patch.setattr(
            posterior_plan.Planner, "_predicted_kls", lambda self, *given: look_up(self.prior, self.shape, *given)
        )
        for name, kind in references.REFERENCES.items():
            patch.setitem(references.REFERENCES, name, replace(kind, judge=remembered(kind.judge)))
        yield


def fits(law, runs, delta, options, *, until_proven=False):
    """Values and truths of certificate and vote over many samples of one law."""
    generator = np.random.default_rng(7)

    def fit(run):
        sample = pb.datasets.make_known_risk(N, d=3, law=law, separation=0.7, random_state=run)
        given = {"delta": delta, "random_state": run, **options}
        model = pb.CertifiedLogisticRegression(preprocessing=QuickScaler(), **given).fit(sample.X, sample.y)
        if not run:
            usual = pb.CertifiedLogisticRegression(**given).fit(sample.X, sample.y)
            assert usual.certificate_.value == model.certificate_.value
        vote, gibbs = true_risks(model, sample, generator)
        return model.certificate_.value, gibbs, model.certificate_.vote_value, vote

    with threadpool_limits(1), warnings.catch_warnings(), remembering():
        warnings.simplefilter("ignore", pb.CertificateWarning)
        return np.array(repeat(fit, runs, delta if until_proven else None)).T


@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("runs", [200, pytest.param(2000, marks=pytest.mark.long)])
def test_defaults(law, delta, runs, judge):
    value, gibbs, vote_value, vote = fits(law, runs, delta, {}, until_proven=True)
    judge(f"certificate, defaults, {law}, delta {delta}", value, gibbs, delta)
    judge(f"its vote, defaults, {law}, delta {delta}", vote_value, vote, delta)


def law_of(option):
    """The law on which an option is judged in every run of the tests."""
    return LAWS[sorted(OPTIONS).index(option) % len(LAWS)]


@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize(
    ("law", "name", "runs"),  # law by law: what is remembered of a law's samples serves all options
    [
        *((law_of(name), name, 50) for name in OPTIONS),
        *(pytest.param(law, name, 200, marks=pytest.mark.long) for law in LAWS for name in OPTIONS),
    ],
)
def test_options(law, name, runs, delta, judge):
    value, gibbs, vote_value, vote = fits(law, runs, delta, OPTIONS[name], until_proven=True)
    judge(f"certificate, {name}, {law}, delta {delta}", value, gibbs, delta)
    judge(f"its vote, {name}, {law}, delta {delta}", vote_value, vote, delta)


def snapshot_risks(law, model):
    """The true error of each snapshot."""
    return [law.risk(snapshot.slopes_, snapshot.intercept_) for _, snapshot in model.snapshots_]


def judge_at_once(model, X, y, _):
    """The losses of a snapshot without asking whether each row is answered by itself: it changes no number."""
    return np.asarray(model.predict(X) != y, dtype=np.float64)


def streams(runs, delta, **options):
    """Samples, and streams fitted on their first rows; those that follow the first are not asked in many batches."""
    for run in range(runs):
        sample = pb.datasets.make_known_risk(N, d=3, separation=0.7, random_state=run)
        given = {"delta": delta, "random_state": run, **options}
        with pytest.MonkeyPatch.context() as patch:
            if not run:
                usual = pb.OnlineCertifiedClassifier(NearestMean(), **given).fit(sample.X[:120], sample.y[:120])
            patch.setattr(stream, "_errors", judge_at_once)
            model = pb.OnlineCertifiedClassifier(NearestMean(), **given).fit(sample.X[:120], sample.y[:120])
            assert run or usual.certificate_.value == model.certificate_.value
            yield sample, model


def stream_fits(runs, delta):
    """Certificates of streams after a fit and an update, and the average true error of their snapshots as weighted."""
    rows = []
    for sample, model in streams(runs, delta):
        model.update(sample.X[120:], sample.y[120:])
        rows.append((model.certificate_.value, model.weights_ @ snapshot_risks(sample, model)))
    return np.array(rows).T


@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_streams_with_updates(delta, judge):
    values, truths = stream_fits(200, delta)
    judge(f"certificate of a stream, delta {delta}", values, truths, delta)


@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_all_statements_of_a_stream_hold_together(delta, judge):
    """Snapshots and last snapshot, after the fit and after every update, each about a snapshot of its own time."""
    slack = []
    for sample, model in streams(200, delta, certify_last=True):
        differences = []
        for start in (120, 140, 160, 180, 200):
            errors = snapshot_risks(sample, model)
            snapshots, last = model.certificate_.statements
            differences += [snapshots.value - model.weights_ @ errors, last.value - errors[-1]]
            if start < 200:
                model.update(sample.X[start : start + 20], sample.y[start : start + 20])
        slack.append(min(differences))
    judge(f"all statements of a stream together, delta {delta}", np.array(slack), 0.0, delta)


def adult_fits(data_folder, runs, delta, options, *, until_proven=False):
    X, y = pb.datasets.load("adult", encoding="sound", return_X_y=True)
    X, y = np.asarray(X, dtype=float), np.asarray(y)

    def fit(run):
        chosen = np.random.default_rng(run).integers(len(y), size=2000)
        model = pb.CertifiedLogisticRegression(delta=delta, random_state=run, **options).fit(X[chosen], y[chosen])
        rows = model.preprocessing_.transform(X)
        gibbs = float(model.posterior_.zero_one(rows, y, classes=model.classes_).mean())
        answers = model.classes_[(rows @ model.coef_[0] + model.intercept_[0] > 0.0).astype(int)]
        if not run:
            assert np.array_equal(answers, model.predict(X))  # which would prepare all rows once more
        vote = float(np.mean(answers != y))
        return model.certificate_.value, gibbs, model.certificate_.vote_value, vote

    with threadpool_limits(1), warnings.catch_warnings(), remembering():
        warnings.simplefilter("ignore", pb.CertificateWarning)
        return np.array(repeat(fit, runs, delta if until_proven else None)).T


@pytest.mark.long
@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("name", ["defaults", *OPTIONS])
def test_adult_as_a_population(data_folder, name, delta, judge):
    runs = 500 if name == "defaults" else 100
    value, gibbs, vote_value, vote = adult_fits(data_folder, runs, delta, OPTIONS.get(name, {}), until_proven=True)
    judge(f"certificate, {name}, resampled adult, delta {delta}", value, gibbs, delta)
    judge(f"its vote, {name}, resampled adult, delta {delta}", vote_value, vote, delta)


def test_resampled_adult_a_few_times(data_folder, judge):
    value, gibbs, vote_value, vote = adult_fits(data_folder, 20, 0.5, {})
    judge("certificate, defaults, resampled adult (short), delta 0.5", value, gibbs, 0.5)
    judge("its vote, defaults, resampled adult (short), delta 0.5", vote_value, vote, 0.5)


def count_wrong_by_a_leak(runs):
    """How many certificates are wrong where the prior learned from all rows, of pure noise and many columns."""
    honest, everything, wrong = learning.Solver.fit, {}, 0

    def leaking(self, X, signs, alpha):
        return honest(self, everything["X"], everything["signs"], alpha)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning.Solver, "fit", leaking)
        for run in range(runs):
            generator = np.random.default_rng(run)
            X, y = generator.standard_normal((120, 60)), generator.integers(2, size=120)
            everything.update(X=(X - X.mean(axis=0)) / X.std(axis=0), signs=np.where(y == 1, 1.0, -1.0))
            model = pb.CertifiedLogisticRegression(alpha=0.1, random_state=run).fit(X, y)
            wrong += model.certificate_.value < 0.5
    return wrong


# every one of the leaking certificates is wrong, so that few runs tell them from honest ones as surely as many
@pytest.mark.parametrize("runs", [25, pytest.param(100, marks=pytest.mark.long)])
def test_a_planted_leak_is_caught(record_property, runs):
    violations = count_wrong_by_a_leak(runs)
    record_property("line:planted leak: certificates below the truth", f"{violations} of {runs}")
    assert violations == runs
    assert too_often(violations, runs)


@pytest.mark.parametrize("runs", [25, pytest.param(100, marks=pytest.mark.long)])
def test_the_same_law_without_the_leak_is_not(judge, runs):
    values = []
    for run in range(runs):
        generator = np.random.default_rng(run)
        X, y = generator.standard_normal((120, 60)), generator.integers(2, size=120)
        values.append(pb.CertifiedLogisticRegression(alpha=0.1, random_state=run).fit(X, y).certificate_.value)
    judge("certificate, noise, no leak", np.array(values), 0.5)
