"""The same inputs give the same certificates as before the redesign, to the last digits."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes.procedures import LossMonitor
from pacbayes.runs import Settings, certify_table, load_table

RECORDED = json.loads((Path(__file__).parent.parent / "recorded" / "certificates.json").read_text())
UNKNOWN = {"missing": "category", "missing_values": ("?",)}
FILES = {
    "haberman": ("haberman.data", "c4", {}),
    "breast-cancer": ("breast-cancer-wisconsin.data", "c11", {"drop": ("c1",), **UNKNOWN}),
    "tictactoe": ("tic-tac-toe.data", "c10", {}),
    "banknote": ("data_banknote_authentication.txt", "c5", {}),
    "kr-vs-kp": ("kr-vs-kp.data", "c37", {}),
    "spambase": ("spambase.data", "c58", {}),
    "mushroom": ("agaricus-lepiota.data", "c1", {}),
    "adult": ("adult.data", "c15", UNKNOWN),
}
OPTIONS = {
    "default": {},
    "betting": {"bound": "betting"},
    "maurer": {"bound": "maurer"},
    "online": {"bound": "betting", "reference": "online"},
    "fixed": {"bound": "betting", "reference": "fixed"},
    "zero": {"bound": "betting", "prior": "zero"},
    "isotropic": {"posterior": "isotropic", "bound": "betting"},
    "bernstein": {"bound": "unexpected_bernstein"},
    "tolstikhin": {"bound": "tolstikhin_seldin"},
    "candidates": {"candidates": 3},
    "zero-online": {"bound": "betting", "prior": "zero", "reference": "online", "strength": 0.5},
    "portfolio-none": {"reference": "none"},
    "portfolio-zero": {"prior": "zero"},
    "portfolio-several": {"prior": "zero", "reference": ("fixed", "online", "learned")},
}


pytestmark = pytest.mark.filterwarnings("ignore::pacbayes.CertificateWarning")  # banknote is sorted by label


def check(certificate, statement, recorded):
    """Counts are the same, and values to the last digits, in which versions of scipy differ."""
    assert statement.n == recorded["n"]
    assert statement.bound == recorded["bound"]
    assert statement.value == pytest.approx(recorded["value"], rel=1e-12, abs=0.0)
    assert statement.kl == pytest.approx(recorded["kl"], rel=1e-9)
    assert statement.risk == pytest.approx(recorded["risk"], rel=1e-12)
    if statement is certificate.statements[0]:
        expected = recorded["vote_value"]
        assert expected is None or certificate.vote_value == pytest.approx(expected, rel=1e-12)
    if recorded["errors"] is not None:
        assert statement.observed["errors"] == pytest.approx(recorded["errors"], rel=1e-12)


@pytest.mark.parametrize("name", FILES)
def test_certificates_of_the_eight_files(name, data_folder):
    file, target, options = FILES[name]
    settings = Settings(target=target, delimiter=",", header=False, **options)
    table = load_table(data_folder / file, settings)
    for key, recorded in RECORDED["files"][name].items():
        method, _, model = key.partition(":")
        fraction = {"learning_fraction": 0.8} if method == "split" else {}
        run = certify_table(table, replace(settings, method=method, model=model or "logistic", **fraction))
        first = run.certificate.statements[0]
        if method == "posterior":  # found by a gradient, whose last steps differ between versions of scipy
            assert (first.n, first.bound) == (recorded["n"], recorded["bound"])
            assert first.value == pytest.approx(recorded["value"], rel=1e-6)
        else:
            check(run.certificate, first, recorded)
        if recorded["baseline"] is not None:
            expected = recorded["baseline"]
            assert (run.baseline.n, run.baseline.errors) == (expected["n"], expected["errors"])
            assert run.baseline.value == pytest.approx(expected["value"], rel=1e-12)


@pytest.mark.parametrize("name", OPTIONS)
def test_certificates_of_the_options(name, data_folder):
    X, y = pb.datasets.load("banknote", return_X_y=True)
    certificate = pb.CertifiedLogisticRegression(random_state=0, **OPTIONS[name]).fit(X, y).certificate_
    check(certificate, certificate.statements[0], RECORDED["estimators"][name])


def test_the_exact_limit_that_was_the_default(data_folder):
    """Logistic regression on .4 of the rows has the number it had in CertifiedLogisticRegression."""
    X, y = pb.datasets.load("banknote", return_X_y=True)
    for name, candidates in (("exact", 1), ("exact-candidates", 3)):
        model = pb.CertifiedClassifier(split=0.4, candidates=candidates, random_state=0).fit(X, y)
        check(model.certificate_, model.certificate_.statements[0], RECORDED["estimators"][name])


def test_certificates_of_streams_predictions_and_losses(data_folder):
    X, y = pb.datasets.load("banknote", return_X_y=True)
    model = pb.OnlineCertifiedClassifier(GaussianNB(), random_state=0, certify_last=True).fit(X[:1000], y[:1000])
    for stage in ("stream", "stream-updated"):
        for statement, about in zip(model.certificate_.statements, ("snapshots", "last"), strict=True):
            check(model.certificate_, statement, RECORDED["estimators"][f"{stage}-{about}"])
        if stage == "stream":
            model.update(X[1000:], y[1000:])
    monitor = LossMonitor()
    monitor.extend([0, 1, 0.25, 0, 0] * 123)
    certificates = {
        "holdout": pb.certify_predictions([0, 1, 1, 0] * 50, [0, 1, 1, 1] * 50),
        "holdout-losses": pb.certify_predictions(losses=[0.1, 0.3, 0.2] * 100),
        "watched": monitor.certificate(),
    }
    for name, certificate in certificates.items():
        check(certificate, certificate.statements[0], RECORDED["estimators"][name])
