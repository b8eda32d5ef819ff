"""Certificates forged with a matching digest: every number made to fit, and still refused by ``verify``."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes.certificate import Choice, Reference, issue

SAMPLE = pb.datasets.make_known_risk(600, d=3, random_state=1)
NOISE = np.random.default_rng(0).integers(0, 2, 600)


def reissue(certificate, *, statement=None, **changes):
    """The forger's tool: the library itself computes all values and the digest for claims of one's own."""
    statements = [replace(certificate.statements[0], **(statement or {})), *certificate.statements[1:]]
    options = {
        "delta": certificate.delta,
        "candidates": certificate.candidates,
        "choices": certificate.choices,
        "digests": certificate.digests,
        "seed": certificate.seed,
    }
    procedure = changes.pop("procedure", certificate.procedure)
    return issue(procedure, changes.pop("statements", statements), **options | changes)


@pytest.fixture(scope="module")
def betting():
    return pb.CertifiedLogisticRegression(bound="betting", random_state=0).fit(SAMPLE.X, NOISE).certificate_


@pytest.fixture(scope="module")
def debiased():
    model = pb.CertifiedLogisticRegression(bound="betting", reference="fixed", random_state=0)
    return model.fit(SAMPLE.X, NOISE).certificate_


@pytest.fixture(scope="module")
def portfolio():
    model = pb.CertifiedLogisticRegression(
        bound="portfolio", prior="zero", reference=("fixed", "learned"), random_state=0
    )
    return model.fit(SAMPLE.X, SAMPLE.y).certificate_


@pytest.fixture(scope="module")
def learned():
    """A portfolio whose bets stand around a rate from the learning rows."""
    return pb.CertifiedLogisticRegression(bound="portfolio", random_state=0).fit(SAMPLE.X, NOISE).certificate_


@pytest.fixture(scope="module")
def stream():
    return (
        pb.OnlineCertifiedClassifier(GaussianNB(), certify_last=True, random_state=0).fit(SAMPLE.X, NOISE).certificate_
    )


@pytest.fixture(scope="module")
def longer():
    """A stream that was extended until a snapshot came that nobody had planned."""
    model = pb.OnlineCertifiedClassifier(GaussianNB(), certify_last=True, random_state=0)
    return model.fit(SAMPLE.X[:300], NOISE[:300]).update(SAMPLE.X[300:], NOISE[300:]).certificate_


def test_what_the_tool_makes_of_the_truth_verifies(betting, debiased, portfolio, learned, stream, longer):
    for certificate in (betting, debiased, portfolio, learned, stream, longer):
        assert reissue(certificate).verify()


@pytest.mark.parametrize("kind", ["betting", "learned"])
def test_a_rate_chosen_in_hindsight(request, kind):
    """The best of many rates with all the weight, or most of it, which a union over them would have to share."""
    honest = request.getfixturevalue(kind)
    values = {rate: reissue(honest, statement={"rates": rate}).value for rate in np.linspace(0.01, 0.99, 99).tolist()}
    best = min(values, key=values.get)
    assert not reissue(honest, statement={"rates": best}).verify()
    seen = [replace(each, value=best, where="all_rows") if each.what == "rate" else each for each in honest.choices]
    assert not reissue(honest, statement={"rates": best}, choices=seen).verify()


def test_a_strength_chosen_in_hindsight(debiased):
    first = debiased.statements[0]
    values = {}
    for strength in np.linspace(0.01, 1.0, 100).tolist():
        fake = reissue(debiased, statement={"reference": replace(first.reference, strength=strength)})
        values[strength] = (fake.value, fake)
    _, fake = min(values.values(), key=lambda pair: pair[0])
    assert fake.value < debiased.value
    assert not fake.verify()


@pytest.mark.parametrize("split", [0.9, 0.99])
def test_delta_split_in_hindsight(debiased, split):
    first = debiased.statements[0]
    assert not reissue(debiased, statement={"reference": replace(first.reference, split=split)}).verify()


def test_a_reference_that_always_errs(debiased):
    """The growth of the excess at its limit and a reference of 1: value 0 beside a risk of one half, once accepted."""
    n = debiased.n
    observed = {"errors": n / 2, "reference_errors": n, "both": n / 2}
    fake = reissue(debiased, statement={"observed": observed})
    assert fake.value > 0.4 or not fake.verify()


def test_shares_of_delta_moved_in_hindsight(stream):
    snapshots, last = stream.statements
    for shares in ((0.999, 0.001), (0.001, 0.999), (0.5, 0.5), (1.0, 1.0)):
        moved = [replace(snapshots, share=shares[0]), replace(last, share=shares[1])]
        assert not reissue(stream, statements=moved).verify()
    assert not reissue(stream, statements=[last]).verify()
    for what, value in (("last_of", 1), ("last_of", 9), ("expected_last", 1), ("expected_rows", 10**6)):
        other = [Choice(what, value, "schedule") if each.what == what else each for each in stream.choices]
        assert not reissue(stream, choices=other).verify()
        without = [each for each in stream.choices if each.what != what]
        assert not reissue(stream, choices=without).verify()


def test_an_exact_count_where_the_rows_were_not_known_beforehand(longer):
    """Whoever may stop when the count is low has to bet for all lengths."""
    snapshots, last = longer.statements
    assert last.bound == "betting"
    exact = replace(last, bound="clopper_pearson", rates=None)
    shuffled = tuple(code for code in last.assumptions if code != "arrival_order")
    rows, count = (
        next(each.value for each in longer.choices if each.what == what) for what in ("expected_rows", "last_of")
    )
    assert count > 8
    for share in (last.share, 0.4, 0.5):
        for forged in (
            replace(exact, share=share),
            replace(exact, share=share, assumptions=shuffled),
            replace(exact, share=share, assumptions=shuffled, n=rows, observed={"errors": 0}),
        ):
            assert not reissue(longer, statements=[snapshots, forged]).verify()
    for share in (0.4, 0.5, 0.1, 0.05):
        assert not reissue(longer, statements=[snapshots, replace(last, share=share)]).verify()


def test_bets_on_more_rows_than_there_were(stream, longer):
    snapshots, last = longer.statements
    more = replace(last, n=snapshots.n + 1)
    assert not reissue(longer, statements=[snapshots, more]).verify()
    snapshots, last = stream.statements
    assert not reissue(stream, statements=[snapshots, replace(last, n=last.n + 100)]).verify()
    bets = replace(last, bound="betting", rates="all_n", share=0.05)
    assert not reissue(stream, statements=[snapshots, bets]).verify()


def test_a_grid_for_one_n_under_a_stream(stream):
    assert not reissue(stream, statement={"rates": "one_n"}).verify()
    assert not reissue(stream, statement={"rates": 0.5}).verify()


def test_counts_that_are_none(stream):
    for errors in (-1, 0.5, stream.n + 1, float(stream.statements[0].observed["errors"]) - 0.25):
        statement = {"observed": {"errors": errors}}
        try:
            fake = reissue(stream, statement=statement)
        except ValueError:
            continue
        assert not fake.verify()


def test_a_value_below_what_was_observed(betting):
    first = replace(betting.statements[0], value=0.0, consequences=())
    assert not replace(betting, statements=(first,), digest="").verify()


def test_assumptions_that_were_dropped(betting, stream):
    for certificate in (betting, stream):
        assert not reissue(certificate, statement={"assumptions": ()}).verify()
        assert not reissue(certificate, statement={"assumptions": ("iid",)}).verify()


def test_a_subject_of_another_procedure(betting, stream):
    assert not reissue(betting, procedure="split").verify()
    assert not reissue(stream, procedure="given").verify()
    predictions = pb.certify_predictions(NOISE, NOISE)
    assert not reissue(predictions, statement={"about": "predict"}).verify()


def test_a_vote_at_the_price_of_a_draw(betting):
    first = betting.statements[0]
    cheap = replace(first, consequences=(replace(first.consequences[0], rule="same", value=first.value),))
    assert not replace(betting, statements=(cheap,), digest="").verify()


OBSERVED = {
    "counts in common above the errors": lambda given: {"both": [given["errors"] + 1.0, given["both"][1]]},
    "counts in common above the reference's": lambda given: {"both": [given["reference_errors"][0] + 1.0] * 2},
    "negative counts": lambda given: {"both": [-1.0, given["both"][1]]},
    "errors of a reference that are not whole": lambda given: {"reference_errors": [10.5, 20.0]},
    "one reference too many": lambda given: {"reference_errors": [*given["reference_errors"], 5.0]},
    "one reference too few": lambda given: {
        "reference_errors": given["reference_errors"][:1],
        "both": given["both"][:1],
    },
    "a number in place of a list": lambda given: {"reference_errors": 40.0, "both": 30.0},
    "more errors than rows": lambda given: {"reference_errors": [1e6, 1e6]},
    "rates of another grid": lambda given: {"rates": [0.5]},
    "weights of the strengths": lambda given: {"strength_weights": [1.0, 0.0, 0.0, 0.0, 0.0]},
}


def is_refused(certificate, **changes):
    """Whether claims of one's own are refused: when they are issued, or when they are verified."""
    try:
        return not reissue(certificate, **changes).verify()
    except (ValueError, TypeError):
        return True


@pytest.mark.parametrize("name", OBSERVED)
def test_observed_numbers_of_a_portfolio_that_cannot_be(portfolio, name):
    given = dict(portfolio.statements[0].observed)
    assert is_refused(portfolio, statement={"observed": given | OBSERVED[name](given)})


@pytest.mark.parametrize(
    "claims",
    [
        {"rates": "all_n"},
        {"rates": 0.3},
        {"rates": None},
        {"references": ()},
        {"references": ("none", "fixed")},
        {"references": ("fixed",)},
        {"bound": "betting"},
        {"bound": "maurer"},
        {"reference": Reference("fixed", 1.0, "betting")},
        {"share": 0.9},
        {"about": "predict"},
    ],
    ids=str,
)
def test_claims_of_a_portfolio_that_do_not_go_together(portfolio, claims):
    assert is_refused(portfolio, statement=claims)


def test_a_strength_of_a_portfolio(portfolio):
    """One strength as if it had been chosen beforehand, beside the references of a portfolio or in their place."""
    first = portfolio.statements[0]
    alone = {"errors": first.observed["errors"], "reference_errors": 50.0, "both": 40.0}
    one = {"reference": Reference("fixed", 0.9, "betting"), "bound": "betting", "observed": alone}
    for changes in (one | {"references": ()}, one):
        assert is_refused(portfolio, statement=changes)


@pytest.mark.parametrize("kind", ["portfolio", "learned"])
def test_a_value_of_a_portfolio_lowered_with_its_digest(request, kind):
    honest = request.getfixturevalue(kind)
    first = honest.statements[0]
    for change in ({"value": first.value * 0.99}, {"kl": first.kl * 0.9 + 0.1}, {"n": first.n + 50}):
        assert not replace(honest, statements=(replace(first, **change),), digest="").verify()
    assert not replace(honest, delta=0.04, digest="").verify()


def test_a_learned_rate_beyond_its_place(learned, debiased):
    """No rate without a choice that says where it is from, none beside one reference, none outside (0, 1)."""
    rate = learned.statements[0].rates
    without = [each for each in learned.choices if each.what != "rate"]
    assert is_refused(learned, choices=without)
    assert is_refused(debiased, statement={"rates": rate}, choices=[*debiased.choices, Choice("rate", rate, "given")])
    for wrong in (0.0, 1.0, -0.5, float("nan"), True, "0.5"):
        chosen = [replace(each, value=wrong) if each.what == "rate" else each for each in learned.choices]
        assert is_refused(learned, statement={"rates": wrong}, choices=chosen)


def test_a_learned_rate_survives_json(learned):
    again = pb.Certificate.from_json(learned.to_json())
    assert again == learned
    assert again.verify()
    assert isinstance(again.statements[0].rates, float)


def test_a_portfolio_of_a_predictor_without_divergence(portfolio):
    predictions = pb.certify_predictions(NOISE, NOISE)
    given = {"errors": 0, "reference_errors": [0], "both": [0]}
    forged = {"bound": "portfolio", "rates": "one_n", "references": ("fixed",), "observed": given}
    assert is_refused(predictions, statement=forged)
