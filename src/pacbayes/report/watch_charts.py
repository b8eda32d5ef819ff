"""Charts of a stream as inline SVG: the risk of late against the certified one, and the evidence on its way."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

__all__ = ["draw_evidence", "draw_recent"]

_WIDTH, _HEIGHT = 640.0, 220.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 16.0, 14.0, 40.0
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)

Scale = Callable[[float], float]


def draw_recent(curve: Sequence[tuple[float, ...]], value: float, change: int | None = None) -> str:
    """Return the recent mean loss with its limits over the rows; the certified value and an estimated change as lines.

    Examples
    --------
    >>> from pacbayes.report.watch_charts import draw_recent
    >>> chart = draw_recent([(100, 0.0, 0.02, 0.01, 0.07), (200, 0.0, 0.03, 0.01, 0.06)], 0.05)
    >>> chart.count("<polyline"), chart.count("<polygon"), "certified" in chart
    (1, 1, True)
    """
    top = _round_up(1.05 * max(value, *(point[4] for point in curve)), 4)
    x_of, y_of = _scales(curve, 0.0, top)
    band = [(point[0], point[4]) for point in curve] + [(point[0], point[3]) for point in reversed(curve)]
    body = [
        *_grid([top * step / 4 for step in range(5)], y_of, lambda each: f"{100.0 * each:g} %"),
        *_ticks(curve, x_of),
    ]
    body.append(f'<polygon class="band" points="{_path(band, x_of, y_of)}"/>')
    body.append(f'<polyline class="line line-0" points="{_path([(p[0], p[2]) for p in curve], x_of, y_of)}"/>')
    body += [*_level(y_of(value), "certified"), *_moment(change, curve, x_of)]
    return _chart(body, "The mean loss of the last rows with its limits, and the certified value")


def draw_evidence(curve: Sequence[tuple[float, ...]], alpha: float, change: int | None = None) -> str:
    """Return the evidence over the rows in powers of ten; the level of an alarm and an estimated change as lines.

    Examples
    --------
    >>> from pacbayes.report.watch_charts import draw_evidence
    >>> chart = draw_evidence([(100, 0.0, 0.02, 0.01, 0.07), (200, 1.0, 0.03, 0.01, 0.06)], 0.01)
    >>> chart.count("<polyline"), "alarm" in chart
    (1, True)
    """
    level = -math.log10(alpha)
    tens = [(point[0], point[1] / math.log(10.0)) for point in curve]
    low = min(-1.0, math.floor(min(each for _, each in tens)))
    high = max(level + 0.5, *(each for _, each in tens))
    step = max(1, math.ceil((high - low) / 6.0))
    marks = [low + step * place for place in range(math.ceil((high - low) / step) + 1)]
    x_of, y_of = _scales(curve, low, marks[-1])
    body = [*_grid(marks, y_of, lambda each: f"10^{each:g}" if each else "1"), *_ticks(curve, x_of)]
    body.append(f'<polyline class="line line-0" points="{_path(tens, x_of, y_of)}"/>')
    body += [*_level(y_of(level), "alarm"), *_moment(change, curve, x_of)]
    return _chart(body, "The evidence against the certificate, and the level of an alarm")


def _scales(curve: Sequence[tuple[float, ...]], low: float, high: float) -> tuple[Scale, Scale]:
    first, last = curve[0][0], max(curve[-1][0], curve[0][0] + 1)

    def x_of(row: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (row - first) / (last - first)

    def y_of(value: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1.0 - (min(max(value, low), high) - low) / (high - low))

    return x_of, y_of


def _round_up(value: float, parts: int) -> float:
    """Return the next number above of which a part is easy to read."""
    part = value / parts
    power = 10.0 ** math.floor(math.log10(part))
    return parts * power * next(step for step in _STEPS if step * power >= part * (1.0 - 1e-9))


def _path(points: Sequence[tuple[float, float]], x_of: Scale, y_of: Scale) -> str:
    return " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in points)


def _grid(marks: Sequence[float], y_of: Scale, words: Callable[[float], str]) -> list[str]:
    lines = []
    for mark in marks:
        y = y_of(mark)
        lines.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        lines.append(f'<text class="tick" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{words(mark)}</text>')
    return lines


def _ticks(curve: Sequence[tuple[float, ...]], x_of: Scale) -> list[str]:
    first, last = curve[0][0], curve[-1][0]
    step = max(1.0, _round_up((last - first) / 5.0 or 1.0, 1))
    rows = [step * place for place in range(math.ceil(first / step), math.floor(last / step) + 1)]
    y = _HEIGHT - _BOTTOM + 18.0
    return [
        f'<text class="tick" x="{x_of(row):.1f}" y="{y:.0f}" text-anchor="middle">{row:,.0f}</text>'
        for row in rows
        if x_of(row) < _WIDTH - 30.0
    ]


def _level(y: float, words: str) -> list[str]:
    """Return a line across with its name at the left, above it."""
    return [
        f'<line class="level" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>',
        f'<text class="tick level-name" x="{_LEFT + 6:.1f}" y="{max(y - 5.0, 10.0):.1f}">{escape(words)}</text>',
    ]


def _moment(change: int | None, curve: Sequence[tuple[float, ...]], x_of: Scale) -> list[str]:
    """Return a line down at an estimated change, if it lies among the rows."""
    if change is None or not curve[0][0] <= change <= curve[-1][0]:
        return []
    x = x_of(change)
    side, shift = ("end", -6.0) if x > _WIDTH / 2 else ("start", 6.0)
    return [
        f'<line class="stop" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"/>',
        f'<text class="tick" x="{x + shift:.1f}" y="{_TOP + 10:.1f}" text-anchor="{side}">change</text>',
    ]


def _chart(body: list[str], label: str) -> str:
    middle = (_WIDTH + _LEFT - _RIGHT) / 2
    words = f'<text class="axis" x="{middle:.0f}" y="{_HEIGHT - 4:.0f}" text-anchor="middle">rows so far</text>'
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" role="img" aria-label="{escape(label)}">'
        f"{''.join(body)}{words}</svg>"
    )
