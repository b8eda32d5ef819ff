"""What is shown of each study: its tables, its figure and its page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pacbayes.reproduction.cell_means import CellMeans
from pacbayes.reproduction.figure import draw_figure
from pacbayes.reproduction.result_tables import Table, make_tables
from pacbayes.reproduction.results_page import render_page, render_rivals_page
from pacbayes.reproduction.rival_figure import draw_rivals
from pacbayes.reproduction.rival_tables import make_rival_tables

__all__ = ["Presentation", "presentation_of"]


class _Drawing(Protocol):
    def __call__(self, results: CellMeans, *, kind: str = ..., dark: bool = ...) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Presentation:
    """The functions that make tables, figure and page of a run."""

    make_tables: Callable[[CellMeans], list[Table]]
    draw: _Drawing
    render_page: Callable[[CellMeans, bytes, bytes], str]


_BY_STUDY = {
    "paper": Presentation(make_tables, draw_figure, render_page),
    "rivals": Presentation(make_rival_tables, draw_rivals, render_rivals_page),
}


def presentation_of(results: CellMeans) -> Presentation:
    """Return what is shown of a run."""
    return _BY_STUDY[results.grid.study]
