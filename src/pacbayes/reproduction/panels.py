"""What both figures have in common: a panel for each data set, a legend below, on light and dark screens."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pacbayes.reproduction.table_words import TITLES

if TYPE_CHECKING:  # an optional dependency
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

__all__ = ["Palette", "draw_legend", "draw_panels", "finish_panel", "save_figure"]

_COLUMNS = 4


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours for one kind of screen; one of ``groups`` for each group of methods."""

    ink: str
    faint: str
    back: str
    groups: tuple[str, ...]


def save_figure(draw: Callable[[], Figure], colours: Palette, kind: str) -> bytes:
    """Return a figure as the bytes of a file; the same figure gives the same bytes."""
    import matplotlib as mpl  # noqa: PLC0415  (an optional dependency)

    content = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "pacbayes", "font.size": 9, "text.color": colours.ink}):
        metadata = {"Date": None} if kind == "svg" else None
        draw().savefig(content, format=kind, dpi=130, metadata=metadata, facecolor=colours.back)
    return content.getvalue()


def draw_panels(
    data: Sequence[str],
    size: Callable[[int, int], tuple[float, float]],
    draw_panel: Callable[[Axes, str], None],
    methods: Sequence[str],
    colours: Palette,
) -> tuple[Figure, Axes]:
    """Return a figure with one panel per data set, and the panel with the names of the methods.

    ``size`` gives width and height from the numbers of columns and rows.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415

    columns = min(_COLUMNS, len(data))
    height = -(-len(data) // columns)
    canvas = Figure(figsize=size(columns, height), layout="constrained", facecolor=colours.back)
    panels = canvas.subplots(height, columns, sharey=True, squeeze=False).ravel()
    for panel, name in zip(panels, data, strict=False):
        draw_panel(panel, name)
    for panel in panels[len(data) :]:
        panel.set_axis_off()
    panels[0].set_yticks(range(len(methods)), methods)
    return canvas, panels[0]


def finish_panel(panel: Axes, data: str, colours: Palette) -> None:
    """Give a panel its title and colours, and no lines but the axis."""
    panel.set_title(TITLES[data], fontsize=10, color=colours.ink)
    panel.set_facecolor(colours.back)
    panel.tick_params(colors=colours.ink, length=2)
    for side, spine in panel.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(colours.faint)


def draw_legend(canvas: Figure, marks: list[Line2D], columns: int, colours: Palette) -> None:
    """Draw the marks and their words below all panels."""
    legend = canvas.legend(handles=marks, loc="outside lower center", ncols=columns, frameon=False)
    for words in legend.get_texts():
        words.set_color(colours.ink)
