"""The files of a run: its table, a table of rows to judge, and new rows to predict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pacbayes.runs.settings import Settings
from pacbayes.tables import (
    Table,
    TableError,
    append_rows,
    has_texts,
    list_texts,
    name_unnamed,
    prepare_table,
    read_table,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["load_rows", "load_table"]


def load_table(
    path: str | Path, settings: Settings, max_memory: int | str | None = None, test: str | Path | None = None
) -> Table:
    """Read the table of some settings, with at most so much memory: see :func:`pacbayes.tables.read_table`.

    The rows of ``test`` follow those of the table; they are judged, and learned from they are not.
    """
    table = prepare_table(
        _read(path, settings, max_memory),
        settings.target,
        drop=settings.drop,
        positive=settings.positive,
        missing=settings.missing,
        time=settings.time,
    )
    return table if test is None else _append(table, test, settings, max_memory)


def _append(table: Table, path: str | Path, settings: Settings, max_memory: int | str | None) -> Table:
    columns = tuple((column.name, column.kind) for column in table.columns)
    texts = ((settings.target, "category"),) if has_texts(table.y) else ()
    frame = load_rows(path, settings, (*columns, *texts), max_memory)
    try:
        return append_rows(table, frame, positive=settings.positive, missing=settings.missing, drop=settings.not_used)
    except TableError as error:
        raise TableError(f"{Path(path).name}: {error}") from None


def _read(
    path: str | Path, settings: Settings, max_memory: int | str | None, texts: tuple[str, ...] = ()
) -> pd.DataFrame:
    return read_table(
        Path(path),
        delimiter=settings.delimiter,
        header=settings.header,
        missing_values=settings.missing_values,
        encoding=settings.encoding,
        decimal=settings.decimal,
        max_memory=max_memory,
        texts=texts,
    )


def load_rows(
    path: str | Path,
    settings: Settings,
    columns: tuple[tuple[str, str], ...],
    max_memory: int | str | None = None,
) -> pd.DataFrame:
    """Read further rows of a table as its settings say, categories as text even where they read like numbers."""
    frame = _read(path, settings, max_memory)
    if texts := list_texts(frame, columns):
        frame = _read(path, settings, max_memory, texts)
    names = {*settings.not_used, *(name for name, _ in columns)}
    return frame if settings.header else name_unnamed(frame, names, settings.target)
