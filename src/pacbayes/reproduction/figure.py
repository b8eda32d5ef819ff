"""The figure: for each data set the bound of every method, beside the test error."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pacbayes.reproduction.cell_means import CellMeans
from pacbayes.reproduction.method_role import GROUPS
from pacbayes.reproduction.methods import METHODS
from pacbayes.reproduction.panels import Palette, draw_legend, draw_panels, finish_panel, save_figure

if TYPE_CHECKING:  # an optional dependency
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

__all__ = ["draw_figure"]

_LIGHT = Palette("#24292f", "#d0d7de", "#ffffff", ("#8c959f", "#bc4c00", "#0969da", "#1a7f37"))
_DARK = Palette("#e6edf3", "#30363d", "#0d1117", ("#8b949e", "#f0883e", "#58a6ff", "#56d364"))


def draw_figure(results: CellMeans, *, kind: str = "png", dark: bool = False) -> bytes:
    """Return the figure as the bytes of a file; the same results give the same bytes."""
    colours = _DARK if dark else _LIGHT
    return save_figure(lambda: _draw(results, colours), colours, kind)


def _draw(results: CellMeans, colours: Palette) -> Figure:
    data, methods = results.grid.datasets, results.grid.methods
    canvas, first = draw_panels(
        data,
        lambda columns, height: (1.6 + 2.5 * columns, 0.7 + height * (0.75 + 0.2 * len(methods))),
        lambda panel, name: _draw_panel(panel, results, name, colours),
        [METHODS[name].title for name in methods],
        colours,
    )
    first.invert_yaxis()
    draw_legend(canvas, _legend_marks(results, colours), 3 if len(data) < 3 else 6, colours)
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
    panel.set_xlim(left=0.0)
    finish_panel(panel, data, colours)
    panel.locator_params(axis="x", nbins=5)


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
