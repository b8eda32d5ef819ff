"""Labels and predictions of different types: every metric counts by value, as the error does."""

import numpy as np
import pandas as pd
import pytest

import pacbayes as pb
from pacbayes._core.predictions import class_numbers
from pacbayes.metrics.questions import metric_forms
from pacbayes.procedures import CertificateWarning

from metrics.test_questions import by_hand

RNG = np.random.default_rng(5)
TRUTH, FOUND = RNG.integers(0, 2, 300), np.where(RNG.random(300) < 0.7, 1, 0)
OF_CLASS = [each.partition(":")[0] for each in metric_forms() if ":" in each]
TYPES = {
    "bool": lambda values: values.astype(bool),
    "int": lambda values: values,
    "uint8": lambda values: values.astype(np.uint8),
    "float": lambda values: values.astype(float),
    "float32": lambda values: values.astype(np.float32),
    "list": lambda values: values.tolist(),
    "list of bool": lambda values: values.astype(bool).tolist(),
    "objects": lambda values: values.astype(object),
    "bool objects": lambda values: values.astype(bool).astype(object),
    "float objects": lambda values: values.astype(float).astype(object),
    "boolean of pandas": lambda values: pd.Series(values.astype(bool), dtype="boolean"),
    "Int64 of pandas": lambda values: pd.Series(values, dtype="Int64"),
    "categories of pandas": lambda values: pd.Series(values).astype("category"),
}
TEXTS = {
    "text": lambda values: np.array(["no", "yes"])[values],
    "list of text": lambda values: np.array(["no", "yes"])[values].tolist(),
    "text objects": lambda values: np.array(["no", "yes"], dtype=object)[values],
    "string of pandas": lambda values: pd.Series(np.array(["no", "yes"])[values], dtype="string"),
    "text categories": lambda values: pd.Series(np.array(["no", "yes"])[values]).astype("category"),
}
PAIRS = [(kinds, one, two) for kinds in (TYPES, TEXTS) for one in kinds for two in kinds]


def counted(name, own):
    """Return rows and errors of class 0 or 1, counted in plain Python."""
    return by_hand(f"{name}:{own}", TRUTH, FOUND)


def check_rates(certificate, texts):
    stated = {each.name: each for each in certificate.statements if each.group is None}
    for name in OF_CLASS:
        for own, text in enumerate(texts):
            found = stated[f"{name}:{text}"]
            assert (found.n, found.observed["errors"]) == counted(name, own), (name, text)
    assert stated["error"].observed["errors"] == np.count_nonzero(TRUTH != FOUND)
    by_class = [counted("recall", own) for own in (0, 1)]
    assert stated["balanced-error"].observed == {
        "errors": [errors for _, errors in by_class],
        "rows": [rows for rows, _ in by_class],
    }


@pytest.mark.parametrize(("kinds", "one", "two"), PAIRS, ids=[f"{one}-{two}" for _, one, two in PAIRS])
def test_every_metric_counts_by_value(kinds, one, two):
    labels, predictions = kinds[one](TRUTH), kinds[two](FOUND)
    texts = [str(each) for each in np.unique(np.asarray(labels))]
    texts = [each.removesuffix(".0") for each in texts]
    asked = [f"{name}:{text}" for name in OF_CLASS for text in texts]
    certificate = pb.certify_predictions(labels, predictions, metrics=("error", "balanced-error", *asked))
    check_rates(certificate, texts)


@pytest.mark.parametrize(("one", "two"), [("bool", "int"), ("int", "bool objects"), ("boolean of pandas", "float")])
def test_groups_and_costs_count_by_value(one, two):
    labels, predictions = TYPES[one](TRUTH), TYPES[two](FOUND)
    group = np.arange(300) % 2
    text = str(np.unique(np.asarray(labels))[1])
    found = pb.certify_predictions(labels, predictions, metrics=("error", f"fpr:{text}"), groups=group)
    rates = [each for each in found.statements if each.group and each.quantity == "fpr"]
    for place, each in enumerate(rates):
        rows = (group == place) & (TRUTH == 0)
        assert (each.n, each.observed["errors"]) == (rows.sum(), FOUND[rows].sum())
    given = {"metrics": "cost", "cost": [[0, 1], [5, 0]]}
    assert pb.certify_predictions(labels, predictions, **given).value == pytest.approx(
        pb.certify_predictions(TRUTH, FOUND, **given).value, abs=0.0
    )


def test_a_predictor_that_always_says_1_has_a_false_positive_rate_of_1():
    labels = np.arange(400) % 2 == 1
    found = pb.certify_predictions(labels, np.ones(400, int), metrics=("fpr:True", "specificity:True"))
    assert [each.observed["errors"] for each in found.statements] == [200, 200]
    assert found.statements[0].value == 1.0


class TestPredictionsThatAreNoLabel:
    def test_are_refused_if_all_are_none(self):
        with pytest.raises(ValueError, match=r"such as 'a'\. Got 'a ' and no label at all"):
            pb.certify_predictions(["a", "b"] * 50, ["a "] * 100, metrics=("fpr:a",))

    def test_are_warned_of_if_some_are_none(self):
        with pytest.warns(CertificateWarning, match="50 predictions, such as 'a ', are no label") as caught:
            pb.certify_predictions(["a", "b"] * 50, ["a ", "b"] * 50, metrics=("fpr:a",))
        assert caught[0].filename == __file__

    def test_are_errors_and_nothing_more_to_the_error(self):
        assert pb.certify_predictions(["a", "b"] * 50, ["a "] * 100).statements[0].observed == {"errors": 100}


LARGE = np.array([2**53 + 1, 2**53 + 3] * 50)


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_labels_that_no_double_holds_are_not_rounded(kind):
    labels, rounded = LARGE.astype(kind), LARGE.astype(float)
    for call in (
        lambda: pb.certify_predictions(labels, rounded),
        lambda: pb.certify_predictions(rounded, labels),
        lambda: pb.compare_predictions(labels, rounded, labels),
    ):
        with pytest.raises(ValueError, match=r"of the type of 'y_true' where numbers exceed 2\*\*53"):
            call()
    assert pb.certify_predictions(labels, labels - kind(1)).statements[0].observed == {"errors": 100}
    assert pb.certify_predictions(labels.astype(object), rounded).statements[0].observed == {"errors": 100}


ODD = {
    "None": np.array(["a", None] * 50, dtype=object),
    "NaN": np.array(["a", np.nan] * 50, dtype=object),
    "NA": pd.Series(["a", None] * 50, dtype="string"),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_missing_labels_are_refused_in_a_sentence(odd):
    for call in (
        lambda: pb.certify_predictions(odd, ["a", "b"] * 50),
        lambda: pb.certify_predictions(["a", "b"] * 50, odd),
        lambda: pb.compare_predictions(["a", "b"] * 50, odd, odd),
    ):
        with pytest.raises(ValueError, match="must not contain NaN or missing labels"):
            call()


@pytest.mark.parametrize("container", [list, lambda each: np.array(each, dtype=object)])
def test_texts_that_end_in_nul_are_no_other_class(container):
    plain, odd = ["a", "b"] * 50, container(["a\0", "b"] * 50)
    for call in (
        lambda: pb.certify_predictions(odd, plain),
        lambda: pb.certify_predictions(plain, odd),
        lambda: pb.CertifiedClassifier().fit(np.zeros((100, 1)), odd),
    ):
        with pytest.raises(ValueError, match="must not contain text with NUL in it"):
            call()


def test_a_list_of_predictions_is_taken_as_it_is():
    classes = np.array(["1", "a"])
    assert class_numbers("A model", ["a\0", "a", 1, "1"], classes, 4).tolist() == [-1, 1, -1, 0]


def test_text_and_numbers_are_not_compared():
    with pytest.raises(ValueError, match="must hold labels of the kind in 'y_true'"):
        pb.certify_predictions(np.array([0, 1] * 50, dtype=object), ["0", "1"] * 50)
