"""Certificates of recursive PAC-Bayes, forged with matching values and digests: what cannot be is refused."""

from dataclasses import replace

import pytest

import pacbayes as pb
from pacbayes.verification import recheck

from attacks.test_arithmetic import NOISE, SAMPLE, reissue


@pytest.fixture(scope="module", params=["portfolio", "split_kl"])
def model(request):
    return pb.RecursiveLogisticRegression(steps=3, bound=request.param, random_state=0).fit(SAMPLE.X, NOISE)


def observed(certificate, **changes):
    """The forger's numbers, as a statement holds them."""
    return {"observed": {**certificate.statements[0].observed, **changes}}


def is_refused(certificate, **changes):
    """Whether a forgery is not even computed, or does not verify."""
    try:
        return not reissue(certificate, **changes).verify()
    except ValueError:
        return True


def test_the_honest_one_holds(model):
    assert reissue(model.certificate_).verify()


@pytest.mark.parametrize("change", [-0.02, 0.02])
def test_errors_of_the_first_distribution_are_counted_twice(model, change):
    """On the rows of the second step, which are its own."""
    certificate = model.certificate_
    numbers = certificate.statements[0].observed
    assert is_refused(certificate, statement=observed(certificate, first_risk=numbers["first_risk"] + change))
    for name in ("step_better", "step_worse"):
        forged = [numbers[name][0] + change, *numbers[name][1:]]
        assert is_refused(certificate, statement=observed(certificate, **{name: forged}))


def test_fewer_errors_than_on_the_rows_that_are_left(model):
    """The second distribution errs on half of the last 200 rows, and is said to err on 10 % of the last 400."""
    certificate = model.certificate_
    numbers = certificate.statements[0].observed
    reference = numbers["step_risk"][1] - numbers["step_worse"][1] + numbers["step_better"][1]
    assert reference * 200 > 0.1 * 400
    shares = {"step_risk": [0.1, numbers["step_risk"][1]], "step_worse": [0.0, numbers["step_worse"][1]]}
    better = [numbers["first_risk"] - 0.1, numbers["step_better"][1]]
    assert is_refused(certificate, statement=observed(certificate, **shares, step_better=better))


@pytest.mark.parametrize(
    "change",
    [
        {"step_n": [600, 600]},
        {"step_n": [400, 100]},
        {"step_n": [10**9, 10**9]},
        {"risk": 0.0},
        {"first_risk": 0.0, "step_risk": [0.0, 0.0], "step_worse": [0.0, 0.0], "step_better": [0.0, 0.0], "risk": 0.1},
        {"step_risk": [0.0], "step_worse": [0.0], "step_better": [0.0], "step_kl": [0.0], "step_n": [400], "risk": 0.0},
        {
            "step_risk": [],
            "step_worse": [],
            "step_better": [],
            "step_kl": [],
            "step_n": [],
            "first_risk": 0.0,
            "risk": 0.0,
        },
        {"further": 1.0},
    ],
    ids=str,
)
def test_numbers_that_do_not_go_together(model, change):
    assert is_refused(model.certificate_, statement=observed(model.certificate_, **change))


def test_rows_and_divergence(model):
    certificate = model.certificate_
    assert not reissue(certificate, statement={"n": 10**6}).verify()
    assert not reissue(certificate, statement={"kl": 1.0}).verify()


@pytest.mark.parametrize(
    ("what", "value"), [("learning_rows", 1), ("steps", 2), ("parts", "geometric"), ("parts", "mine"), ("steps", 10**9)]
)
def test_choices_determine_the_parts(model, what, value):
    certificate = model.certificate_
    choices = [replace(each, value=value) if each.what == what else each for each in certificate.choices]
    assert not reissue(certificate, choices=choices).verify()
    without = [each for each in certificate.choices if each.what != what]
    assert not reissue(certificate, choices=without).verify()
    after = [replace(each, where="judged_rows") if each.what == what else each for each in certificate.choices]
    assert not reissue(certificate, choices=after).verify()


def test_the_strength_is_the_one_that_was_given():
    certificate = (
        pb.RecursiveLogisticRegression(steps=3, bound="split_kl", random_state=0).fit(SAMPLE.X, NOISE).certificate_
    )
    assert not reissue(certificate, statement=observed(certificate, gamma=[0.0, 0.0])).verify()
    assert not reissue(certificate, statement=observed(certificate, gamma=[0.5, 0.4])).verify()
    choices = [replace(each, where="all_rows") if each.what == "gamma" else each for each in certificate.choices]
    assert not reissue(certificate, choices=choices).verify()


@pytest.mark.parametrize("about", ["draw", "predict", "vote", "snapshot"])
def test_of_no_other_predictor(model, about):
    assert not reissue(model.certificate_, statement={"about": about}).verify()


def test_no_other_bound(model):
    numbers = {"errors": model.certificate_.statements[0].observed["risk"] * 200}
    for bound in ("betting", "maurer"):
        forged = {"bound": bound, "observed": numbers, "rates": "one_n" if bound == "betting" else None}
        assert not reissue(model.certificate_, statement=forged).verify()


def test_a_posterior_has_no_steps(model):
    """The numbers of steps in a certificate of the procedure "posterior"."""
    posterior = pb.CertifiedLogisticRegression(bound="betting", random_state=0).fit(SAMPLE.X, NOISE).certificate_
    source = model.certificate_.statements[0]
    forged = {"bound": source.bound, "observed": source.observed, "rates": None, "n": source.n, "kl": 0.0}
    assert not reissue(posterior, statement=forged).verify()


def test_numbers_that_go_together_are_refused_with_the_rows(model):
    """Without the rows, divergences can be anything; with them they cannot."""
    certificate = model.certificate_
    forged = reissue(certificate, statement=observed(certificate, step_kl=[0.0, 0.0]))
    assert forged.value < certificate.value or certificate.value == 1.0
    assert forged.verify()
    assert not recheck(forged, SAMPLE.X, NOISE, model)
