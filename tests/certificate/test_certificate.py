"""Certificates: what they say, and that they survive a round trip."""

import copy
import errno
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

import pacbayes as pb
from pacbayes._core import files as module
from pacbayes.certificate import SUBJECTS, schema
from pacbayes.certificate.arithmetic import statistics_of
from pacbayes.certificate.assumptions import FIRST_NUMBER
from pacbayes.certificate.words import assumption_words, limit_words, number_condition, round_up
from pacbayes.procedures import LossMonitor
from pacbayes.procedures.base import draw_order
from pacbayes.report.phrases import condition_words

from certificate.issued import SAMPLE


def issued():
    X, y = SAMPLE.X, SAMPLE.y
    logistic = pb.CertifiedLogisticRegression
    online = pb.OnlineCertifiedClassifier(LogisticRegression(), certify_last=True, random_state=0).fit(X, y)
    return {
        "default": logistic(random_state=0).fit(X, y).certificate_,
        "betting": logistic(bound="betting", random_state=0).fit(X, y).certificate_,
        "zero prior": logistic(prior="zero", bound="maurer", random_state=0).fit(X, y).certificate_,
        "fixed": logistic(bound="excess_kl", reference="fixed", random_state=0).fit(X, y).certificate_,
        "online": logistic(bound="betting", reference="online", candidates=3, random_state=0).fit(X, y).certificate_,
        "stream": online.certificate_,
        "split": pb.CertifiedClassifier(LogisticRegression(), random_state=0).fit(X, y).certificate_,
        "predictions": pb.certify_predictions(y, np.roll(y, 1)),
        "losses": pb.certify_predictions(losses=np.linspace(0.0, 0.4, 101)),
    }


CERTIFICATES = issued()


@pytest.fixture(params=CERTIFICATES)
def certificate(request):
    return CERTIFICATES[request.param]


class TestEveryCertificate:
    def test_verifies(self, certificate):
        verification = certificate.verify()
        assert verification, str(verification)
        assert "does not" not in str(verification).splitlines()[-1].lower()

    def test_floats_survive_the_round_trip(self, certificate):
        again = pb.Certificate.from_json(certificate.to_json())
        assert again == certificate
        assert again.to_json() == certificate.to_json()
        assert hash(again) == hash(certificate)

    def test_json_follows_the_published_schema(self, certificate):
        Draft202012Validator.check_schema(schema())
        Draft202012Validator(schema()).validate(json.loads(certificate.to_json()))

    def test_is_frozen_and_pickles(self, certificate):
        with pytest.raises(AttributeError):
            certificate.value = 0.0
        assert pickle.loads(pickle.dumps(certificate)) == certificate
        assert copy.deepcopy(certificate) == certificate

    def test_says_what_it_is_about(self, certificate):
        sentence, text = certificate.sentence(), str(certificate)
        assert sentence.startswith("With probability at least ")
        assert SUBJECTS[certificate.statements[0].about].words.strip(",") in sentence
        assert limit_words(certificate.statements[0], certificate.value) in sentence
        assert "independent draws from one distribution" in text
        anytime = all(each.anytime for each in certificate.statements)
        assert ("nobody collected rows until the number was small enough" in " ".join(text.split())) != anytime
        assert certificate.statements[0].citation.startswith("@")
        assert "<script" not in certificate._repr_html_()
        assert certificate.versions["pacbayes"] == pb.__version__
        assert certificate.created.endswith("+00:00")

    def test_values_are_those_of_the_public_functions(self, certificate):
        for statement in certificate.statements:
            whole = certificate.delta / certificate.candidates
            given, delta = statistics_of(statement, whole), whole * statement.share
            if statement.bound == "clopper_pearson":
                expected = pb.bounds.clopper_pearson(given["errors"], statement.n, delta)
            elif statement.bound == "maurer":
                expected = pb.bounds.maurer(given["risk"], statement.kl, statement.n, delta)
            elif statement.bound == "sequential":
                losses = np.linspace(0.0, 0.4, 101)[draw_order(0, 101)[0]]
                expected = pb.bounds.sequential(losses, delta, n=statement.n)
            elif statement.bound == "portfolio":
                bets = pb.bounds.learned_bets(statement.rates, statement.n, whole)
                growths = given["growths"], given["strengths"], given["reference_log_growth"]
                further = {"kl": statement.kl, "n": statement.n, "delta": delta, "several": True}
                expected = pb.bounds.portfolio(*growths, **bets._asdict(), **further)
            elif statement.reference is None:
                growth, rates, weights = (given[name] for name in ("log_growth", "rates", "weights"))
                expected = pb.bounds.betting(growth, rates, statement.kl, statement.n, delta, weights)
            else:
                continue  # pb.bounds.debiased itself is what computes these
            assert statement.value == expected

    def test_shares_of_delta_add_up(self, certificate):
        assert sum(statement.share for statement in certificate.statements) <= 1.0


def test_a_stream_makes_two_statements_that_hold_together():
    snapshots, last = CERTIFICATES["stream"].statements
    assert (snapshots.about, last.about) == ("snapshot", "last_snapshot")
    assert CERTIFICATES["stream"].statement("last_snapshot") is last
    assert CERTIFICATES["stream"].value == snapshots.value
    html = CERTIFICATES["stream"]._repr_html_()
    assert html.count("With probability at least") == 2
    with pytest.raises(ValueError, match=r"no statement about 'me'. It has: error, snapshot, last_snapshot"):
        CERTIFICATES["stream"].statement("me")


def test_a_gain_is_not_listed_as_a_condition():
    html = CERTIFICATES["stream"]._repr_html_()
    conditions = html[html.index("What has to be true") : html.index("The numbers")]
    assert "holds for all lengths" in html
    assert "holds for all lengths" not in conditions


@pytest.mark.parametrize("updated", [False, True])
def test_a_stream_that_is_fitted_again_is_another_one(updated):
    """A limit after a fit at each of many lengths is too low more often than delta allows, unlike after updates."""
    X, y = np.arange(400.0)[:, None], np.arange(400) % 2
    model = pb.OnlineCertifiedClassifier(DummyClassifier(), random_state=0).fit(X[:300], y[:300])
    certificate = (model.update(X[300:], y[300:]) if updated else model).certificate_
    assert number_condition(certificate) == FIRST_NUMBER
    assert FIRST_NUMBER in assumption_words(certificate)
    assert condition_words(certificate)[-1][1] == FIRST_NUMBER
    monitor = LossMonitor()
    monitor.extend([0.0, 1.0] * 50)
    assert number_condition(monitor.certificate()) == ""


def test_vote_is_bounded_by_twice_the_value_or_by_the_count_itself():
    assert CERTIFICATES["betting"].vote_value == min(1.0, 2.0 * CERTIFICATES["betting"].value)
    assert CERTIFICATES["default"].vote_value == min(1.0, 2.0 * CERTIFICATES["default"].value)
    assert CERTIFICATES["split"].vote_value == CERTIFICATES["split"].value
    assert CERTIFICATES["predictions"].vote_value is None


def test_candidates_cost_a_union():
    X, y = SAMPLE.X, SAMPLE.y
    alone = pb.CertifiedClassifier(split=0.4, random_state=0).fit(X, y).certificate_
    among = pb.CertifiedClassifier(split=0.4, candidates=10, random_state=0).fit(X, y).certificate_
    assert among.value == pb.bounds.clopper_pearson(alone.statements[0].observed["errors"], alone.n, 0.005)
    assert any(
        choice.what == "candidates" and (choice.cost, choice.size) == ("candidates", 10) for choice in among.choices
    )


@pytest.mark.parametrize(
    ("value", "text"), [(0.12340000001, "0.1235"), (0.1234, "0.1234"), (1.0, "1.0000"), (0.0, "0.0000")]
)
def test_numbers_are_round_up(value, text):
    assert round_up(value) == text


def test_a_certificate_written_by_one_process_is_verified_by_another(tmp_path):
    path = tmp_path / "certificate.json"
    CERTIFICATES["online"].to_json(path)
    code = (
        "import sys, pathlib, pacbayes as pb; c = pb.Certificate.from_json(pathlib.Path(sys.argv[1])); "
        "print(bool(c.verify()), repr(c.value))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["True", repr(CERTIFICATES["online"].value)]


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "certificate.json"
    CERTIFICATES["default"].to_json(path)
    before = path.read_bytes()

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(module.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        CERTIFICATES["betting"].to_json(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["certificate.json"]


def test_confidence_is_rounded_down():
    certificate = pb.certify_predictions(losses=[0.0, 1.0] * 10, delta=1e-12)
    assert "at least 99.9999999999 %" in certificate.sentence()
    assert "at least 95 %" in CERTIFICATES["default"].sentence()
    assert "at least 99.5 %" in pb.certify_predictions(losses=[0.0, 1.0], delta=0.005).sentence()


def test_a_file_has_the_permissions_of_any_new_file(tmp_path):
    CERTIFICATES["default"].to_json(tmp_path / "certificate.json")
    (tmp_path / "other").write_text("")
    assert (tmp_path / "certificate.json").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_what_was_not_verified_can_still_be_printed():
    record = json.loads(CERTIFICATES["fixed"].to_json())
    record["statements"][0]["observed"] = {"risk": 0.125}
    certificate = pb.Certificate.from_json(json.dumps(record))
    assert "12.50 %" in str(certificate)
    assert not certificate.verify()
    assert "DOES NOT HOLD" in str(certificate.verify())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("certificate.json", "To read a file, pass pathlib.Path"),
        (None, "must be JSON text or a path object. Got NoneType instead"),
        ('{"notes": ["\\ud800"]}', "must be JSON text"),
        (b"\xff\xfe", "must be JSON"),
        ("", "must be JSON"),
        ("[1, 2]", "must be a JSON object"),
        ('{"schema_version": 99}', "must have schema version 1. Got 99 instead"),
        ('{"schema_version": 1}', "must have the field 'procedure'"),
        ('{"a": 1, "a": 2}', "occurs twice"),
        ('{"value": NaN}', "NaN is not a number"),
        ("[" * 100_000, "must be JSON"),
    ],
)
def test_what_is_not_a_certificate_is_refused_in_a_sentence(text, message):
    with pytest.raises(ValueError, match=message):
        pb.Certificate.from_json(text)


@pytest.mark.parametrize(("about", "known"), [("vote", "'predict'"), ("nobody", "'watched'")])
def test_a_predictor_that_nobody_can_state_is_refused(about, known):
    record = json.loads(CERTIFICATES["split"].to_json())
    record["statements"][0]["about"] = about
    with pytest.raises(ValueError, match=rf"'about' must be one of \[.*{known}.*\]. Got '{about}' instead"):
        pb.Certificate.from_json(json.dumps(record))


def test_a_consequence_for_an_unknown_predictor_is_refused():
    record = json.loads(CERTIFICATES["stream"].to_json())
    record["statements"][0]["consequences"][0]["about"] = "predict"
    with pytest.raises(ValueError, match=r"'about' must be one of \['vote'\]. Got 'predict' instead"):
        pb.Certificate.from_json(json.dumps(record))


class TestArgumentsOfPredictions:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({}, "either 'y_true' and 'y_pred', or 'losses'"),
            ({"y_true": [1, 0]}, "either"),
            ({"y_true": [1, 0], "y_pred": [1]}, "one prediction per label"),
            ({"y_true": [1, 0], "y_pred": ["1", "0"]}, "of the kind in 'y_true'"),
            ({"losses": []}, "at least one"),
            ({"losses": [0.5, 1.5]}, r"lie in \[0, 1\]"),
            ({"losses": [float("nan")]}, "losses"),
            ({"losses": [0.5], "delta": 0.0}, "'delta'"),
            ({"losses": [0.5], "candidates": 1.5}, "'candidates'"),
        ],
    )
    def test_are_checked(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            pb.certify_predictions(**arguments)
