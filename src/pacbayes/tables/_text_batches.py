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
from pacbayes.tables._large_numbers import find_types, may_be_large
from pacbayes.tables._quotes import refuse_stray_quotes
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
            lines = refuse_zeros_in(place, replace(description, limit=_UNPACKED))
            separator, options, texts = describe_text(place, description)
            with refuse_other_text(separator):
                temporary, shape = _write_arrow(place, options, texts)
                refuse_stray_quotes(place, options, shape, lines)
        except TableError as error:
            raise type(error)(f"{place.name}: {error}") from None
    return Batches("arrow", (temporary.path,), replace(description, suffix=".arrow"), place.name, temporary)


def _write_arrow(
    place: Path, options: dict[str, Any], texts: dict[Any, type]
) -> tuple[_TemporaryFile, tuple[int, int]]:
    """Return the file of the rows, and how many rows and columns it has."""
    import pyarrow as pa  # noqa: PLC0415

    kinds = _settle_kinds(place, options, texts)
    temporary, rows = _TemporaryFile(), 0
    types = {name: _READ_AS[kind] for name, kind in kinds.items() if kind in _READ_AS}
    schema = pa.schema([(str(name).strip(), _TYPES[kind]()) for name, kind in kinds.items()])
    with pa.OSFile(str(temporary.path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        for chunk in _read_chunks(place, options, types):
            if list(chunk.columns) != list(kinds):
                raise TableError("its columns must not change while it is read. They did.")
            writer.write_batch(_to_batch(chunk, schema))
            rows += len(chunk)
    return temporary, (rows, len(kinds))


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
_READ_AS: dict[str, type] = {"text": str, "number": float}  # whatever a chunk of the column alone would be


def _read_chunks(place: Path, options: dict[str, Any], types: dict[Any, type]) -> Iterator[pd.DataFrame]:
    import pandas as pd  # noqa: PLC0415

    with readable(place, options) as text, pd.read_csv(text, dtype=types, chunksize=_ROWS, **options) as reader:
        yield from reader


def _settle_kinds(place: Path, options: dict[str, Any], texts: dict[Any, type]) -> dict[Any, str]:
    """Return what each column is, as a reader of all rows at once would take it."""
    seen: dict[Any, set[str]] = {}
    large = dict[Any, bool]()
    for chunk in _read_chunks(place, options, texts):
        for name in chunk.columns:
            seen.setdefault(name, set()).add(_kind_of(chunk[name]))
            large[name] = large.get(name, False) or (name not in texts and may_be_large(chunk[name]))
    kinds = {name: _join(each) for name, each in seen.items()}
    if names := [name for name, is_large in large.items() if is_large]:
        types = find_types(place, names, options)
        kinds |= {name: "number" if types[name] is float else "text" for name in names}
    return kinds


def _kind_of(series: pd.Series) -> str:
    kind = getattr(series.dtype, "kind", "O")
    if kind in "ib":
        return {"i": "whole", "b": "truth"}[kind]
    known = series.dropna()
    if not len(known):
        return "nothing"
    if kind == "f":
        return "number"
    return "truth" if isinstance(known.iloc[0], bool | np.bool_) else "text"


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
    arrays = [pa.array(chunk[name], type=kind, from_pandas=True) for name, kind in named]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
