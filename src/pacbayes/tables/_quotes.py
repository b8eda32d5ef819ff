"""Cells of text files that go on over several lines: proper ones are read, stray quotation marks are refused.

A quotation mark that begins a cell makes pandas read on to the next mark, over the ends of lines, and take whatever
comes after that one for more of the same cell. Between two stray marks, all rows would be left out.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from pacbayes.tables._blank_lines import decoded
from pacbayes.tables._error import TableError
from pacbayes.tables._source import Source

__all__ = ["refuse_stray_quotes"]

_BLOCK = 1 << 22  # characters
_SAMPLE = 2000  # rows that tell what rows look like
_KEPT = 500  # lines of a row, besides the last, that tell whether it is one
_MOSTLY, _OFTEN, _FEW = 0.9, 3, 50  # of the cells of a column of numbers; rows of each of a few values
_BLANKS = " \t"
_WAY_OUT = "Double the quotation marks that belong to a text, or store the table as Parquet or Excel."


def refuse_stray_quotes(source: Source, options: dict[str, Any], shape: tuple[int, int], lines: int) -> None:
    r"""Refuse a table of text where cells that go on over several lines leave in doubt what its rows are.

    Such is a row of several lines in which more than blanks comes between the end of a quoted cell and the next
    separator or end of a line, or whose lines look like rows of the table by their numbers and frequent values: all of
    them, or most of those between the first and the last. Where no column tells, lines look like rows if they have as
    many cells as there are columns. Where there are as many rows as lines, the text is not looked at.

    Parameters
    ----------
    source : path or BytesIO
    options : dict
        For pandas, as :func:`pacbayes.tables._read_text.describe_text` makes them.
    shape : tuple of int
        How many rows and columns pandas reads.
    lines : int
        As :func:`pacbayes.tables._read_text.refuse_zeros_in` counts them.

    Raises
    ------
    TableError
        With the lines, counted from 1.

    Examples
    --------
    >>> from io import BytesIO
    >>> from pacbayes.tables._quotes import refuse_stray_quotes
    >>> options = {"sep": ",", "encoding": "utf-8", "header": 0, "skip_blank_lines": True}
    >>> refuse_stray_quotes(BytesIO(b'size,note\n5",pipe\n7,"two\nlines"\n'), options, (2, 2), 4)
    >>> try:
    ...     refuse_stray_quotes(BytesIO(b'size,note\n5,"pipe\n7,two\nlines"!\n'), options, (1, 2), 4)
    ... except ValueError as error:
    ...     print(str(error).split(". ")[1])
    Line 4 has '!' after it, in the row that begins in line 2
    """
    has_header = options["header"] is not None
    if shape[0] + has_header == lines and _is_counted(options["encoding"]):
        return
    is_trimmed = has_header and not options["skip_blank_lines"]
    with decoded(source, options["encoding"]) as text:
        rows = _Rows(options["sep"], of_one_line=True)
        sample = list(islice((row for block in _read_blocks(text, is_trimmed) for row in rows.add(block)), _SAMPLE))
    looks = _Looks(["".join(row.lines) for row in sample[has_header:]], shape[1], options)
    with decoded(source, options["encoding"]) as text:
        rows = _Rows(options["sep"])
        for block in _read_blocks(text, is_trimmed):
            for row in rows.add(block):
                _refuse_row(row, looks, options["sep"])


def _is_counted(encoding: str) -> bool:
    """Return whether bytes of line ends are line ends, and all of them."""
    plain = bytes(range(128))
    try:
        return plain.decode(encoding) == plain.decode("ascii")
    except UnicodeError:
        return False


def _read_blocks(text: io.TextIOWrapper, is_trimmed: bool) -> Iterator[str]:
    """Yield some lines at a time, beginning where pandas begins: a single column has its blanks trimmed before that."""
    start = text.read(_BLOCK).removeprefix("\ufeff") + text.readline()
    if is_trimmed:
        rest = start.lstrip(_BLANKS + "\r\n")
        start = start[: len(start) - len(rest)].replace("\t", " ") + rest  # as blanks that no reader keeps
    yield start
    while block := text.read(_BLOCK) + text.readline():
        yield block


class _Row(NamedTuple):
    """A row of a text file: its first and last line, its lines or the first of very many and the last, and what is odd.

    That is, for one of several lines, a line and what is in it between the end of a quoted cell and the next separator.
    """

    first: int
    last: int
    lines: list[str]
    odd: tuple[int, str] | None = None


def _refuse_row(row: _Row, looks: _Looks, separator: str) -> None:
    if row.odd is not None:
        raise TableError(
            "in a row of several lines, the quotation mark that ends a cell must be followed by "
            f"{separator!r} or the end of a line. Line {row.odd[0]} has {row.odd[1]!r:.40} after it, in the row that "
            f"begins in line {row.first}. {_WAY_OUT}"
        )
    fitting = [looks.fits(line) for line in row.lines if line.strip(_BLANKS + "\r\n")]
    between = fitting[1:-1]
    if all(fitting) or (looks.tells and 2 * sum(between) > len(between)):
        raise TableError(
            f"a cell that goes on over several lines must not look like rows. Of the lines {row.first} to {row.last}, "
            f"which are one row, {sum(fitting)} look like rows. {_WAY_OUT}"
        )


class _Column(NamedTuple):
    """What is known of the cells of a column: numbers and a few other values, or a few values alone."""

    has_numbers: bool
    values: frozenset[str]


class _Looks:
    """What rows of a table look like, by some of them: which columns hold numbers, or few values, and no line ends."""

    def __init__(self, lines: list[str], width: int, options: dict[str, Any]) -> None:
        self._separator, self._width = options["sep"], width
        self._decimal = str(options.get("decimal") or ".")
        columns: list[list[str]] = [[] for _ in range(width)]
        for line in lines:
            for column, cell in zip(columns, self._split(line), strict=False):
                column.append(cell)
        found = ((place, self._describe(column)) for place, column in enumerate(columns))
        self._known = {place: column for place, column in found if column is not None}
        self.tells = bool(self._known)

    def fits(self, line: str) -> bool:
        """Return whether a line of a row of several lines looks like a row; the cells with the marks may be any."""
        cells = [cell.strip() for cell in line.split(self._separator)]
        if not self._known:
            return len(cells) == self._width > 1
        told = [(cells[place], known) for place, known in self._known.items() if place < len(cells)]
        told = [(cell, known) for cell, known in told if not (cell.startswith('"') or cell.endswith('"'))]
        fitting = (cell in known.values or (known.has_numbers and self._parses(cell)) for cell, known in told)
        return bool(told) and len(cells) > 1 and all(fitting)

    def _split(self, line: str) -> list[str]:
        try:
            lines = io.StringIO(line.rstrip("\r\n"), newline="")
            return next(csv.reader(lines, delimiter=self._separator, skipinitialspace=True), [])
        except csv.Error:  # a very long cell
            return []

    def _describe(self, column: list[str]) -> _Column | None:
        """Return what a column holds; None if that may be anything."""
        if any("\n" in cell or "\r" in cell for cell in column):
            return None
        column = [cell.strip() for cell in column]
        others = frozenset(cell for cell in column if not self._parses(cell))
        present = sum(cell != "" for cell in column)
        if present and sum(cell in others for cell in column) <= (1.0 - _MOSTLY) * present:
            return _Column(has_numbers=True, values=others | {""})
        values = frozenset(column)
        few = 0 < _OFTEN * len(values) <= len(column) and len(values) <= _FEW
        return _Column(has_numbers=False, values=values | {""}) if few else None

    def _parses(self, cell: str) -> bool:
        try:
            float(cell.replace(self._decimal, "."))
        except ValueError:
            return cell == ""
        return True


class _Rows:
    """The rows that lines of text belong to, as pandas divides them.

    A line ends inside a cell only if no other mark closes one that begins a cell. A single search tells that no line
    among many does, so that a table without such lines takes little longer to read.
    """

    def __init__(self, separator: str, *, of_one_line: bool = False) -> None:
        self._of_one_line = of_one_line
        each, inside = re.escape(separator), r'(?:[^"]++|"")*+'
        # what comes before the mark stands after it, since the search for a single character is fast
        self._may_go_on = re.compile(rf'"(?<![^{each} \r\n]")(?:[^"\r\n]++|"")*+(?:[\r\n]|\Z)')
        quoted, plain = rf'"{inside}(?:(?P<goes_on>\Z)|"(?P<rest>[^{each}\r\n]*+))', rf"[^{each}\r\n]*+"
        self._cell = re.compile(rf" *+(?:{quoted}|{plain})(?:{each}|[\r\n]++|\Z)")
        self._number = 0
        self._row: _Row | None = None  # that goes on

    def add(self, block: str) -> Iterator[_Row]:
        """Go on with whole lines, and yield rows that end: of several lines, or also of one."""
        if self._row is None and not self._of_one_line and not self._may_go_on.search(block):
            self._number += block.count("\n") + block.count("\r") - block.count("\r\n")
            return
        for line in io.StringIO(block, newline=""):
            self._number += 1
            if self._row is not None or self._may_go_on.search(line):
                yield from self._add_line(line)
            elif self._of_one_line and line.strip(_BLANKS + "\r\n"):
                yield _Row(self._number, self._number, [line])

    def _add_line(self, line: str) -> Iterator[_Row]:
        """Go on with a line that may begin or end inside a cell; a cell that goes on is one that begins with a mark."""
        cells = list(self._cell.finditer(line if self._row is None else '"' + line))
        goes_on = any(cell["goes_on"] is not None for cell in cells)
        before = self._row or _Row(self._number, self._number, [])
        odd = next((cell["rest"] for cell in cells if cell["rest"] and cell["rest"].strip(_BLANKS)), None)
        found = before.odd or (None if odd is None else (self._number, odd))
        row = _Row(before.first, self._number, [*before.lines[:_KEPT], line], found)
        self._row = row if goes_on else None
        if not goes_on and (len(row.lines) > 1 or self._of_one_line):
            yield row
