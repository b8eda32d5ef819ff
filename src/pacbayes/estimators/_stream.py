"""A stream of rows and the snapshots judged along it; extending it makes a new one, so that failure changes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from pacbayes._core.rows import joined, take
from pacbayes._core.types import FloatArray
from pacbayes.online._snapshots import losses_of, refitted

__all__ = ["Stream"]


@dataclass(frozen=True, slots=True)
class Stream:
    """Rows in the order in which they came.

    Attributes
    ----------
    X, y : rows and labels
    schedule : Schedule
        Its points for more rows must begin with its points for fewer.
    snapshots : tuple of (int, classifier)
        The number of rows each was trained on, and the snapshot.
    counts : tuple of int
        How many rows each has judged.
    losses : ndarray
        From the first snapshot on.
    """

    X: Any
    y: Any
    schedule: Any
    snapshots: tuple[tuple[int, Any], ...] = ()
    counts: tuple[int, ...] = ()
    losses: FloatArray = field(default_factory=lambda: np.zeros(0))

    @property
    def weights(self) -> FloatArray:
        """The share of the judged rows that each snapshot judged."""
        return np.asarray(self.counts, dtype=np.float64) / sum(self.counts)

    def extended(self, X: Any, y: Any) -> Stream:
        """Return the stream with further rows at its end, which no snapshot has judged yet."""
        return replace(self, X=joined(self.X, X), y=np.concatenate([self.y, y]))

    def judged(self, estimator: Any) -> Stream:
        """Return the stream with snapshots trained and judged up to its end."""
        points = self._points()
        snapshots, counts, losses = list(self.snapshots), list(self.counts), [self.losses]
        position = points[0] + self.losses.size
        for index, (start, stop) in enumerate(zip(points, [*points[1:], self.y.size], strict=True)):
            if stop <= position:
                continue
            if index == len(snapshots):
                snapshots.append((start, refitted(clone(estimator), None, self.X, self.y, start)))
                counts.append(0)
            part = slice(position, stop)
            losses.append(losses_of(snapshots[index][1], take(self.X, part), self.y[part], "zero_one"))
            counts[index] += stop - position
            position = stop
        return replace(self, snapshots=tuple(snapshots), counts=tuple(counts), losses=np.concatenate(losses))

    def _points(self) -> list[int]:
        """Return the schedule's points; refuse one that would rewrite the past."""
        points, used = list(self.schedule.points(self.y.size)), [start for start, _ in self.snapshots]
        if not points or points[: len(used)] != used or sorted(set(points)) != points or points[-1] >= self.y.size:
            raise ValueError(
                "The schedule must give increasing points below the number of rows, and for more rows begin with those "
                f"it gave for fewer ({used}). Got {points[:10]} for {self.y.size} rows instead."
            )
        return points
