"""What the arithmetic cannot notice, a recheck against data and model does."""

import copy
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import pacbayes as pb
from pacbayes.certificate import find_cause, issue
from pacbayes.certificate.canonical import content_digest
from pacbayes.procedures import prior as learning
from pacbayes.verification import recheck

from certificate.issued import SAMPLE


def forge(certificate, **changes):
    """A certificate whose observed numbers were changed and everything else made to fit."""
    first = certificate.statements[0]
    changed = replace(first, observed={**first.observed, **changes})
    fake = issue(certificate.procedure, [changed], delta=certificate.delta, candidates=certificate.candidates)
    return replace(certificate, statements=fake.statements, digest="")


class TestRecheck:
    X, y = SAMPLE.X, SAMPLE.y

    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"bound": "betting"},
            {"prior": "zero"},
            {"bound": "betting", "reference": "online"},
            {"bound": "betting", "reference": "fixed"},
        ],
        ids=str,
    )
    def test_holds_for_what_was_issued(self, options):
        model = pb.CertifiedLogisticRegression(random_state=3, **options).fit(self.X, self.y)
        verification = recheck(model.certificate_, self.X, self.y, model)
        assert verification, str(verification)

    def test_catches_a_consistent_forgery(self):
        model = pb.CertifiedLogisticRegression(random_state=3).fit(self.X, self.y)
        fake = forge(model.certificate_, errors=1.0, both=[0.5])
        assert fake.verify()
        verification = recheck(fake, self.X, self.y, model)
        assert not verification
        assert [check.code for check in verification.failed] == ["statement"]
        assert find_cause(verification).code == "other_numbers"

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
        model = pb.CertifiedLogisticRegression(random_state=3, alpha=1.0)
        whole = learning.Solver.fit

        def peeking(self, X, signs, alpha):
            everything = model_X if X.shape[0] < len(model_X) else X
            return whole(self, everything, signs if everything is X else model_signs, alpha)

        honest = pb.CertifiedLogisticRegression(random_state=3, alpha=1.0).fit(self.X, self.y)
        model_X = honest.preprocessing_.transform(self.X)
        model_signs = np.where(self.y == honest.classes_[1], 1.0, -1.0)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(learning.Solver, "fit", peeking)
            model.fit(self.X, self.y)
        assert model.certificate_.verify()
        verification = recheck(model.certificate_, self.X, self.y, model)
        assert not verification
        assert "the predictor is what these rows give" in str(verification)

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
        """Without the choices nothing says where the rate is from; notes change no number."""
        order = np.argsort(self.y, kind="stable")
        X, y = self.X[order], self.y[order]
        with pytest.warns(pb.CertificateWarning):
            model = pb.CertifiedLogisticRegression(random_state=3).fit(X, y)
        record = json.loads(model.certificate_.to_json())
        holder = record["statements"][0] if name == "assumptions" else record
        assert holder[name]
        holder[name] = []
        record["digest"] = content_digest(record)
        claim = pb.Certificate.from_json(json.dumps(record))
        assert bool(claim.verify()) == (name == "notes")
        assert not recheck(claim, X, y, model)
        assert recheck(model.certificate_, X, y, model)

    def test_streams_and_their_updates(self):
        model = pb.OnlineCertifiedClassifier(LogisticRegression(), certify_last=True, random_state=0)
        model.fit(self.X[:400], self.y[:400])
        assert recheck(model.certificate_, self.X[:400], self.y[:400], model)
        model.update(self.X[400:], self.y[400:])
        assert recheck(model.certificate_, self.X, self.y, model)
        assert len(model.certificate_.statements) == 2
        other = self.y.copy()
        other[500] = 1 - other[500]
        assert not recheck(model.certificate_, self.X, other, model)

    def test_predictions(self):
        predictor = LogisticRegression().fit(self.X[:300], self.y[:300])
        certificate = pb.certify_predictions(self.y[300:], predictor.predict(self.X[300:]))
        assert recheck(certificate, self.X[300:], self.y[300:], predictor)
        assert not recheck(forge(certificate, errors=0), self.X[300:], self.y[300:], predictor)

    def test_a_model_of_another_kind_is_refused(self):
        with pytest.raises(ValueError, match="must be the estimator that issued"):
            recheck(
                pb.CertifiedLogisticRegression(random_state=0).fit(self.X, self.y).certificate_,
                self.X,
                self.y,
                LogisticRegression(),
            )


class TestGroups:
    """Groups of a model that exists: columns of its rows are found, and values beside them are given again."""

    rows = np.random.default_rng(1).integers(0, 3, (200, 3)).astype(float)
    y = (rows[:, 1] > 0) * 1
    kind = np.array(["a", "b"])[(rows[:, 0] > 1) * 1]
    model = LogisticRegression().fit(rows + 0.5, y)

    @pytest.mark.parametrize(
        ("groups", "beside"),
        [
            (0, False),
            ([2, 0], False),
            (kind, True),
            ({"kind": kind, "old": kind == "b"}, True),
            (pd.DataFrame({"kind": kind}), True),
        ],
        ids=["position", "positions", "values", "mapping", "frame"],
    )
    @pytest.mark.parametrize("named", [False, True])
    @pytest.mark.filterwarnings("ignore:X has feature names")
    def test_are_rechecked(self, groups, beside, named):
        rows = pd.DataFrame(self.rows, columns=["a", "b", "c"]) if named else self.rows
        issued = pb.certify(self.model, rows, self.y, groups=groups)
        given = {"groups": groups} if beside else {}
        assert recheck(issued, rows, self.y, self.model, **given)
        if beside:
            assert not recheck(issued, rows, self.y, self.model, groups={"kind": self.kind[::-1]})
            with pytest.raises(ValueError, match=r"'groups' argument of recheck must be .* which is no column of X"):
                recheck(issued, rows, self.y, self.model)

    def test_of_given_predictions_are_rechecked(self):
        issued = pb.certify_predictions(self.y, self.model.predict(self.rows), groups=self.kind)
        assert recheck(issued, self.rows, self.y, self.model, groups=self.kind)

    @pytest.mark.filterwarnings("ignore:X has feature names")
    def test_in_another_order_are_refused(self):
        rows = pd.DataFrame(self.rows)
        issued = pb.certify(self.model, rows, self.y, groups=self.kind)
        with pytest.raises(ValueError, match="must have its rows in the order of 'X'"):
            recheck(issued, rows, self.y, self.model, groups=pd.Series(self.kind)[::-1])

    def test_are_refused_where_there_are_none_or_the_model_has_them(self):
        words = "'groups' argument of recheck must be left out"
        with pytest.raises(ValueError, match=words):
            recheck(pb.certify(self.model, self.rows, self.y), self.rows, self.y, self.model, groups=self.kind)
        certified = pb.CertifiedClassifier(random_state=0).fit(self.rows, self.y, grouping=self.kind)
        with pytest.raises(ValueError, match=words):
            recheck(certified.certificate_, self.rows, self.y, certified, groups=self.kind)
        assert recheck(certified.certificate_, self.rows, self.y, certified)
