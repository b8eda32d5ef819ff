"""Tables as text: one line per row, columns separated by a character."""

from __future__ import annotations

import codecs
import csv
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pacbayes._core.labels import MISSING_WORDS
from pacbayes.tables._blank_lines import opened, readable
from pacbayes.tables._error import TableError, one_line
from pacbayes.tables._large_numbers import find_types, may_be_large
from pacbayes.tables._limits import check_cells, check_limit
from pacbayes.tables._quotes import refuse_stray_quotes
from pacbayes.tables._source import Description, Source, is_wide, refuse_duplicates

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["describe_text", "name_text_columns", "read_text", "refuse_other_text", "refuse_zeros_in"]

_BLANKS = range(65)  # that may follow a text for a missing value, as in files whose columns have fixed widths
_DELIMITERS = ",;\t|"
_PEEK, _CHUNK = 1 << 16, 1 << 22
_LONGEST = 1 << 26
_PART_ROWS = 1 << 17  # of a file with more, so many are parsed at once


def read_text(source: Source, description: Description, *, is_own: bool = False) -> pd.DataFrame:
    """Read a table of text; the separator that the first line has most of, unless it is given.

    Text of our own is not searched for stray quotation marks.
    """
    import pandas as pd  # noqa: PLC0415

    lines = refuse_zeros_in(source, description)
    separator, options, texts = describe_text(source, description, lines)
    with refuse_other_text(separator):
        frame = _read_parts(source, {"dtype": texts, **options}) if lines > _PART_ROWS else None
        if frame is None:
            with readable(source, options) as text:
                frame = pd.read_csv(text, dtype=texts, **options)
        if not is_own:
            refuse_stray_quotes(source, options, frame.shape, lines)
        _settle_large(frame, source, options, texts)
    frame.columns = [str(name).strip() for name in frame.columns]
    return frame


def _settle_large(frame: pd.DataFrame, source: Source, options: dict[str, Any], texts: dict[Any, type]) -> None:
    """Read columns again that may hold whole numbers beyond 2^63, for which pandas alone settles no one type."""
    import pandas as pd  # noqa: PLC0415

    names = [name for name in frame.columns if name not in texts and may_be_large(frame[name])]
    if not names:
        return
    types = find_types(source, names, options)
    with readable(source, options) as text:
        again = pd.read_csv(text, usecols=names, dtype=types, **options)
    for name in names:
        frame[name] = again.pop(name)


def _read_parts(source: Source, options: dict[str, Any]) -> pd.DataFrame | None:
    """Return many rows, of which few are text at a time; None if that gives a column other values than all at once."""
    import pandas as pd  # noqa: PLC0415

    with readable(source, options) as text, pd.read_csv(text, chunksize=_PART_ROWS, **options) as reader:
        parts = list(reader)
    types = [[_type_of(part[name]) for name in part.columns] for part in parts]
    if not parts or not all(map(_is_alike, zip(*types, strict=True))):
        return None
    names = list(parts[0].columns)  # each column is given up where it is joined
    joined = {name: pd.concat([part.pop(name) for part in parts], ignore_index=True) for name in names}
    return pd.DataFrame(joined, copy=False)


def _type_of(series: pd.Series) -> Any:
    """Return the type of a part of a column; of objects also whether they are texts, or truth values beside gaps."""
    from pandas.api.types import infer_dtype  # noqa: PLC0415

    if not (isinstance(series.dtype, np.dtype) and series.dtype.kind == "O"):
        return series.dtype
    found = infer_dtype(series, skipna=True)
    return "string" if found == "empty" else found  # since it is a column that is kept as text


def _is_alike(kinds: tuple[Any, ...]) -> bool:
    """Return whether parts of a column are of one type, or numbers that become doubles; texts make texts of numbers."""
    return len(set(kinds)) == 1 or all(kind in (np.float64, np.int64) for kind in kinds)


def describe_text(
    source: Source, description: Description, rows: int = 0
) -> tuple[str, dict[str, Any], dict[Any, type]]:
    """Return the separator, options for pandas, and columns to keep as text; refuse too many cells in so many rows."""
    import pandas as pd  # noqa: PLC0415

    first = _first_line(source, description.encoding)
    separator = description.delimiter or _find_separator(first, description.decimal)
    names = _split(first, separator)
    header = description.header
    missing = [each.strip() + " " * blanks for each in description.missing_values for blanks in _BLANKS]
    if header:
        refuse_duplicates([name.strip() for name in names])
    options = {
        "sep": separator,
        "header": 0 if header else None,
        "names": None if header else [f"c{i + 1}" for i in range(len(names))],
        "keep_default_na": False,
        "na_values": [*MISSING_WORDS, *missing],
        "index_col": False,
        "skipinitialspace": True,
        "skip_blank_lines": True,
        "low_memory": False,
        "decimal": description.decimal,
        "encoding": description.encoding or "utf-8",
        **_exact_numbers(pd.__version__),
    }
    with refuse_other_text(separator):
        # a header may go on over several lines; short rows of a wide table are few bytes and much memory
        with readable(source, options) as text:
            columns = list(pd.read_csv(text, nrows=0, **options).columns)
        check_cells(rows, len(columns), description.limit)
    options["skip_blank_lines"] = len(columns) > 1
    return separator, options, {each: str for each in columns if str(each).strip() in description.texts}


def name_text_columns(path: Path, description: Description) -> list[str]:
    """Return the names of the columns of a file of text, by its first line alone."""
    import pandas as pd  # noqa: PLC0415

    try:
        separator, options, _ = describe_text(path, description)
        with refuse_other_text(separator), readable(path, options) as text:
            return [str(name).strip() for name in pd.read_csv(text, nrows=0, **options).columns]
    except TableError as error:
        raise TableError(f"{path.name}: {error}") from None


def _find_separator(line: str, decimal: str) -> str:
    """Return the separator that a line has most of; a comma that is in numbers is none."""
    return max((each for each in _DELIMITERS if each != decimal), key=line.count)


@contextmanager
def refuse_other_text(separator: str) -> Iterator[None]:
    """Turn what pandas raises on what is no table into one sentence."""
    import pandas as pd  # noqa: PLC0415

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # fields would be left out
            yield
    except TableError:
        raise
    except UnicodeDecodeError as error:
        raise _refuse_encoding(error) from None
    except pd.errors.ParserWarning:
        raise TableError(f"its rows have more fields than its first line, separated by {separator!r}.") from None
    except (ValueError, TypeError, OverflowError, IndexError, csv.Error) as error:
        raise TableError(f"it is not a table of text separated by {separator!r} ({one_line(error)}).") from None


def _split(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    except (csv.Error, TypeError) as error:
        raise TableError(f"its first line cannot be split at {separator!r} ({one_line(error)}).") from None


def refuse_zeros_in(source: Source, description: Description) -> int:
    """Refuse a file with bytes of no text, or more than the limit; return how many lines it has.

    In encodings other than ASCII and those that contain it, it may be another number.
    """
    lines, size, last = 0, 0, b""
    with opened(source) as file:
        while chunk := file.read(_CHUNK):
            size += len(chunk)
            check_limit(size, description.limit)
            _refuse_zeros(chunk, description.encoding)
            lines += chunk.count(b"\n") + chunk.count(b"\r") - chunk.count(b"\r\n")
            lines -= last == b"\r" and chunk.startswith(b"\n")
            last = chunk[-1:]
    return lines + (last not in b"\r\n")


def _exact_numbers(version: str) -> dict[str, str]:
    """Return what makes text and binary files give the same doubles; pandas 3 does so by itself."""
    return {"float_precision": "round_trip"} if int(version.partition(".")[0]) < 3 else {}


def _refuse_zeros(part: bytes, encoding: str | None) -> None:
    if b"\0" in part and not is_wide(encoding):
        wide = part.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        hint = " It begins like text in UTF-16: pass --encoding utf-16, or save it as UTF-8." if wide else ""
        raise TableError(f"it is not text: it holds zero bytes.{hint}")


def _refuse_encoding(error: UnicodeDecodeError) -> TableError:
    if error.encoding.replace("-", "").lower() not in {"utf8", "utf8sig"}:
        return TableError(f"it is not text in {error.encoding}, which --encoding says it is ({one_line(error)}).")
    return TableError(
        f"it is not text in UTF-8 ({one_line(error)}). Pass its encoding, such as --encoding latin-1, or save it as "
        "UTF-8."
    )


def _first_line(source: Source, encoding: str | None) -> str:
    """Return the first line of text, and leave the source at its start; refuse what is not text."""
    with opened(source) as file:
        start = file.read(_PEEK)
        if len(start) == _PEEK:
            start += file.readline(_LONGEST)  # the whole of a long first line
    _refuse_zeros(start, encoding)
    try:
        text = start.decode(encoding or "utf-8-sig", errors="strict" if len(start) < _PEEK else "ignore")
    except UnicodeDecodeError as error:
        raise _refuse_encoding(error) from None
    lines = [line for line in re.split(r"[\r\n]+", text) if line.strip()]
    if not lines:
        raise TableError("it has no text in it.")
    return lines[0]
