"""Evidence against "the risk is still at most v": bets on every rate and from every row on, in one e-process.

For a rate ``lam`` in [0, 1/v) and a start ``s`` the capital ``prod_{s <= i <= t} (1 + lam (l_i - v))`` is a
supermartingale as long as the conditional risk is at most ``v``. Mixed over starts with weights ``w_s`` that were fixed
beforehand, where a start that has not come counts with its weight alone, it stays one, and follows a recursion:

    M_t = (M_{t-1} + w_t) (1 + lam (l_t - v)),    E_t = sum_lam p_lam M_t + (1 - sum_{s <= t} w_s),    E_0 = 1.

So all starts cost no more memory than one. ``E`` reaches ``1/alpha`` with probability at most ``alpha``, ever (Ville).

The weights fall like ``1/(s log(s)^2)``: with ``R(t) = (1 - a)/(1 + log(1 + t/c))``, which is convex, ``-R'(s)`` is at
most ``R(s - 1) - R(s)``, so that these weights and ``a`` for the first row add up to at most 1, and ``R(t)`` is at most
what is left after ``t`` rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from pacbayes._core.rounding import EPS
from pacbayes._core.types import FloatArray, IntArray
from pacbayes.monitoring._stored import read_count, read_counts, read_floats, refuse, write_floats

__all__ = ["Evidence", "Found", "left_weight", "rate_fractions", "rate_weights", "start_weights"]

_FIRST = 0.25  # the share of the first row: a model may be bad from the beginning
_SCALE = 300.0  # rows over which the other starts have nearly the same weight
_RATES = 12
_LARGEST = 0.8  # of rate times v; the others are half of the one before
_AT_ONCE = 8192  # rows for which memory is taken at once
_BLOCK = 256  # rows between two places where logarithms are moved back to their origin


def rate_fractions() -> FloatArray:
    """Return ``lam v`` of every rate: the best for a 0-1 loss whose risk has become ``v + (1 - v) lam v``."""
    return np.asarray(_LARGEST * 0.5 ** np.arange(_RATES))


def rate_weights() -> FloatArray:
    """Return the weights of the rates, which add up to at most 1: largest for changes of some points."""
    shape = 1.0 / (1.0 + ((np.arange(_RATES) - 4.5) / 2.0) ** 2)
    return np.asarray(shape / shape.sum() * (1.0 - 16.0 * EPS))


def start_weights(rows: FloatArray) -> FloatArray:
    """Return the weights of the starts at these rows, counted from 1."""
    weights = (1.0 - _FIRST) / ((_SCALE + rows) * (1.0 + np.log1p(rows / _SCALE)) ** 2)
    return np.asarray(weights + np.where(rows == 1.0, _FIRST, 0.0))


def left_weight(rows: FloatArray) -> FloatArray:
    """Return at most what the starts after so many rows weigh together; all weigh 1 before the first row."""
    return np.asarray((1.0 - _FIRST) / (1.0 + np.log1p(rows / _SCALE)) + np.where(rows == 0.0, _FIRST, 0.0))


class Found(NamedTuple):
    """What some rows showed.

    Attributes
    ----------
    log_evidence : ndarray, shape (rows,)
        Logarithm of the evidence after each row, rounded down.
    first : int or None
        Which of them was the first to reach the level; None if none did.
    change : int
        The row, counted from the first of all, from which on the capital grew most: at the first row that reached the
        level, or else at the last.
    """

    log_evidence: FloatArray
    first: int | None
    change: int


@dataclass(slots=True)
class Evidence:
    """The state of the e-process: a few numbers for each rate, however many rows there were.

    Rows may come in parts of any size; the result is the same to the last bit. What rounding could add is subtracted,
    so that a level is never reached earlier than in exact arithmetic: per block of ``B = 256`` rows and rate, with
    ``G`` the largest logarithm of a factor, at most ``B`` times ``EPS (64 + 16 (B + 1) G + 4 |log M| + 8 |log w|)``.
    That counts ``4 EPS (2 + |g|)`` for a factor, half a unit of the last place of every sum, whose terms are at most
    ``B G + |log M| + |log w|``, and 9 units for each logarithm of a sum.

    Attributes
    ----------
    value : float
        What the risk is said not to exceed, in (0, 1).
    rows : int
        How many there were.
    growth : ndarray, shape (rates,)
        Sums of logarithms of the factors since the block began.
    capital : ndarray, shape (rates,)
        Logarithms of the capital divided by the growth.
    lowest : ndarray, shape (rates,)
        Where the growth was least, over all rows, measured from where the block began.
    starts : ndarray of int, shape (rates,)
        The row after that: from there on the capital has grown most.
    slack : ndarray, shape (rates,)
        What is subtracted for rounding in this block.
    """

    value: float
    rows: int
    growth: FloatArray
    capital: FloatArray
    lowest: FloatArray
    starts: IntArray
    slack: FloatArray

    @classmethod
    def begin(cls, value: float) -> Evidence:
        """Return the evidence before the first row."""
        none = np.zeros(_RATES)
        made = cls(value, 0, none, np.full(_RATES, -np.inf), none.copy(), np.ones(_RATES, dtype=np.int64), none)
        made._begin_block()
        return made

    @property
    def log_value(self) -> float:
        """Logarithm of the evidence now, rounded down."""
        return float(self._total(np.asarray([self.growth + self.capital]), self.rows)[0])

    @property
    def change(self) -> int:
        """The row from which on the capital has grown most."""
        return int(self.starts[np.argmax(self.growth - self.lowest)])

    def add(self, losses: FloatArray, level: float) -> Found:
        """Take losses in [0, 1], and tell when the logarithm of the evidence first reached a level."""
        parts, first, change = [], None, None
        for start in range(0, losses.size, _AT_ONCE):
            logs, pieces = self._add_rows(losses[start : start + _AT_ONCE])
            parts.append(logs)
            reached = np.flatnonzero(logs >= level)
            if first is None and reached.size:
                first = start + int(reached[0])
                change = _find_piece(pieces, int(reached[0]))
        return Found(np.concatenate(parts) if parts else np.zeros(0), first, self.change if change is None else change)

    def _add_rows(self, losses: FloatArray) -> tuple[FloatArray, list[_Piece]]:
        """Take losses; return logarithms of the evidence after each, and how the growth went block by block.

        What does not depend on the rows before is computed for all of them at once, each as it would be by itself.
        """
        numbers = np.arange(self.rows + 1, self.rows + 1 + losses.size, dtype=np.float64)
        steps = np.log1p((losses - self.value)[:, None] * (rate_fractions() / self.value))
        starts, shares = np.log(start_weights(numbers)), np.log(rate_weights())
        lowered, pieces, done = np.empty((_RATES + 1, losses.size)), [], 0
        lowered[_RATES] = np.log(left_weight(numbers))
        while done < losses.size:
            end = min(losses.size, done + _BLOCK - self.rows % _BLOCK)
            growth = np.cumsum(np.vstack([self.growth, steps[done:end]]), axis=0)
            entries = starts[done:end, None] - growth[:-1]
            capital = np.logaddexp.accumulate(np.vstack([self.capital, entries]), axis=0)
            lowered[:_RATES, done:end] = ((growth + capital)[1:] + shares - self.slack).T
            pieces.append(_Piece(done, growth, self.lowest, self.starts, self.rows))
            self._follow_lowest(growth, self.rows)
            self.rows += end - done
            self.growth, self.capital, done = growth[-1], capital[-1], end
            if self.rows % _BLOCK == 0:
                self._begin_block()
        return _add_logs(lowered), pieces

    def _total(self, logs: FloatArray, rows: FloatArray | int) -> FloatArray:
        """Return logarithms of the mixture over rates and of what has not started, less what rounding may add."""
        left = np.log(left_weight(np.atleast_1d(np.float64(rows))))
        return _add_logs(np.vstack([(logs + np.log(rate_weights()) - self.slack).T, left]))

    def _follow_lowest(self, growth: FloatArray, rows: int) -> None:
        """Keep where the growth was least: at the last such place, so that a start lies as late as it can."""
        place = growth.shape[0] - 1 - np.argmin(growth[::-1], axis=0)
        least = growth[place, np.arange(_RATES)]
        lower = least <= self.lowest
        self.lowest = np.where(lower, least, self.lowest)
        self.starts = np.where(lower, rows + place + 1, self.starts)

    def _begin_block(self) -> None:
        """Move the logarithms back to their origin, and subtract what rounding may have added before."""
        self.capital = self.growth + self.capital - self.slack
        self.lowest = self.lowest - self.growth
        self.growth = np.zeros(_RATES)
        fractions = rate_fractions()
        largest = np.maximum(-np.log1p(-fractions), np.log1p(fractions / self.value))
        held = np.where(np.isfinite(self.capital), np.abs(self.capital), 0.0)
        weight = -np.log(start_weights(np.asarray(self.rows + float(_BLOCK))))
        self.slack = _BLOCK * EPS * (64.0 + 16.0 * (_BLOCK + 1) * largest + 4.0 * held + 8.0 * weight)

    def to_dict(self) -> dict[str, object]:
        """Return all numbers in full precision."""
        lists = {name: write_floats(getattr(self, name)) for name in ("growth", "capital", "lowest", "slack")}
        return {"value": self.value.hex(), "rows": self.rows, "starts": self.starts.tolist(), **lists}

    @classmethod
    def from_dict(cls, record: Mapping[str, object]) -> Evidence:
        """Go on from what :meth:`to_dict` returned; anything else is refused with a ValueError."""
        (value,) = read_floats([record.get("value")], 1)
        if not 0.0 < value < 1.0:
            refuse()
        made = cls.begin(value)
        if set(record) != set(made.to_dict()):
            refuse()
        made.rows = read_count(record["rows"])
        names = ("growth", "capital", "lowest", "slack")
        made.growth, made.capital, made.lowest, made.slack = (read_floats(record[name], _RATES) for name in names)
        made.starts = read_counts(record["starts"], _RATES)
        sound = np.all(made.slack >= 0.0) and np.all(made.lowest <= made.growth)
        if not sound or np.any(made.starts > made.rows + 1) or np.any(np.isfinite(made.capital) != (made.rows > 0)):
            refuse()
        return made


class _Piece(NamedTuple):
    """How the growth went in a part of a block: before which row of those taken, and what was known before."""

    start: int
    growth: FloatArray
    lowest: FloatArray
    starts: IntArray
    rows: int


def _add_logs(lowered: FloatArray) -> FloatArray:
    """Return the logarithm of the sum of each column's exponentials, less what rounding may add.

    Terms are added one after another, for one column as for many, so that it does not matter how many come at once.
    """
    highest = lowered.max(axis=0)
    terms = np.exp(lowered - highest)
    total = highest + np.log(reduce(np.add, terms))
    return np.asarray(total - 64.0 * EPS * (1.0 + np.abs(total)))


def _find_piece(pieces: Sequence[_Piece], row: int) -> int:
    """Return the start with the most growth after one of the rows that were taken."""
    found = next(each for each in reversed(pieces) if each.start <= row)
    return _find_change(found.growth[: row - found.start + 2], found.lowest, found.starts, found.rows)


def _find_change(growth: FloatArray, lowest: FloatArray, starts: IntArray, rows: int) -> int:
    """Return the start with the most growth at the end of some rows, of which the growth is given."""
    place = growth.shape[0] - 1 - np.argmin(growth[::-1], axis=0)
    least = growth[place, np.arange(_RATES)]
    found = np.where(least <= lowest, rows + place + 1, starts)
    return int(found[np.argmax(growth[-1] - np.minimum(least, lowest))])
