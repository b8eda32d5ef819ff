"""The result of a run: every cell, means and deviations, and what can be made of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pacbayes._core.types import FloatArray
from pacbayes.experiments._grid import Cell, Grid, Record

__all__ = ["Results"]


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """Every cell of a run.

    Attributes
    ----------
    grid : Grid
        What was run.
    cells : mapping
        From (data set, repeat, method) to the cell's numbers, in the order of the table.
    seconds : float
        How long this run took (what it found in its folder took none of it).
    """

    grid: Grid
    cells: Mapping[Cell, Mapping[str, float]]
    seconds: float = 0.0

    @classmethod
    def of(cls, grid: Grid, records: Iterable[Record], seconds: float = 0.0) -> Results:
        """Return the results of a grid from records in any order; others than the grid's are left out."""
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

    def table(self) -> str:
        """Return the tables as text: as published, corrected, all methods, and what each erratum is worth."""
        from pacbayes.experiments import _render, _tables  # noqa: PLC0415  (they read results)

        return "\n\n".join(_render.text(table) for table in _tables.tables(self))

    def claims(self) -> list[str]:
        """Return the paper's claims, each as printed, as reproduced and after the correction."""
        from pacbayes.experiments import _claims  # noqa: PLC0415

        return _claims.claims(self)

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write tables (text, Markdown, LaTeX), every cell (CSV, JSON), the figure and the page; return the paths.

        The figure and the page need matplotlib and jinja2 (``pip install pacbayes[report]``); without them they are
        left out.
        """
        from pacbayes.experiments import _outputs  # noqa: PLC0415

        return _outputs.save(self, Path(folder))
