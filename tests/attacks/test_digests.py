"""Different data have different digests; the same data in another container has the same."""

import datetime as dt
import hashlib
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from pacbayes._core import digests
from pacbayes.certificate import data_digest, digest_of_arrays

BIG = 2**53


def column(*values):
    rows = np.empty((len(values), 1), dtype=object)
    rows[:, 0] = values
    return rows


def digest(X, y=(0, 1)):
    return data_digest(X, np.asarray(y) if not isinstance(y, list) else y)


NUMBERS = [BIG, BIG + 1, BIG + 2, -BIG - 1, 2**62, 2**62 + 1, 2**63 - 1]


def test_large_integers_are_told_apart():
    found = [digest(np.array([[value], [1]])) for value in NUMBERS]
    found += [digest(np.array([[2**63], [1]], dtype=np.uint64)), digest(np.array([[2**63 + 1], [1]], dtype=np.uint64))]
    assert len(set(found)) == len(found)
    labels = [digest([[0.0], [1.0]], np.array([value, 1])) for value in NUMBERS]
    assert len(set(labels)) == len(labels)
    order = [digest_of_arrays(order=np.array([value])) for value in NUMBERS]
    assert len(set(order)) == len(order)


def test_large_integers_are_told_apart_in_every_container():
    def differ(make):
        return make(BIG) != make(BIG + 1)

    assert differ(lambda value: digest([[value], [1]]))
    assert differ(lambda value: digest([[value], [0.5]]))
    assert differ(lambda value: digest([[2**63 + value], [-1]]))
    assert differ(lambda value: digest(pd.DataFrame({"a": [value, 1], "b": [0.5, 1.5]})))
    assert differ(lambda value: digest(pd.DataFrame({"a": [value, 1], "b": ["x", "y"]})))
    assert differ(lambda value: digest(pd.DataFrame({"a": pd.array([value, None], dtype="Int64")})))
    assert differ(lambda value: digest(pl.DataFrame({"a": [value, 1], "b": [0.5, 1.5]})))
    assert differ(lambda value: digest(pl.DataFrame({"a": [value, None], "b": [0.5, 1.5]})))
    assert differ(lambda value: digest(sp.csr_matrix(np.array([[value, 0], [0, 1]]))))
    assert differ(lambda value: digest(column(value, "a")))


VALUES = {
    "one": 1,
    "text one": "1",
    "text one point": "1.0",
    "true": True,
    "text true": "True",
    "none": None,
    "text none": "None",
    "nan": float("nan"),
    "text nan": "nan",
    "empty": "",
    "bytes": b"1",
    "text of bytes": "b'1'",
    "decimal": Decimal(1),
    "fraction": Fraction(1),
    "complex": 1 + 0j,
    "text complex": "(1+0j)",
    "date": dt.date(2020, 1, 1),
    "time": dt.datetime(2020, 1, 1),  # noqa: DTZ001  (no time zone)
    "text date": "2020-01-01",
    "text time": "2020-01-01 00:00:00",
    "span": dt.timedelta(1),
    "moment": np.datetime64("2020-01-01"),
    "list": [1],
    "text list": "[1]",
    "tuple of texts": ["1"],
    "half": 0.5,
    "text half": "0.5",
    "infinity": float("inf"),
    "text infinity": "inf",
    "large": BIG + 1,
    "large float": float(BIG),
    "newline": "a\n",
    "long": "a" * 3000,
    "arrays": np.arange(3000),
    "other arrays": np.concatenate([np.arange(1500), [7], np.arange(1501, 3000)]),
}


def test_values_of_different_types_are_told_apart():
    found = {name: digest(column(value, "other")) for name, value in VALUES.items()}
    same = [(a, b) for a in found for b in found if a < b and found[a] == found[b]]
    # a moment at midnight is the same moment in whichever type it comes
    assert same in ([], [("moment", "time")])
    labels = {name: digest([[0.0], [1.0]], column(value, "other")[:, 0]) for name, value in VALUES.items()}
    assert len(set(labels.values())) == len(found) - len(same)


def test_lists_are_not_turned_into_text():
    assert digest([[1, "a"]], [0]) != digest([["1", "a"]], [0])
    assert digest([[0.0], [1.0]], [1, "1"]) != digest([[0.0], [1.0]], ["1", "1"])
    assert digest([[0.0], [1.0]], [1, 2]) != digest([[0.0], [1.0]], ["1", "2"])


def test_columns_are_told_apart():
    a, b = ["x", "y"], ["u", "v"]
    frames = [
        pd.DataFrame({"a": a, "b": b}),
        pd.DataFrame({"b": b, "a": a}),
        pd.DataFrame({"a": b, "b": a}),
        pd.DataFrame({"a": a}),
        pd.DataFrame({"a\n": a, "b": b}),
        pd.DataFrame({"a:text:(2,)\n": a, "b": b}),
        pd.DataFrame({1: a, "b": b}),
        pd.DataFrame({"1": a, "b": b}),
        pd.DataFrame({"a": ["xy", ""], "b": b}),
    ]
    found = [digest(frame) for frame in frames]
    assert len(set(found)) == len(found)


def test_a_repeated_name_hides_no_column():
    one = pd.DataFrame([["x", "u"], ["y", "v"]], columns=["a", "a"])
    two = pd.DataFrame([["x", "u"], ["y", "w"]], columns=["a", "a"])
    three = pd.DataFrame([["x", "x"], ["y", "y"]], columns=["a", "a"])
    assert len({digest(frame) for frame in (one, two, three)}) == 3


def test_shapes_and_kinds_are_told_apart():
    rows = np.arange(4.0)
    found = [digest(rows.reshape(4, 1)), digest(rows.reshape(2, 2)), digest(rows.reshape(1, 4)), digest(rows)]
    assert len(set(found)) == 4
    assert digest(sp.csr_matrix(rows.reshape(2, 2))) != digest(sp.csr_matrix(rows.reshape(1, 4)))


def test_containers_agree():
    numbers = [[1.0, 2.0], [3.0, 4.0]]
    whole = [[1, 2], [3, 4]]
    same = [
        numbers,
        whole,
        np.array(whole, dtype=np.int8),
        np.array(whole, dtype=np.uint64),
        np.asfortranarray(numbers, dtype=np.float32),
        np.array(numbers, dtype=">f8"),
        pd.DataFrame(whole, columns=["a", "b"]),
        pd.DataFrame({"a": [1, 3], "b": [2.0, 4.0]}),
        pl.DataFrame({"a": [1, 3], "b": [2, 4]}),
    ]
    assert len({digest(X) for X in same}) == 1
    assert len({digest(numbers, y) for y in ([False, True], [0, 1], np.array([0.0, 1.0]), np.array([-0.0, 1.0]))}) == 1
    texts = [
        pd.DataFrame({"a": ["x", "y"], "b": [1, 2]}),
        pd.DataFrame({"a": pd.array(["x", "y"], dtype="string"), "b": [1.0, 2.0]}),
        pd.DataFrame({"a": np.array(["x", "y"], dtype=object), "b": np.array([1, 2], dtype=np.int8)}),
        pl.DataFrame({"a": ["x", "y"], "b": [1, 2]}),
    ]
    assert len({digest(X) for X in texts}) == 1
    assert digest(numbers, ["a", "b"]) == digest(numbers, np.array(["a", "b"], dtype=object))
    assert digest(np.array([["a"], ["b"]])) == digest(column("a", "b"))
    sparse = sp.csr_matrix(np.eye(2))
    assert digest(sparse) == digest(sparse.tocoo()) == digest(sp.csc_matrix(sparse)) == digest(sparse.astype(np.int64))


def test_moments_agree_in_every_unit():
    day = np.array(["2020-01-01", "2021-06-05"], dtype="datetime64[D]")
    found = {digest(pd.DataFrame({"a": day.astype(f"datetime64[{unit}]")})) for unit in ("s", "ms", "us", "ns")}
    assert len(found) == 1
    assert digest(day[:, None]) == digest(day.astype("datetime64[ns]")[:, None])
    later = day + np.timedelta64(1, "D")
    assert digest(day[:, None]) != digest(later[:, None])
    assert digest(day[:, None]) != digest((day - np.datetime64("1970-01-01"))[:, None])
    unknown = np.array(["2020-01-01", "NaT"], dtype="datetime64[D]")
    assert digest(unknown[:, None]) == digest(unknown.astype("datetime64[ns]")[:, None])
    assert digest(unknown[:, None]) != digest(day[:, None])


@pytest.mark.parametrize("kind", ["number", "text"])
def test_one_value_among_many_changes_the_digest(kind):
    rows = np.arange(20_000).reshape(-1, 2)
    rows = rows if kind == "number" else rows.astype(str)
    changed = rows.copy()
    changed[9_999, 1] = changed[0, 0]
    assert digest(rows, range(10_000)) != digest(changed, range(10_000))


def test_long_doubles_are_told_apart():
    if np.finfo(np.longdouble).eps == np.finfo(np.float64).eps:
        pytest.skip("long doubles are doubles here")
    one = np.ones((2, 1), dtype=np.longdouble)
    assert digest(one) == digest(np.ones((2, 1)))
    assert digest(one) != digest(one + np.finfo(np.longdouble).eps)


def test_many_rows_are_hashed_block_by_block(monkeypatch):
    """Every value counts wherever it lies, and blocks are neither mistaken for values nor for one another."""
    monkeypatch.setattr(digests, "DIGEST_ROWS", 10)
    X, y = np.arange(70.0).reshape(35, 2), np.arange(35) % 3
    mixed = pd.DataFrame(X, columns=["a", "b"]).assign(c=np.where(y, "x", "y"))
    assert digest(X, y) == digest(pd.DataFrame(X), y) == digest(pl.DataFrame(X), y)
    assert digest(mixed, y) == digest(pl.from_pandas(mixed), y)
    found = {digest(X, y), digest(mixed, y), digest(X[:30], y[:30]), digest(mixed[:30], y[:30])}
    for row in (0, 9, 10, 34):
        changed = [X.copy(), mixed.copy(), y.copy()]
        changed[0][row, 1] += 1.0
        changed[1].loc[row, "c"] += "x"
        changed[2][row] += 1
        found |= {digest(changed[0], y), digest(changed[1], y), digest(X, changed[2]), digest(mixed, changed[2])}
    swapped = np.concatenate([np.arange(10, 20), np.arange(10), np.arange(20, 35)])
    found |= {digest(X[swapped], y), digest(mixed.iloc[swapped], y)}
    assert len(found) == 4 + 4 * 4 + 2


def test_few_rows_have_the_digest_that_they_had():
    """The definition for more rows than fit into a block changes nothing for fewer."""
    frame = pd.DataFrame({"a": [0.5, 2.0], "b": ["x", "y"]})
    by_hand = hashlib.sha256(b"pacbayes data 2\ncolumns:2\n")
    by_hand.update(b"t" + (1).to_bytes(8, "little") + b"a" + b"number:(2,)\n" + np.array([0.5, 2.0], "<f8").tobytes())
    text = [b"t" + (1).to_bytes(8, "little") + each for each in (b"b", b"x", b"y")]
    by_hand.update(text[0] + b"value:(2,)\n" + text[1] + text[2])
    by_hand.update(b"t" + (1).to_bytes(8, "little") + b"y" + b"number:(2,)\n" + np.array([0.0, 1.0], "<f8").tobytes())
    assert digest(frame) == by_hand.hexdigest()
