"""Whole numbers that are the same double, as labels, predictions and groups: counted as Python does, or refused."""

import re
from collections import Counter

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier

import pacbayes as pb
from pacbayes._core.exact import exact_array

ROWS = 120
BASE = 2**53
TRUTH = [BASE + (place % 3 == 0) for place in range(ROWS)]
GUESS = [BASE + (place % 5 == 0) for place in range(ROWS)]
X = np.zeros((ROWS, 1))
ZEROS = np.zeros(ROWS, dtype=int)
COLUMNS = {
    "array": np.array,
    "list": list,
    "tuple": tuple,
    "numpy scalars of two types": lambda v: [np.uint64(each) if each % 2 else np.int64(each) for each in v],
    "whole doubles in a list": lambda v: [float(each) if each == BASE else each for each in v],
    "Int64": lambda v: pd.Series(v, dtype="Int64"),
    "UInt64": lambda v: pd.Series(v, dtype="UInt64"),
    "Arrow in pandas": lambda v: pd.Series(v, dtype="int64[pyarrow]"),
    "array of pandas": lambda v: pd.array(v, dtype="Int64"),
    "index": lambda v: pd.Index(v, dtype="Int64"),
    "categories": lambda v: pd.Series(pd.Categorical(v)),
    "polars": pl.Series,
    "Arrow": pa.array,
    "chunked Arrow": lambda v: pa.chunked_array([v[:7], v[7:]]),
    "Dask": lambda v: dd.from_pandas(pd.Series(v, dtype="Int64"), npartitions=2),
}
FRAMES = {
    "pandas": lambda v: pd.DataFrame({"k": pd.array(v, dtype="Int64")}),
    "polars": lambda v: pl.DataFrame({"k": v}),
    "Arrow": lambda v: pa.table({"k": v}),
}
BEYOND = {
    "unsigned": (2**63 + 1, 2**63, 5),
    "no type has all": (2**63 + 1, 2**63, -1),
    "beside doubles": (BASE + 1, BASE, 5.0),
    "enormous": (2**64 + 1, 2**64, 5.0),
    "negative": (-BASE - 1, -BASE, 5.0),
}


class Says(ClassifierMixin, BaseEstimator):
    """Answers with one value, in any container."""

    def __init__(self, answer, make=np.array):
        self.answer, self.make = answer, make

    def predict(self, X):
        return self.make([self.answer] * len(X))


def errors(certificate, place=0):
    return certificate.statements[place].observed["errors"]


def outcome(call):
    """What a call returns, or that it was refused in the sentence on numbers that would be rounded."""
    try:
        return call()
    except ValueError as error:
        return "refused" if re.search(r"(where numbers|where they) exceed 2\*\*53\. Got [^\n]+$", str(error)) else error


def differ(one, two):
    return sum(a != b for a, b in zip(one, two, strict=True))


def counted(certificate):
    """How many rows each group has, by the name of the group."""
    return {next(iter(each.group.values())): each.n for each in certificate.statements if each.group}


def rows_beside(values):
    frame = pd.DataFrame(X, columns=["a"])
    return dd.from_pandas(frame, npartitions=3) if type(values).__module__.startswith("dask") else X


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize("make", [*COLUMNS.values(), *FRAMES.values()], ids=[*COLUMNS, *(f"{k} frame" for k in FRAMES)])
class TestLabels:
    def test_of_a_model_are_counted(self, make):
        labels = make(TRUTH)
        for answer in (BASE, BASE + 1):
            found = pb.certify(Says(answer), rows_beside(labels), labels, metrics=("error", f"recall:{BASE + 1}"))
            assert errors(found) == differ(TRUTH, [answer] * ROWS)
            assert found.statements[1].n == TRUTH.count(BASE + 1)

    def test_of_two_models_are_compared(self, make):
        labels = make(TRUTH)
        found = pb.compare(Says(BASE), Says(BASE + 1), rows_beside(labels), labels).statements[0].observed
        assert (found["only_first"], found["only_second"]) == (TRUTH.count(BASE + 1), TRUTH.count(BASE))

    def test_are_classes_of_a_fit(self, make):
        labels = make(TRUTH)
        model = pb.CertifiedClassifier(DummyClassifier(), random_state=0).fit(rows_beside(labels), labels)
        assert model.classes_.tolist() == [BASE, BASE + 1]


@pytest.mark.parametrize("make", COLUMNS.values(), ids=COLUMNS)
class TestPredictions:
    def test_are_counted_or_refused(self, make):
        labels, guesses = make(TRUTH), make(GUESS)
        assert errors(pb.certify_predictions(labels, guesses)) == differ(TRUTH, GUESS)
        found = outcome(lambda: errors(pb.certify_predictions(np.array(TRUTH), guesses)))
        assert found in (differ(TRUTH, GUESS), "refused")

    def test_are_compared(self, make):
        found = pb.compare_predictions(make(TRUTH), make(GUESS), make(TRUTH)).statements[0].observed
        assert (found["only_first"], found["only_second"]) == (differ(TRUTH, GUESS), 0)

    def test_of_a_model_are_counted(self, make):
        assert errors(pb.certify(Says(BASE, make), X, np.array(TRUTH))) == TRUTH.count(BASE + 1)


@pytest.mark.parametrize("make", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("missing", [0, 4])
def test_groups_are_told_apart(make, missing):
    values = TRUTH[missing:] + [None] * missing
    if missing and make in (COLUMNS["numpy scalars of two types"], COLUMNS["whole doubles in a list"]):
        values = [*make(TRUTH[missing:]), *[float("nan")] * missing]
    else:
        values = make(values)
    found = pb.certify_predictions(ZEROS, ZEROS, groups={"site": values}, classes=[0, 1])
    expected = Counter(map(str, TRUTH[missing:])) + Counter({"missing": missing})
    assert counted(found) == expected


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_are_groups_by_their_names(kind):
    frame = FRAMES[kind](TRUTH)
    expected = Counter(map(str, TRUTH))
    given = pb.certify_predictions(ZEROS, ZEROS, groups=frame, classes=[0, 1])
    assert given.statements[1].group == {"k": str(BASE)}
    assert counted(given) == expected
    fitted = pb.CertifiedClassifier(DummyClassifier(), random_state=0).fit(
        X, ZEROS + np.arange(ROWS) % 2, grouping=frame
    )
    assert set(counted(fitted.certificate_)) == set(expected)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_column_of_the_rows_tells_groups_apart(kind):
    rows = FRAMES[kind]([*TRUTH[2:], None, None])
    found = pb.certify(Says(0), rows, np.arange(ROWS) % 2, groups="k")
    assert counted(found) == {**Counter(map(str, TRUTH[2:])), "missing": 2}


def test_a_column_that_may_have_been_rounded_is_refused():
    for rows in ([[0.5, each] for each in TRUTH], pa.table({"a": X[:, 0], "k": TRUTH})):
        with pytest.raises(ValueError, match=r"must be below 2\*\*53 in rows that are doubles.* in column 1; pass the"):
            pb.certify(Says(0), rows, np.arange(ROWS) % 2, groups=1)


@pytest.mark.filterwarnings("ignore:Determining the column names")
def test_a_frame_that_was_not_read_is_refused():
    with pytest.raises(ValueError, match=r"pass the result of collect\(\)\. Got LazyFrame"):
        pb.certify_predictions(ZEROS, ZEROS, groups=pl.LazyFrame({"k": TRUTH}))


@pytest.mark.filterwarnings("ignore:compare_predictions. Predictions that are no label")
@pytest.mark.parametrize("kind", BEYOND)
class TestLists:
    """Of numbers that numpy makes doubles of."""

    def exact(self, call, expected):
        assert outcome(call) in (expected, "refused")

    def test_are_counted_or_refused(self, kind):
        one, two, other = BEYOND[kind]
        truth, guess = [one, other] * 40, [two, other] * 40
        self.exact(lambda: errors(pb.certify_predictions(truth, guess)), 40)
        self.exact(lambda: errors(pb.certify_predictions(guess, truth)), 40)
        self.exact(lambda: errors(pb.certify_predictions(np.array(guess, dtype=object), truth)), 40)
        self.exact(lambda: pb.compare_predictions(truth, truth, guess).statements[0].observed["unsteady"], 40)
        self.exact(lambda: errors(pb.certify(Says(two), X[:80], truth)), 80)
        learner = pb.CertifiedClassifier(DummyClassifier(), random_state=0)
        self.exact(lambda: len(learner.fit(X, [one, two, other] * 40).classes_), 3)

    def test_are_groups(self, kind):
        one, two, other = BEYOND[kind]
        found = pb.certify_predictions(ZEROS, ZEROS, groups=[one, two, other] * 40, classes=[0, 1])
        assert counted(found) == {str(one): 40, str(two): 40, str(int(other)): 40}


def test_fractions_beside_them_are_refused():
    with pytest.raises(ValueError, match="Got numbers with fractions such as 0"):
        pb.certify_predictions([BASE + 1, 0.5] * 40, [BASE, 0.5] * 40)


def test_classes_that_no_label_is_of_keep_their_values():
    asked = (f"recall:{BASE + 1}", f"recall:{BASE}")
    found = pb.certify_predictions([float(BASE)] * 80, [float(BASE)] * 80, classes=[BASE, BASE + 1], metrics=asked)
    assert [each.n for each in found.statements] == [0, 80]


def test_posteriors_tell_two_classes_apart():
    weights = pb.Gaussian(np.array([1.0]), 1.0)
    labels = [BASE + 1.0, BASE + 1, BASE]
    losses = weights.zero_one(np.ones((3, 1)), labels, classes=[BASE, BASE + 1])
    np.testing.assert_array_equal(losses, losses[[2, 1, 2]])
    assert losses[0] != losses[1]


def test_what_doubles_hold_is_as_it_was():
    for values in ([1, 0.5], [2.0**60, 5.0], [2.0**60, 5], [1, None, 2.0**60]):
        np.testing.assert_array_equal(exact_array(values), np.asarray(values))
        assert exact_array(values).dtype == np.asarray(values).dtype
    array = np.array([2.0**60])
    assert exact_array(array) is array


STRINGS = np.array(["a", "b"] * 60, dtype=np.dtypes.StringDType()) if hasattr(np.dtypes, "StringDType") else None
TAKEN = {
    "texts of numpy": STRINGS,
    "texts of Arrow": pa.array(["a", "b"] * 60),
    "truth values of Arrow": pa.array([True, False] * 60),
    "numbers of Arrow": pa.array([1, 2] * 60),
}


@pytest.mark.parametrize("values", [each for each in TAKEN.values() if each is not None])
def test_columns_of_other_libraries_are_taken(values):
    plain = np.asarray(values).tolist()
    assert errors(pb.certify_predictions(values, values)) == 0
    assert errors(pb.certify_predictions(values, values[::-1] if values is STRINGS else plain[::-1])) == 120
    assert errors(pb.certify(Says(plain[0]), X, values)) == 60
    assert pb.compare_predictions(values, values, plain).statements[0].observed["only_first"] == 0
    assert pb.CertifiedClassifier(DummyClassifier(), random_state=0).fit(X, values).classes_.tolist() == sorted(
        plain[:2]
    )
    assert sorted(counted(pb.certify_predictions(ZEROS, ZEROS, groups=values)).values()) == [60, 60]


@pytest.mark.parametrize("values", [pa.array([1, None] * 60), pl.Series([1, None] * 60), pa.array(["a", None] * 60)])
def test_missing_labels_of_other_libraries_are_refused(values):
    for call in (
        lambda: pb.certify_predictions(values, values),
        lambda: pb.certify(Says(1), X, values),
        lambda: pb.CertifiedClassifier(DummyClassifier(), random_state=0).fit(X, values),
    ):
        with pytest.raises(ValueError, match=r"must not contain NaN or (infinity|missing labels)"):
            call()


@pytest.mark.parametrize("pair", [(1, "1"), (b"a", "b'a'"), (True, "True"), ("0.5", 0.5)])
@pytest.mark.parametrize("rows", [120, 40_000])
def test_groups_that_are_written_alike_are_refused(pair, rows):
    zeros = np.zeros(rows, dtype=int)
    values = np.array([pair[place % 2] for place in range(rows)], dtype=object)
    for given in (values, values.tolist(), pd.Series(values)):
        with pytest.raises(ValueError, match="must not be both a text and another value that is written like it"):
            pb.certify_predictions(zeros, zeros, groups=given, classes=[0, 1])
