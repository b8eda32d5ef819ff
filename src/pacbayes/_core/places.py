"""Numbers of many rows in little memory: their random order, and which of them lie in which block."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from pacbayes._core.types import IntArray

__all__ = ["PlacesAhead", "permute"]

_AHEAD = 8  # blocks
_MANY = 1_000_000  # rows whose numbers take four bytes each


def permute(generator: np.random.RandomState, rows: int) -> IntArray:
    """Return ``generator.permutation(rows)``, of many rows in half the memory; the draws are the same.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.places import permute
    >>> permute(np.random.RandomState(0), 4).tolist() == np.random.RandomState(0).permutation(4).tolist()
    True
    """
    if not _MANY <= rows < 2**31:
        return generator.permutation(rows)
    numbers: Any = np.arange(rows, dtype=np.int32)
    generator.shuffle(numbers)
    return cast("IntArray", numbers)


class PlacesAhead:
    """Which of some places lie in the blocks to come: found for several blocks at once, not for all, to save memory.

    Parameters
    ----------
    places : ndarray
        Row numbers, each once.
    size : int
        Rows of a block.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.places import PlacesAhead
    >>> [each.tolist() for each in PlacesAhead(np.array([7, 2, 5]), 4).find(4, 4)]
    [[0, 2], [3, 1]]
    """

    def __init__(self, places: IntArray, size: int) -> None:
        self._places, self._size = places, size
        self._small: Any = np.int32 if places.size < 2**31 else np.int64
        self._first = 0
        self._which: IntArray = np.zeros(0, dtype=self._small)

    def find(self, start: int, size: int) -> tuple[IntArray, IntArray]:
        """Return which of the places lie in a block, ascending, and where in it they are."""
        if start + size > self._first + self._which.size:
            self._look(start, max(size, _AHEAD * self._size))
        part = self._which[start - self._first : start - self._first + size]
        inside = np.flatnonzero(part >= 0)
        inside = inside[np.argsort(part[inside])]
        return part[inside].astype(np.int64), inside

    def _look(self, start: int, size: int) -> None:
        self._first, self._which = start, np.full(size, -1, dtype=self._small)
        for first in range(0, self._places.size, _MANY):
            part = self._places[first : first + _MANY]
            found = np.flatnonzero((part >= start) & (part < start + size))
            self._which[part[found] - start] = first + found
