"""Whole numbers beyond 2^63 in a file of text: one type and the same gaps, however and in whatever order it is read."""

import numpy as np
import pandas as pd
import pytest

from pacbayes.tables import (
    TableError,
    _large_numbers,
    _open,
    _read_text,
    _text_batches,
    align_rows,
    open_table,
    prepare_table,
    read_table,
)
from pacbayes.tables._batches import Batches
from pacbayes.tables._source import Description

BIG, HUGE = str(2**64 - 1), str(2**64)  # the largest of 64 bits, and the first of more
ROWS = 24

# the cells of a column, each as often as any other, and whether they are numbers
COLUMNS = {
    "64 bits": ([BIG, str(2**63)], False),
    "64 bits and blanks": (["", BIG, "NA"], False),
    "64 bits, small ones and blanks": (["", BIG, "1"], False),
    "64 bits and below zero": (["-1", BIG], False),
    "more bits": ([HUGE, "7"], False),
    "more bits and blanks": (["", HUGE, "0" + HUGE, "?"], False),
    "below -2^63": (["-" + HUGE, "", "-3"], False),
    "more digits than Python reads": (["9" * 5000, ""], False),
    "beside text": ([HUGE, "x", ""], False),
    "beside truth values": ([BIG, "True", ""], False),
    "blanks behind": (["1 ", BIG, ""], False),
    "blanks before": (['" 1"', BIG, ""], False),
    "64 bits beside a fraction": ([BIG, "1.5", ""], True),
    "more bits beside a fraction": ([HUGE, "1.5", ""], True),
    "whole with gaps beside a fraction": (["", HUGE, "1", "1e5"], True),
}


@pytest.fixture(autouse=True)
def few_rows(monkeypatch):
    for module in (_text_batches, _large_numbers):
        monkeypatch.setattr(module, "_ROWS", 7)


def write(path, cells):
    path.write_text("\n".join([" column,label", *(f"{cell},{row % 2}" for row, cell in enumerate(cells))]) + "\n")
    return path


def read(path, how, monkeypatch):
    monkeypatch.setattr(_read_text, "_PART_ROWS", 1 << 17 if how == "at once" else 7)
    if how == "batches":
        batches = _text_batches.convert_text(path, Description(".csv", missing_values=("?",)))
        assert isinstance(batches, Batches)
        return pd.concat(list(batches.frames()), ignore_index=True)
    return read_table(path, missing_values=["?"])


@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")  # which simulates pandas 2
@pytest.mark.parametrize("infer", [True, False])
@pytest.mark.parametrize("how", ["at once", "parts", "batches"])
@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_the_same_however_it_is_read(tmp_path, monkeypatch, name, how, infer):
    some, are_numbers = COLUMNS[name]
    cells = [some[row % len(some)] for row in range(ROWS)]
    for order in (cells, sorted(cells), sorted(cells, reverse=True)):
        with pd.option_context("future.infer_string", infer):
            column = read(write(tmp_path / "t.csv", order), how, monkeypatch)["column"]
        gaps = np.array([cell in {"", "NA", "?"} for cell in order])
        np.testing.assert_array_equal(column.isna().to_numpy(), gaps)
        known = [cell.strip('"') for cell in order if cell not in {"", "NA", "?"}]
        expected = [float(cell) for cell in known] if are_numbers else known
        assert column.dropna().tolist() == expected


@pytest.mark.parametrize("size", [0, 1 << 28])
def test_blanks_are_refused_or_a_category(tmp_path, monkeypatch, size):
    monkeypatch.setattr(_open, "IN_MEMORY", size)
    path = write(tmp_path / "t.csv", ["", BIG] * 20)
    with pytest.raises(TableError, match=r"Values are missing in 'column' \(20\)"):
        open_table(path, "label")
    column = open_table(path, "label", missing="category").columns[0]
    assert (column.kind, column.missing, column.distinct) == ("category", 20, 1)


def test_labels_that_doubles_cannot_tell_apart_are_classes_in_batches_too(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a,label", *(f"{row},{2**64 + row % 2}" for row in range(ROWS))]))
    for size in (0, 1 << 28):
        monkeypatch.setattr(_open, "IN_MEMORY", size)
        assert open_table(path, "label").classes == (str(2**64), str(2**64 + 1))


def test_rows_without_a_fraction_are_numbers_to_a_model_of_numbers(tmp_path):
    columns = [("column", "number")]
    table = prepare_table(read_table(write(tmp_path / "t.csv", ["1.5", BIG] * 20)), "label")
    assert [(each.name, each.kind) for each in table.columns] == columns
    new = read_table(write(tmp_path / "new.csv", [BIG, "", "3"]))
    assert align_rows(new, columns, missing="category").X["column"].tolist()[::2] == [2.0**64, 3.0]
    with pytest.raises(TableError, match="infinite"):
        align_rows(read_table(write(tmp_path / "new.csv", ["9" * 400])), columns)
    with pytest.raises(TableError, match="must hold numbers"):
        align_rows(pd.DataFrame({"column": ["7", "8"]}), columns)
