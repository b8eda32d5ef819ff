"""What a user should know about a table before trusting what was made of it; nothing here changes any number.

These notes are made before any row is learned from: those on columns from the first 100,000 rows, those on classes from
all. They are statements about the table: about the form of its columns, the order of its rows and how many of a class
there are. None of them says how a column goes with the target, so that whoever follows one, and leaves a column out,
has chosen nothing by the labels of judged rows; notes that do are in ``_leaks.py``, and see learning rows alone. A
refusal because of a note (``--strict``) only takes certificates away, so that those that are issued are wrong no more
often than before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.alike import is_alike, note_alike
from pacbayes._core.notes import Note
from pacbayes.tables._columns import holds_numbers
from pacbayes.tables._times import parse_dates

if TYPE_CHECKING:
    import pandas as pd

    from pacbayes.tables._columns import Column

__all__ = ["FEW_OF_A_CLASS", "find_class_notes", "find_notes", "find_owners", "shorten"]

_MOSTLY = 0.8  # of the texts of a column, for it to look like numbers
_THOUSANDS = r"[+-]?\d{1,3}(?:[.,'\s]\d{3})+(?:[.,]\d+)?"
_SIGNED = r"[+-]?[$€£¥]\s?[+-]?\d[\d.,]*|[+-]?\d[\d.,]*\s?[%‰$€£¥]"  # 1.23 % or $12.50
_MOST = 8
_SORTED = 20  # different values from which on a sorted column is no accident
_MANY = 100  # rows from which on whole numbers that all differ look like an identifier
_OWNERS, _OWNED = 20, (2.0, 20.0)  # different values, and rows of each, that look like several rows of one patient
_NAMED = frozenset(
    {"patient", "customer", "client", "user", "subject", "person", "account", "member", "household", "participant"}
    | {"respondent", "student", "employee", "device", "machine", "vehicle"}
)
_NUMBERED = frozenset({"id", "ids", "no", "nr", "num", "number", "key", "code"})
_COUNTED = frozenset({"n", "num", "number", "total", "count"})
_WORD = re.compile(r"[A-Z]+s?(?![a-z])|[A-Z]?[a-z]+")
_HARDLY, _FEW = 0.001, 5  # share and number of rows below which other values than the most common one hardly occur
FEW_OF_A_CLASS = 20


def find_notes(
    frame: pd.DataFrame, columns: tuple[Column, ...], empty: Sequence[str], *, by_time: bool
) -> tuple[Note, ...]:
    """Return notes on columns that look like something else than they are taken for, and on the order of the rows.

    Parameters
    ----------
    frame : pandas.DataFrame
        The first rows in the order of the file, or by time; of a table that is not too long, all.
    columns : tuple of Column
        Those that are predicted from.
    empty : sequence of str
        Columns that were left out because nothing in them is known.
    by_time : bool
        Whether the rows were sorted by time here; their order is then no news.
    """
    notes = []
    points = any(column.kind != "category" and _has_fractions(frame[column.name]) for column in columns)
    for column in columns:
        series = frame[column.name]
        if column.kind == "category":
            found = _find_numbers(column, series, points=points) or _find_dates(column, series)
            notes += found or _find_identifier(column, series) or _find_owners(column.name, series)
        else:
            found = _find_counter(column, series) or _find_sorting(column, series.dropna().to_numpy())
            notes += found or _find_numbered(column.name, series)
    if by_time:
        notes = [note for note in notes if note.code != "sorted_by_column"]
    hardly = [column.name for column in columns if _hardly_varies(frame[column.name])]
    first = [Note("empty_columns", shorten("columns", empty))] if empty else []
    last = [Note("hardly_varies", shorten("columns", hardly))] if hardly else []
    more = len(notes) - _MOST
    return (*first, *notes[:_MOST], *([Note("more_notes", {"count": more})] if more > 0 else []), *last)


def find_owners(frame: pd.DataFrame, names: Sequence[str]) -> tuple[Note, ...]:
    """Return notes on columns that name whom a few rows belong to, by texts or by numbers."""
    noted: list[Note] = []
    for name in names:
        if holds_numbers(frame[name]):
            noted += _find_numbered(name, frame[name])
        elif frame[name].dtype.kind not in "bMm":
            noted += _find_owners(name, frame[name].dropna().astype(str))
    return tuple(noted[:_MOST])


def shorten(name: str, texts: Sequence[str]) -> dict[str, tuple[str, ...] | int]:
    """Return some texts under a name, and how many there are."""
    return {name: tuple(texts[:_MOST]), "count": len(texts)}


def find_spellings(classes: Sequence[str], positive: str | None = None) -> tuple[Note, ...]:
    """Return the note on classes that may be one class: any, or those like one that is to be positive."""
    if positive is not None and len(classes) <= 2:  # none is merged, and the note on all classes says it
        return ()
    return note_alike(each for each in classes if positive is None or is_alike(each, positive))


def find_class_notes(classes: Sequence[str], counts: Sequence[int]) -> tuple[Note, ...]:
    """Return notes on classes that may be one class, or have few rows."""
    notes = list(find_spellings(classes))
    rare = [label for label, count in zip(classes, counts, strict=True) if count < FEW_OF_A_CLASS]
    if rare:
        notes.append(Note("rare_classes", {**shorten("classes", rare), "least": FEW_OF_A_CLASS}))
    return tuple(notes)


def _has_fractions(series: pd.Series) -> bool:
    """Return whether a column of numbers has decimals, which are written alike in all columns of a table."""
    values = series.dropna().to_numpy(dtype=np.float64)
    return bool(np.any(values != np.round(values)))


def _find_numbers(column: Column, series: pd.Series, *, points: bool = False) -> list[Note]:
    """Find numbers that are written as no number is read; with ``points``, other columns have decimals that are."""
    import pandas as pd  # noqa: PLC0415

    counts = Counter(map(str.strip, series.dropna().astype(str).tolist()))  # each text is looked at once
    texts = pd.Series(list(counts), dtype=object)
    odd = texts[pd.to_numeric(texts, errors="coerce").isna()]
    pointed = texts.drop(odd.index)
    pointed = pointed[pointed.str.contains(".", regex=False)]  # with --decimal , these are no numbers
    groups = not pointed.empty and bool(pointed.str.fullmatch(_THOUSANDS).all())
    if odd.empty:
        return [] if pointed.empty else [_note_points(column, str(pointed.iloc[0]), groups=groups)]
    rows = odd.map(counts)
    commas = pd.to_numeric(odd.str.replace(",", ".", regex=False), errors="coerce").notna()
    thousands = odd.str.fullmatch(_THOUSANDS)
    # 12,345 may be either: it is taken for a fraction, unless decimals have points and all are like this
    grouped = thousands & (~commas | (points and bool(thousands[commas].all())))
    if grouped.any() and rows[grouped | commas].sum() / rows.sum() >= _MOSTLY:
        return [Note("has_thousands_separators", {"column": column.name, "example": str(odd[grouped].iloc[0])})]
    if rows[commas].sum() / rows.sum() >= _MOSTLY:
        if groups:
            return [_note_points(column, str(pointed.iloc[0]), groups=True)]
        return [Note("has_decimal_commas", {"column": column.name})]
    return _find_others(column, odd, rows, counts.total())


def _find_others(column: Column, odd: pd.Series, rows: pd.Series, total: int) -> list[Note]:
    """Find numbers with signs of units, and numbers among which there are a few texts."""
    signed = odd.str.fullmatch(_SIGNED)
    if rows[signed].sum() / rows.sum() >= _MOSTLY:
        return [Note("has_signs", {"column": column.name, "example": str(odd[signed].iloc[0])})]
    if rows.sum() > (1.0 - _MOSTLY) * total:
        return []
    return [Note("looks_like_numbers", {"column": column.name, "count": int(rows.sum()), "example": str(odd.iloc[0])})]


def _note_points(column: Column, example: str, *, groups: bool) -> Note:
    """Return the note on points in numbers, before each three digits or elsewhere, in a column that is text."""
    facts = {"column": column.name, "example": example}
    return Note("has_thousands_separators", facts) if groups else Note("has_decimal_points", facts)


def _find_dates(column: Column, series: pd.Series) -> list[Note]:
    dates = parse_dates(series)
    return [] if dates is None else [Note("holds_dates", {"column": column.name}), *_find_sorting(column, dates)]


def _find_identifier(column: Column, series: pd.Series) -> list[Note]:
    if column.distinct < int(series.notna().sum()) or column.distinct < 2:
        return []
    return [Note("names_each_row", {"column": column.name})]


def _find_owners(name: str, series: pd.Series) -> list[Note]:
    """Find texts that name whom a few rows belong to; such rows are alike, and not independent."""
    values = int(series.nunique())
    each = int(series.notna().sum()) / max(values, 1)
    if values < _OWNERS or not _OWNED[0] <= each <= _OWNED[1]:
        return []
    return [Note("rows_may_belong_together", {"column": name, "values": values, "rows": round(each)})]


def _find_numbered(name: str, series: pd.Series) -> list[Note]:
    """Find whole numbers that name whom a few rows belong to, as the name of their column says."""
    values = series.dropna().to_numpy(dtype=np.float64)
    return _find_owners(name, series) if _names_owners(name) and np.array_equal(values, np.round(values)) else []


def _names_owners(name: str) -> bool:
    """Return whether a column is called as numbers of patients are: patient, patient_no, customerID, userid, id."""
    words = [word.lower() for word in _WORD.findall(name)]
    if not words:
        return False
    last, owners = words[-1], {word.removesuffix("s") for word in words}
    joined = last.endswith("id") and last[:-2] in _NAMED
    named = last in _NAMED and _COUNTED.isdisjoint(words[:-1])
    return joined or named or last in {"id", "ids"} or (last in _NUMBERED and not owners.isdisjoint(_NAMED))


def _find_counter(column: Column, series: pd.Series) -> list[Note]:
    """Find whole numbers that rise from row to row, or that are all different."""
    values = series.dropna().to_numpy(dtype=np.float64)
    if column.distinct < max(values.size, 2) or not np.array_equal(values, np.round(values)):
        return []
    ordered = series.astype(np.float64) if series.dtype == np.float16 else series  # of which pandas has no index
    if ordered.is_monotonic_increasing or ordered.is_monotonic_decreasing:
        return [Note("counts_rows", {"column": column.name})]
    span = float(values.max() - values.min()) + 1.0
    # drawn from so narrow a span, some would be the same
    dense = values.size * (values.size - 1) > 10.0 * span
    return [Note("numbers_each_row", {"column": column.name})] if values.size >= _MANY or dense else []


def _find_sorting(column: Column, values: NDArray[Any]) -> list[Note]:
    if column.distinct < _SORTED:
        return []
    rises, falls = np.all(values[1:] >= values[:-1]), np.all(values[1:] <= values[:-1])
    return [Note("sorted_by_column", {"column": column.name})] if rises or falls else []


def _hardly_varies(series: pd.Series) -> bool:
    """Return whether almost all rows have the same value."""
    others = len(series) - int(series.value_counts(dropna=False).iloc[0])
    return others < max(_FEW, _HARDLY * len(series))
