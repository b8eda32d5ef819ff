"""Forged thresholds: failed steps that are skipped, limits that hold at one threshold only, counts of other rows."""

from dataclasses import replace

import pytest
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes.certificate import Choice, evaluate_statement
from pacbayes.verification import recheck

SAMPLE = pb.datasets.make_known_risk(3000, d=3, random_state=0)
X, Y = SAMPLE.X, SAMPLE.y


@pytest.fixture(scope="module")
def model():
    return pb.SelectiveClassifier(GaussianNB(), 0.05, random_state=0).fit(X, Y)


@pytest.fixture(scope="module")
def issued(model):
    return model.certificate_


@pytest.fixture(scope="module")
def careful():
    return pb.SelectiveClassifier(GaussianNB(), max_fnr=0.1, positive=1, random_state=0).fit(X, Y)


def forge(certificate, *changes, **further):
    """Change statements, compute their values and the digest anew, so that all arithmetic fits."""
    delta = certificate.delta / certificate.candidates
    statements = [
        replace(each, **change) for each, change in zip(certificate.statements, (*changes, {}, {}), strict=False)
    ]
    valued = tuple(replace(each, value=evaluate_statement(each, delta)) for each in statements)
    return replace(certificate, **{"statements": valued, "digest": ""} | further)


def failed(certificate):
    return {check.code for check in certificate.verify().failed}


def along(certificate, **changes):
    return {"observed": dict(certificate.statements[0].observed) | changes}


def choose(certificate, what, **changes):
    return tuple(replace(each, **changes) if each.what == what else each for each in certificate.choices)


def test_what_was_issued_passes_everything(model, careful, issued):
    assert 0 < issued.statements[0].observed["passed"] < len(issued.statements[0].observed["rows_along"])
    for each in (model, careful):
        assert each.certificate_.verify()
        assert recheck(each.certificate_, X, Y, each)
        assert pb.Certificate.from_json(each.certificate_.to_json()) == each.certificate_


def test_a_threshold_beyond_the_first_failure(issued):
    seen = issued.statements[0].observed
    last = len(seen["rows_along"])
    forged = forge(issued, along(issued, passed=last) | {"n": seen["rows_along"][-1]})
    assert "observed" in failed(forged)


def test_the_failed_step_is_left_out(issued):
    """Whoever removes it has one threshold less than was fixed, and than the other statement holds at."""
    seen = issued.statements[0].observed
    step = seen["passed"]
    rows, errors = ([*seen[name][:step], *seen[name][step + 1 :]] for name in ("rows_along", "errors_along"))
    forged = forge(issued, along(issued, rows_along=rows, errors_along=errors))
    assert {"claims", "observed"} <= failed(forged)


def test_the_failed_step_is_left_out_everywhere(model, issued):
    """With the number of thresholds changed, too, it fits in itself; the rows say otherwise."""
    seen, beside = issued.statements[0].observed, issued.statements[1]
    step = seen["passed"]
    rows, errors = ([*seen[name][:step], *seen[name][step + 1 :]] for name in ("rows_along", "errors_along"))
    again = pb.certificate.count_passed("clopper_pearson", errors, rows, 0.05, issued.delta * 0.9)
    fewer = {"observed": {"errors": beside.n - rows[again - 1], "steps": len(rows)}}
    forged = forge(
        issued,
        along(issued, rows_along=rows, errors_along=errors, passed=again) | {"n": rows[again - 1]},
        fewer,
        choices=choose(issued, "thresholds", value=len(rows)),
    )
    assert not recheck(forged, X, Y, model)


@pytest.mark.parametrize("name", ["rows_along", "errors_along"])
def test_sets_of_rows_that_are_not_nested(issued, name):
    seen = list(issued.statements[0].observed[name])
    seen[1], seen[2] = seen[2] + 5, seen[1]
    assert "observed" in failed(forge(issued, along(issued, **{name: seen})))


def test_errors_that_are_no_counts(issued):
    errors = [each + 0.5 for each in issued.statements[0].observed["errors_along"]]
    statements = (replace(issued.statements[0], **along(issued, errors_along=errors)), issued.statements[1])
    assert {"observed", "value"} <= failed(replace(issued, statements=statements, digest=""))


def test_more_answered_rows_than_at_the_threshold(issued):
    assert "observed" in failed(forge(issued, {"n": issued.statements[0].n + 1}))


def test_a_lower_target_than_was_chosen(issued):
    assert "claims" in failed(forge(issued, {"target": 0.049}))
    without = (replace(issued.statements[0], target=None), issued.statements[1])
    assert "claims" in failed(replace(issued, statements=without, digest=""))


def test_a_target_that_was_chosen_on_the_rows(issued):
    assert "claims" in failed(forge(issued, choices=choose(issued, "max_error", where="judged_rows")))
    assert "claims" in failed(forge(issued, choices=(*issued.choices, Choice("max_error", 0.05, "given"))))
    first = replace(issued.statements[0], assumptions=("iid", "nothing_before", "row_by_row"))
    assert "claims" in failed(replace(issued, statements=(first, issued.statements[1]), digest=""))


def test_thresholds_that_were_fixed_elsewhere(issued):
    assert "claims" in failed(forge(issued, choices=choose(issued, "thresholds", where="judged_rows")))
    assert "claims" in failed(forge(issued, choices=choose(issued, "threshold", value=None)))


@pytest.mark.parametrize("steps", [None, 1, 5])
def test_coverage_that_holds_at_one_threshold_only(issued, steps):
    errors = issued.statements[1].observed["errors"]
    observed = {"errors": errors} if steps is None else {"errors": errors, "steps": steps}
    forged = forge(issued, {}, {"observed": observed})
    assert forged.statements[1].value > issued.statements[1].value
    assert {"claims", "observed"} & failed(forged)


def test_more_coverage_than_was_counted(issued):
    observed = dict(issued.statements[1].observed) | {"errors": issued.statements[1].observed["errors"] - 1}
    assert "observed" in failed(forge(issued, {}, {"observed": observed}))
    assert "observed" in failed(forge(issued, {}, {"n": issued.statements[1].n + 1000}))


def test_coverage_alone(issued):
    alone = replace(issued.statements[1], share=1.0)
    choices = tuple(each for each in issued.choices if each.what != "metric_weights")
    forged = replace(issued, statements=(alone,), choices=choices, digest="")
    assert "claims" in failed(forged)


def test_other_shares_of_delta(issued):
    one, two = issued.statements
    statements = (replace(one, share=1.0), two)
    assert "shares" in failed(replace(issued, statements=statements, digest=""))


def test_a_threshold_of_another_procedure(issued):
    assert "claims" in failed(replace(issued, procedure="split", digest=""))
    plain = pb.certify_predictions([0, 1] * 100, [0, 1] * 100)
    tested = replace(plain.statements[0], target=0.01)
    assert failed(replace(plain, statements=(tested,), digest=""))
    steps = replace(plain.statements[0], observed={"errors": 0, "steps": 1})
    assert "claims" in failed(replace(plain, statements=(steps,), digest=""))


def test_rows_of_the_class_that_differ_between_thresholds(careful):
    seen = list(careful.certificate_.statements[0].observed["rows_along"])
    seen[-1] += 1
    assert "observed" in failed(forge(careful.certificate_, along(careful.certificate_, rows_along=seen)))


def test_a_false_positive_rate_of_another_class(careful):
    assert "claims" in failed(forge(careful.certificate_, {}, {"label": "0"}))


def test_fewer_errors_everywhere(model, issued):
    """It fits in itself, and answers more rows; the rows say otherwise."""
    seen, beside = issued.statements[0].observed, issued.statements[1]
    errors = [max(each - 3, 0) for each in seen["errors_along"]]
    rows = seen["rows_along"]
    passed = pb.certificate.count_passed("clopper_pearson", errors, rows, 0.05, issued.delta * 0.9)
    assert passed > seen["passed"]
    forged = forge(
        issued,
        along(issued, errors_along=errors, passed=passed) | {"n": rows[passed - 1]},
        {"observed": {"errors": beside.n - rows[passed - 1], "steps": len(rows)}},
    )
    assert forged.verify(), str(forged.verify())
    assert not recheck(forged, X, Y, model)


def test_another_threshold_in_the_model(model, issued):
    changed = pb.SelectiveClassifier(GaussianNB(), 0.05, random_state=0).fit(X, Y)
    changed.predictor_.threshold_ = changed.threshold_ = 0.0
    assert not recheck(issued, X, Y, changed)
