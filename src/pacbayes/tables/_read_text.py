"""Tables as text: one line per row, columns separated by a character."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from pacbayes.tables._error import TableError, one_line
from pacbayes.tables._source import Description, Source, refuse_duplicates

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_text"]

_DELIMITERS = ",;\t|"
_PEEK = 1 << 16


def read_text(source: Source, description: Description) -> pd.DataFrame:
    """Read a table of text; the separator that the first line has most of, unless it is given."""
    import pandas as pd  # noqa: PLC0415

    first = _first_line(source)
    separator = description.delimiter or max(_DELIMITERS, key=first.count)
    names = next(csv.reader([first], delimiter=separator, skipinitialspace=True), [])
    header = description.header
    if header:
        refuse_duplicates([name.strip() for name in names])
    try:
        frame = pd.read_csv(
            source,
            sep=separator,
            header=0 if header else None,
            names=None if header else [f"c{i + 1}" for i in range(len(names))],
            na_values=list(description.missing_values),
            index_col=False,
            skipinitialspace=True,
            low_memory=False,
            **_exact_numbers(pd.__version__),
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError, csv.Error) as error:
        raise TableError(f"it is not a table of text separated by {separator!r} ({one_line(error)}).") from None
    except pd.errors.ParserWarning:
        raise TableError(f"its rows have more fields than its first line, separated by {separator!r}.") from None
    frame.columns = [str(name).strip() for name in frame.columns]
    return frame


def _exact_numbers(version: str) -> dict[str, str]:
    """Return what makes text and binary files give the same doubles; pandas 3 does so by itself."""
    return {"float_precision": "round_trip"} if int(version.partition(".")[0]) < 3 else {}


def _first_line(source: Source) -> str:
    """Return the first line of text, and leave the source at its start; refuse what is not text."""
    if isinstance(source, Path):
        with source.open("rb") as file:
            start = file.read(_PEEK)
    else:
        start = source.read(_PEEK)
        source.seek(0)
    if b"\0" in start:
        raise TableError("it is not text: it holds zero bytes.")
    try:
        text = start.decode("utf-8-sig", errors="strict" if len(start) < _PEEK else "ignore")
    except UnicodeDecodeError as error:
        raise TableError(f"it is not text in UTF-8; save it as UTF-8 first ({one_line(error)}).") from None
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise TableError("it has no text in it.")
    return lines[0]
