"""The first line of rows of CSV: a header, a row, or one of which nothing here can tell which it is."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

__all__ = ["WORDS", "Header", "header_pattern", "judge_first_line", "refuse_unclear_header"]

Header = Literal["row", "header", "skipped", "unclear"]
_AHEAD = 65_536  # bytes of a file that are looked at to tell a header by the rows after it
_FEWEST = 10  # rows after the first line from which on words that do not come again are suspect
WORDS = {
    "skipped": "line 1 {line!r:.60} is taken for a header and not counted; --no-header counts it.",
    "unclear": "line 1 {line!r:.60} counts as a row that is wrong; if it is a header, pass --header.",
}


def judge_first_line(content: bytes, columns: Sequence[str], *, header: bool | None) -> Header:
    """Return what a first line is: whatever could be a row is one, unless the user said that it is not.

    Examples
    --------
    >>> from pacbayes.cli._watch_header import judge_first_line
    >>> lines = [b"Label,Prediction", b"truth,answer", b"yes,yes"]
    >>> [judge_first_line(line, ["label", "prediction"], header=None) for line in lines]
    ['header', 'unclear', 'row']
    """
    if header is not None:
        return "header" if header else "row"
    cells = _cells(content)
    if len(cells) != len(columns):
        return "row"
    if [cell.lower() for cell in cells] == [name.lower() for name in columns]:
        return "header"
    given = dict(zip(columns, cells, strict=True))
    if "label" in given:
        words = (given["label"], given["prediction"])
        return "unclear" if words[0] != words[1] and not any(map(_is_number, words)) and all(words) else "row"
    return "skipped" if given["loss"] and not _is_number(given["loss"]) else "row"


def header_pattern(columns: Sequence[str]) -> re.Pattern[bytes]:
    r"""Return an expression for lines that say the names of the columns, in quotes or without.

    Examples
    --------
    >>> from pacbayes.cli._watch_header import header_pattern
    >>> header_pattern(["label", "prediction"]).findall(b'label,"prediction"\r\nyes,no\n')
    [b'label,"prediction"\r\n']
    """
    quoted = [f'"{re.escape(name.replace(chr(34), 2 * chr(34)))}"' for name in columns]
    names = [f"(?:{re.escape(name)}|{each})" for name, each in zip(columns, quoted, strict=True)]
    return re.compile(rf"^{','.join(names)}\r*\n".encode(), re.MULTILINE)


def refuse_unclear_header(source: Path, columns: Sequence[str]) -> None:
    """Refuse a file whose first line is wrong as a row, in words that no row after it has.

    A header that is counted as a row is an error too many, and a row that is taken for a header one too few.
    """
    with source.open("rb") as file:
        first, *lines = file.read(_AHEAD).removeprefix(b"\xef\xbb\xbf").split(b"\n")[:-1] or [b""]
    if judge_first_line(first, columns, header=None) != "unclear":
        return
    places = [list(columns).index(name) for name in ("label", "prediction")]
    rows = [cells for cells in map(_cells, lines) if len(cells) == len(columns)]
    names = {_cells(first)[place] for place in places}
    if len(rows) >= _FEWEST and not any(cells[place] in names for cells in rows for place in places):
        line = first.decode("utf-8", "backslashreplace").strip()
        raise ValueError(
            f"Line 1 {line!r:.60} must be known to be a header or a row: its label and prediction differ, and come "
            "nowhere in the next rows. Pass --header if it is a header, or --no-header if it is a row."
        )


def _cells(line: bytes) -> list[str]:
    try:
        (cells,) = csv.reader([line.decode("utf-8").rstrip("\r\n")], strict=True)
    except (ValueError, csv.Error):
        return []
    return [cell.strip() for cell in cells]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
