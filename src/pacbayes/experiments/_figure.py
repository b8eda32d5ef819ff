"""The figure: for each data set the bound of every method, beside the test error."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any

from pacbayes.experiments._methods import GROUPS, METHODS
from pacbayes.experiments._printed import TITLES

if TYPE_CHECKING:
    from pacbayes.experiments._results import Results

__all__ = ["figure"]

_LIGHT = {
    "ink": "#24292f",
    "faint": "#d0d7de",
    "back": "#ffffff",
    "groups": ("#8c959f", "#bc4c00", "#0969da", "#1a7f37"),
}
_DARK = {
    "ink": "#e6edf3",
    "faint": "#30363d",
    "back": "#0d1117",
    "groups": ("#8b949e", "#f0883e", "#58a6ff", "#56d364"),
}
_COLUMNS = 4


def figure(results: Results, *, kind: str = "png", dark: bool = False) -> bytes:
    """Return the figure as the bytes of a file; the same results give the same bytes."""
    import matplotlib as mpl  # noqa: PLC0415  (an optional dependency)
    from matplotlib.figure import Figure  # noqa: PLC0415

    colours: dict[str, Any] = _DARK if dark else _LIGHT
    data, methods = results.grid.datasets, results.grid.methods
    columns = min(_COLUMNS, len(data))
    height = -(-len(data) // columns)
    with mpl.rc_context({"svg.hashsalt": "pacbayes", "font.size": 9, "text.color": colours["ink"]}):
        canvas = Figure(
            figsize=(1.6 + 2.5 * columns, 0.7 + height * (0.75 + 0.2 * len(methods))),
            layout="constrained",
            facecolor=colours["back"],
        )
        panels = canvas.subplots(height, columns, sharey=True, squeeze=False).ravel()
        for panel, name in zip(panels, data, strict=False):
            _panel(panel, results, name, colours)
        for panel in panels[len(data) :]:
            panel.set_axis_off()
        panels[0].set_yticks(range(len(methods)), [METHODS[m].title for m in methods])
        panels[0].invert_yaxis()
        _legend(canvas, results, colours)
        content = io.BytesIO()
        metadata = {"Date": None} if kind == "svg" else None
        canvas.savefig(content, format=kind, dpi=130, metadata=metadata, facecolor=colours["back"])
    return content.getvalue()


def _panel(panel: Any, results: Results, data: str, colours: dict[str, Any]) -> None:
    """Draw one data set: filled marks for sound bounds, hollow ones for what assumes more."""
    for place, name in enumerate(results.grid.methods):
        method = METHODS[name]
        colour = colours["groups"][GROUPS.index(method.group)]
        mean, spread = results.mean(data, name), results.deviation(data, name)
        face = colour if method.guarantee == "sound" else colours["back"]
        panel.hlines(place, 0.0, mean, color=colours["faint"], linewidth=1.0, zorder=1)
        panel.errorbar(mean, place, xerr=0.0 if math.isnan(spread) else spread, color=colour, elinewidth=1.2, zorder=2)
        panel.plot(mean, place, "o", color=colour, markerfacecolor=face, markersize=5.5, zorder=3)
        panel.plot(results.mean(data, name, "test"), place, "|", color=colours["ink"], markersize=8, zorder=4)
    panel.set_title(TITLES[data], fontsize=10, color=colours["ink"])
    panel.set_xlim(left=0.0)
    panel.set_facecolor(colours["back"])
    panel.tick_params(colors=colours["ink"], length=2)
    panel.locator_params(axis="x", nbins=5)
    for side, spine in panel.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(colours["faint"])


def _legend(canvas: Any, results: Results, colours: dict[str, Any]) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    present = {METHODS[name].group for name in results.grid.methods}
    marks = [
        Line2D([], [], color=colour, marker="o", linestyle="", label=group)
        for group, colour in zip(GROUPS, colours["groups"], strict=True)
        if group in present
    ]
    marks.append(Line2D([], [], color=colours["ink"], marker="|", linestyle="", markersize=8, label="test error"))
    marks.append(
        Line2D(
            [],
            [],
            color=colours["ink"],
            marker="o",
            markerfacecolor=colours["back"],
            linestyle="",
            label="hollow: not a certificate as it stands",
        )
    )
    legend = canvas.legend(
        handles=marks, loc="outside lower center", ncols=3 if len(results.grid.datasets) < 3 else 6, frameon=False
    )
    for words in legend.get_texts():
        words.set_color(colours["ink"])
