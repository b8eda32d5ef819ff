"""What a user should know about a table before trusting what was made of it; nothing here changes any number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from pacbayes.tables._columns import Column

__all__ = ["noticed"]

_MOSTLY = 0.8  # of the texts of a column, for it to look like numbers
_FEW = 50  # different values up to which a column may name the classes
_MOST = 8


def noticed(frame: pd.DataFrame, columns: tuple[Column, ...], y: Any, classes: tuple[str, ...]) -> tuple[str, ...]:
    """Return notes on columns that look like something else, and on labels that differ in blanks alone."""
    notes = []
    for column in columns:
        series = frame[column.name]
        if column.kind == "category":
            notes += _looks_like_numbers(column, series) or _names_each_row(column, len(series))
        notes += _gives_the_target_away(column, series, y, len(classes))
    if len({label.strip().lower() for label in classes}) < len(classes):
        notes.append(f"Some classes differ in blanks or capitals alone: {', '.join(map(repr, classes[:_MOST]))}.")
    more = len(notes) - _MOST
    return tuple(notes[:_MOST]) + ((f"There are {more} more notes of this kind.",) if more > 0 else ())


def _looks_like_numbers(column: Column, series: Any) -> list[str]:
    import pandas as pd  # noqa: PLC0415

    texts = series.dropna().astype(str).str.strip()
    odd = texts[pd.to_numeric(texts, errors="coerce").isna()]
    if odd.empty:
        return []
    commas = pd.to_numeric(odd.str.replace(",", ".", regex=False), errors="coerce").notna()
    if commas.mean() >= _MOSTLY:
        return [f"The column {column.name!r} looks like numbers with a decimal comma, and is taken as a category."]
    if len(odd) > (1.0 - _MOSTLY) * len(texts):
        return []
    note = (
        f"The column {column.name!r} is taken as a category because of {len(odd)} values that are no numbers, such as "
        f"{odd.iloc[0]!r:.40}. If they stand for missing values, give --missing-value."
    )
    return [note]


def _names_each_row(column: Column, rows: int) -> list[str]:
    if column.distinct < rows - column.missing or column.distinct < 2:
        return []
    return [f"Every value of the column {column.name!r} occurs once, as in an identifier; consider --drop."]


def _gives_the_target_away(column: Column, series: Any, y: Any, classes: int) -> list[str]:
    if not classes <= column.distinct <= _FEW or column.missing:
        return []
    pairs = len(set(zip(np.asarray(series).tolist(), np.asarray(y).tolist(), strict=True)))
    if pairs != column.distinct:
        return []
    return [f"The column {column.name!r} determines the target. Will it be known for new cases?"]
