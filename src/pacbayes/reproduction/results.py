"""The result of a run, and what can be made of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pacbayes.reproduction.cell_means import CellMeans
from pacbayes.reproduction.claim_words import claim_sentence
from pacbayes.reproduction.claims import compare_claims
from pacbayes.reproduction.outputs import write_outputs
from pacbayes.reproduction.presentations import presentation_of
from pacbayes.reproduction.renderers import render_text

__all__ = ["Results"]


@dataclass(frozen=True, slots=True, eq=False)
class Results(CellMeans):
    """Every cell of a run, with its tables, claims and files.

    Attributes
    ----------
    grid : Grid
        What was run.
    cells : mapping
        From (data set, repeat, method) to the cell's numbers, in the order of the table.
    seconds : float
        How long this run took (what it found in its folder took none of it).
    timings : mapping
        From (data set, repeat, method) to seconds of one core, where they were measured: in the study "rivals".
    """

    def table(self) -> str:
        """Return all tables as text."""
        return "\n\n".join(render_text(table) for table in presentation_of(self).make_tables(self))

    def claims(self) -> list[str]:
        """Return the paper's claims, each as printed, as reproduced and after the correction."""
        return [claim_sentence(claim) for claim in compare_claims(self)]

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write tables (text, Markdown, LaTeX), every cell (CSV, JSON), the figure and the page; return the paths.

        The figure and the page need matplotlib and jinja2 (``pip install pacbayes[report]``); without them they are
        left out.
        """
        return write_outputs(self, Path(folder))
