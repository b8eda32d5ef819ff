"""Rows of which some are in memory, because they are needed again: those that are learned from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from pacbayes._core.rows import take
from pacbayes._core.types import IntArray, Rows

__all__ = ["KeptRows"]


class KeptRows(ABC):
    """Rows by their positions: from memory where they are kept, else from where they are."""

    shape: tuple[int, int]

    def __init__(self) -> None:
        self._positions: IntArray = np.arange(0)
        self._sorting: IntArray = self._positions
        self._kept: Any = None

    @abstractmethod
    def gather(self, rows: IntArray) -> Rows:
        """Return rows by their positions from where they are."""

    @abstractmethod
    def empty(self) -> Rows:
        """Return no rows, in the container that rows come in."""

    def keep(self, rows: IntArray) -> None:
        """Have rows in memory from now on, in place of those that were."""
        positions = np.asarray(rows, dtype=np.int64)
        if positions.size == self._positions.size and np.array_equal(positions, self._positions):
            return
        self._kept = None  # those before are given up first
        self._positions, self._sorting = positions, np.argsort(positions)
        if positions.size:
            self._kept = self.gather(positions)

    def take_rows(self, rows: slice | IntArray) -> Rows:
        """Return rows by their positions, from memory if all of them are there."""
        wanted = np.arange(self.shape[0])[rows] if isinstance(rows, slice) else np.asarray(rows, dtype=np.int64)
        if not wanted.size:
            return self.empty()
        found, places = self._find(wanted)
        return take(found, places) if found is self._kept else found

    def _find(self, rows: IntArray) -> tuple[Any, IntArray]:
        """Return something that holds rows, and where in it they are; they are gathered if they are not in memory."""
        wanted = np.asarray(rows, dtype=np.int64)
        if self._positions.size:
            places = np.searchsorted(self._positions, wanted, sorter=self._sorting).clip(max=self._positions.size - 1)
            places = self._sorting[places]
            if np.array_equal(self._positions[places], wanted):
                return self._kept, places
        return self.gather(wanted), np.arange(wanted.size)
