"""Rows that stay in their files: read block by block whenever they are needed, but for some that are kept in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pacbayes._core.types import FloatArray, IntArray
from pacbayes.tables._batches import Batches
from pacbayes.tables._columns import Column, make_frame, to_values
from pacbayes.tables._error import TableError
from pacbayes.tables._limits import check_cells

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FilledFrame", "StoredRows", "join_columns"]

_TYPES: dict[str, type] = {"number": np.float64, "category": object}
_FEW = 4096  # rows
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
        block, count, done = None, 0, 0
        for frame in self._batches.frames(self.columns):
            for start, stop in _cut(len(frame), size, done + count):
                if block is None:
                    block, count = FilledFrame(self._named, min(size, self.shape[0] - done)), 0
                if count + stop - start > block.rows:
                    raise self._other_rows()
                block.put(slice(count, count + stop - start), frame.iloc[start:stop])
                count += stop - start
                if count == block.rows:
                    found, block, done, count = block.to_frame(), None, done + count, 0
                    yield found
                    del found  # while the next is read
        if done != self.shape[0]:
            raise self._other_rows()

    def _other_rows(self) -> TableError:
        return TableError(f"{self._batches.name} must not change while it is read. It has other rows than before.")

    def take_all(self) -> pd.DataFrame:
        """Return all rows, in memory."""
        return next(iter(self.read_blocks(self.shape[0])))

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
        found, places = self.find_rows(wanted)
        return found if places.size == len(found) and found is not self._kept else _take(found, places)

    def find_rows(self, rows: IntArray) -> tuple[pd.DataFrame, IntArray]:
        """Return a frame that holds rows, and where in it they are; they are read if they are not in memory."""
        places = self._places_of(np.asarray(rows, dtype=np.int64))
        if places is not None:
            return self._kept, places
        found = self._gather(np.asarray(rows, dtype=np.int64))
        self._hold(rows[:_AT_HAND], found[:_AT_HAND].copy())
        return found, np.arange(len(found))

    def _places_of(self, wanted: IntArray) -> IntArray | None:
        """Return where rows are among those in memory, if all of them are."""
        if np.array_equal(self._positions[: wanted.size], wanted):
            return np.arange(wanted.size)
        if not self._positions.size:
            return None
        places = np.searchsorted(self._positions, wanted, sorter=self._sorting).clip(max=self._positions.size - 1)
        places = self._sorting[places]
        return places if np.array_equal(self._positions[places], wanted) else None

    def _gather(self, rows: IntArray) -> pd.DataFrame:
        """Read rows from the files, up to the last of them, each column into one array of its length."""
        sorting = np.argsort(rows, kind="stable")
        found = FilledFrame(self._named, rows.size)
        for first, last, part in self._pick(rows[sorting]):
            found.put(sorting[first:last], part)
        return found.to_frame()

    def _pick(self, ordered: IntArray) -> Iterator[tuple[int, int, pd.DataFrame]]:
        """Yield rows by their ascending positions, some at a time: which of the positions they have, and the rows."""
        frames, start = self._batches.frames(self.columns), 0
        for frame in frames:
            first, last = np.searchsorted(ordered, [start, start + len(frame)])
            if last > first:
                yield int(first), int(last), frame.iloc[ordered[first:last] - start]
            start += len(frame)
            if last == ordered.size:
                break
        frames.close()
        if start <= ordered[-1]:
            raise TableError(f"{self._batches.name} must not change while it is read. It has fewer rows than before.")

    def _convert(self, frame: pd.DataFrame | None) -> pd.DataFrame:
        """Return values as a table has them, of a batch as it was read; of none a frame without rows."""
        if frame is None:
            return make_frame({name: np.empty(0, dtype=_TYPES[kind]) for name, kind in self._named})
        return make_frame({name: to_values(frame[name], kind) for name, kind in self._named})


def _take(frame: pd.DataFrame, places: IntArray) -> pd.DataFrame:
    return frame.iloc[places].reset_index(drop=True)


def _cut(rows: int, size: int, before: int) -> Iterator[tuple[int, int]]:
    """Yield where a batch is cut, such that blocks of so many rows begin where they should."""
    start = 0
    while start < rows:
        stop = min(rows, start + size - (before + start) % size)
        yield start, stop
        start = stop


class FilledFrame:
    """Columns of a frame that are filled part by part; if all are numbers, they lie in one array, row by row."""

    def __init__(self, named: Sequence[tuple[str, str]], rows: int) -> None:
        self._named, self.rows = named, rows
        self._numbers: FloatArray | None = None
        self._values: dict[str, Any] = {}
        if all(kind == "number" for _, kind in named):
            self._numbers = np.empty((rows, len(named)))
        else:
            self._values = {name: np.empty(rows, dtype=_TYPES[kind]) for name, kind in named}

    def put(self, places: slice | IntArray, frame: pd.DataFrame) -> None:
        """Write the values of some rows."""
        if self._numbers is not None:
            self._numbers[places] = join_columns([to_values(frame[name], "number") for name, _ in self._named])
            return
        for name, kind in self._named:
            self._values[name][places] = to_values(frame[name], kind)

    def to_frame(self) -> pd.DataFrame:
        """Return what was written, without a copy."""
        import pandas as pd  # noqa: PLC0415

        if self._numbers is not None:
            return pd.DataFrame(self._numbers, columns=[name for name, _ in self._named], copy=False)
        return make_frame(self._values)


def join_columns(columns: Sequence[Any]) -> FloatArray:
    """Return columns of numbers as rows, a few at a time, since each line of memory is written for every column."""
    joined: FloatArray = np.empty((len(columns[0]), len(columns)))
    for start in range(0, len(joined), _FEW):
        for place, values in enumerate(columns):
            joined[start : start + _FEW, place] = values[start : start + _FEW]
    return joined
