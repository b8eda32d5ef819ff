"""Attacks on certificates of votes: numbers that do not go together, another vote, other rows; values made to fit."""

from __future__ import annotations

from dataclasses import replace

import pytest

import pacbayes as pb
from pacbayes.certificate import Choice
from pacbayes.certificate.arithmetic import evaluate_limits
from pacbayes.verification import recheck

SAMPLE = pb.datasets.make_known_risk(300, d=2, separation=1.5, random_state=0)
X, Y = SAMPLE.X, SAMPLE.y


@pytest.fixture(scope="module")
def model():
    return pb.CertifiedForest(n_estimators=6, bound="chebyshev_cantelli", random_state=0).fit(X, Y)


def forge(certificate, *, choices=None, procedure="out_of_bag", **changes):
    """Return a certificate with another statement, whose value and digest are made to fit."""
    statement = replace(certificate.statements[0], **changes)
    value, lower = evaluate_limits(statement, certificate.delta)
    fitted = replace(statement, value=value, lower=lower)
    given = certificate.choices if choices is None else choices
    return replace(certificate, statements=(fitted,), digest="", choices=tuple(given), procedure=procedure)


def with_choice(certificate, what, value):
    return [Choice(what, value, each.where) if each.what == what else each for each in certificate.choices]


def test_what_cannot_be_so_is_refused_without_the_data(model):
    certificate = model.certificate_
    first = certificate.statements[0]
    more_pairs = {**first.observed, "n_pairs": first.n + 1}
    even = with_choice(certificate, "vote_weights", "even")
    forged = {
        "pairs": forge(certificate, observed=more_pairs),
        "broken pairs": forge(certificate, observed={**first.observed, "n_pairs": first.observed["n_pairs"] * 1.0}),
        "even weights": forge(certificate, choices=even),
        "divergence": forge(certificate, kl=5.0),
        "no voters": forge(certificate, choices=[each for each in certificate.choices if each.what != "voters"]),
        "one voter": forge(certificate, choices=with_choice(certificate, "voters", 1)),
        "other weights": forge(certificate, choices=with_choice(certificate, "vote_weights", "the best")),
        "a number too many": forge(certificate, observed={**first.observed, "errors": 0}),
    }
    for name, each in forged.items():
        assert "observed" in {check.code for check in each.verify().failed}, name


def test_claims_of_others_are_refused(model):
    certificate = model.certificate_
    first = certificate.statements[0]
    forged = {
        "the model itself": forge(certificate, about="predict"),
        "a draw": forge(certificate, about="draw"),
        "another procedure": forge(certificate, procedure="split"),
        "the bound of one predictor": forge(certificate, bound="maurer", observed={"errors": 3}),
        "rates": forge(certificate, rates="one_n"),
        "nothing assumed": forge(certificate, assumptions=("iid",)),
    }
    for name, each in forged.items():
        failed = {check.code for check in each.verify().failed}
        assert "claims" in failed, name
    of_draws = forge(certificate, about="draw", procedure="posterior")  # for which every bound on a posterior is proved
    assert [check.claimed for check in of_draws.verify().failed if check.code == "claims"] == ["bound"]
    for risk in (1.5, -0.1):
        assert not forge(certificate, observed={**first.observed, "risk": risk}).verify()
    assert not replace(certificate, statements=(replace(first, value=first.value * 0.9),), digest="").verify()


def test_what_can_be_so_is_refused_with_the_data(model):
    certificate = model.certificate_
    first = certificate.statements[0]
    forged = {
        "fewer errors": forge(certificate, observed={**first.observed, "tandem": first.observed["tandem"] * 0.9}),
        "more rows": forge(certificate, n=first.n + 50),
        "no divergence": forge(certificate, kl=0.0),
        "more candidates": replace(forge(certificate), delta=0.2),
        "larger samples": forge(certificate, choices=with_choice(certificate, "sample_rows", 150)),
    }
    for name, each in forged.items():
        assert not recheck(each, X, Y, model), name
    assert recheck(certificate, X, Y, model)


def test_another_vote_is_noticed(model):
    other = pb.CertifiedForest(n_estimators=6, bound="chebyshev_cantelli", random_state=0).fit(X, Y)
    other.estimator_.voters_[0] = other.estimator_.voters_[1]
    assert not recheck(model.certificate_, X, Y, other)
    seeds = pb.CertifiedForest(n_estimators=6, bound="chebyshev_cantelli", random_state=1).fit(X, Y)
    assert not recheck(model.certificate_, X, Y, seeds)
