"""Forged certificates of pick-to-learn: what the recorded rule does not allow is refused, with data everything else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes.certificate import issue
from pacbayes.verification import recheck

SAMPLE = pb.datasets.make_known_risk(300, d=2, random_state=0)
OPTIONS = {"pick_to_learn": {}, "compression": {"bound": "compression", "prior_fraction": 0.0, "rounds": 12}}


@pytest.fixture(scope="module", params=OPTIONS)
def model(request):
    return pb.PickToLearn(GaussianNB(), random_state=0, **OPTIONS[request.param]).fit(SAMPLE.X, SAMPLE.y)


def forge(certificate, choices=None, **changes):
    """Issue it again with other numbers, so that value and digest follow from them."""
    statement = certificate.statements[0]
    changed = replace(
        statement,
        observed={key: value for key, value in (statement.observed | changes).items() if value is not None},
    )
    given = [replace(each, value=(choices or {}).get(each.what, each.value)) for each in certificate.choices]
    return issue(
        certificate.procedure,
        [changed],
        delta=certificate.delta,
        candidates=certificate.candidates,
        choices=[each for each in given if each.value != "gone"],
        notes=certificate.notes,
        digests=certificate.digests,
        seed=certificate.seed,
    )


def refused(certificate):
    return {check.code for check in certificate.verify().failed}


def test_the_forgery_itself_changes_nothing(model):
    assert forge(model.certificate_).verify()


def test_fewer_looks_than_rounds_allow(model):
    certificate = model.certificate_
    if "looks" not in certificate.statements[0].observed:
        pytest.skip("it holds for all sets of rows")
    assert refused(forge(certificate, looks=1)) == {"claims"}
    assert refused(forge(certificate, {"kept_round": "gone"})) == {"claims"}
    assert refused(forge(certificate, {"rounds": None})) == {"claims"}
    assert refused(forge(certificate, {"rounds": 0}, looks=1)) == {"claims"}


def test_more_rows_than_the_rule_can_pick(model):
    """A rule that was said to stop early, or to pick few rows at a time, cannot have picked as many."""
    assert model.picked_.size > 2
    assert refused(forge(model.certificate_, {"kept_round": 1})) == {"claims"}
    assert refused(forge(model.certificate_, {"kept_round": 2, "growth": 0.0})) == {"claims"}


def test_counts_that_no_rows_have(model):
    certificate = model.certificate_
    with pytest.raises(ValueError, match="must be a whole number"):
        forge(certificate, errors=2.5)
    assert "observed" in refused(forge(certificate, risk=0.0))
    with pytest.raises(ValueError, match="must be at most 'n'"):
        forge(certificate, errors=301)
    with pytest.raises((ValueError, KeyError)):
        forge(certificate, size=None)


def test_fewer_errors_are_found_out_with_the_rows(model):
    forged = forge(model.certificate_, errors=0)
    assert forged.verify()  # nothing else tells how many there were
    assert not recheck(forged, SAMPLE.X, SAMPLE.y, model)
    assert recheck(model.certificate_, SAMPLE.X, SAMPLE.y, model)


def test_another_predictor_is_found_out(model):
    other = pb.PickToLearn(GaussianNB(), random_state=0).fit(SAMPLE.X, SAMPLE.y)
    other.__dict__.update(model.__dict__)
    other.estimator_ = GaussianNB().fit(SAMPLE.X, SAMPLE.y)
    assert not recheck(model.certificate_, SAMPLE.X, SAMPLE.y, other)


def test_the_printed_form_has_no_certificate(model):
    """Certificates evaluate a bound with its own numbers alone: there is no place to name a form."""
    assert "observed" in refused(forge(model.certificate_, form=1))
    statement = replace(model.certificate_.statements[0], bound="clopper_pearson", observed={"errors": 1})
    forged = issue("pick_to_learn", [statement], delta=0.05, digests=model.certificate_.digests, seed=0)
    assert "claims" in refused(forged)
