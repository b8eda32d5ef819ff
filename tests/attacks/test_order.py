"""Rows put into an order of one's choosing: errors moved to where they do not count."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes._core.notes import Note
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
    forger.order_seed_ = None
    forger._certify(SAMPLE.X, forger._validate(SAMPLE.X, SAMPLE.y)[0], SAMPLE.y, forger.order_, forger.seed_)
    loose = forger.certificate_
    assert loose.seed is None
    assert "order_not_reproducible" in [note.code for note in loose.notes]
    assert loose.verify()
    assert [check.code for check in recheck(loose, SAMPLE.X, SAMPLE.y, forger).failed] == ["order_of_seed"]
    quiet = replace(loose, notes=(), digest="")
    assert not quiet.verify()
    assert not recheck(quiet, SAMPLE.X, SAMPLE.y, forger)


@pytest.mark.parametrize("state", [None, np.random.RandomState(5)])
@pytest.mark.parametrize(
    ("model", "in_order"),
    [
        (pb.CertifiedLogisticRegression(derandomize="draw"), False),
        (pb.CertifiedClassifier(GaussianNB()), False),
        (pb.CertifiedClassifier(GaussianNB()), True),
        (pb.CertifiedForest(n_estimators=3), False),
        (pb.OnlineCertifiedClassifier(GaussianNB()), False),
        (pb.OnlineCertifiedClassifier(GaussianNB()), True),
        (pb.SelectiveClassifier(GaussianNB(), max_error=0.3), False),
    ],
    ids=str,
)
def test_a_seed_that_was_drawn_is_recorded_and_gives_the_order(model, state, in_order):
    model.set_params(random_state=state).fit(SAMPLE.X, SAMPLE.y, **({"in_order": True} if in_order else {}))
    claim = model.certificate_
    assert "order_not_reproducible" not in [note.code for note in claim.notes]
    order = np.random.RandomState(claim.seed).permutation(800)
    assert list(model.order_) == (list(range(800)) if in_order else order.tolist())
    assert recheck(claim, SAMPLE.X, SAMPLE.y, model)
    assert recheck_run(claim, SAMPLE.X, SAMPLE.y, model.set_params(random_state=claim.seed))
    model.seed_ += 1
    assert not recheck(claim, SAMPLE.X, SAMPLE.y, model)


def test_draws_of_rows_in_order_follow_from_a_recorded_seed():
    """Where rows are taken as they came, a seed of one's choosing could still give a lucky draw."""
    forger = pb.CertifiedLogisticRegression(derandomize="draw").fit(SAMPLE.X, SAMPLE.y, in_order=True)
    forger.order_seed_ = None
    forger._certify(SAMPLE.X, forger._validate(SAMPLE.X, SAMPLE.y)[0], SAMPLE.y, forger.order_, 12345)
    assert forger.certificate_.verify()
    assert not recheck(forger.certificate_, SAMPLE.X, SAMPLE.y, forger)


def test_another_seed_for_the_draws_is_refused():
    model = pb.CertifiedLogisticRegression(random_state=0).fit(SAMPLE.X, SAMPLE.y)
    model.seed_ += 1
    sample = Sample(SAMPLE.X, SAMPLE.y, model.order_, model.seed_, 0)
    model._keep(model._procedure(len(SAMPLE.y)).run(sample))
    assert not recheck(model.certificate_, SAMPLE.X, SAMPLE.y, model)


def test_a_certificate_without_a_note_about_its_missing_seed_does_not_verify():
    claim = pb.CertifiedLogisticRegression().fit(SAMPLE.X, SAMPLE.y).certificate_
    assert claim.verify()
    assert not replace(claim, seed=None, digest="").verify()
    noted = (Note("order_not_reproducible"),)
    assert replace(claim, seed=None, notes=noted, digest="").verify()


def test_rows_of_updates_are_assumed_to_come_in_their_order():
    """Nobody can tell whether the rows of an update were sorted by how hard they are: the certificate says so."""
    model = pb.OnlineCertifiedClassifier(LogisticRegression(), random_state=0).fit(SAMPLE.X[:600], SAMPLE.y[:600])
    assert "arrival_order" not in model.certificate_.statements[0].assumptions
    model.update(SAMPLE.X[600:], SAMPLE.y[600:])
    assert "arrival_order" in model.certificate_.statements[0].assumptions
    assert recheck(model.certificate_, SAMPLE.X, SAMPLE.y, model)


@pytest.mark.parametrize(
    "model",
    [
        pb.CertifiedLogisticRegression(random_state=0),
        pb.CertifiedLogisticRegression(bound="betting", random_state=0),
        pb.CertifiedClassifier(LogisticRegression(), random_state=0),
        pb.CertifiedClassifier(LogisticRegression()),
        pb.OnlineCertifiedClassifier(LogisticRegression(), random_state=0),
    ],
    ids=str,
)
def test_rows_that_were_not_shuffled_are_no_iid_sample(model):
    """A certificate of rows taken as they came says so, and neither claim can be made of the other kind."""
    claim = model.fit(SAMPLE.X, SAMPLE.y, in_order=True).certificate_
    assert list(model.order_) == list(range(800))
    assert claim.in_order
    assert all("later_iid" in each.assumptions and "iid" not in each.assumptions for each in claim.statements)
    assert claim.verify()
    assert recheck(claim, SAMPLE.X, SAMPLE.y, model)
    assert recheck_run(claim, SAMPLE.X, SAMPLE.y, clone(model).set_params(random_state=claim.seed))
    as_iid = [
        replace(each, assumptions=tuple("iid" if code == "later_iid" else code for code in each.assumptions))
        for each in claim.statements
    ]
    shuffled = tuple(choice for choice in claim.choices if choice.what != "order")
    for forged in (
        replace(claim, statements=tuple(as_iid), digest=""),
        replace(claim, choices=shuffled, digest=""),
        replace(claim, statements=tuple(as_iid), choices=shuffled, digest=""),
    ):
        assert not recheck(forged, SAMPLE.X, SAMPLE.y, model)


def test_an_order_of_ones_choosing_is_not_the_one_in_which_rows_came():
    forger = pb.CertifiedLogisticRegression(random_state=0).fit(SAMPLE.X, SAMPLE.y, in_order=True)
    fair = forger.certificate_
    wrong = forger.predict(SAMPLE.X) != SAMPLE.y
    order = np.concatenate([np.flatnonzero(wrong), np.flatnonzero(~wrong)])
    forger._certify(SAMPLE.X, forger._validate(SAMPLE.X, SAMPLE.y)[0], SAMPLE.y, order, forger.seed_)
    claim = forger.certificate_
    assert claim.value < fair.value
    verification = recheck(claim, SAMPLE.X, SAMPLE.y, forger)
    assert "order_as_given" in [check.code for check in verification.failed]
    assert not recheck_run(claim, SAMPLE.X, SAMPLE.y, pb.CertifiedLogisticRegression(random_state=0))


def test_a_stream_in_order_stays_one_when_it_grows():
    model = pb.OnlineCertifiedClassifier(LogisticRegression(), random_state=0)
    model.fit(SAMPLE.X[:600], SAMPLE.y[:600], in_order=True).update(SAMPLE.X[600:], SAMPLE.y[600:])
    assert model.certificate_.in_order
    assert "later_iid" in model.certificate_.statements[0].assumptions
    assert recheck(model.certificate_, SAMPLE.X, SAMPLE.y, model)
