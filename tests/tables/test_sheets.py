"""Rows of Excel sheets: none is left out or read without need, and those that leave a doubt are refused in words."""

import re
import zipfile

import numpy as np
import pandas as pd
import pytest

from pacbayes.tables import TableError, read_table

openpyxl = pytest.importorskip("openpyxl")

ERRORS = ("#VALUE!", "#REF!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#N/A")


def save(path, rows, change=lambda sheet: None):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    change(book.active)
    book.save(path)
    return path


def rewrite(path, part, *edits):
    """Replace parts of the XML of a file, each of which occurs."""
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name).decode() for name in archive.namelist()}
    for old, new in edits:
        contents[part], count = re.subn(old, new, contents[part])
        assert count
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return path


SHEET, BOOK = "xl/worksheets/sheet1.xml", "xl/workbook.xml"


class TestBlankRows:
    @pytest.mark.parametrize("columns", [["loss"], ["label", "prediction"]])
    @pytest.mark.parametrize("blank", [(), (None, None), ("", ""), ("  ", " \t")])
    def test_those_inside_are_missing_values(self, tmp_path, columns, blank):
        rows = [columns, [0] * len(columns), blank[: len(columns)], [1] * len(columns)]
        if not blank:
            rows[2:3] = [[None] * len(columns)] * 3
        frame = read_table(save(tmp_path / "t.xlsx", rows))
        expected = [False] + [True] * (len(rows) - 3) + [False]
        for name in columns:
            assert frame[name].isna().tolist() == expected

    def test_those_before_the_header_and_after_the_last_are_none(self, tmp_path):
        def colour(sheet):
            sheet["A9"].fill = openpyxl.styles.PatternFill("solid", fgColor="FFFF00")

        path = save(tmp_path / "t.xlsx", [[None], [None], ["a", "b"], [1, 2], [3, 4], [None, None]], colour)
        assert read_table(path).to_numpy().tolist() == [[1, 2], [3, 4]]

    @pytest.mark.parametrize("last", ["#DIV/0!", "", "  "])
    def test_errors_and_texts_without_characters_are_no_blank_rows(self, tmp_path, last):
        frame = read_table(save(tmp_path / "t.xlsx", [["loss"], [0.5], [last], [last]]))
        assert frame["loss"].isna().tolist() == [False, True, True]

    def test_a_formula_whose_value_was_not_saved_is_no_blank_row(self, tmp_path):
        path = save(tmp_path / "t.xlsx", [["loss"], [0.5], ["=A2"]])
        rewrite(path, BOOK, (' fullCalcOnLoad="1"', ""))
        assert read_table(path)["loss"].isna().tolist() == [False, True]

    @pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.xlsx"])
    @pytest.mark.parametrize("columns", [1, 2])
    def test_all_formats_have_the_same_rows(self, tmp_path, name, columns):
        frame = pd.DataFrame({"y": np.arange(20.0), "p": np.arange(20.0)}).iloc[:, :columns]
        frame.loc[[0, 3, 4, 18, 19]] = np.nan
        write = {"t.csv": frame.to_csv, "t.parquet": frame.to_parquet, "t.xlsx": frame.to_excel}[name]
        write(tmp_path / name, index=False)
        pd.testing.assert_frame_equal(read_table(tmp_path / name), frame)

    def test_a_row_that_is_far_away_needs_no_more_memory_than_is_allowed(self, tmp_path):
        path = save(tmp_path / "t.xlsx", [["a", "b"], [1, 2], [3, 4]])
        rewrite(path, SHEET, ('<row r="3">', '<row r="900000000">'))
        with pytest.raises(TableError, match="If you trust the file, raise the limit with --max-memory"):
            read_table(path, max_memory="1MB")

    @pytest.mark.parametrize("number", ["2", "1"])
    def test_rows_that_are_not_in_order_are_refused(self, tmp_path, number):
        """Its reader would leave out the second of two rows with one number."""
        path = save(tmp_path / "t.xlsx", [["a"], [1], [2]])
        rewrite(path, SHEET, ('<row r="3">', f'<row r="{number}">'))
        with pytest.raises(TableError, match=f"its row {number} comes after its row 2"):
            read_table(path)


class TestErrors:
    @pytest.mark.parametrize("error", [*ERRORS, "#FIELD!"])
    def test_a_cell_with_an_error_is_missing(self, tmp_path, error):
        path = save(tmp_path / "t.xlsx", [["label", "prediction", "x"], ["a", "a", 1], ["#REF!", "#REF!", 2]])
        rewrite(path, SHEET, ("#REF!", error))
        frame = read_table(path)
        assert frame["label"].isna().tolist() == frame["prediction"].isna().tolist() == [False, True]
        assert frame["x"].tolist() == [1, 2]

    @pytest.mark.parametrize("error", ERRORS)
    def test_so_it_is_in_a_sheet_that_was_saved_as_text(self, tmp_path, error):
        (tmp_path / "t.csv").write_text(f"label,prediction\na,a\n{error},{error}\n")
        assert read_table(tmp_path / "t.csv").isna().sum().tolist() == [1, 1]


class TestFormulas:
    """Values as saved; ``openpyxl`` saves none, and asks for a calculation."""

    ROWS = (["y", "p", "wrong"], [1, 1, "=IF(A2=B2,0,1)"], [1, 0, "=IF(A3=B3,0,1)"])

    def file(self, tmp_path, properties):
        path = save(tmp_path / "t.xlsx", self.ROWS)
        rewrite(path, SHEET, (r"</f><v\s*/>|</f><v></v>", "</f><v>0</v>"))
        return rewrite(path, BOOK, (r"<calcPr[^>]*>", properties))

    @pytest.mark.parametrize(
        "properties",
        ['<calcPr calcId="1" fullCalcOnLoad="1"/>', '<calcPr fullCalcOnLoad="true"/>', '<calcPr calcCompleted="0"/>'],
    )
    def test_values_that_may_be_out_of_date_are_refused(self, tmp_path, properties):
        with pytest.raises(TableError, match=r"must be up to date\. Got 2 .* open and save it in Excel") as caught:
            read_table(self.file(tmp_path, properties))
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("properties", ["", '<calcPr calcId="191029"/>', '<calcPr fullCalcOnLoad="0"/>'])
    def test_others_count_as_they_were_saved(self, tmp_path, properties):
        assert read_table(self.file(tmp_path, properties))["wrong"].tolist() == [0, 0]

    def test_without_formulas_there_is_nothing_to_calculate(self, tmp_path):
        path = save(tmp_path / "t.xlsx", [["a"], [1]])
        assert 'fullCalcOnLoad="1"' in zipfile.ZipFile(path).read(BOOK).decode()
        assert read_table(path)["a"].tolist() == [1]


class TestHiddenRows:
    ROWS = (["a", "b"], *([k, k] for k in range(8)))

    @pytest.mark.parametrize("mark", ['hidden="1"', 'hidden="true"', 'ht="0" customHeight="1"'])
    def test_they_are_counted_and_refused(self, tmp_path, mark):
        path = save(tmp_path / "t.xlsx", self.ROWS)
        rewrite(path, SHEET, ('<row r="([45])"', rf'<row r="\1" {mark}'))
        with pytest.raises(TableError, match=r"must not be hidden.* Got 2 hidden instead: show them, or delete them\."):
            read_table(path)

    def test_those_that_are_blank_count_inside_alone(self, tmp_path):
        def hide(sheet):
            for number in range(10, 15):
                sheet.row_dimensions[number].hidden = True

        assert len(read_table(save(tmp_path / "after.xlsx", self.ROWS, hide))) == 8
        with pytest.raises(TableError, match="Got 4 hidden"):
            read_table(save(tmp_path / "inside.xlsx", [*self.ROWS, [], [], [], [1, 2]], hide))

    def test_other_sheets_columns_and_rows_that_are_shown_play_no_part(self, tmp_path):
        def hide(sheet):
            sheet.column_dimensions["B"].hidden = True
            sheet.row_dimensions[3].height = 30
            sheet.row_dimensions[4].hidden = False
            sheet.parent.create_sheet().row_dimensions[2].hidden = True

        assert len(read_table(save(tmp_path / "t.xlsx", self.ROWS, hide))) == 8
