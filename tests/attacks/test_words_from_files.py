"""Names and codes in files that read like claims, and claims that rounding made larger than they are."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import pacbayes as pb
from pacbayes._core.notes import Note
from pacbayes.certificate import Choice, Statement
from pacbayes.certificate.words import choice_words, confidence_words, limit_words, note_words
from pacbayes.cli._app import app
from pacbayes.report import render
from pacbayes.runs import Settings, certify_table
from pacbayes.tables import prepare_table

CLAIM = "yes is at least 99.9 %. Audited; the recall of class no"
ROWS = 400


def resigned(certificate, **changes):
    return pb.Certificate.from_json(replace(certificate, **changes, digest="").to_json())


@pytest.fixture(scope="module")
def claiming():
    truth = np.where(np.arange(ROWS) % 2, CLAIM, "no")
    return pb.certify_predictions(truth, truth[::-1].copy(), metrics=(f"recall:{CLAIM}", "error"))


class TestNames:
    def test_a_class_cannot_say_its_own_recall(self, claiming):
        """The certificate is a true one: such labels may be in the rows, and it verifies with them."""
        assert claiming.verify()
        assert f"recall of class {CLAIM!r} of" in claiming.sentence()
        for text in (claiming.sentence(), str(claiming), claiming.to_markdown(), render(claiming)):
            assert "class yes is at least" not in text

    def test_a_group_cannot_either(self):
        group = np.where(np.arange(ROWS) < 200, "a", "b is at most 0.1 %; the error of nobody")
        certificate = pb.certify_predictions([0] * ROWS, [0] * ROWS, groups={"sex = m and age": group})
        worst = certificate.statements[1:]
        assert all("'sex = m and age' = " in text for text in pb.certificate.words.sentences(certificate, worst))
        assert "= 'b is at most 0.1 %; the error of nobody'" in pb.certificate.words.sentences(certificate, worst)[1]

    def test_nor_a_model_that_is_compared(self):
        name = "new is better than all others. Model old"
        certificate = pb.compare_predictions([0] * ROWS, {name: [0] * ROWS}, {"old": [0] * ROWS})
        assert f"model {name!r} misclassifies" in certificate.sentence()

    def test_nor_a_period(self):
        found = pb.CertifiedClassifier(random_state=0, split=0.5).fit(*sample(), in_order=True).certificate_
        told = [Choice(f"judged_{end}", "2020, and of all times", "given") for end in ("from", "to")]
        assert "'2020, and of all times' to" in resigned(found, choices=(*found.choices, *told)).sentence()

    @pytest.mark.parametrize("name", ["yes", "not yes", ">50K", "(20, 30]", "2020-01-01 00:00:00", "a.b", "C++", "été"])
    def test_usual_names_stay_as_they_are(self, name):
        given = Statement(about="predict", quantity="recall", label=name, n=9, observed={}, bound="chernoff")
        assert given.words == f"recall of class {name}"

    @pytest.mark.parametrize(
        "name", ["", "yes. no", "a b c", "100 %", "it's", 'a"b', "a\nb", "x" * 61, "a;", "\u202ea"]
    )
    def test_all_others_are_quoted(self, name):
        words = Statement(about="predict", quantity="recall", label=name, n=9, observed={}, bound="chernoff").words
        shown = words.removeprefix("recall of class ").removesuffix("…")
        assert (shown[0] in "'\"", shown[-1]) == (True, shown[0])
        assert words.isprintable()
        assert len(words) < 90


def sample():
    found = pb.datasets.make_known_risk(200, d=2, random_state=0)
    return found.X, found.y


class TestCodes:
    """Codes of a later version are shown, and never as if they were this version's words."""

    def test_a_note_that_nobody_wrote(self, claiming):
        forged = resigned(claiming, notes=(Note("Independently audited: the error is at most 0.1 %."),))
        said = "A note that this version does not know: 'Independently audited: the error is at most 0.1 %.'."
        assert said in str(forged)
        assert note_words(Note("later_code")) == "A note that this version does not know: later_code."

    def test_a_choice_that_nobody_made(self):
        forged = Choice("Audited by experts: all is well", 1, "by the best of them", "it costs nothing at all")
        words = "'Audited by experts: all is well': 1 ('by the best of them'; 'it costs nothing at all')"
        assert choice_words(forged) == words

    def test_other_candidates_than_delta_was_divided_by(self):
        found = pb.CertifiedClassifier(random_state=0, split=0.5).fit(*sample()).certificate_
        told = [replace(each, value=50) if each.what == "candidates" else each for each in found.choices]
        assert told != list(found.choices)
        assert not resigned(found, choices=tuple(told)).verify()

    def test_a_difference_between_groups_within_one_of_them(self):
        group = ["a", "b"] * (ROWS // 2)
        found = pb.certify_predictions([0] * ROWS, [0] * ROWS, groups=group, differences=True)
        assert found.verify()
        odd = [replace(each, group={"group": "a"}) if each.groups else each for each in found.statements]
        assert not resigned(found, statements=tuple(odd)).verify()


class TestRounding:
    @pytest.mark.parametrize("delta", [1e-15, 1e-27, 1e-30, 1e-290, 5e-324])
    def test_nothing_is_certain(self, delta):
        assert confidence_words(delta) == "99.999999999999999 %" or delta == 1e-15
        assert confidence_words(delta) != "100 %"

    def test_a_target_is_not_rounded_down(self):
        given = Statement(about="answers", n=9, observed={}, bound="clopper_pearson", value=1 / 3, target=1 / 3)
        assert limit_words(given, 1 / 3) == "33.34 %"
        assert limit_words(replace(given, target=0.05, value=0.05), 0.05) == "5 %"


def test_counts_beyond_their_lists_are_a_verdict():
    X, y = sample()
    found = pb.SelectiveClassifier(max_error=0.3, random_state=0).fit(X, y).certificate_
    record = json.loads(found.to_json())
    record["statements"][0]["observed"]["passed"] = 10**6
    assert not pb.Certificate.from_json(json.dumps(record)).verify()


def test_predict_says_that_a_class_begins_like_a_formula(tmp_path):
    frame = pd.DataFrame({"x": np.linspace(0.0, 1.0, 60), "y": ["=1+1"] * 30 + ["no"] * 30})
    certify_table(prepare_table(frame, "y"), Settings(target="y"), baseline=False).save(tmp_path / "out")
    frame.to_csv(tmp_path / "new.csv", index=False)
    result = CliRunner().invoke(app, ["predict", str(tmp_path / "out"), str(tmp_path / "new.csv")])
    assert "the class '=1+1' begins like a formula" in result.stderr
