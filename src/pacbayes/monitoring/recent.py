"""The risk of late: the losses of a window of rows, and limits on their true mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pacbayes._core.types import BoolArray, FloatArray
from pacbayes.bounds import betting, betting_rates, clopper_pearson
from pacbayes.monitoring._stored import read_count, read_floats, refuse, write_floats

__all__ = ["RecentRisk", "Window"]

_UNKNOWN = -1.0  # stands in a window for a loss that could not be read


@dataclass(frozen=True, slots=True)
class RecentRisk:
    """The mean loss of the last rows, and limits on its true value.

    Attributes
    ----------
    n : int
        How many rows.
    observed : float
        Their mean loss; a loss that could not be read counts as 1.
    lower, upper : float
        With probability at least ``1 - delta`` the mean of the true risks of these rows lies between them, at one time
        that was fixed beforehand; the time of an alarm is none. Losses have to be independent of each other.
    delta : float
        Allowed probability of failure, half on each side.
    """

    n: int
    observed: float
    lower: float
    upper: float
    delta: float


@dataclass(slots=True)
class Window:
    """The losses of the last rows.

    Attributes
    ----------
    size : int
        How many rows are kept.
    losses : ndarray
        As many as there are, at most ``size``, the oldest first; -1 for one that could not be read.
    graded : int or None
        The first of all rows, counted from 1, with a loss other than 0 and 1; 0 if such losses were announced.
    """

    size: int
    losses: FloatArray
    graded: int | None = None

    def add(self, losses: FloatArray, unreadable: BoolArray, rows: int) -> None:
        """Take further losses, after so many rows."""
        values = np.where(unreadable, _UNKNOWN, losses)
        between = np.flatnonzero((values > 0.0) & (values < 1.0))
        if self.graded is None and between.size:
            self.graded = rows + int(between[0]) + 1
        self.losses = np.concatenate([self.losses, values[-self.size :]])[-self.size :]

    def risk(self, rows: int, delta: float) -> RecentRisk | None:
        """Return the risk of the window after so many rows; None before the first.

        Where every loss before the window was 0 or 1, limits are Clopper-Pearson's, moved where rows of unequal risks
        need it: on the share of losses above 0 for the upper one, and of losses that are 1 for the lower, which are the
        same thing as long as losses stay 0 or 1 and are on the safe side where they do not. Otherwise they are bets on
        the losses, at a grid of rates. Which of the two is known before the window begins, so that the choice costs
        nothing.
        """
        n = self.losses.size
        if not n:
            return None
        high = np.where(self.losses == _UNKNOWN, 1.0, self.losses)
        low = np.where(self.losses == _UNKNOWN, 0.0, self.losses)
        half = delta / 2.0
        if self.graded is not None and self.graded <= rows - n:
            upper, below = _bet_on(high, half), _bet_on(1.0 - low, half)
        else:
            upper = _limit_count(int(np.count_nonzero(high > 0.0)), n, half)
            below = _limit_count(int(np.count_nonzero(low < 1.0)), n, half)
        return RecentRisk(n, float(high.mean()), max(0.0, 1.0 - float(below)), float(upper), delta)

    def to_dict(self) -> dict[str, object]:
        """Return all that is kept, in full precision."""
        return {"size": self.size, "losses": write_floats(self.losses), "graded": self.graded}

    @classmethod
    def from_dict(cls, record: object, rows: int) -> Window:
        """Go on from what :meth:`to_dict` returned after so many rows."""
        if not isinstance(record, Mapping) or set(record) != {"size", "losses", "graded"}:
            refuse()
        size = read_count(record["size"])
        losses = read_floats(record["losses"], min(size, rows))
        graded = None if record["graded"] is None else read_count(record["graded"])
        valid = (losses == _UNKNOWN) | ((losses >= 0.0) & (losses <= 1.0))
        if not size or not np.all(valid) or (graded is not None and graded > rows):
            refuse()
        return cls(size, losses, graded)


def _limit_count(errors: int, n: int, delta: float) -> float:
    """Return an upper limit on the mean risk of rows of unequal risks, from how many of them are errors.

    With a mean risk ``m`` of at least ``(errors + 1)/n`` so few errors are no likelier than for rows of equal risk
    (Hoeffding 1956), so that Clopper-Pearson's limit holds from there on. Below, it can fail a little more often: one
    row of risk ``1 - eta`` among rows of risk 1 is right with probability ``eta``, and ``n`` rows of the same mean with
    ``1 - (1 - eta/n)**n``. Where one row is right, ``P(any row is right) <= n (1 - m)`` gives a limit itself.
    """
    least = float(np.nextafter(1.0 - delta / n, 1.0)) if errors == n - 1 else min((errors + 1) / n, 1.0)
    return max(float(clopper_pearson(float(errors), n, delta)), least)


def _bet_on(losses: FloatArray, delta: float) -> float:
    """Return an upper limit on the true mean of losses between 0 and 1, of unequal risks as well."""
    rates, weights = betting_rates(losses.size)
    growth = np.log1p(-losses[:, None] * rates).mean(axis=0)
    return float(betting(growth, rates, 0.0, losses.size, delta, weights))
