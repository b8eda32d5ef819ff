"""Certificates: what they say, that they survive a round trip, and that edits and forgeries are caught."""

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
from sklearn.linear_model import LogisticRegression

import pacbayes as pb
from pacbayes.certificate import _certificate as module
from pacbayes.certificate._canonical import content_digest, schema
from pacbayes.certificate._words import rounded_up
from pacbayes.verification import recheck

SAMPLE = pb.datasets.make_known_risk(600, d=3, random_state=1)


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
        "last": online.last_certificate_,
        "holdout": pb.holdout_certificate(y, np.roll(y, 1)),
        "losses": pb.holdout_certificate(losses=np.linspace(0.0, 0.4, 101)),
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
        assert certificate.predictor in sentence
        assert rounded_up(certificate.value) in sentence
        assert "independent draws from one law" in text
        assert certificate.citation.startswith("@")
        assert "<script" not in certificate._repr_html_()
        assert certificate.versions["pacbayes"] == pb.__version__
        assert certificate.created.endswith("+00:00")

    def test_value_is_that_of_the_public_functions(self, certificate):
        given, delta = certificate.statistics, certificate.delta / certificate.candidates * certificate.share
        if certificate.bound == "clopper_pearson":
            expected = pb.bounds.clopper_pearson(given["errors"], certificate.n, delta)
        elif certificate.bound == "maurer":
            expected = pb.bounds.maurer(given["risk"], certificate.kl, certificate.n, delta)
        elif certificate.reference_bound is None:
            expected = pb.bounds.betting(
                given["log_growth"], given["rates"], certificate.kl, certificate.n, delta, given["weights"]
            )
        else:
            return  # pb.bounds.debiased itself is what computes these
        assert certificate.value == expected


def test_vote_is_bounded_by_twice_the_value_or_by_the_same_count():
    assert CERTIFICATES["betting"].vote_value == min(1.0, 2.0 * CERTIFICATES["betting"].value)
    assert CERTIFICATES["default"].vote_value == CERTIFICATES["default"].value
    counts = CERTIFICATES["default"].statistics
    assert counts["errors"] >= max(counts["vote_errors"], counts["draw_errors"])
    assert CERTIFICATES["holdout"].vote_value is None


def test_candidates_pay_a_union():
    X, y = SAMPLE.X, SAMPLE.y
    alone = pb.CertifiedLogisticRegression(random_state=0).fit(X, y).certificate_
    among = pb.CertifiedLogisticRegression(candidates=10, random_state=0).fit(X, y).certificate_
    assert among.value == pb.bounds.clopper_pearson(alone.statistics["errors"], alone.n, 0.005)
    assert any(choice.what == "candidates" and choice.paid == "delta/10" for choice in among.choices)


@pytest.mark.parametrize(
    ("value", "text"), [(0.12340000001, "0.1235"), (0.1234, "0.1234"), (1.0, "1.0000"), (0.0, "0.0000")]
)
def test_numbers_are_rounded_up(value, text):
    assert rounded_up(value) == text


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
    holdout = pb.holdout_certificate(losses=[0.0, 1.0] * 10, delta=1e-12)
    assert "at least 99.9999 %" in holdout.sentence()
    assert "at least 95 %" in CERTIFICATES["default"].sentence()
    assert "at least 99.5 %" in pb.holdout_certificate(losses=[0.0, 1.0], delta=0.005).sentence()


def test_a_file_has_the_permissions_of_any_new_file(tmp_path):
    CERTIFICATES["default"].to_json(tmp_path / "certificate.json")
    (tmp_path / "other").write_text("")
    assert (tmp_path / "certificate.json").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_what_was_not_verified_can_still_be_printed():
    record = json.loads(CERTIFICATES["fixed"].to_json())
    record["statistics"] = {"risk": "abc"}
    certificate = pb.Certificate.from_json(json.dumps(record))
    assert "abc" in str(certificate)
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
        ('{"schema_version": 1}', "must have the field 'kind'"),
        ('{"a": 1, "a": 2}', "occurs twice"),
        ('{"value": NaN}', "NaN is not a number"),
        ("[" * 100_000, "must be JSON"),
    ],
)
def test_what_is_not_a_certificate_is_refused_in_a_sentence(text, message):
    with pytest.raises(ValueError, match=message):
        pb.Certificate.from_json(text)


# Each edit is made to the JSON. With its digest left alone the digest catches it; with the digest made to fit, the
# arithmetic or the schema does.
def _set(*path, value):
    def edit(record):
        target = record
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = value(target[path[-1]]) if callable(value) else value

    return edit


ARITHMETIC = {
    "value lowered": _set("value", value=lambda v: v * 0.9),
    "value lowered by a millionth": _set("value", value=lambda v: v * (1 - 1e-6)),
    "value raised": _set("value", value=lambda v: min(1.0, v * 1.1)),
    "vote lowered": _set("vote_value", value=lambda v: v * 0.9),
    "vote removed": _set("vote_value", value=None),
    "vote rule": _set("vote_rule", value="none"),
    "delta lowered": _set("delta", value=0.001),
    "delta out of range": _set("delta", value=0.0),
    "n raised": _set("n", value=lambda n: 2 * n),
    "n not whole": _set("n", value=100.5),
    "divergence lowered": _set("kl", value=lambda v: v / 2),
    "divergence negative": _set("kl", value=-1.0),
    "another bound": _set("bound", value="mcallester"),
    "no such bound": _set("bound", value="magic"),
    "candidates raised": _set("candidates", value=7),
    "risk lowered": _set("statistics", "risk", value=lambda v: v / 2),
    "growth raised": _set("statistics", "log_growth", value=lambda v: [x / 2 for x in v]),
    "rates changed": _set("statistics", "rates", value=lambda v: [x / 2 for x in v]),
    "excess lowered": _set("statistics", "excess", value=lambda v: v - 0.1),
    "statistic removed": lambda record: record["statistics"].pop("log_growth"),
    "value as text": _set("value", value="0.1"),
    "field removed": lambda record: record.pop("assumptions"),
    "field added": lambda record: record.update(trust="me"),
    "vote at the same value": lambda record: record.update(vote_rule="same", vote_value=record["value"]),
    "share raised": _set("share", value=0.5),
    "kind": _set("kind", value="holdout"),
    "split": _set("split", value=0.4),
    "reference bound added": _set("reference_bound", value="betting"),
    "citation changed": _set("citation", value="@misc{me}"),
}
WORDS = {
    "predictor": _set("predictor", value="every model"),
    "assumption dropped": lambda record: record["assumptions"].pop(),
    "note added": lambda record: record["notes"].append("all is well"),
    "data digest": _set("digests", "data", value="0" * 64),
    "time": _set("created", value="2020-01-01T00:00:00+00:00"),
    "version": _set("versions", "pacbayes", value="9.9"),
    "choice": _set("choices", 0, "paid", value="nothing at all"),
    "digest itself": _set("digest", value="0" * 64),
}


def holds(record):
    try:
        return bool(pb.Certificate.from_json(json.dumps(record)).verify())
    except ValueError:
        return False


@pytest.fixture
def record():
    moved = pb.CertifiedLogisticRegression(prior="zero", bound="betting", random_state=0).fit(SAMPLE.X, SAMPLE.y)
    return json.loads(moved.certificate_.to_json())


@pytest.mark.parametrize("name", [*ARITHMETIC, *WORDS])
def test_edits_are_caught_by_the_digest(record, name):
    assert holds(record)
    ({**ARITHMETIC, **WORDS}[name])(record)
    assert not holds(record)


@pytest.mark.parametrize("name", ARITHMETIC)
def test_edits_with_a_matching_digest_are_caught_by_the_arithmetic(record, name):
    ARITHMETIC[name](record)
    record["digest"] = content_digest(record)
    assert not holds(record)


def forged(certificate, **changes):
    """A certificate whose statistics were changed and everything else made to fit."""
    from pacbayes.certificate._arithmetic import bound_value, vote_of

    record = json.loads(certificate.to_json())
    record["statistics"].update(changes)
    share = record["delta"] / record["candidates"]
    value = float(bound_value(record["bound"], record["statistics"], record["n"], share, record["kl"]))
    record.update(value=value, vote_value=vote_of(value, record["vote_rule"]))
    record["digest"] = content_digest(record)
    return pb.Certificate.from_json(json.dumps(record))


class TestRecheck:
    X, y = SAMPLE.X, SAMPLE.y

    @pytest.mark.parametrize(
        "options",
        [{}, {"bound": "betting"}, {"prior": "zero"}, {"reference": "online"}, {"reference": "fixed"}],
        ids=str,
    )
    def test_holds_for_what_was_issued(self, options):
        model = pb.CertifiedLogisticRegression(random_state=3, **options).fit(self.X, self.y)
        verification = recheck(model.certificate_, self.X, self.y, model)
        assert verification, str(verification)

    def test_catches_a_consistent_forgery(self):
        model = pb.CertifiedLogisticRegression(random_state=3).fit(self.X, self.y)
        fake = forged(model.certificate_, errors=1, vote_errors=1, draw_errors=1, risk=1 / model.certificate_.n)
        assert fake.verify()
        verification = recheck(fake, self.X, self.y, model)
        assert not verification
        assert "these differ: draw_errors, errors, risk, vote_errors" in str(verification)

    def test_catches_other_rows_labels_orders_and_models(self):
        model = pb.CertifiedLogisticRegression(random_state=3).fit(self.X, self.y)
        certificate = model.certificate_
        flipped = self.y.copy()
        flipped[0] = 1 - flipped[0]
        assert not recheck(certificate, self.X + 1e-9, self.y, model)
        assert not recheck(certificate, self.X, flipped, model)
        assert not recheck(certificate, self.X[:-1], self.y[:-1], model)
        other = pb.CertifiedLogisticRegression(random_state=4).fit(self.X, self.y)
        assert not recheck(certificate, self.X, self.y, other)
        moved = copy.deepcopy(model)
        moved.posterior_ = moved.posterior_.moved(np.zeros_like(moved.posterior_.mean), 0.1)
        assert not recheck(certificate, self.X, self.y, moved)

    def test_catches_a_prior_that_saw_the_bounds_rows(self):
        """The certificate is computed soundly, but for weights learned from all rows."""
        from pacbayes.estimators import _prior as learn

        model = pb.CertifiedLogisticRegression(random_state=3, alpha=1.0)
        whole = learn.Solver.fit

        def peeking(self, X, signs, alpha):
            everything = model_X if X.shape[0] < len(model_X) else X
            return whole(self, everything, signs if everything is X else model_signs, alpha)

        honest = pb.CertifiedLogisticRegression(random_state=3, alpha=1.0).fit(self.X, self.y)
        model_X = honest.preprocessing_.transform(self.X)
        model_signs = np.where(self.y == honest.classes_[1], 1.0, -1.0)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(learn.Solver, "fit", peeking)
            model.fit(self.X, self.y)
        assert model.certificate_.verify()
        verification = recheck(model.certificate_, self.X, self.y, model)
        assert not verification
        assert "the model is what these rows teach" in str(verification)

    @pytest.mark.parametrize(
        ("name", "edit"),
        [
            ("coef_", lambda m: setattr(m, "coef_", -m.coef_)),
            ("decision_function", lambda m: setattr(m.preprocessing_, "mean_", m.preprocessing_.mean_ + 5.0)),
            ("posterior covariance", lambda m: setattr(m, "posterior_", m.posterior_.scaled(1e5))),
            ("classes_", lambda m: setattr(m, "classes_", m.classes_[::-1])),
        ],
    )
    def test_catches_a_model_that_was_changed_after_the_fit(self, name, edit):
        model = pb.CertifiedLogisticRegression(random_state=3).fit(self.X, self.y)
        edit(model)
        verification = recheck(model.certificate_, self.X, self.y, model)
        assert not verification
        assert name in str(verification)

    @pytest.mark.parametrize("name", ["assumptions", "choices", "notes"])
    def test_catches_words_that_were_dropped(self, name):
        order = np.argsort(self.y, kind="stable")
        X, y = self.X[order], self.y[order]
        with pytest.warns(pb.CertificateWarning):
            model = pb.CertifiedLogisticRegression(random_state=3).fit(X, y)
        record = json.loads(model.certificate_.to_json())
        assert record[name]
        record[name] = []
        record["digest"] = content_digest(record)
        claim = pb.Certificate.from_json(json.dumps(record))
        assert claim.verify()
        assert not recheck(claim, X, y, model)
        assert recheck(model.certificate_, X, y, model)

    def test_streams_and_their_updates(self):
        model = pb.OnlineCertifiedClassifier(LogisticRegression(), certify_last=True, random_state=0)
        model.fit(self.X[:400], self.y[:400])
        assert recheck(model.certificate_, self.X[:400], self.y[:400], model)
        model.update(self.X[400:], self.y[400:])
        assert recheck(model.certificate_, self.X, self.y, model)
        assert recheck(model.last_certificate_, self.X, self.y, model)
        other = self.y.copy()
        other[500] = 1 - other[500]
        assert not recheck(model.certificate_, self.X, other, model)

    def test_hold_outs(self):
        predictor = LogisticRegression().fit(self.X[:300], self.y[:300])
        certificate = pb.holdout_certificate(self.y[300:], predictor.predict(self.X[300:]))
        assert recheck(certificate, self.X[300:], self.y[300:], predictor)
        assert not recheck(forged(certificate, errors=0, risk=0.0), self.X[300:], self.y[300:], predictor)

    def test_a_model_of_another_kind_is_refused(self):
        with pytest.raises(ValueError, match="must be the estimator that issued"):
            recheck(CERTIFICATES["default"], self.X, self.y, LogisticRegression())


class TestHoldoutArguments:
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
            pb.holdout_certificate(**arguments)
