"""What the XML of an Excel file says and openpyxl does not: rows that are hidden, formulas, values out of date.

Loaded by its path in the process that reads the file, under its limits; it imports nothing of this package.
"""

from __future__ import annotations

from typing import IO
from xml.parsers import expat

__all__ = ["Marks", "find_marks", "is_out_of_date"]

_SPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_ROW, _CELL, _PROPERTIES = f"{_SPACE} row", f"{_SPACE} c", f"{_SPACE} calcPr"
_FORMULA, _CONTENTS = f"{_SPACE} f", frozenset(f"{_SPACE} {each}" for each in ("f", "v", "is"))
_TRUE, _FALSE = frozenset({"1", "true"}), frozenset({"0", "false"})


class Marks:
    """What is said of the rows of a sheet.

    Attributes
    ----------
    first, last : int
        The first and the last row that is not blank, 0 if all are; a row with an error, a formula or a text without
        characters is not blank.
    formulas : int
        How many cells have a formula.
    """

    def __init__(self) -> None:
        self.first = self.last = self.formulas = 0
        self._row, self._hidden = 0, list[int]()

    def count_hidden(self) -> int:
        """Return how many rows between the first and the last are hidden."""
        return sum(self.first <= row <= self.last for row in self._hidden)

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """Note the beginning of an element."""
        if name == _ROW:
            self._begin_row(attributes)
        elif name in _CONTENTS or (name == _CELL and attributes.get("t", "n") != "n"):
            self.first, self.last = self.first or self._row, self._row
            self.formulas += name == _FORMULA

    def _begin_row(self, attributes: dict[str, str]) -> None:
        row = int(float(attributes.get("r", self._row + 1)))
        if row <= self._row:  # openpyxl would leave it out
            raise ValueError(f"its row {row} comes after its row {self._row}")
        self._row = row
        if attributes.get("hidden") in _TRUE or float(attributes.get("ht", 1)) == 0:
            self._hidden.append(row)


def find_marks(part: IO[bytes]) -> Marks:
    """Return what the part of a sheet says of its rows."""
    marks = Marks()
    parser = _make_parser()
    parser.StartElementHandler = marks.begin
    parser.ParseFile(part)
    return marks


def is_out_of_date(part: IO[bytes]) -> bool:
    """Return whether the part of the workbook says that formulas are to be calculated anew, or were not to the end."""
    found: list[bool] = []

    def begin(name: str, attributes: dict[str, str]) -> None:
        if name == _PROPERTIES:
            found.append(attributes.get("fullCalcOnLoad") in _TRUE or attributes.get("calcCompleted") in _FALSE)

    parser = _make_parser()
    parser.StartElementHandler = begin
    parser.ParseFile(part)
    return any(found)


def _make_parser() -> expat.XMLParserType:
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartDoctypeDeclHandler = _refuse_doctype
    return parser


def _refuse_doctype(*_: object) -> None:
    raise ValueError("its XML declares a document type")
