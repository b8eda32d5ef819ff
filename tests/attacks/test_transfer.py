"""Forged transfers: what the certificate's own check refuses, and what only its source or the rows can tell."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes.certificate import Choice, Source, evaluate_statement
from pacbayes.procedures import Transfer, compare_with_source
from pacbayes.verification import recheck

SAMPLE = pb.datasets.make_known_risk(900, d=2, random_state=0)
X, Y, FRESH = SAMPLE.X[:600], SAMPLE.y[:600], SAMPLE.X[600:]


@pytest.fixture(scope="module")
def model():
    return pb.CertifiedClassifier(GaussianNB(), refit=True, random_state=0).fit(X, Y)


@pytest.fixture(scope="module")
def issued(model):
    return model.transfer(FRESH)


def forge(certificate, statement=None, source=None, **changes):
    """Change a statement and its source, compute value and digest anew, so that all arithmetic fits."""
    first = certificate.statements[0]
    if source:
        first = replace(first, source=replace(first.source, **source))
    first = replace(first, **statement or {})
    delta = changes.get("delta", certificate.delta) / changes.get("candidates", certificate.candidates)
    first = replace(first, value=evaluate_statement(first, delta))
    return replace(certificate, **{"statements": (first,), "digest": ""} | changes)


def failed(checks):
    return {check.code for check in checks if not check.held}


def test_what_was_issued_passes_everything(model, issued):
    assert issued.verify()
    assert not failed(compare_with_source(issued, model.certificate_))
    assert recheck(issued, FRESH, None, model)


class TestFitsInItself:
    """The arithmetic holds; the certificate that it starts from, or the rows, say otherwise."""

    def check(self, forged, model, code):
        assert forged.value < 1.0
        assert forged.verify(), str(forged.verify())
        assert code in failed(compare_with_source(forged, model.certificate_))
        assert not recheck(forged, FRESH, None, model)

    def test_fewer_errors_of_the_certified_model(self, model, issued):
        forged = forge(issued, source={"errors": 1})
        assert forged.value < issued.value
        self.check(forged, model, "statement")

    def test_more_judged_rows(self, model, issued):
        self.check(forge(issued, source={"n": 5000}), model, "statement")

    def test_another_delta_of_the_certified_model(self, model, issued):
        split = 0.5
        choices = (
            *issued.choices[:-1],
            Choice("transfer_delta", issued.delta * split, "given", "part_of_delta", split),
        )
        self.check(forge(issued, source={"split": split}, choices=choices), model, "delta")

    def test_fewer_candidates(self):
        several = pb.CertifiedClassifier(GaussianNB(), candidates=5, refit=True, random_state=0).fit(X, Y)
        honest = several.transfer(FRESH)
        assert not forge(honest, candidates=1).verify()  # the choice that it records is of five
        others = tuple(each for each in honest.choices if each.what != "candidates")
        self.check(forge(honest, candidates=1, choices=others), several, "candidates")

    def test_another_certificate(self, issued):
        other = pb.CertifiedClassifier(GaussianNB(), split=0.2, refit=True, random_state=1).fit(X, Y)
        assert {"certificate", "order", "seed"} <= failed(compare_with_source(issued, other.certificate_))
        assert not recheck(issued, FRESH, None, other)

    def test_another_number_of_disagreements_is_found_with_the_rows(self, model, issued):
        forged = forge(issued, {"observed": {"disagreements": 0}})
        assert forged.verify()
        assert not failed(compare_with_source(forged, model.certificate_))  # nothing in it tells
        assert "statement" in failed(recheck(forged, FRESH, None, model).checks)

    def test_other_unlabelled_rows_are_found(self, model, issued):
        assert "unlabelled" in failed(recheck(issued, FRESH[::-1], None, model).checks)

    def test_another_model_in_place_of_the_refit_is_found_by_its_answers(self, model, issued):
        swapped = pb.CertifiedClassifier(GaussianNB(), refit=True, random_state=0).fit(X, Y)
        swapped.refitted_.theta_ = swapped.refitted_.theta_[::-1]
        assert not recheck(issued, FRESH, None, swapped)
        assert not recheck(model.certificate_, X, Y, swapped)


class TestRefusedByItself:
    def check(self, forged, code="claims"):
        assert code in failed(forged.verify().checks)

    def test_a_value_below_the_sum(self, issued):
        first = replace(issued.statements[0], value=0.9 * issued.value)
        self.check(replace(issued, statements=(first,), digest=""), "value")

    def test_a_value_below_what_was_observed(self, issued):
        first = replace(issued.statements[0], value=0.01)
        self.check(replace(issued, statements=(first,), digest=""), "floor")

    @pytest.mark.parametrize("count", [-1, 301, 2.5, 2.0])
    def test_numbers_of_disagreements_that_no_rows_give(self, issued, count):
        first = replace(issued.statements[0], observed={"disagreements": count})
        self.check(replace(issued, statements=(first,), digest=""), "observed")

    def test_further_numbers(self, issued):
        self.check(forge(issued, {"observed": {"disagreements": 3, "errors": 2}}), "observed")

    @pytest.mark.parametrize("errors", [-1, 601])
    def test_numbers_of_errors_that_no_rows_give(self, issued, errors):
        first = issued.statements[0]
        wrong = replace(first, source=Source(600, errors, "clopper_pearson", first.source.split))
        self.check(replace(issued, statements=(wrong,), digest=""), "observed")

    def test_a_split_that_was_not_recorded(self, issued):
        self.check(forge(issued, source={"split": 0.999}))

    def test_no_record_of_the_split(self, issued):
        self.check(forge(issued, choices=issued.choices[:-1]))

    def test_a_split_chosen_on_the_rows(self, issued):
        seen = replace(issued.choices[-1], where="all_rows")
        self.check(forge(issued, choices=(*issued.choices[:-1], seen)))

    @pytest.mark.parametrize("name", ["certificate", "unlabelled"])
    def test_no_digest_of_what_it_rests_on(self, issued, name):
        self.check(forge(issued, digests={key: text for key, text in issued.digests.items() if key != name}))

    def test_an_assumption_less(self, issued):
        codes = tuple(code for code in issued.statements[0].assumptions if code != "fresh_unlabelled")
        self.check(forge(issued, {"assumptions": codes}))

    def test_a_bound_that_is_not_proved_for_it(self, issued):
        self.check(forge(issued, {"bound": "chernoff"}))
        self.check(forge(issued, source={"bound": "progressive_chernoff"}))
        first = issued.statements[0]
        bets = replace(first, source=replace(first.source, bound="sequential"))
        self.check(replace(issued, statements=(bets,), digest=""))

    def test_another_procedure(self, issued):
        self.check(replace(issued, procedure="split", digest=""))

    def test_no_source(self, issued):
        first = replace(issued.statements[0], source=None, observed={"errors": 1}, value=0.5)
        self.check(replace(issued, statements=(first,), digest=""))

    def test_a_source_of_what_needs_none(self, model, issued):
        first = replace(model.certificate_.statements[0], source=issued.statements[0].source)
        self.check(replace(model.certificate_, statements=(first,), digest=""))

    def test_two_statements_of_which_each_has_half_of_delta(self, issued):
        half = replace(issued.statements[0], share=0.5)
        self.check(replace(issued, statements=(half, half), digest=""))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": 0}, "'n' is out of range"),
        ({"n": 10.5}, "'n' must be integer"),
        ({"errors": -1}, "'errors' is out of range"),
        ({"split": 1.0}, "'split' is out of range"),
        ({"more": 1}, "a field 'more' that its schema does not know"),
        ({"bound": None}, "'bound' must be string"),
    ],
)
def test_a_source_that_is_none_is_not_read(issued, change, words):
    record = json.loads(issued.to_json())
    record["statements"][0]["source"] |= change
    with pytest.raises(ValueError, match=words):
        pb.Certificate.from_json(json.dumps(record))


def test_a_number_of_disagreements_that_is_no_number_is_not_read(issued):
    record = json.loads(issued.to_json())
    record["statements"][0]["observed"]["disagreements"] = "none"
    with pytest.raises(ValueError, match="disagreements"):
        pb.Certificate.from_json(json.dumps(record))


def test_a_model_that_agrees_with_itself_by_memory_of_the_batch_is_refused(model):
    class Copycat(GaussianNB):
        def predict(self, rows):
            return model.estimator_.predict(rows) if len(rows) > 1 else 1 - model.estimator_.predict(rows)

    pair = replace(model.models(), other=Copycat())
    with pytest.raises(ValueError, match="must answer for each row by itself"):
        Transfer(source=model.certificate_, delta=0.01).certify_models(pair, np.asarray(FRESH))
