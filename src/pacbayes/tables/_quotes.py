"""Cells of text files that go on over several lines: proper ones are read, stray quotation marks are refused.

A quotation mark that begins a cell makes pandas read on to the next mark, over the ends of lines, and take whatever
comes after that one for more of the same cell. Between two stray marks, all rows would be left out.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from pacbayes.tables._blank_lines import decoded
from pacbayes.tables._error import TableError
from pacbayes.tables._source import Source

__all__ = ["refuse_stray_quotes"]

_BLOCK = 1 << 22  # characters
_BLANKS = " \t"
_WAY_OUT = "Double the quotation marks that belong to a text, or store the table as Parquet."


def refuse_stray_quotes(source: Source, options: dict[str, Any], shape: tuple[int, int], lines: int) -> None:
    r"""Refuse a table of text where cells that go on over several lines leave in doubt what its rows are.

    Such is a row of several lines in which more than blanks comes between the end of a quoted cell and the next
    separator or end of a line, or of which each line that is not blank, split at all separators, has as many cells as
    the table has columns. Where there are as many rows as lines, the text is not looked at.

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
    rows = _Rows(options["sep"], shape[1])
    with decoded(source, options["encoding"]) as text:
        for block in _read_blocks(text, is_trimmed=has_header and not options["skip_blank_lines"]):
            rows.add(block)


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


class _Rows:
    """The rows that lines of text belong to, as pandas divides them.

    A line ends inside a cell only if no other mark closes one that begins a cell. A single search tells that no line
    among many does, so that a table without such lines takes little longer to read.
    """

    def __init__(self, separator: str, width: int) -> None:
        self._separator, self._width = separator, width
        each, inside = re.escape(separator), r'(?:[^"]++|"")*+'
        # what comes before the mark stands after it, since the search for a single character is fast
        self._may_go_on = re.compile(rf'"(?<![^{each} \r\n]")(?:[^"\r\n]++|"")*+(?:[\r\n]|\Z)')
        quoted, plain = rf'"{inside}(?:(?P<goes_on>\Z)|"(?P<rest>[^{each}\r\n]*+))', rf"[^{each}\r\n]*+"
        self._cell = re.compile(rf" *+(?:{quoted}|{plain})(?:{each}|[\r\n]++|\Z)")
        self._number = 0
        self._first = 0  # line of a row that goes on
        self._are_alike = True

    def add(self, block: str) -> None:
        """Go on with whole lines."""
        if not self._first and not self._may_go_on.search(block):
            self._number += block.count("\n") + block.count("\r") - block.count("\r\n")
            return
        for line in io.StringIO(block, newline=""):
            self._number += 1
            if self._first or self._may_go_on.search(line):
                self._add_line(line)

    def _add_line(self, line: str) -> None:
        """Go on with a line that may begin or end inside a cell; a cell that goes on is one that begins with a mark."""
        cells = list(self._cell.finditer('"' + line if self._first else line))
        goes_on = any(cell["goes_on"] is not None for cell in cells)
        if not self._first:
            if not goes_on:
                return
            self._first, self._are_alike = self._number, True
        for rest in (cell["rest"] for cell in cells):
            if rest and rest.strip(_BLANKS):
                raise self._refuse_rest(rest)
        self._are_alike &= not line.strip(_BLANKS + "\r\n") or line.count(self._separator) == self._width - 1
        if not goes_on:
            self._end_row()

    def _end_row(self) -> None:
        if self._are_alike and self._width > 1:
            raise TableError(
                "a cell that goes on over several lines must not look like rows. The row from line "
                f"{self._first} to line {self._number} does: each of its lines has {self._width} cells, as many as "
                f"there are columns. {_WAY_OUT}"
            )
        self._first = 0

    def _refuse_rest(self, rest: str) -> TableError:
        return TableError(
            "in a row of several lines, the quotation mark that ends a cell must be followed by "
            f"{self._separator!r} or the end of a line. Line {self._number} has {rest!r:.40} after it, in the row that "
            f"begins in line {self._first}. {_WAY_OUT}"
        )
