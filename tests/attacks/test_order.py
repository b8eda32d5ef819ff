"""Rows put into an order of one's choosing: errors moved to where they do not count."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import pacbayes as pb
from pacbayes.procedures import Sample
from pacbayes.verification import recheck, recheck_run

SAMPLE = pb.datasets.make_known_risk(800, d=3, random_state=2)


def with_chosen_order(model, seed):
    """Fit as the seed says, then again with the rows that are misclassified moved to the learning part."""
    honest = model.fit(SAMPLE.X, SAMPLE.y)
    wrong = honest.predict(SAMPLE.X) != SAMPLE.y
    order = np.concatenate([np.flatnonzero(wrong), np.flatnonzero(~wrong)])
    honest._certify(SAMPLE.X, honest._validate(SAMPLE.X, SAMPLE.y)[0], SAMPLE.y, order, honest.seed_)
    return honest


@pytest.mark.parametrize(
    "model",
    [
        pb.CertifiedLogisticRegression(random_state=0),
        pb.CertifiedLogisticRegression(bound="betting", random_state=0),
        pb.CertifiedClassifier(LogisticRegression(), random_state=0),
        pb.OnlineCertifiedClassifier(LogisticRegression(), random_state=0),
    ],
    ids=str,
)
def test_an_order_that_the_seed_does_not_give_is_refused(model):
    fair = model.fit(SAMPLE.X, SAMPLE.y).certificate_
    forger = with_chosen_order(model, 0)
    claim = forger.certificate_
    assert claim.verify()
    if not isinstance(forger, pb.OnlineCertifiedClassifier):
        assert claim.value < fair.value
    verification = recheck(claim, SAMPLE.X, SAMPLE.y, forger)
    assert not verification
    assert "order_of_seed" in [check.code for check in verification.failed]
    assert not recheck_run(claim, SAMPLE.X, SAMPLE.y, model)


def test_hiding_the_seed_does_not_hide_that_the_order_was_not_reproducible():
    forger = with_chosen_order(pb.CertifiedLogisticRegression(random_state=0), 0)
    claim = replace(forger.certificate_, seed=None, digest="")
    assert not recheck(claim, SAMPLE.X, SAMPLE.y, forger)
    forger.set_params(random_state=None)
    loose = with_chosen_order(forger, None).certificate_
    assert loose.seed is None
    assert "order_not_reproducible" in [note.code for note in loose.notes]
    quiet = replace(loose, notes=(), digest="")
    assert not recheck(quiet, SAMPLE.X, SAMPLE.y, forger)


def test_another_seed_for_the_draws_is_refused():
    model = pb.CertifiedLogisticRegression(random_state=0).fit(SAMPLE.X, SAMPLE.y)
    model.seed_ += 1
    sample = Sample(SAMPLE.X, SAMPLE.y, model.order_, model.seed_, 0)
    model._keep(model._procedure(len(SAMPLE.y)).run(sample))
    assert not recheck(model.certificate_, SAMPLE.X, SAMPLE.y, model)


def test_a_certificate_without_a_note_about_its_missing_seed_does_not_verify():
    model = pb.CertifiedLogisticRegression().fit(SAMPLE.X, SAMPLE.y)
    assert model.certificate_.verify()
    assert not replace(model.certificate_, notes=(), digest="").verify()


def test_rows_of_updates_are_assumed_to_come_in_their_order():
    """Nobody can tell whether the rows of an update were sorted by how hard they are: the certificate says so."""
    model = pb.OnlineCertifiedClassifier(LogisticRegression(), random_state=0).fit(SAMPLE.X[:600], SAMPLE.y[:600])
    assert "arrival_order" not in model.certificate_.statements[0].assumptions
    model.update(SAMPLE.X[600:], SAMPLE.y[600:])
    assert "arrival_order" in model.certificate_.statements[0].assumptions
    assert recheck(model.certificate_, SAMPLE.X, SAMPLE.y, model)
