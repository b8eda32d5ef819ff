"""Rows at some places of a frame, looked at column by column or block by block, so that no copy of all is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np

from pacbayes._core.rows import is_stored, take
from pacbayes._core.types import FloatArray, IntArray, Rows

__all__ = ["CHUNK_ROWS", "PreparedRows", "TakenRows", "can_take_blocks"]

CHUNK_ROWS = 1 << 16  # up to so many, rows are taken at once; sums over more of them add up
_BLOCK_ROWS = 1 << 14  # of more, so many are prepared together: they stay in the cache


def can_take_blocks(X: Rows) -> bool:
    """Return whether rows are those of a frame of pandas, in memory or in a file."""
    return hasattr(X, "find_rows") if is_stored(X) else hasattr(X, "iloc")


class TakenRows:
    """Rows of a frame at some places, in that order.

    Parameters
    ----------
    X : data frame, or rows in a file
        Of a file the rows are read at once.
    places : ndarray
        Row numbers.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from pacbayes._core.taken import TakenRows
    >>> rows = TakenRows(pd.DataFrame({"age": [20, 30, 40]}), np.array([2, 0]))
    >>> rows.shape, rows.read(1, 2)["age"].tolist()
    ((2, 1), [20])
    """

    def __init__(self, X: Rows, places: IntArray) -> None:
        found = cast("Any", X).find_rows(places) if is_stored(X) else (X, places)
        self._frame: Any = found[0]
        self._places: Any = found[1]
        self.shape = (int(places.size), int(X.shape[1]))

    @property
    def columns(self) -> list[Any]:
        """The names of the columns."""
        return list(self._frame.columns)

    def locate(self, name: Any) -> tuple[Any, IntArray]:
        """Return a column that holds the rows, and where they are in it."""
        return self._frame[name], self._places

    def empty(self) -> Any:
        """Return a frame of the same columns without rows."""
        return self._frame.iloc[:0]

    def numbers(self) -> tuple[FloatArray, IntArray] | None:
        """Return an array of doubles that holds the rows, and where they are in it, if there is one; nobody changes it.

        A frame of nothing but doubles is such an array if it was made of one.
        """
        if any(kind != np.float64 for kind in self._frame.dtypes):
            return None
        array: FloatArray = self._frame.to_numpy()
        is_same = array.flags.c_contiguous and np.shares_memory(array, self._frame.iloc[:, 0].to_numpy())
        return (array, self._places) if is_same else None

    def read(self, start: int, stop: int) -> Rows:
        """Return the rows between two positions, in a frame of their own."""
        return take(self._frame, self._places[start:stop])


class PreparedRows:
    """Rows as numbers, made block by block whenever they are needed, so that they are never in memory at once.

    Parameters
    ----------
    rows : int
    columns : int
        Of what is made.
    make : callable
        From two positions to the rows between them, an array of their own.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.taken import PreparedRows
    >>> squares = PreparedRows(5, 1, lambda start, stop: np.arange(start, stop, dtype=float)[:, None] ** 2)
    >>> squares.shape, [block.ravel().tolist() for _, block in squares.blocks(3)]
    ((5, 1), [[0.0, 1.0, 4.0], [9.0, 16.0]])
    """

    def __init__(self, rows: int, columns: int, make: Callable[[int, int], FloatArray]) -> None:
        self.shape = (rows, columns)
        self.make = make

    def blocks(self, size: int = _BLOCK_ROWS) -> Iterator[tuple[slice, FloatArray]]:
        """Yield all rows in their order, so many at a time, each with where it lies."""
        for start in range(0, self.shape[0], size):
            stop = min(start + size, self.shape[0])
            yield slice(start, stop), self.make(start, stop)

    def first(self, rows: int) -> FloatArray:
        """Return the first rows."""
        return self.make(0, min(rows, self.shape[0]))

    @classmethod
    def of(cls, matrix: FloatArray) -> PreparedRows:
        """Return the rows of an array, which nobody changes."""
        return cls(matrix.shape[0], matrix.shape[1], lambda start, stop: np.array(matrix[start:stop]))

    def then(self, change: Callable[[FloatArray], FloatArray]) -> PreparedRows:
        """Return rows that are changed further, each by itself; a block may be changed in place."""
        return PreparedRows(*self.shape, lambda start, stop: change(self.make(start, stop)))

    def whole(self) -> FloatArray:
        """Return all rows in one array."""
        if self.shape[0] <= CHUNK_ROWS:
            return self.make(0, self.shape[0])
        found: FloatArray = np.empty(self.shape)
        for place, block in self.blocks():
            found[place] = block
        return found
