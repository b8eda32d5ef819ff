"""Classes that differ in blanks, capitals or Unicode form alone: compared as written, and never without a word."""

import unicodedata
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

import pacbayes as pb
from pacbayes._core.alike import find_alike
from pacbayes.runs import Settings, certify_file
from pacbayes.verification import recheck

CODE = "classes_differ_in_blanks"
WORDS = "Some classes differ in blanks, capitals or Unicode form alone: "
COMPOSED = "caf\u00e9"
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)
PAIRS = [("yes", "yes "), ("\u00a0yes", "yes"), ("Yes", "yes"), (DECOMPOSED, COMPOSED), ("yes", "yes\u200b")]
PAIRS += [("stra\u00dfe", "strasse"), ("\uff11", "1"), ("a  b", "a b"), ("\u01c5", "\u01c6")]


def alike_of(certificate):
    return [note.numbers["classes"] for note in certificate.notes if note.code == CODE]


@pytest.mark.parametrize("pair", PAIRS)
def test_only_those_that_are_alike_are_found(pair):
    assert find_alike(["no", *pair, "other"]) == tuple(sorted(pair))
    assert find_alike(["no", pair[0], pair[0], "other"]) == ()
    assert find_alike(pair, capitals=False) == (() if pair[0].casefold() == pair[1].casefold() else tuple(sorted(pair)))


@pytest.fixture
def diluted():
    """Half of "no" are called "yes", and rows of "yes " make the rate of false alarms smaller."""
    labels = ["no"] * 100 + ["yes"] * 100 + ["yes "] * 1000
    found = ["no", "yes"] * 50 + ["yes"] * 100 + ["yes "] * 1000
    return pd.DataFrame({"y": labels, "p": found, "q": labels})


@pytest.mark.parametrize("metric", ["error", "fpr:yes"])
@pytest.mark.parametrize("options", [(), ("--quiet",), ("--json",)])
def test_check_says_so(run, diluted, metric, options):
    diluted.to_csv("p.csv", index=False)
    given = ("--label", "y", "--prediction", "p", "--metric", metric, "--out", "out")
    result = run("check", "p.csv", *given, *options)
    assert result.exit_code == 0, result.output
    assert result.stderr.count(f"{WORDS}'yes', 'yes '.") == 1
    assert alike_of(pb.Certificate.from_json(Path("out/certificate.json"))) == [("yes", "yes ")]
    assert run("verify", "out", "--data", "p.csv").exit_code == 0
    assert WORDS in Path("out/report.html").read_text()


@pytest.mark.parametrize("options", [(), ("--quiet",), ("--json",)])
def test_compare_says_so(run, options):
    labels = np.array([COMPOSED, DECOMPOSED, "tea", "tea"] * 100)
    other = np.where(np.arange(400) % 4 == 0, DECOMPOSED, labels)  # differs from the labels in its spelling alone
    pd.DataFrame({"y": labels, "new": other, "old": labels}).to_csv("p.csv", index=False)
    given = ("--label", "y", "--prediction", "old", "--prediction", "new", "--out", "out")
    result = run("compare", "p.csv", *given, *options)
    assert result.exit_code == 0, result.output
    assert result.stderr.count(WORDS) == 1
    assert alike_of(pb.Certificate.from_json(Path("out/certificate.json"))) == [(DECOMPOSED, COMPOSED)]
    assert run("verify", "out", "--data", "p.csv").exit_code == 0


@pytest.mark.parametrize("options", [(), ("--quiet",), ("--method", "split")])
def test_certify_says_so_once(run, options):
    rng = np.random.default_rng(0)
    labels = np.array(["no", COMPOSED, DECOMPOSED])[np.arange(300) % 3]
    pd.DataFrame({"x": rng.standard_normal(300), "y": labels}).to_csv("t.csv", index=False)
    result = run("certify", "t.csv", "--target", "y", "--out", "out", *options)
    assert result.exit_code == 0, result.output
    assert result.stderr.count(WORDS) == 1
    assert alike_of(pb.Certificate.from_json(Path("out/certificate.json"))) == [(DECOMPOSED, COMPOSED)]


def test_two_tables_that_write_a_class_in_two_ways(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.standard_normal(300), "y": np.array(["no", "yes"])[np.arange(300) % 2]})
    frame.to_csv(tmp_path / "one.csv", index=False)
    other = frame.assign(x=frame["x"] + 0.5, y=frame["y"].where(frame.index % 4 != 1, "yes\u00a0"))
    other.to_csv(tmp_path / "two.csv", index=False)
    for first, second in (("one.csv", "two.csv"), ("two.csv", "one.csv")):
        found = certify_file(tmp_path / first, Settings(target="y"), test=tmp_path / second, baseline=False)
        assert alike_of(found.certificate) == [("yes", "yes\u00a0")]


KINDS = {"list": list, "text": np.array, "objects": lambda each: np.array(each, dtype=object), "pandas": pd.Series}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("metric", ["error", "fpr:yes"])
def test_predictions_in_python(kind, metric, diluted):
    y, p, q = (kind(diluted[name].tolist()) for name in "ypq")
    with pytest.warns(pb.CertificateWarning, match=WORDS) as caught:
        found = pb.certify_predictions(y, p, metrics=metric)
    assert alike_of(found) == [("yes", "yes ")]
    assert [each.filename for each in caught] == [__file__]
    with pytest.warns(pb.CertificateWarning, match=WORDS) as caught:
        found = pb.compare_predictions(y, p, q)
    assert alike_of(found) == [("yes", "yes ")]
    assert [each.filename for each in caught] == [__file__]


def test_capitals_alone_are_noted_without_a_warning():
    labels = ["a", "A", "b"] * 100
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [pb.certify_predictions(labels, labels), pb.compare_predictions(labels, labels, labels)]
    assert [alike_of(each) for each in found] == [[("A", "a")]] * 2


def test_models_are_noted():
    labels, rows = np.array(["no", "yes", "yes "] * 40), np.arange(120.0)[:, None]
    model = DummyClassifier(strategy="most_frequent").fit(rows + 500.0, labels)
    other = DummyClassifier(strategy="constant", constant="no").fit(rows + 500.0, labels)
    for found, models in ((pb.certify(model, rows, labels), model), (pb.compare(model, other, rows, labels), None)):
        assert alike_of(found) == [("yes", "yes ")]
        assert recheck(found, rows, labels, models or {"A": model, "B": other})


def test_numbers_are_not_alike():
    found = pb.certify_predictions([1, 10, 100] * 20, [1, 10, 100] * 20)
    assert found.notes == ()
