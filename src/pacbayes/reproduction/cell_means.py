"""Every cell of a run, with means and deviations over repeats: what tables, claims and figure read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from pacbayes._core.types import FloatArray
from pacbayes.reproduction.cells import Cell, Grid, Record

__all__ = ["CellMeans"]


@dataclass(frozen=True, slots=True, eq=False)
class CellMeans:
    """Every cell of a run, in the order of the table, how long the run took, and each cell where that was measured."""

    grid: Grid
    cells: Mapping[Cell, Mapping[str, float]]
    seconds: float = 0.0
    timings: Mapping[Cell, float] = field(default_factory=dict)

    @classmethod
    def from_records(cls, grid: Grid, records: Iterable[Record], seconds: float = 0.0) -> Self:
        """Return the cells of a grid from records in any order; others than the grid's are left out."""
        found = {record.cell: record for record in records}
        ordered = {cell: found[cell] for cell in grid.cells}
        timings = {cell: record.seconds for cell, record in ordered.items() if record.seconds is not None}
        return cls(grid, {cell: record.values for cell, record in ordered.items()}, seconds, timings)

    def values(self, data: str, method: str, key: str = "value") -> FloatArray:
        """Return one number of a method over all repeats, by default the bound."""
        return np.array([self.cells[data, repeat, method][key] for repeat in range(self.grid.repeats)])

    def mean(self, data: str, method: str, key: str = "value") -> float:
        """Return its mean over repeats."""
        return float(self.values(data, method, key).mean())

    def deviation(self, data: str, method: str, key: str = "value") -> float:
        """Return its standard deviation over repeats (NaN for a single one)."""
        return float(self.values(data, method, key).std(ddof=1)) if self.grid.repeats > 1 else float("nan")

    def mean_seconds(self, data: str, method: str) -> float:
        """Return how long one repeat of a method took on one core, on average."""
        return sum(self.timings[data, repeat, method] for repeat in range(self.grid.repeats)) / self.grid.repeats

    def has(self, *methods: str) -> bool:
        """Return whether all these methods were run."""
        return set(methods) <= set(self.grid.methods)
