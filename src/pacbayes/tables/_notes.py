"""What a user should know about a table before trusting what was made of it; nothing here changes any number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pacbayes._core.notes import Note
from pacbayes._core.types import Labels

if TYPE_CHECKING:
    import pandas as pd

    from pacbayes.tables._columns import Column

__all__ = ["find_notes"]

_MOSTLY = 0.8  # of the texts of a column, for it to look like numbers
_FEW = 50  # different values up to which a column may name the classes
_MOST = 8


def find_notes(
    frame: pd.DataFrame, columns: tuple[Column, ...], y: Labels, classes: tuple[str, ...]
) -> tuple[Note, ...]:
    """Return notes on columns that look like something else, and on labels that differ in blanks alone."""
    notes = []
    for column in columns:
        series = frame[column.name]
        if column.kind == "category":
            notes += _find_numbers(column, series) or _find_identifier(column, len(series))
        notes += _find_leak(column, series, y, len(classes))
    if len({label.strip().lower() for label in classes}) < len(classes):
        notes.append(Note("classes_differ_in_blanks", {"classes": classes[:_MOST]}))
    more = len(notes) - _MOST
    return tuple(notes[:_MOST]) + ((Note("more_notes", {"count": more}),) if more > 0 else ())


def _find_numbers(column: Column, series: pd.Series) -> list[Note]:
    import pandas as pd  # noqa: PLC0415

    texts = series.dropna().astype(str).str.strip()
    odd = texts[pd.to_numeric(texts, errors="coerce").isna()]
    if odd.empty:
        return []
    commas = pd.to_numeric(odd.str.replace(",", ".", regex=False), errors="coerce").notna()
    if commas.mean() >= _MOSTLY:
        return [Note("has_decimal_commas", {"column": column.name})]
    if len(odd) > (1.0 - _MOSTLY) * len(texts):
        return []
    return [Note("looks_like_numbers", {"column": column.name, "count": len(odd), "example": str(odd.iloc[0])})]


def _find_identifier(column: Column, rows: int) -> list[Note]:
    if column.distinct < rows - column.missing or column.distinct < 2:
        return []
    return [Note("names_each_row", {"column": column.name})]


def _find_leak(column: Column, series: pd.Series, y: Labels, classes: int) -> list[Note]:
    if not classes <= column.distinct <= _FEW or column.missing:
        return []
    pairs = len(set(zip(np.asarray(series).tolist(), np.asarray(y).tolist(), strict=True)))
    return [Note("gives_target_away", {"column": column.name})] if pairs == column.distinct else []
