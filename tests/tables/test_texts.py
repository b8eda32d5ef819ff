"""Text in other encodings, with decimal commas, and files of svmlight and Excel: read exactly, or refused in words."""

import io
import re
import zipfile
from datetime import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pacbayes._core.labels import MISSING_WORDS
from pacbayes.tables import TableError, read_table

FRAME = pd.DataFrame({"age": [0.1, 1e-7, 12345.678], "town": ["Köln", "Zürich", "Łódź"]})


def write(path, frame, **options):
    frame.to_csv(path, index=False, **options)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "iso8859-2", "cp1250"])
def test_text_is_read_in_its_encoding(tmp_path, encoding):
    path = write(tmp_path / "t.csv", FRAME, encoding=encoding)
    pd.testing.assert_frame_equal(read_table(path, encoding=encoding), FRAME, check_dtype=False)


@pytest.mark.parametrize("rows", [3, 30_000])
def test_latin_1_is_refused_with_the_remedy(tmp_path, rows):
    """Also where the first byte that is not UTF-8 comes late."""
    frame = pd.DataFrame({"a": range(rows), "town": ["Bonn"] * (rows - 1) + ["Köln"]})
    path = write(tmp_path / "t.csv", frame, encoding="latin-1")
    with pytest.raises(
        TableError, match=r"not text in UTF-8 .*Pass its encoding, such as --encoding latin-1"
    ) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)
    assert read_table(path, encoding="latin-1")["town"].iloc[-1] == "Köln"


def test_utf_16_is_refused_with_the_remedy(tmp_path):
    path = write(tmp_path / "t.csv", FRAME, encoding="utf-16")
    with pytest.raises(TableError, match="begins like text in UTF-16: pass --encoding utf-16"):
        read_table(path)


def test_a_wrong_encoding_is_refused(tmp_path):
    path = write(tmp_path / "t.csv", FRAME, encoding="utf-8")
    with pytest.raises(TableError, match="not text in ascii, which --encoding says it is"):
        read_table(path, encoding="ascii")


@pytest.mark.parametrize(
    "name", ["klingon", "zip", "base64", "rot13", "punycode", "idna", "unicode_escape", "", "a\0b"]
)
def test_what_is_no_encoding_of_text_is_refused(tmp_path, name):
    path = write(tmp_path / "t.csv", FRAME)
    with pytest.raises(TableError, match=r"--encoding must be an encoding of text, such as latin-1 or utf-8\. Got"):
        read_table(path, encoding=name)


@pytest.mark.parametrize("separator", [";", "\t", "|", ","])
def test_decimal_commas_give_the_same_doubles(tmp_path, separator):
    numbers = np.random.default_rng(0).normal(size=2000) * 10.0 ** np.random.default_rng(1).integers(-8, 8, 2000)
    frame = pd.DataFrame({"x": numbers, "y": numbers[::-1]})
    texts = frame.map(lambda value: repr(float(value)).replace(".", ","))
    quoting = {"quoting": 1} if separator == "," else {}
    path = write(tmp_path / "t.csv", texts, sep=separator, **quoting)
    given = {"delimiter": ","} if separator == "," else {}  # a comma is not guessed to separate columns then
    assert read_table(path, decimal=",", **given).equals(frame)


def test_svmlight_is_read_as_scikit_learn_writes_it(tmp_path):
    from sklearn.datasets import dump_svmlight_file

    X = np.random.default_rng(0).normal(size=(50, 7)).round(6) * (np.random.default_rng(1).random((50, 7)) < 0.3)
    X[:, 0] = 1.0
    y = np.arange(50) % 3
    dump_svmlight_file(X, y, str(tmp_path / "t.svm"), zero_based=False, comment="by hand")
    frame = read_table(tmp_path / "t.svm")
    assert list(frame.columns) == ["label", *(f"f{k}" for k in range(1, 8))]
    assert np.array_equal(frame.to_numpy(), np.column_stack([y, X]))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "not a file of svmlight, lines of label index:value"),
        ("1 1:2 x\n", "not a file of svmlight"),
        ("1 3:1 2:1\n", "not a file of svmlight"),
        ("1 99999999999999999999:1\n", "not a file of svmlight"),
        ("1 20001:1\n", "20001 columns, and a table of the command line has at most 10000"),
        ("\0\0\0", "not a file of svmlight"),
        ("# nothing\n", "no columns|no rows|not a file"),
    ],
)
def test_what_is_not_svmlight_is_refused(tmp_path, text, words):
    (tmp_path / "t.svm").write_text(text)
    with pytest.raises(TableError, match=words) as caught:
        read_table(tmp_path / "t.svm")
    assert "\n" not in str(caught.value)


def test_without_openpyxl_a_sheet_is_refused_with_the_remedy(tmp_path, monkeypatch):
    from pacbayes.tables import _read_excel

    monkeypatch.setattr(_read_excel, "find_spec", lambda _: None)
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    with pytest.raises(TableError, match=r"Save the sheet as CSV, or install pacbayes\[excel\]"):
        read_table(tmp_path / "t.xlsx")


@pytest.mark.parametrize("name", ["t.xls", "t.ods"])
def test_other_spreadsheets_are_refused_with_the_remedy(tmp_path, name):
    (tmp_path / name).write_bytes(b"PK")
    with pytest.raises(TableError, match=r"Save the spreadsheet as \.xlsx or CSV first"):
        read_table(tmp_path / name)


class TestExcel:
    """Sheets as openpyxl writes them."""

    @pytest.fixture(autouse=True)
    def _needs_openpyxl(self):
        pytest.importorskip("openpyxl")

    def save(self, path, *sheets):
        import openpyxl

        book = openpyxl.Workbook()
        book.remove(book.active)
        for rows in sheets:
            sheet = book.create_sheet()
            for row in rows:
                sheet.append(row)
        book.save(path)
        return path

    def test_numbers_texts_truth_and_days_come_through(self, tmp_path):
        rows = [["x", "word", "yes", "day", "gap"], [0.1, "Köln, am Rhein", True, datetime(2024, 2, 29), None]]  # noqa: DTZ001
        rows += [[1e-300, 'a "b"', False, datetime(2024, 3, 1, 12, 30), 5], [None] * 5]  # noqa: DTZ001
        rows += [[-7, "x\ny", True, None, None]]
        frame = read_table(self.save(tmp_path / "t.xlsx", rows, []))
        assert frame.iloc[2].isna().all()
        frame = frame.drop(index=2)
        assert frame["x"].tolist() == [0.1, 1e-300, -7.0]
        assert frame["word"].tolist() == ["Köln, am Rhein", 'a "b"', "x\ny"]
        assert frame["yes"].tolist() == [True, False, True]
        assert frame["day"].tolist()[:2] == ["2024-02-29", "2024-03-01T12:30:00"]
        assert frame["gap"].isna().tolist() == [True, False, True]

    def test_the_encoding_of_texts_plays_no_part(self, tmp_path):
        path = self.save(tmp_path / "t.xlsx", [["x", "town"], [1.5, "Köln"]])
        assert read_table(path, decimal=",", encoding="latin-1", delimiter=";")["town"].tolist() == ["Köln"]

    @pytest.mark.parametrize(
        ("sheets", "words"),
        [
            ([[["a"], [1]], [["b"], [2]]], "it has more than one sheet with cells in it: 'Sheet', 'Sheet1'"),
            ([[["a", "b"], [1, 2, 3]]], "its row 2 has more cells than its first row"),
            ([[]], "it has no cells in it"),
            ([[["a", "a"], [1, 2]]], "column names must differ"),
        ],
    )
    def test_what_is_no_table_is_refused(self, tmp_path, sheets, words):
        with pytest.raises(TableError, match=words):
            read_table(self.save(tmp_path / "t.xlsx", *sheets))

    def test_damaged_files_are_refused_in_one_sentence(self, tmp_path):
        whole = self.save(tmp_path / "t.xlsx", [["a", "b"], *([k, "x"] for k in range(200))]).read_bytes()
        generator = np.random.default_rng(0)
        for number in range(12):
            content = bytearray(whole)
            for place in generator.integers(0, len(whole), 20):
                content[place] = int(generator.integers(0, 256))
            path = tmp_path / f"{number}.xlsx"
            path.write_bytes(content[: int(generator.integers(100, len(whole)))] if number % 2 else content)
            said = ""
            try:
                read_table(path)
            except TableError as error:
                said = str(error)
            assert "\n" not in said

    def test_an_entity_that_names_itself_is_refused(self, tmp_path):
        """A billion laughs in the sheet."""
        whole = self.save(tmp_path / "t.xlsx", [["a", "b"], [1, 2]])
        laughs = "".join(f'<!ENTITY l{k + 1} "{f"&l{k};" * 10}">' for k in range(9))
        with zipfile.ZipFile(whole) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        (sheet,) = [name for name in parts if name.startswith("xl/worksheets/")]
        text = parts[sheet].decode().replace("<v>2</v>", "<v>&l9;</v>")
        head = f'<!DOCTYPE worksheet [<!ENTITY l0 "ha">{laughs}]>'
        parts[sheet] = (head + text.partition("?>")[2] if text.startswith("<?xml") else head + text).encode()
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name, part in parts.items():
                archive.writestr(name, part)
        (tmp_path / "laughs.xlsx").write_bytes(buffer.getvalue())
        with pytest.raises(TableError):
            read_table(tmp_path / "laughs.xlsx", max_memory="64MiB")


def test_blanks_after_a_text_for_a_missing_value_make_no_difference(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1,n/a \n2,n/a\n3, n/a    \n4,"n/a  "\n5,2.5\n')
    frame = read_table(path, missing_values=("n/a ",))
    assert frame["b"].isna().tolist() == [True] * 4 + [False]
    assert frame["b"].dtype == float


def test_the_page_names_every_text_that_is_missing(tmp_path):
    parsers = pytest.importorskip("pandas._libs.parsers")
    page = (Path(__file__).resolve().parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")
    words = sorted(MISSING_WORDS - {""})
    assert parsers.STR_NA_VALUES <= MISSING_WORDS
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{word},1\n" for word in words))
    assert read_table(tmp_path / "t.csv")["a"].isna().all()
    paragraph = page.partition("these are missing values")[2].partition("\n\nWith")[0]
    named = {each.strip(",;") for each in re.sub("`[^`]+`", " ", paragraph).split()}
    assert set(words) <= named | set(re.findall("`([^`]+)`", paragraph))
