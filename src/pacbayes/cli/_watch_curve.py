"""What was reported of a stream so far, thinned out so that it stays short."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

__all__ = ["Curve"]

_MOST = 240  # points; when there are as many, every second one goes
_WIDTH = 5
_REFUSAL = "The curve must be one that was stored. Got something else instead."


@dataclass(slots=True)
class Curve:
    """Points with rows so far, logarithm of the evidence, recent mean loss and its limits.

    Examples
    --------
    >>> from pacbayes.cli._watch_curve import Curve
    >>> curve = Curve()
    >>> for row in range(1, 1001):
    ...     curve.add((row, 0.0, 0.1, 0.05, 0.2))
    >>> len(curve.points) < 240, curve.points[-1][0] > 990
    (True, True)
    """

    points: list[tuple[float, ...]] = field(default_factory=list)
    spacing: int = 1
    seen: int = 0

    def add(self, point: tuple[float, ...]) -> None:
        """Take a point, if it is its turn."""
        if self.points and point[0] <= self.points[-1][0]:
            return
        self.seen += 1
        if (self.seen - 1) % self.spacing == 0:
            self.points.append(point)
        if len(self.points) >= _MOST:
            self.points, self.spacing = self.points[::2], 2 * self.spacing

    def to_list(self) -> list[object]:
        """Return it as plain values."""
        return [self.seen, self.spacing, [list(point) for point in self.points]]

    @classmethod
    def from_list(cls, stored: object) -> Curve:
        """Go on from what :meth:`to_list` returned; anything else is refused with a ValueError."""
        if not isinstance(stored, list) or len(stored) != 3:
            raise ValueError(_REFUSAL)
        seen, spacing, points = stored
        counts = type(seen) is int and type(spacing) is int and seen >= 0 and spacing >= 1
        if not counts or not isinstance(points, list) or len(points) >= _MOST:
            raise ValueError(_REFUSAL)
        made = cls([tuple(map(_number, point)) for point in points if isinstance(point, list)], spacing, seen)
        rows = [point[0] for point in made.points if len(point) == _WIDTH]
        if len(rows) != len(points) or rows != sorted(set(rows)) or (rows and rows[0] < 1):
            raise ValueError(_REFUSAL)
        return made


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(_REFUSAL)
    return value
