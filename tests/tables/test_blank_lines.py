"""Blank lines of text: missing values of a file of one column, none of a file of several."""

import gzip

import pytest

from pacbayes.tables import TableError, list_columns, read_table
from pacbayes.tables._blank_lines import _Trimmed
from pacbayes.tables._source import Description
from pacbayes.tables._text_batches import convert_text

LINES = "loss\n0\n\n1\n   \n\n0\n"
MISSING = [False, True, False, True, True, False]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("around", [("", ""), ("\n \n", "\n  \n\t\n  "), ("  ", "\n" * 5)])
@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_those_inside_one_column_are_missing_values(tmp_path, ends, around, encoding):
    text = LINES.join(around).replace("\n", ends)
    (tmp_path / "t.csv").write_bytes(text.encode(encoding or "utf-8-sig"))
    frame = read_table(tmp_path / "t.csv", encoding=encoding)
    assert frame["loss"].isna().tolist() == MISSING
    assert list_columns(tmp_path / "t.csv", encoding=encoding) == ["loss"]


def test_so_they_are_in_packed_files_and_in_batches(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(LINES.encode()))
    assert read_table(tmp_path / "t.csv.gz")["loss"].isna().tolist() == MISSING
    (tmp_path / "t.csv").write_text("\n" + LINES + "\n\n")
    (frame,) = convert_text(tmp_path / "t.csv", Description(".csv")).frames()
    assert frame["loss"].isna().tolist() == MISSING


def test_so_they_are_in_many_rows(tmp_path):
    """A file of more rows than are parsed at once."""
    values = [str(k % 2) if k % 1000 else "" for k in range(300_000)] + ["1"]
    (tmp_path / "t.csv").write_text("\n".join(["loss", *values, "", ""]))
    frame = read_table(tmp_path / "t.csv")
    assert len(frame) == 300_001
    assert frame["loss"].isna().sum() == 300


def test_without_a_header_those_at_the_beginning_are_rows(tmp_path):
    (tmp_path / "t.csv").write_text("\n\n0\n1\n\n")
    assert read_table(tmp_path / "t.csv", header=False)["c1"].isna().tolist() == [True, True, False, False]


def test_those_at_the_end_change_no_type(tmp_path):
    (tmp_path / "t.csv").write_text("label\n1\n0\n\n\n")
    assert read_table(tmp_path / "t.csv")["label"].tolist() == [1, 0]
    assert read_table(tmp_path / "t.csv")["label"].dtype == int


def test_a_quoted_value_without_characters_is_a_row_wherever_it_is(tmp_path):
    (tmp_path / "t.csv").write_text('loss\n""\n0\n""\n""\n\n')
    assert read_table(tmp_path / "t.csv")["loss"].isna().tolist() == [True, False, True, True]


def test_quoted_lines_are_as_they_are_written(tmp_path):
    (tmp_path / "t.csv").write_text('text\n"a\n\n b"\n\n"c"\n')
    assert read_table(tmp_path / "t.csv")["text"].tolist()[::2] == ["a\n\n b", "c"]


def test_those_of_several_columns_are_skipped(tmp_path):
    (tmp_path / "t.csv").write_text("\na,b\n1,2\n\n  \n3,4\n,\n\n")
    assert read_table(tmp_path / "t.csv").isna().sum(axis=1).tolist() == [0, 0, 2]


def test_one_column_in_another_encoding_is_refused_with_the_remedy(tmp_path):
    (tmp_path / "t.csv").write_bytes("\n".join(["town", *["Bonn"] * 100_000, "", "Köln"]).encode("latin-1"))
    with pytest.raises(TableError, match=r"not text in UTF-8 .*Pass its encoding"):
        read_table(tmp_path / "t.csv")


def test_blanks_without_end_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("pacbayes.tables._blank_lines._MOST", 1 << 20)
    (tmp_path / "t.csv").write_text("loss\n1\n" + "\n" * (1 << 22) + "0\n")
    with pytest.raises(TableError, match="too many blank lines, one after the other"):
        read_table(tmp_path / "t.csv")


@pytest.mark.parametrize("size", [1, 2, 3, 7, -1])
def test_no_character_is_lost_however_it_is_read(tmp_path, size):
    (tmp_path / "t").write_text("  \n\na \n \nb\n\n\nc \n ", newline="")
    for trims, expected in ((True, "a \n \nb\n\n\nc"), (False, "  \n\na \n \nb\n\n\nc")):
        with (tmp_path / "t").open(newline="") as file:
            text = _Trimmed(file, trims)
            assert "".join(iter(lambda: text.read(size), "")) == expected  # noqa: B023
