"""The figure: for each data set the bound of every method, beside the test error."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pacbayes.reproduction.cell_means import CellMeans
from pacbayes.reproduction.method_role import GROUPS
from pacbayes.reproduction.methods import METHODS
from pacbayes.reproduction.table_words import TITLES

if TYPE_CHECKING:  # an optional dependency
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

__all__ = ["Palette", "draw_figure"]


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours for one kind of screen; one of ``groups`` for each group of methods."""

    ink: str
    faint: str
    back: str
    groups: tuple[str, ...]


_LIGHT = Palette("#24292f", "#d0d7de", "#ffffff", ("#8c959f", "#bc4c00", "#0969da", "#1a7f37"))
_DARK = Palette("#e6edf3", "#30363d", "#0d1117", ("#8b949e", "#f0883e", "#58a6ff", "#56d364"))
_COLUMNS = 4


def draw_figure(results: CellMeans, *, kind: str = "png", dark: bool = False) -> bytes:
    """Return the figure as the bytes of a file; the same results give the same bytes."""
    import matplotlib as mpl  # noqa: PLC0415  (an optional dependency)

    colours = _DARK if dark else _LIGHT
    content = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "pacbayes", "font.size": 9, "text.color": colours.ink}):
        canvas = _draw_panels(results, colours)
        _draw_legend(canvas, results, colours)
        metadata = {"Date": None} if kind == "svg" else None
        canvas.savefig(content, format=kind, dpi=130, metadata=metadata, facecolor=colours.back)
    return content.getvalue()


def _draw_panels(results: CellMeans, colours: Palette) -> Figure:
    """Return a figure with one panel per data set."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    data, methods = results.grid.datasets, results.grid.methods
    columns = min(_COLUMNS, len(data))
    height = -(-len(data) // columns)
    size = (1.6 + 2.5 * columns, 0.7 + height * (0.75 + 0.2 * len(methods)))
    canvas = Figure(figsize=size, layout="constrained", facecolor=colours.back)
    panels = canvas.subplots(height, columns, sharey=True, squeeze=False).ravel()
    for panel, name in zip(panels, data, strict=False):
        _draw_panel(panel, results, name, colours)
    for panel in panels[len(data) :]:
        panel.set_axis_off()
    panels[0].set_yticks(range(len(methods)), [METHODS[m].title for m in methods])
    panels[0].invert_yaxis()
    return canvas


def _draw_panel(panel: Axes, results: CellMeans, data: str, colours: Palette) -> None:
    """Draw one data set: filled marks for sound bounds, hollow ones for what assumes more."""
    for place, name in enumerate(results.grid.methods):
        method = METHODS[name]
        colour = colours.groups[GROUPS.index(method.group)]
        mean, spread = results.mean(data, name), results.deviation(data, name)
        face = colour if method.is_sound else colours.back
        panel.hlines(place, 0.0, mean, color=colours.faint, linewidth=1.0, zorder=1)
        panel.errorbar(mean, place, xerr=0.0 if math.isnan(spread) else spread, color=colour, elinewidth=1.2, zorder=2)
        panel.plot(mean, place, "o", color=colour, markerfacecolor=face, markersize=5.5, zorder=3)
        panel.plot(results.mean(data, name, "test"), place, "|", color=colours.ink, markersize=8, zorder=4)
    panel.set_title(TITLES[data], fontsize=10, color=colours.ink)
    panel.set_xlim(left=0.0)
    panel.set_facecolor(colours.back)
    panel.tick_params(colors=colours.ink, length=2)
    panel.locator_params(axis="x", nbins=5)
    for side, spine in panel.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(colours.faint)


def _draw_legend(canvas: Figure, results: CellMeans, colours: Palette) -> None:
    columns = 3 if len(results.grid.datasets) < 3 else 6
    marks = _legend_marks(results, colours)
    legend = canvas.legend(handles=marks, loc="outside lower center", ncols=columns, frameon=False)
    for words in legend.get_texts():
        words.set_color(colours.ink)


def _legend_marks(results: CellMeans, colours: Palette) -> list[Line2D]:
    """Return a mark for each group that was run, for the test error, and for bounds that are not sound."""
    from matplotlib.lines import Line2D  # noqa: PLC0415

    present = {METHODS[name].group for name in results.grid.methods}
    marks = [
        Line2D([], [], color=colour, marker="o", linestyle="", label=group)
        for group, colour in zip(GROUPS, colours.groups, strict=True)
        if group in present
    ]
    hollow = Line2D([], [], color=colours.ink, marker="o", markerfacecolor=colours.back, linestyle="")
    hollow.set_label("hollow: not a certificate as it stands")
    tick = Line2D([], [], color=colours.ink, marker="|", linestyle="", markersize=8, label="test error")
    return [*marks, tick, hollow]
