"""Rows that stay in their files: read block by block whenever they are needed, but for some that are kept in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pacbayes._core.types import IntArray
from pacbayes.tables._batches import Batches
from pacbayes.tables._columns import Column, to_values
from pacbayes.tables._error import TableError
from pacbayes.tables._limits import check_cells

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["StoredRows"]

_TYPES: dict[str, type] = {"number": np.float64, "category": object}
_AT_HAND = 20_000  # of the rows that were read last, which are looked at again


class StoredRows:
    """Rows and columns as :attr:`pacbayes.tables.Table.X` has them, of files that are larger than memory.

    Parameters
    ----------
    batches : Batches
        Where they come from.
    columns : sequence of Column
        Of the table.
    rows : int
        How many there are.
    first : pandas.DataFrame, optional
        The first of them as they were read, to be at hand.

    Attributes
    ----------
    shape : tuple of int
    described : tuple of Column
    columns : list of str
    kinds : tuple of str
        "number" or "category", by column.
    exact : tuple of bool
        Whether doubles hold a column, which those of numbers are.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> from pacbayes.tables import Column, StoredRows
    >>> from pacbayes.tables._batches import Batches
    >>> from pacbayes.tables._source import Description
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "table.parquet"
    ...     pd.DataFrame({"age": range(5), "job": ["cook"] * 5}).to_parquet(file)
    ...     batches = Batches("parquet", (file,), Description(".parquet"), "table")
    ...     rows = StoredRows(batches, [Column("age", "number", 0, 5), Column("job", "category", 0, 1)], 5)
    ...     [len(block) for block in rows.read_blocks(2)], rows.take_rows([4, 0])["age"].tolist()
    ([2, 2, 1], [4.0, 0.0])
    """

    def __init__(
        self, batches: Batches, columns: Sequence[Column], rows: int, first: pd.DataFrame | None = None
    ) -> None:
        self._batches, self.described = batches, tuple(columns)
        self.columns = [column.name for column in columns]
        self.kinds = tuple(column.kind for column in columns)
        self.exact = tuple(kind == "number" for kind in self.kinds)
        self._named = tuple(zip(self.columns, self.kinds, strict=True))
        self.shape = (rows, len(self.columns))
        self._positions: IntArray = np.arange(0 if first is None else len(first))
        self._sorting: IntArray = self._positions
        self._kept = self._convert(first)

    def __getitem__(self, key: object) -> Any:
        raise TypeError("Rows that are in files are taken by pacbayes._core.rows.take.")

    @property
    def batches(self) -> Batches:
        """The files."""
        return self._batches

    @property
    def dtypes(self) -> list[Any]:
        """The types of the columns in a frame."""
        return list(self._convert(None).dtypes)

    def read_blocks(self, size: int) -> Iterator[pd.DataFrame]:
        """Yield all rows in their order, so many at a time; the last may be fewer."""
        import pandas as pd  # noqa: PLC0415

        waiting: list[pd.DataFrame] = []
        count = done = 0
        for frame in self._batches.frames(self.columns):
            waiting.append(self._convert(frame))
            count += len(frame)
            if count < size:
                continue
            joined = pd.concat(waiting, ignore_index=True) if len(waiting) > 1 else waiting[0]
            for start in range(0, count - size + 1, size):
                yield joined.iloc[start : start + size].reset_index(drop=True)
                done += size
            waiting, count = [joined.iloc[count - count % size :]], count % size
        if count:
            yield pd.concat(waiting, ignore_index=True)
        if done + count != self.shape[0]:
            raise TableError(f"{self._batches.name} must not change while it is read. It has other rows than before.")

    def keep(self, rows: IntArray) -> None:
        """Have rows in memory from now on, in place of those that were."""
        positions = np.asarray(rows, dtype=np.int64)
        if positions.size == self._positions.size and np.array_equal(positions, self._positions):
            return
        check_cells(positions.size, len(self.columns), self._batches.description.limit)
        self._hold(positions[:0], self._convert(None))  # those before are given up first
        if positions.size:
            self._hold(positions, self._gather(positions))

    def _hold(self, positions: IntArray, frame: pd.DataFrame) -> None:
        self._positions, self._sorting, self._kept = positions, np.argsort(positions), frame

    def take_rows(self, rows: slice | IntArray) -> pd.DataFrame:
        """Return rows by their positions, from memory or from the files."""
        wanted = np.arange(self.shape[0])[rows] if isinstance(rows, slice) else np.asarray(rows, dtype=np.int64)
        if not wanted.size:
            return self._convert(None)
        if self._positions.size:
            places = np.searchsorted(self._positions, wanted, sorter=self._sorting).clip(max=self._positions.size - 1)
            places = self._sorting[places]
            if np.array_equal(self._positions[places], wanted):
                return self._kept.iloc[places].reset_index(drop=True)
        found = self._gather(wanted)
        self._hold(wanted[:_AT_HAND], found[:_AT_HAND].copy())
        return found

    def _gather(self, rows: IntArray) -> pd.DataFrame:
        """Read rows from the files, up to the last of them, each column into one array of its length."""
        import pandas as pd  # noqa: PLC0415

        sorting = np.argsort(rows, kind="stable")
        ordered, start = rows[sorting], 0
        values: dict[str, Any] = {name: np.empty(rows.size, dtype=_TYPES[kind]) for name, kind in self._named}
        frames = self._batches.frames(self.columns)
        for frame in frames:
            first, last = np.searchsorted(ordered, [start, start + len(frame)])
            if last > first:
                part = frame.iloc[ordered[first:last] - start]
                for name, kind in self._named:
                    values[name][sorting[first:last]] = to_values(part[name], kind)
            start += len(frame)
            if last == ordered.size:
                break
        frames.close()
        if start <= ordered[-1]:
            raise TableError(f"{self._batches.name} must not change while it is read. It has fewer rows than before.")
        return pd.DataFrame(values, copy=False)

    def _convert(self, frame: pd.DataFrame | None) -> pd.DataFrame:
        """Return values as a table has them, of a batch as it was read; of none a frame without rows."""
        import pandas as pd  # noqa: PLC0415

        if frame is None:
            return pd.DataFrame({name: np.empty(0, dtype=_TYPES[kind]) for name, kind in self._named})
        return pd.DataFrame({name: to_values(frame[name], kind) for name, kind in self._named})
