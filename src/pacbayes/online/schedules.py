"""When a reference is refitted: after how many examples a new snapshot is trained, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

__all__ = ["Every", "Geometric", "Schedule"]


class Schedule(Protocol):
    """Anything that says after how many examples to refit."""

    def points(self, n: int) -> list[int]:
        """Return increasing prefix lengths below ``n``; each snapshot predicts up to the next.

        For more examples they must begin with those for fewer, or a stream could not be extended.
        """


@dataclass(frozen=True, slots=True)
class Every:
    """Refit after every ``period`` examples: the paper's schedule with 150.

    ``n/period`` fits on ever longer prefixes cost, for a learner whose cost is linear in its examples,
    ``n/(2 period)`` times one fit on all of them. ``Every(1)`` is for learners that update in place (``partial_fit``).

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.Every(150).points(500)
    [150, 300, 450]
    """

    period: int = 150

    def __post_init__(self) -> None:
        if not isinstance(self.period, int | np.integer) or self.period < 1:
            raise ValueError(
                f"The 'period' argument of Every must be a whole number of at least 1. Got {self.period!r} instead."
            )

    def points(self, n: int) -> list[int]:
        """Return the multiples of the period below ``n``."""
        return list(range(int(self.period), n, int(self.period)))


@dataclass(frozen=True, slots=True)
class Geometric:
    """Refit whenever the prefix has grown by the factor ``ratio``, from ``first`` examples on.

    The prefixes add up to less than ``ratio/(ratio - 1)`` times the last, so that for a learner of linear cost all
    fits together cost at most that many times one fit: 11 for a ratio of 1.1, less with warm starts.

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.Geometric(2.0, first=50).points(500)
    [50, 100, 200, 400]
    """

    ratio: float = 1.1
    first: int = 50

    def __post_init__(self) -> None:
        if not self.ratio > 1.0:
            raise ValueError(f"The 'ratio' argument of Geometric must exceed 1. Got {self.ratio!r} instead.")
        if self.first < 1:
            raise ValueError(f"The 'first' argument of Geometric must be at least 1. Got {self.first!r} instead.")

    def points(self, n: int) -> list[int]:
        """Return the prefix lengths, each at least one longer than the one before."""
        points, point = [], int(self.first)
        while point < n:
            points.append(point)
            point = max(point + 1, int(np.ceil(point * self.ratio - 1e-9)))
        return points
