"""Stretches of the rows of files, each read by itself, wherever the files can be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pacbayes.tables._batches import Batches, to_frame
from pacbayes.tables._child import count_rows, stream_batches
from pacbayes.tables._error import TableError, one_line
from pacbayes.tables._source import Description
from pacbayes.tables._stored import FilledFrame

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FileRange", "FileRanges"]

_Stamp = tuple[int, int]  # size and time of the last change, which are the same on every machine


@dataclass(frozen=True, slots=True)
class FileRange:
    """Rows that follow each other in files of one table.

    Attributes
    ----------
    kind : {"parquet", "arrow"}
    files : tuple of Path
        Absolute, in their order.
    stamps : tuple
        By which each file is known again.
    description : Description
    name : str
        Of the table, for messages.
    skip, rows : int
        How many rows come before in the first file, and how many are meant.
    """

    kind: str
    files: tuple[Path, ...]
    stamps: tuple[_Stamp, ...]
    description: Description
    name: str
    skip: int
    rows: int

    def read(self, columns: Sequence[tuple[str, str]]) -> pd.DataFrame:
        """Return the rows with some columns, named with their kinds, as a table has them."""
        import pyarrow as pa  # noqa: PLC0415

        self._check_same()
        names, window = [name for name, _ in columns], (self.skip, self.rows)
        found, count = FilledFrame(columns, self.rows), 0
        try:
            for batch in stream_batches(self.kind, self.files, self.description, names, window):
                found.put(slice(count, count + batch.num_rows), to_frame(pa.Table.from_batches([batch])))
                count += batch.num_rows
        except TableError as error:
            raise type(error)(f"{self.name}: {error}") from None
        if count != self.rows:
            raise TableError(f"{self.name} must not change while it is read. It has fewer rows than before.")
        return found.to_frame()

    def _check_same(self) -> None:
        for file, stamp in zip(self.files, self.stamps, strict=True):
            try:
                found = _stamp(file)
            except OSError as error:
                raise TableError(
                    f"{self.name}: whoever reads its rows must find its files under the same path. "
                    f"{file} cannot be read there ({one_line(error.strerror or error)})."
                ) from None
            if found != stamp:
                raise TableError(
                    f"{self.name} must not change while it is read, and be the same everywhere. It is not."
                )


class FileRanges:
    """All stretches of the rows of a table in files.

    Parameters
    ----------
    batches : Batches
        The files.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> from pacbayes.tables import FileRanges, open_table
    >>> with TemporaryDirectory() as folder:
    ...     for part in range(4):
    ...         pd.DataFrame({"age": range(10), "ill": [0, 1] * 5}).to_parquet(Path(folder) / f"part-{part}.parquet")
    ...     ranges = FileRanges(open_table(folder, "ill", in_memory=0).X.batches)
    ...     middle = ranges.part(18, 23)
    ...     [file.name for file in middle.files], middle.read([("age", "number")])["age"].tolist()
    (['part-1.parquet', 'part-2.parquet'], [8.0, 9.0, 0.0, 1.0, 2.0])
    """

    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self._files = tuple(file.absolute() for file in batches.files)
        self._stamps = tuple(_stamp(file) for file in self._files)
        self._stops = np.cumsum(count_rows(batches.kind, self._files, batches.description))

    def part(self, start: int, stop: int) -> FileRange:
        """Return the rows from one position up to another."""
        first = int(np.searchsorted(self._stops, start, side="right"))
        last = int(np.searchsorted(self._stops, stop, side="left")) + 1
        before = int(self._stops[first - 1]) if first else 0
        own = self._batches
        named = (own.description, own.name, start - before, stop - start)
        return FileRange(own.kind, self._files[first:last], self._stamps[first:last], *named)


def _stamp(file: Path) -> _Stamp:
    found = file.stat()
    return found.st_size, found.st_mtime_ns
