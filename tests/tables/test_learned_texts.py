"""What is learned from texts and numbers, of which few rows are shown to scikit-learn, is what it learns from all."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacbayes._core.leeway import EXACT
from pacbayes._core.state import State
from pacbayes._core.taken import TakenRows
from pacbayes.tables import Column, ColumnPreprocessor, TableError, align_rows, make_preprocessing
from pacbayes.tables import _encode as encode

TEXTS = st.one_of(st.none(), st.text(max_size=3), st.sampled_from(["", "a\0b", "a\0c", "\ud800", "nan", "(missing)"]))
NUMBERS = st.floats(-1e6, 1e6) | st.just(np.nan)


def fit_plainly(frame):
    steps = ColumnPreprocessor().fit(frame)
    kinds = [Column(name, kind, 0, 0) for name, kind in steps.columns_]
    rows = align_rows(frame, steps.columns_, missing="category").X
    return steps, make_preprocessing(kinds, missing="category").fit(rows), rows


def check(frame):
    steps, plain, rows = fit_plainly(frame)
    assert State.of(steps.transformer_).differs_from(State.of(plain), EXACT) is None
    np.testing.assert_array_equal(steps.transform(frame), plain.transform(rows))


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_of_any_texts_and_numbers(data):
    rows = data.draw(st.integers(1, 40))
    columns = {}
    for place in range(data.draw(st.integers(1, 3))):
        columns[f"t{place}"] = pd.Series(data.draw(st.lists(TEXTS, min_size=rows, max_size=rows)), dtype=object)
        columns[f"n{place}"] = data.draw(st.lists(NUMBERS, min_size=rows, max_size=rows))
    columns["last"] = np.arange(float(rows))  # lest nothing hold a value
    check(pd.DataFrame(columns))


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=97, max_size=130), st.randoms(use_true_random=False))
def test_of_so_many_texts_that_some_are_rare(counts, random):
    texts = [f"é{place}" for place, count in enumerate(counts) for _ in range(count)]
    random.shuffle(texts)
    few = [random.choice(["yes", "no"]) for _ in texts]
    check(pd.DataFrame({"town": pd.Series(texts, dtype=object), "few": pd.Series(few, dtype=object)}))


@pytest.mark.parametrize("distinct", [99, 100, 101, 150])
def test_of_texts_that_are_all_as_frequent(distinct):
    texts = [f"{place}" for place in range(distinct)]
    longer = [f"{place}" for place in range(2 * distinct)]  # the other column goes on with its last text
    check(pd.DataFrame({"a": pd.Series(texts * 2, dtype=object), "b": pd.Series(longer, dtype=object)}))


@pytest.mark.parametrize("cells", [1, 300, 1 << 18])
def test_of_numbers_however_many_are_learned_at_once(monkeypatch, cells):
    monkeypatch.setattr(encode, "_CELLS", cells)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(1e3, 1.0, (1000, 7)) ** 3).set_axis(list("abcdefg"), axis=1)
    frame.loc[::7, "c"] = np.nan
    check(frame)


def test_a_fit_leaves_alone_what_an_earlier_one_learned():
    one, two = (pd.DataFrame({"x": [1.0, 2.0], "t": texts}) for texts in (["a", "b"], ["c", "d"]))
    first = ColumnPreprocessor().fit(one)
    ColumnPreprocessor().fit(two)
    assert [each.tolist() for each in first.transformer_.named_transformers_["categories"].categories_] == [["a", "b"]]
    check(one)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("columns", [3, 20])
def test_of_an_array_whose_rows_are_taken_chunk_by_chunk(monkeypatch, missing, columns):
    monkeypatch.setattr(encode, "CHUNK_ROWS", 256)
    rng = np.random.default_rng(1)
    array = rng.normal(1e3, 1.0, (1500, columns)) ** 3
    if missing:
        array[::7, 1], array[:400, 2] = np.nan, np.nan
    frame, places = pd.DataFrame(array, copy=False), rng.permutation(1500)[:1000]
    rows = TakenRows(frame, places)
    assert rows.numbers() is not None
    found, expected = ColumnPreprocessor().fit_taken(rows), ColumnPreprocessor().fit(frame.iloc[places])
    assert State.of(found).differs_from(State.of(expected), EXACT) is None


def test_of_an_array_in_which_a_column_holds_nothing_or_what_is_infinite():
    array = np.arange(60.0).reshape(20, 3)
    array[:10, 1] = np.nan
    rows = TakenRows(pd.DataFrame(array, columns=list("abc"), copy=False), np.arange(10))
    assert ColumnPreprocessor().fit_taken(rows).columns_ == (("a", "number"), ("c", "number"))
    array[3, 2] = np.inf
    with pytest.raises(TableError, match="'c' holds infinite values"):
        ColumnPreprocessor().fit_taken(rows)
