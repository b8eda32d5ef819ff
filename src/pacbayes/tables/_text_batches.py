"""A large file of text, in batches: its types settled in a first pass, its rows written to a temporary file of Arrow.

What a column is depends on all of its rows, as in memory: text if any value is, else truth values or numbers.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import mkstemp
from typing import TYPE_CHECKING, Any

import numpy as np

from pacbayes.tables._batches import Batches, refuse_change
from pacbayes.tables._blank_lines import readable
from pacbayes.tables._error import TableError
from pacbayes.tables._read_text import describe_text, refuse_other_text, refuse_zeros_in
from pacbayes.tables._source import Description

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["convert_text"]

_ROWS = 1 << 16  # at a time
_UNPACKED = 1 << 62  # no limit on what is never in memory at once


def convert_text(place: Path, description: Description) -> Batches:
    """Return a file of text as batches of a temporary file, which is removed when nothing needs it any more."""
    with refuse_change(place):  # it is read several times
        try:
            refuse_zeros_in(place, replace(description, limit=_UNPACKED))
            separator, options, texts = describe_text(place, description)
            with refuse_other_text(separator):
                temporary = _write_arrow(place, options, texts)
        except TableError as error:
            raise type(error)(f"{place.name}: {error}") from None
    return Batches("arrow", (temporary.path,), replace(description, suffix=".arrow"), place.name, temporary)


def _write_arrow(place: Path, options: dict[str, Any], texts: dict[Any, type]) -> _TemporaryFile:
    import pyarrow as pa  # noqa: PLC0415

    kinds = _settle_kinds(_read_chunks(place, options, texts))
    temporary = _TemporaryFile()
    texts = texts | {name: str for name, kind in kinds.items() if kind == "text"}
    schema = pa.schema([(str(name).strip(), _TYPES[kind]()) for name, kind in kinds.items()])
    with pa.OSFile(str(temporary.path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        for chunk in _read_chunks(place, options, texts):
            if list(chunk.columns) != list(kinds):
                raise TableError("its columns must not change while it is read. They did.")
            writer.write_batch(_to_batch(chunk, schema))
    return temporary


class _TemporaryFile:
    """A file that is removed when nothing refers to this any more."""

    def __init__(self) -> None:
        number, name = mkstemp(prefix="pacbayes-", suffix=".arrow")
        os.close(number)
        self.path = Path(name)
        weakref.finalize(self, self.path.unlink, missing_ok=True)


def _arrow(name: str) -> Any:
    def make() -> Any:
        import pyarrow as pa  # noqa: PLC0415

        return getattr(pa, name)()

    return make


_TYPES = {"text": _arrow("string"), "truth": _arrow("bool_"), "whole": _arrow("int64"), "number": _arrow("float64")}


def _read_chunks(place: Path, options: dict[str, Any], texts: dict[Any, type]) -> Iterator[pd.DataFrame]:
    import pandas as pd  # noqa: PLC0415

    with readable(place, options) as text, pd.read_csv(text, dtype=texts, chunksize=_ROWS, **options) as reader:
        yield from reader


def _settle_kinds(chunks: Iterator[pd.DataFrame]) -> dict[Any, str]:
    """Return what each column is, as a reader of all rows at once would take it."""
    seen: dict[Any, set[str]] = {}
    for chunk in chunks:
        for name in chunk.columns:
            seen.setdefault(name, set()).add(_kind_of(chunk[name]))
    return {name: _join(kinds) for name, kinds in seen.items()}


def _kind_of(series: pd.Series) -> str:
    kind = getattr(series.dtype, "kind", "O")
    if kind in "ib":
        return {"i": "whole", "b": "truth"}[kind]
    known = series.dropna()
    if not len(known):
        return "nothing"
    if kind == "f":
        return "number"
    first = known.iloc[0]
    if kind == "u" or (isinstance(first, int | np.integer) and not isinstance(first, bool)):
        raise TableError(
            f"the column {str(series.name).strip()!r:.60} holds whole numbers beyond 2**63, which a file of text that "
            "is read in batches must not. Store the table as Parquet, or leave the column out."
        )
    return "truth" if isinstance(first, bool | np.bool_) else "text"


def _join(kinds: set[str]) -> str:
    known = kinds - {"nothing"}
    if "text" in known or ("truth" in known and len(known) > 1):
        return "text"
    if known == {"whole"} and "nothing" not in kinds:
        return "whole"
    return "truth" if known == {"truth"} else "number"


def _to_batch(chunk: pd.DataFrame, schema: Any) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    named = zip(chunk.columns, schema.types, strict=True)
    arrays = [pa.array(_to_type(chunk[name], kind), type=kind, from_pandas=True) for name, kind in named]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _to_type(series: pd.Series, kind: Any) -> pd.Series:
    """Return whole numbers as doubles where other rows make their column one, rounded beyond 2^53 as in memory."""
    import pyarrow as pa  # noqa: PLC0415

    return series.astype(np.float64) if pa.types.is_float64(kind) and series.dtype.kind == "i" else series
