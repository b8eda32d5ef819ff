"""The rivals' figure: for each data set the certificate of every method, beside the test error of its predictor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pacbayes.reproduction.cell_means import CellMeans
from pacbayes.reproduction.method_role import RIVAL_GROUPS
from pacbayes.reproduction.panels import Palette, draw_legend, draw_panels, finish_panel, save_figure
from pacbayes.reproduction.rivals import RIVALS

if TYPE_CHECKING:  # an optional dependency
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

__all__ = ["draw_rivals"]

# Okabe and Ito's colours, which colour-blind readers tell apart; each group also has a mark of its own.
_LIGHT = Palette("#24292f", "#d0d7de", "#ffffff", ("#d55e00", "#0072b2", "#cc79a7", "#009e73", "#806600"))
_DARK = Palette("#e6edf3", "#30363d", "#0d1117", ("#f0883e", "#56b4e9", "#cc79a7", "#2fc89d", "#f0e442"))
_MARKS = ("o", "s", "D", "^", "v")
_LABELS = ((30.0, (1.0, 2.0, 5.0)), (300.0, (1.0, 3.0)), (float("inf"), (1.0,)))  # by the ratio of an axis' ends
_ROOM = 0.6  # of the smallest number, at the left edge
_FAR = 0.1  # of the smallest certificate: a test error below that is drawn at the left edge


def draw_rivals(results: CellMeans, *, kind: str = "png", dark: bool = False) -> bytes:
    """Return the figure as the bytes of a file; the same results give the same bytes."""
    colours = _DARK if dark else _LIGHT
    return save_figure(lambda: _draw(results, colours), colours, kind)


def _draw(results: CellMeans, colours: Palette) -> Figure:
    data, methods = results.grid.datasets, results.grid.methods
    canvas, first = draw_panels(
        data,
        lambda columns, height: (2.4 + 2.5 * columns, 0.9 + height * (0.85 + 0.19 * len(methods))),
        lambda panel, name: _draw_panel(panel, results, name, colours),
        [RIVALS[name].title for name in methods],
        colours,
    )
    first.set_ylim(len(methods) - 0.4, -0.6)
    draw_legend(canvas, _legend_marks(results, colours), 3 if len(data) < 3 else 5, colours)
    return canvas


def _draw_panel(panel: Axes, results: CellMeans, data: str, colours: Palette) -> None:
    """Draw one data set on a logarithmic axis, on which equal ratios are equally far apart."""
    methods = results.grid.methods
    values = [results.mean(data, name) for name in methods]
    tests = [results.mean(data, name, "test") for name in methods]
    left = _ROOM * min(values + [test for test in tests if test > _FAR * min(values)])
    panel.set_xscale("log")
    for place in range(len(methods)):
        _draw_method(panel, results, data, place, left, colours)
        if place % 2 == 0:
            panel.axhspan(place - 0.5, place + 0.5, color=colours.faint, alpha=0.25, linewidth=0.0, zorder=0)
    panel.set_xlim(left, max(values) / _ROOM)
    finish_panel(panel, data, colours)
    panel.tick_params(axis="y", length=0)
    _label_axis(panel)


def _label_axis(panel: Axes) -> None:
    """Label as many multiples of powers of ten as there is room for."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: PLC0415

    low, high = panel.get_xlim()
    steps = next(steps for widest, steps in _LABELS if high < widest * low)
    panel.xaxis.set_major_locator(LogLocator(subs=steps))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:.4g}".removeprefix("0")))
    panel.xaxis.set_minor_formatter(NullFormatter())


def _draw_method(panel: Axes, results: CellMeans, data: str, place: int, left: float, colours: Palette) -> None:
    """Draw a line from the test error to the certificate: filled for a deterministic predictor, else hollow."""
    method = RIVALS[results.grid.methods[place]]
    group = RIVAL_GROUPS.index(method.group)
    colour, mark = colours.groups[group], _MARKS[group]
    mean, spread = results.mean(data, method.name), results.deviation(data, method.name)
    test = max(results.mean(data, method.name, "test"), left)
    error = [[min(spread, 0.9 * mean)], [spread]] if not math.isnan(spread) else None
    panel.hlines(place, test, mean, color=colour, linewidth=1.0, alpha=0.5, zorder=1)
    panel.errorbar(mean, place, xerr=error, color=colour, elinewidth=1.2, zorder=2)
    face = colour if method.is_deterministic else colours.back
    panel.plot(mean, place, mark, color=colour, markerfacecolor=face, markersize=5.0, zorder=3)
    panel.plot(test, place, "|", color=colours.ink, markersize=7, zorder=4, clip_on=False)


def _legend_marks(results: CellMeans, colours: Palette) -> list[Line2D]:
    """Return a mark for each group that was run, for both kinds of predictors, and for the test error."""
    from matplotlib.lines import Line2D  # noqa: PLC0415

    present = {RIVALS[name].group for name in results.grid.methods}
    marks = [
        Line2D([], [], color=colour, marker=mark, linestyle="", label=group)
        for group, colour, mark in zip(RIVAL_GROUPS, colours.groups, _MARKS, strict=True)
        if group in present
    ]
    faces = {"filled: deterministic": colours.ink, "hollow: randomised": colours.back}
    kinds = [
        Line2D([], [], color=colours.ink, marker="o", markerfacecolor=face, linestyle="", label=label)
        for label, face in faces.items()
    ]
    tick = Line2D([], [], color=colours.ink, marker="|", linestyle="", markersize=8, label="its test error")
    return [*marks, *kinds, tick]
