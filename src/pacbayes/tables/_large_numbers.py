"""Columns of text files that hold whole numbers beyond 2^63: text as written, or doubles beside a fraction.

pandas gives such a column many types, by what else is in it and by the order of its rows; sometimes it gives up, and
leaves texts for missing values as they are. Where there may be such numbers, cells are therefore read as text, and what
the column is follows from all of its cells in one way, however many of them are read at a time.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pacbayes._core.types import FloatArray
from pacbayes.tables._blank_lines import readable
from pacbayes.tables._source import Source

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["as_large_numbers", "find_types", "may_be_large"]

_DIGITS = 19  # of 2^63
_MANY = re.compile(rf"[0-9]{{{_DIGITS}}}")
_WHOLE = re.compile(r"[ \t\n\v\f\r]*[+-]?[0-9]+")  # as pandas reads them, with blanks before but none after
_ROWS = 1 << 16  # at a time


def may_be_large(series: pd.Series) -> bool:
    """Return whether a column, as pandas infers its type, may hold whole numbers beyond 2^63."""
    kind = getattr(series.dtype, "kind", "O")
    if kind != "O":
        return bool(kind == "u")
    known = series.dropna()
    if not len(known) or isinstance(known.iloc[0], bool | np.bool_):
        return False
    if not isinstance(known.iloc[0], str):
        return True
    long = known[(known.str.len() >= _DIGITS).to_numpy(dtype=bool)]
    return any(map(_MANY.search, long.tolist()))


def find_types(source: Source, names: Sequence[Any], options: dict[str, Any]) -> dict[Any, type]:
    """Return the type of each of some columns: doubles if all cells are numbers and some not whole, otherwise text.

    Parameters
    ----------
    source : path or BytesIO
    names : sequence
        Of the columns, as pandas names them.
    options : dict
        For pandas, as :func:`pacbayes.tables._read_text.describe_text` makes them.
    """
    import pandas as pd  # noqa: PLC0415

    kinds: dict[Any, set[str]] = {name: set() for name in names}
    picked = {**options, "usecols": list(names), "dtype": str, "chunksize": _ROWS}
    with readable(source, options) as text, pd.read_csv(text, **picked) as parts:
        for part in parts:
            for name in names:
                kinds[name].add(_kind_of(part[name].dropna().unique().tolist(), options))
    return {name: float if found <= {"whole", "number"} and "number" in found else str for name, found in kinds.items()}


def _kind_of(cells: list[str], options: dict[str, Any]) -> str:
    """Return "whole", "number" or "text" for cells of which none is missing; what is not whole, pandas judges."""
    import pandas as pd  # noqa: PLC0415

    others = [cell for cell in cells if not _WHOLE.fullmatch(cell)]
    if not others:
        return "whole"
    text = io.StringIO()
    csv.writer(text, delimiter=options["sep"], quoting=csv.QUOTE_ALL).writerows([cell] for cell in others)
    text.seek(0)
    same = {name: options[name] for name in ("sep", "decimal", "float_precision") if name in options}
    column = pd.read_csv(text, header=None, keep_default_na=False, na_values=[], low_memory=False, **same)[0]
    return {"f": "number", "i": "whole"}.get(getattr(column.dtype, "kind", "O"), "text")


def as_large_numbers(known: pd.Series) -> FloatArray | None:
    """Return doubles for texts that are whole numbers, one of them of 19 digits or more; None for any others."""
    texts = known.tolist()
    if not all(isinstance(each, str) and _WHOLE.fullmatch(each) for each in texts):
        return None
    return np.array(texts, dtype=object).astype(np.float64) if any(map(_MANY.search, texts)) else None
