"""Every cell of a run, with means and deviations over repeats: what tables, claims and figure read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from pacbayes._core.types import FloatArray
from pacbayes.reproduction.cells import Cell, Grid, Record

__all__ = ["CellMeans"]


@dataclass(frozen=True, slots=True, eq=False)
class CellMeans:
    """Every cell of a run, in the order of the table, and how long the run took."""

    grid: Grid
    cells: Mapping[Cell, Mapping[str, float]]
    seconds: float = 0.0

    @classmethod
    def from_records(cls, grid: Grid, records: Iterable[Record], seconds: float = 0.0) -> Self:
        """Return the cells of a grid from records in any order; others than the grid's are left out."""
        found = {record.cell: record.values for record in records}
        return cls(grid, {cell: found[cell] for cell in grid.cells}, seconds)

    def values(self, data: str, method: str, key: str = "value") -> FloatArray:
        """Return one number of a method over all repeats, by default the bound."""
        return np.array([self.cells[data, repeat, method][key] for repeat in range(self.grid.repeats)])

    def mean(self, data: str, method: str, key: str = "value") -> float:
        """Return its mean over repeats."""
        return float(self.values(data, method, key).mean())

    def deviation(self, data: str, method: str, key: str = "value") -> float:
        """Return its standard deviation over repeats (NaN for a single one)."""
        return float(self.values(data, method, key).std(ddof=1)) if self.grid.repeats > 1 else float("nan")

    def has(self, *methods: str) -> bool:
        """Return whether all these methods were run."""
        return set(methods) <= set(self.grid.methods)
