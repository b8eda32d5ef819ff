"""Quotation marks in text files: cells of several lines are read, and marks that join rows are refused."""

import csv
import gzip
import io

import numpy as np
import pandas as pd
import pytest

from pacbayes.tables import TableError, _quotes, list_columns, open_table, read_table
from pacbayes.tables._source import Description
from pacbayes.tables._text_batches import convert_text

ROWS = ["1,0,x"] * 3
STRAY = {  # what is refused, and the line that is named
    "both begin cells": (["y,p,c", *ROWS, '0,0,"x', *ROWS, '0,0,"x', *ROWS], "Line 9 .*line 5"),
    "both in a first cell": (["c,y,p", "x,1,0", '"x,0,0', "x,1,0", '"x,0,0', "x,1,0"], "Line 5 .*line 3"),
    "after blanks": (["y,p,c", '0,0,  "x', *ROWS, '0,0, "x', *ROWS], "Line 6 .*line 2"),
    "blanks, then more": (["y,p,c", '0,0,"x', *ROWS, '0,0," x', *ROWS], "Line 6 .*line 2"),
    "an inch before": (["y,p,c", *ROWS, '0,5" pipe,"x', *ROWS, '0,0,"x', *ROWS], "Line 9 .*line 5"),
    "more after a cell before": (["y,p,c", '"0"1,0,"two', 'lines"', *ROWS], "Line 2 .*line 2"),
    "more in the line where the cell ends": (["y,p,c", '0,"two', 'lines","x"y', *ROWS], "Line 3 .*line 2"),
    "in the header": (['y,p,"c', *ROWS, '0,0,"x', *ROWS], "Line 5 .*line 1"),
    "one ends a cell": (["y,p,c", '0,0,"great', *ROWS, '1,0,bad"', *ROWS], "lines 2 to 6, .*look like rows"),
    "one is a cell": (["y,p,c", '0,0,"great', *ROWS, '1,0,"', *ROWS], "lines 2 to 6, .*look like rows"),
    "one ends a middle cell": (["y,c,p", '0,"great,0', *ROWS, '1,bad",0', *ROWS], "lines 2 to 6, .*look like rows"),
    "blanks after it": (["y,c,p", '0,"great,0', *ROWS, '1,bad" ,0', *ROWS], "lines 2 to 6, .*look like rows"),
    "a blank line between": (["y,p,c", '0,0,"great', *ROWS, "", '1,0,bad"', *ROWS], "lines 2 to 7, .*look like rows"),
    "after blank lines": (["", "y,p,c", "", '0,0,"great', '1,0,bad"', *ROWS], "lines 4 to 5, .*look like rows"),
    "in two columns": (["y,c", '0,"great', "1,x", '1,bad"'], "lines 2 to 4, .*look like rows"),
    "far more than a block": (["y,p,c", *ROWS * 99, '0,0,"x', *ROWS * 99, '0,0,"x', *ROWS * 99], "Line 597 .*line 299"),
    "a separator at the end of each row": (
        ["y,p,c", *["1,1,x,"] * 3, '0,0,"great,', *["1,0,x,"] * 3, '0,0,bad",'],
        "look like",
    ),
    "rows that lack a cell": (["y,p,c", *ROWS, '0,0,"great', *ROWS, "1,0", *ROWS, '0,0,bad"', *ROWS], "look like rows"),
    "some lines of text": (
        ["y,p,c", *ROWS, '0,0,"great', *ROWS, "oh", *ROWS, '0,0,bad"', *ROWS],
        "6 look like rows|8 look",
    ),
    "in a single column": (["c", "a", '"b', "c", '"d', "e"], "Line 5 .*line 3"),
}
FINE = {
    "lines in a cell": ('y,c\n1,"two\nlines"\n0,x\n', ["two\nlines", "x"]),
    "blank lines in a cell": ('y,c\n1,"a\n\n \nb" \n0,x\n', ["a\n\n \nb ", "x"]),
    "separators in a cell": ('y,c\n1,"a, b\nand c"\n0,"d, e"\n', ["a, b\nand c", "d, e"]),
    "doubled marks": ('y,c\n1,"a ""b""\n""c"""\n0,""""\n', ['a "b"\n"c"', '"']),
    "marks inside cells": ('y,c\n1,5" pipe\n0,6" pipe\n', ['5" pipe', '6" pipe']),
    "marks inside and lines": ('y,c\n5" pipe,"two\nlines"\n6" pipe,x\n', ["two\nlines", "x"]),
    "more after a mark in one line": ('y,c\n1,"a"b\n0,"c" d\n', ["ab", "c d"]),
    "a separator before the last mark": ('y,c\n1,"a,"\n0,"b, ""c"""\n', ["a,", 'b, "c"']),
    "blank lines around": ('\n\ny,c\n\n1,"a"\n  \n0,"b\n"\n\n', ["a", "b\n"]),
    "nothing in quotes": ('y,c\n1," "\n0,"\n"\n', [" ", "\n"]),
    "no end of the last line": ('y,c\n1,"a"\n0,"b\nc"', ["a", "b\nc"]),
    "a header of two lines": ('y,"c\n "\n1,"a"\n0,b\n', ["a", "b"]),
}


def read_batches(path, **reading):
    (frame,) = convert_text(path, Description(".csv", **reading)).frames()
    return frame


READERS = {"in memory": read_table, "in batches": read_batches}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", STRAY)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_marks_that_join_rows_are_refused(tmp_path, reader, name, end, separator):
    lines, said = STRAY[name]
    text = end.join(lines).replace(",", separator) + end
    (tmp_path / "t.csv").write_bytes(text.encode("utf-8-sig"))
    with pytest.raises(TableError, match=rf"t\.csv: .*{said}.*Double the quotation marks"):
        READERS[reader](tmp_path / "t.csv", delimiter=separator)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be", "latin-1", "cp037", "utf-7"])
def test_so_they_are_in_every_encoding(tmp_path, reader, encoding):
    lines, said = STRAY["both begin cells"]
    (tmp_path / "t.csv").write_bytes("\n".join(lines).encode(encoding))
    with pytest.raises(TableError, match=said):
        READERS[reader](tmp_path / "t.csv", encoding=encoding, delimiter=",")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", ["both begin cells", "one ends a cell"])
def test_so_they_are_without_a_header(tmp_path, reader, name):
    lines, _ = STRAY[name]
    (tmp_path / "t.csv").write_text("\n".join(lines[1:]))
    with pytest.raises(TableError, match="Double the quotation marks"):
        READERS[reader](tmp_path / "t.csv", header=False)


def test_so_they_are_in_packed_files(tmp_path):
    lines, said = STRAY["one ends a cell"]
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    with pytest.raises(TableError, match=said):
        read_table(tmp_path / "t.csv.gz")


@pytest.mark.parametrize("block", [1, 7, 1 << 10])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_so_they_are_wherever_a_block_ends(tmp_path, monkeypatch, block, end):
    monkeypatch.setattr(_quotes, "_BLOCK", block)
    for lines, said in STRAY.values():
        (tmp_path / "t.csv").write_bytes(end.join(lines).encode())
        with pytest.raises(TableError, match=said):
            read_table(tmp_path / "t.csv")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", FINE)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_cells_of_several_lines_are_read(tmp_path, reader, name, end, start):
    text, expected = FINE[name]
    (tmp_path / "t.csv").write_bytes((start + text.replace("\n", end)).encode())
    assert READERS[reader](tmp_path / "t.csv")["c"].tolist() == [each.replace("\n", end) for each in expected]
    assert list_columns(tmp_path / "t.csv") == ["y", "c"]


@pytest.mark.parametrize("reader", READERS)
def test_a_single_column_has_no_rows_to_confuse_its_lines_with(tmp_path, reader):
    (tmp_path / "t.csv").write_text('\n \t"c"\na\n"two\nlines"\n\nb\n\n')
    assert READERS[reader](tmp_path / "t.csv", delimiter=",")["c"].fillna("none").tolist() == [
        "a",
        "two\nlines",
        "none",
        "b",
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_table_of_a_line_for_each_row_is_not_looked_at(tmp_path, monkeypatch, end):
    """However its lines end, and wherever they are cut when they are counted."""
    monkeypatch.setattr(_quotes, "decoded", None)
    monkeypatch.setattr("pacbayes.tables._read_text._CHUNK", 5)
    for last in ("", end):
        (tmp_path / "t.csv").write_bytes((end.join(['"y","c"', *['1,"a, ""b"""'] * 9]) + last).encode())
        assert READERS["in memory"](tmp_path / "t.csv").shape == (9, 2)
        assert READERS["in batches"](tmp_path / "t.csv").shape == (9, 2)


def test_a_sheet_of_excel_may_have_lines_that_look_like_rows(tmp_path):
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"y": [1, 0], "c": ["a\nb, c", '"']})
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    assert read_table(tmp_path / "t.xlsx")["c"].tolist() == frame["c"].tolist()


def make_texts(rng, rows, columns):
    """Texts of which some have quotation marks, separators and ends of lines; none begins with a blank."""
    parts = ["a", "b", " ", '"', '""', ",", "\n", "\r\n", "\t", ";"]
    texts = ["x" + "".join(rng.choice(parts, rng.integers(0, 5))) for _ in range(rows * columns)]
    texts = [text[1:] if rng.random() < 0.3 and text[1:].strip() == text[1:] != "" else text for text in texts]
    texts = [f"{text}t{number}" for number, text in enumerate(texts)]  # all different, so that no column tells
    return [texts[start : start + columns] for start in range(0, len(texts), columns)]


def looks_like_rows(row, separator, quoting):
    """Whether each line of a row, as it is written, has as many separators as the row; there are no blank lines."""
    text = io.StringIO()
    csv.writer(text, delimiter=separator, quoting=quoting).writerow(row)
    written = text.getvalue().removesuffix("\r\n")
    lines = [line for line in written.replace("\r\n", "\n").split("\n") if line.strip(" \t")]
    return "\n" in written and all(line.count(separator) == len(row) - 1 for line in lines)


@pytest.mark.parametrize("seed", range(60))
def test_random_tables_are_read_as_they_were_written(tmp_path, seed):
    rng = np.random.default_rng(seed)
    separator, quoting = [",", "\t", ";"][seed % 3], [csv.QUOTE_MINIMAL, csv.QUOTE_ALL][seed % 2]
    columns = int(rng.integers(2, 5))
    rows = make_texts(rng, 30, columns)
    with (tmp_path / "t.csv").open("w", newline="") as file:
        writer = csv.writer(file, delimiter=separator, quoting=quoting, lineterminator=["\n", "\r\n"][seed // 2 % 2])
        writer.writerows([[f"c{k}" for k in range(columns)], *rows])
    is_refused = any(looks_like_rows(row, separator, quoting) for row in rows)
    for read in READERS.values():
        if is_refused:
            with pytest.raises(TableError, match="must not look like rows"):
                read(tmp_path / "t.csv", delimiter=separator)
        else:
            assert read(tmp_path / "t.csv", delimiter=separator).to_numpy().tolist() == rows


@pytest.mark.parametrize("name", ["both begin cells", "one ends a cell"])
@pytest.mark.parametrize("in_memory", [None, 0])
def test_tables_are_opened_as_they_are_read(tmp_path, name, in_memory):
    lines, said = STRAY[name]
    (tmp_path / "t.tsv").write_text("\n".join(lines).replace(",", "\t"))
    with pytest.raises(TableError, match=said):
        open_table(tmp_path / "t.tsv", "y", in_memory=in_memory)


SAYINGS = (
    "Hi Anna",
    "see you at ten, then",
    "the room, as usual, is on floor two",
    "5",
    "yes",
    "it broke, so I sent it back",
)
MAILS = {
    "text, label": lambda texts, labels: {"text": texts, "label": labels},
    "label, text": lambda texts, labels: {"label": labels, "text": texts},
    "id, text, label": lambda texts, labels: {"id": range(len(texts)), "text": texts, "label": labels},
    "id, text, number, label": lambda texts, labels: {"id": range(len(texts)), "t": texts, "n": 0.5, "label": labels},
    "number, label, text": lambda texts, labels: {"n": range(len(texts)), "label": labels, "text": texts},
}


@pytest.mark.parametrize("name", MAILS)
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("rows", [10, 300])
def test_texts_of_several_lines_with_commas_are_read(tmp_path, name, quoting, rows):
    rng = np.random.default_rng(rows)
    texts = ["\n".join(rng.choice(SAYINGS, rng.integers(1, 5))) + f" ({row})" for row in range(rows)]
    frame = pd.DataFrame(MAILS[name](texts, rng.choice(["spam", "ham"], rows)))
    frame.to_csv(tmp_path / "t.csv", index=False, quoting=quoting)
    for read in READERS.values():
        assert read(tmp_path / "t.csv", delimiter=",").astype(str).equals(frame.astype(str))


def test_addresses_and_headers_of_several_lines_are_read(tmp_path):
    text = "id,address\n" + "".join(f'{row},"{row} Main St\nSpringfield, IL"\n' for row in range(50))
    (tmp_path / "t.csv").write_text(text)
    assert read_table(tmp_path / "t.csv").shape == (50, 2)
    (tmp_path / "t.csv").write_text('"Weight, kg\n(net)",ill\n' + "1,0\n2,1\n" * 9)
    assert read_table(tmp_path / "t.csv").shape == (18, 2)
