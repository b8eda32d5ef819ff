"""Values of group columns as numbers of their texts: of every kind, the same as value by value."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pacbayes as pb
from pacbayes._core.labels import label_text
from pacbayes.metrics import group_codes, group_rows
from pacbayes.metrics.group_codes import code_values, find_distinct

TEXTS = st.sampled_from(
    ["", "a", "b", "ab", "ä", "1", "1.0", "True", "missing", "nan", "a rather long name", "\U0001f600"]
)
MIXED = st.one_of(
    TEXTS, st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([1.0, 2.5, -0.0, math.nan, 1e300])
)
KINDS = {
    "whole": (st.integers(-3, 3), np.array),
    "far": (st.sampled_from([-(2**62), 0, 5, 2**62]), np.array),
    "unsigned": (st.sampled_from([0, 7, 2**64 - 1]), lambda each: np.array(each, dtype=np.uint64)),
    "bytes": (st.integers(-3, 3), lambda each: np.array(each, dtype=np.int8)),
    "swapped": (st.sampled_from([-(2**62), 2**62]), lambda each: np.array(each, dtype=">i8")),
    "doubles": (st.sampled_from([0.0, -0.0, 0.5, math.nan, 1e300, math.inf]), np.array),
    "singles": (st.sampled_from([0.0, -0.0, 0.5, math.nan]), lambda each: np.array(each, dtype=np.float32)),
    "truth": (st.booleans(), np.array),
    "texts": (TEXTS, np.array),
    "every second text": (TEXTS, lambda each: np.array(each).repeat(2)[::2]),
    "swapped texts": (TEXTS, lambda each: np.array(each).astype(">U20")),
    "objects": (TEXTS, lambda each: np.array(each, dtype=object)),
    "new objects": (TEXTS, lambda each: np.array([text + "!"[:0] for text in each], dtype=object)),
    "mixed": (MIXED, lambda each: np.array(each, dtype=object)),
    "texts of pandas": (st.one_of(TEXTS, st.none()), lambda each: pd.Series(each, dtype="string")),
    "texts of arrow": (st.one_of(TEXTS, st.none()), lambda each: pd.Series(each, dtype=pd.ArrowDtype(pa.string()))),
    "objects of pandas": (MIXED, lambda each: pd.Series(each, dtype=object)),
    "whole or missing": (st.one_of(st.integers(-3, 3), st.none()), lambda each: pd.Series(each, dtype="Int64")),
    "categories": (st.one_of(TEXTS, st.none()), lambda each: pd.Series(pd.Categorical(each))),
    "numbered categories": (st.integers(-3, 3), lambda each: pd.Categorical(each, categories=range(-3, 9))),
    "mixed categories": (
        st.sampled_from(["1", 1, 2.5, True, None]),
        lambda each: pd.Categorical(each, categories=pd.Index(["1", 2.5, True, "never"], dtype=object)),
    ),
    "days": (st.sampled_from(["2024-01-01", "2024-01-02"]), lambda each: np.array(each, dtype="datetime64[D]")),
    "texts of polars": (st.one_of(TEXTS, st.none()), lambda each: pl.Series(each, dtype=pl.String)),
    "categories of polars": (TEXTS, lambda each: pl.Series(each, dtype=pl.Categorical)),
    "numbers of polars": (st.one_of(st.integers(-3, 3), st.none()), lambda each: pl.Series(each, dtype=pl.Int64)),
}


def code_one_by_one(values):
    """Each value as text, and where it is among the texts that there are, sorted."""
    texts = [label_text(each) for each in np.asarray(values).tolist()]
    found = sorted(set(texts))
    return found, [found.index(each) for each in texts]


def calls_missing(values):
    """Whether some values are missing, and others are called so."""
    found = {isinstance(each, str) for each in np.asarray(values).tolist() if label_text(each) == "missing"}
    return len(found) == 2


def is_written_alike(values):
    """Whether a text and another value are the same text."""
    others = {label_text(each) for each in np.asarray(values).tolist() if not isinstance(each, str)}
    return any(isinstance(each, str) and each in others for each in np.asarray(values).tolist())


def code(values):
    texts, places = code_values(values)
    assert places.dtype == np.int64
    return texts, places.tolist()


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_values_of_every_kind_are_coded_as_one_by_one(kind, data):
    elements, make = KINDS[kind]
    values = make(data.draw(st.lists(elements, min_size=1, max_size=60)))
    if calls_missing(values):
        with pytest.raises(ValueError, match="must not be called 'missing' where values are missing"):
            code_values(values)
    elif is_written_alike(values):
        with pytest.raises(ValueError, match="must not be both a text and another value that is written like it"):
            code_values(values)
    else:
        assert code(values) == code_one_by_one(values)


@pytest.mark.parametrize("kind", ["far", "doubles", "texts", "objects", "mixed", "texts of pandas", "categories"])
def test_many_rows_are_coded_as_few(kind):
    _, make = KINDS[kind]
    rng = np.random.default_rng(1)
    few = {"far": [-(2**62), 2**62], "doubles": [0.5, math.nan, -0.0], "mixed": ["b", 1, True, None, 2.5]}
    given = few.get(kind, ["b", "a", "c" * 30])
    values = make([given[place] for place in rng.integers(0, len(given), 40_000).tolist()])
    assert code(values) == code_one_by_one(values)


@pytest.mark.parametrize("width", [1, 9, 40])
@pytest.mark.parametrize("changes", [{}, {"_SLOTS": 1}, {"_MOST": 500}, {"_ROWS": 64}])
def test_nothing_rests_on_slots_and_sizes(monkeypatch, width, changes):
    for name, value in changes.items():
        monkeypatch.setattr(group_codes, name, value)
    rng = np.random.default_rng(2)
    values = rng.integers(0, 700, 5000).astype(f"U{width}")
    assert code(values) == code_one_by_one(values)


def test_rows_that_differ_where_others_do_not_are_told_apart():
    values = np.array(["shop 1 north", "shop 2 north"] * 20_000)
    values[12_345] = "shop 1 south"
    assert code(values) == code_one_by_one(values)


@pytest.mark.parametrize("kind", ["U", "O"])
def test_values_whose_hashes_are_the_same_are_told_apart(monkeypatch, kind):
    monkeypatch.setattr(group_codes._Table, "_hash", lambda self, block: block[:, 0].astype(np.uint64) * 0)
    values = np.random.default_rng(3).integers(0, 50, 1000).astype("U2").astype(kind)
    assert find_distinct(group_codes._words_of(values)) is None
    assert code(values) == code_one_by_one(values)


def test_a_column_of_polars_groups_rows():
    frame = pl.DataFrame({"shop": ["b", "a", None, "b"], "size": [1.0, 2.0, 3.0, 4.0]})
    found = group_rows("me", frame, ["shop"])
    assert [each["shop"] for each in found.names] == ["a", "b", "missing"]
    assert found.places.tolist() == [1, 0, 2, 1]


def test_texts_and_categories_give_the_statements_of_numbers():
    rng = np.random.default_rng(4)
    y, shops = rng.integers(0, 2, 3000), rng.integers(10, 30, 3000)
    wrong = np.where(rng.random(3000) < 0.1, 1 - y, y)
    texts = shops.astype(str)
    kinds = [
        shops,
        texts,
        texts.astype(object),
        pd.Series(texts, dtype="string"),
        pd.Categorical(texts),
        pl.Series(texts),
    ]
    first, *others = (pb.certify_predictions(y, wrong, groups={"shop": each}) for each in kinds)
    for each in others:
        assert (each.statements, each.digests) == (first.statements, first.digests)
