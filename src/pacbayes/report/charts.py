"""Charts as inline SVG: text stays text, colours come from the page, nothing is fetched."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from pacbayes.report.values import Part

__all__ = ["draw_bar", "draw_curve", "draw_learning", "draw_limit", "draw_shares", "nice_top"]

_WIDTH, _HEIGHT = 640.0, 280.0
_TOPS = (1e-4, 2e-4, 4e-4, 1e-3, 2e-3, 4e-3, 0.01, 0.02, 0.04, 0.1, 0.2, 0.4, 0.6, 0.8)  # of axes, in quarters
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 16.0, 14.0, 40.0


def draw_bar(parts: Sequence[Part], label: str) -> str:
    """Return one stacked bar, each part with a class of its own; the words stand in the table beside it.

    Examples
    --------
    >>> from pacbayes.report.charts import draw_bar
    >>> bar = draw_bar([{"name": "observed", "adds": 0.1}, {"name": "confidence", "adds": 0.3}], "two parts")
    >>> bar.count("<rect"), 'width="160.00"' in bar
    (2, True)
    """
    total = sum(part["adds"] for part in parts) or 1.0
    x, pieces = 0.0, []
    for part in parts:
        width = _WIDTH * part["adds"] / total
        pieces.append(f'<rect class="part-{escape(part["name"])}" x="{x:.2f}" y="0" width="{width:.2f}" height="28"/>')
        x += width
    return (
        f'<svg class="bar" viewBox="0 0 640 28" preserveAspectRatio="none" role="img" aria-label="{escape(label)}">'
        f"{''.join(pieces)}</svg>"
    )


def draw_limit(observed: float | None, limit: float, top: float) -> str:
    """Return a bar from 0 to ``top``: what was observed, how far the limit lies from it, and a mark at the limit.

    It is stretched to the width of its line, so that the same picture does for a phone; the words stand beside it.

    Examples
    --------
    >>> from pacbayes.report.charts import draw_limit
    >>> draw_limit(0.1, 0.2, 0.4).count("<rect"), draw_limit(None, 0.2, 0.4).count("<rect")
    (4, 3)
    """
    low, high = (0.0, limit) if observed is None else sorted((observed, limit))
    low, high, end = (_WIDTH * min(each / top, 1.0) for each in (low, high, limit))
    at = min(end, _WIDTH - 4.0)
    pieces = [("track", 0.0, _WIDTH), ("margin", low, high), ("mark", at, at + 4.0)]
    if observed is not None:
        pieces.insert(1, ("part-observed", 0.0, low))
    rects = [
        f'<rect class="{name}" x="{start:.2f}" y="0" width="{stop - start:.2f}" height="12"/>'
        for name, start, stop in pieces
    ]
    return (
        f'<svg class="limit" viewBox="0 0 640 12" preserveAspectRatio="none" aria-hidden="true">{"".join(rects)}</svg>'
    )


def draw_curve(
    n: Sequence[float],
    lines: Sequence[tuple[str, Sequence[float]]],
    *,
    label: str,
    axis: str = "rows so far",
    standalone: bool = False,
) -> str:
    """Return lines over a logarithmic axis as SVG, the first drawn boldest.

    Parameters
    ----------
    n : sequence of float
        Positions on the axis, positive and increasing.
    lines : sequence of (str, sequence of float)
        The name of each line, and its values in [0, 1] at these positions.
    label : str
        What the picture shows, for those who do not see it.
    axis : str
        What is below the axis.
    standalone : bool, default=False
        Whether it is a file of its own, with a style of its own.

    Examples
    --------
    >>> from pacbayes.report import draw_curve
    >>> chart = draw_curve([10, 100], [("guarantee", [0.4, 0.2]), ("observed", [0.1, 0.1])], label="It falls.")
    >>> chart.startswith("<svg"), chart.count("<polyline")
    (True, 2)
    """
    top = nice_top(max(max(values) for _, values in lines))
    x_of, y_of = _scales(n[0], n[-1], top)
    body = [*_grid(top, y_of), *_ticks(n, x_of)]
    for position, (name, values) in enumerate(lines):
        points = " ".join(f"{x_of(a):.1f},{y_of(b):.1f}" for a, b in zip(n, values, strict=True))
        body.append(
            f'<polyline class="line line-{position}" points="{points}"><title>{escape(name)}</title></polyline>'
        )
    return _chart(body, axis, label, standalone=standalone)


def draw_learning(points: Sequence[tuple[int, float]], stop: tuple[int, float, float], rows: int, *, label: str) -> str:
    """Return a learning curve as SVG, and what came of it where learning stopped.

    Parameters
    ----------
    points : sequence of (int, float)
        How many rows a snapshot learned from, and the error it was observed to have on later ones.
    stop : (int, float, float)
        How many rows the certified model learned from, its error on the judged rows, and the guarantee.
    rows : int
        How many there are in all, where the axis ends.
    label : str
        What the picture shows, for those who do not see it.

    Examples
    --------
    >>> from pacbayes.report.charts import draw_learning
    >>> chart = draw_learning([(50, 0.2), (100, 0.12)], (400, 0.1, 0.13), 1000, label="It learns.")
    >>> chart.count("<circle"), chart.count("<polyline"), ">stop<" in chart
    (4, 1, True)
    """
    learned, observed, guarantee = stop
    first = min([size for size, _ in points] + [learned])
    top = nice_top(max(guarantee, observed, *(error for _, error in points)))
    x_of, y_of = _scales(first, rows, top)
    body = [*_grid(top, y_of), *_ticks([first, rows], x_of)]
    at, bottom = x_of(learned), _HEIGHT - _BOTTOM
    body.append(f'<line class="stop" x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{bottom}"/>')
    side, shift = ("end", -6.0) if at > _WIDTH / 2 else ("start", 6.0)
    body.append(f'<text class="tick" x="{at + shift:.1f}" y="{_TOP + 10:.1f}" text-anchor="{side}">stop</text>')
    path = " ".join(f"{x_of(size):.1f},{y_of(error):.1f}" for size, error in points)
    body.append(f'<polyline class="line" points="{path}"/>')
    body += [_dot("point", x_of(size), y_of(error)) for size, error in points]
    body += [_dot("point point-judged", at, y_of(observed)), _dot("point point-guarantee", at, y_of(guarantee))]
    return _chart(body, "rows learned from", label)


def draw_shares(
    points: Sequence[tuple[float, float]], kept: int | None, target: float, *, axis: str, label: str
) -> str:
    """Return shares of errors over shares of rows as SVG, a target, and the point that was kept.

    Parameters
    ----------
    points : sequence of (float, float)
        Both in [0, 1].
    kept : int or None
        Which of them is marked.
    target : float
        Where the dashed line is.
    axis, label : str
        What is below the axis, and what the picture shows, for those who do not see it.

    Examples
    --------
    >>> from pacbayes.report.charts import draw_shares
    >>> chart = draw_shares([(0.3, 0.01), (1.0, 0.1)], 0, 0.05, axis="answered", label="It answers.")
    >>> chart.count("<polyline"), chart.count("<circle")
    (1, 1)
    """
    top = nice_top(max([target, *(error for _, error in points)]))
    _, y_of = _scales(1.0, 2.0, top)
    wide, bottom = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _BOTTOM + 18
    ends = f'x1="{_LEFT}" x2="{_WIDTH - _RIGHT}"'
    body = _grid(top, y_of)
    body += [
        f'<text class="tick" x="{_LEFT + wide * step / 4:.1f}" y="{bottom:.0f}" text-anchor="middle">'
        f"{25 * step} %</text>"
        for step in range(5)
    ]
    body.append(f'<line class="stop" {ends} y1="{y_of(target):.1f}" y2="{y_of(target):.1f}"/>')
    path = " ".join(f"{_LEFT + wide * share:.1f},{y_of(error):.1f}" for share, error in points)
    body.append(f'<polyline class="line line-0" points="{path}"/>')
    if kept is not None:
        share, error = points[kept]
        body.append(_dot("point point-guarantee", _LEFT + wide * share, y_of(error)))
    return _chart(body, axis, label)


def _dot(name: str, x: float, y: float) -> str:
    return f'<circle class="{name}" cx="{x:.1f}" cy="{y:.1f}" r="5"/>'


def _scales(first: float, last: float, top: float) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """Return where numbers of rows, from the first to the last, and values up to the top are drawn."""
    low, high = math.log(first), math.log(max(last, first + 1))

    def x_of(size: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (math.log(size) - low) / (high - low)

    def y_of(value: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1.0 - min(value, top) / top)

    return x_of, y_of


def _chart(body: list[str], axis: str, label: str, *, standalone: bool = False) -> str:
    middle = (_WIDTH + _LEFT - _RIGHT) / 2
    words = f'<text class="axis" x="{middle:.0f}" y="{_HEIGHT - 4:.0f}" text-anchor="middle">{escape(axis)}</text>'
    style = _STANDALONE if standalone else ""
    space = ' xmlns="http://www.w3.org/2000/svg"' if standalone else ""
    return (
        f'<svg{space} class="chart" viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" role="img" aria-label="{escape(label)}">'
        f"{style}{''.join(body)}{words}</svg>"
    )


_STANDALONE = (
    "<style>svg{background:#fff;font:12px system-ui,sans-serif}.line{fill:none;stroke:#667085;stroke-width:2}"
    ".line-0{stroke:#1f5fbf;stroke-width:3}.grid{stroke:#e4e7ec}text{fill:#475467}</style>"
)


def nice_top(value: float) -> float:
    """Return where an axis from 0 ends that has to show a value in [0, 1].

    Examples
    --------
    >>> from pacbayes.report.charts import nice_top
    >>> nice_top(0.03), nice_top(0.97)
    (0.04, 1.0)
    """
    return next((top for top in _TOPS if value <= top), 1.0)


def _grid(top: float, y_of: Callable[[float], float]) -> list[str]:
    marks = []
    for step in range(5):
        value = top * step / 4
        y = y_of(value)
        marks.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        marks.append(f'<text class="tick" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{100 * value:g} %</text>')
    return marks


def _ticks(n: Sequence[float], x_of: Callable[[float], float]) -> list[str]:
    candidates = [step * 10**power for power in range(8) for step in (1, 2, 5)]
    inside = [size for size in candidates if n[0] <= size <= n[-1]]
    return [
        f'<text class="tick" x="{x_of(size):.1f}" y="{_HEIGHT - _BOTTOM + 18:.0f}" text-anchor="middle">{size:,}</text>'
        for size in inside[:: max(1, len(inside) // 9 + 1)]
    ]
