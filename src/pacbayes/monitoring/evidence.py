"""Evidence against "the risk is still at most v": bets on every rate and from every row on, in one e-process.

For a rate ``lam`` in [0, 1/v) and a start ``s`` the capital ``prod_{s <= i <= t} (1 + lam (l_i - v))`` is a
supermartingale as long as the conditional risk is at most ``v``. Mixed over starts with weights ``w_s`` that were fixed
beforehand, where a start that has not come counts with its weight alone, it stays one, and follows a recursion:

    M_t = (M_{t-1} + w_t) (1 + lam (l_t - v)),    E_t = sum_lam p_lam M_t + (1 - sum_{s <= t} w_s),    E_0 = 1.

So all starts cost no more memory than one. ``E`` reaches ``1/alpha`` with probability at most ``alpha``, ever (Ville).

The weights fall like ``1/(s log(s)^2)``: with ``R(t) = (1 - a)/(1 + log(1 + t/c))``, which is convex, ``-R'(s)`` is at
most ``R(s - 1) - R(s)``, so that these weights and ``a`` for the first row add up to at most 1, and ``R(t)`` is at most
what is left after ``t`` rows.

What is put in since a block began is kept as it is, divided by the growth since then: ``S_t = S_{t-1} + w_t /
prod_{i < t} (1 + lam (l_i - v))``. A factor is at least 1/5, so that nothing overflows in a block of 256 rows, and the
capital is ``prod_{i <= t} (1 + lam (l_i - v)) (M + S_t)`` with ``M`` that at the beginning of the block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pacbayes._core.types import FloatArray
from pacbayes.monitoring._bets import RATES, left_weight, rate_fractions, rate_weights, start_weights
from pacbayes.monitoring._pieces import (
    BEFORE,
    BLOCK,
    CAPITAL,
    GROWTH,
    LOWEST,
    SLACK,
    STARTS,
    Piece,
    Pieces,
    begin_state,
    change_of,
    logs_of,
)
from pacbayes.monitoring._stored import read_count, read_counts, read_floats, refuse, write_floats

__all__ = [
    "Crossing",
    "Evidence",
    "Found",
    "add_together",
    "left_weight",
    "rate_fractions",
    "rate_weights",
    "start_weights",
]

_PARTS = {"growth": GROWTH, "capital": CAPITAL, "before": BEFORE, "lowest": LOWEST, "slack": SLACK}


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


class Crossing(NamedTuple):
    """The first of some rows that reached a level.

    Attributes
    ----------
    first : int
        Which of them.
    change : int
        The row, counted from the first of all, from which on the capital had grown most.
    log_evidence : float
        Logarithm of the evidence there, rounded down.
    """

    first: int
    change: int
    log_evidence: float


@dataclass(slots=True)
class Evidence:
    """The state of the e-process: a few numbers for each rate, however many rows there were.

    Rows may come in parts of any size; the result is the same to the last bit. What rounding could add is subtracted,
    so that a level is never reached earlier than in exact arithmetic: per block of ``B = 256`` rows and rate, with
    ``G`` the largest logarithm of a factor, at most ``B`` times ``EPS (64 + 16 (B + 1) G + 4 |log M| + 8 |log w|)``.
    That counts ``4 EPS (2 + |g|)`` for a factor and half a unit of the last place of every sum of them, so that a
    growth is off by at most ``B EPS (8 + 4 G + B G / 2)``. It enters three times: in the product, and twice in what a
    start put in. What else there is, for a block and not for a row, is below
    ``EPS (8 |log w| + 4 B G + 4 |log M| + B + 64)``: the logarithm of a weight, sums of it, 4 units for an exponential,
    half a unit for each of ``B`` sums of positive numbers, and 9 units for the logarithm of the last.

    Attributes
    ----------
    value : float
        What the risk is said not to exceed, in (0, 1).
    rows : int
        How many there were.
    numbers : ndarray, shape (6, rates)
        For each rate: the sum of logarithms of the factors since the block began (growth); what the starts since then
        put in, divided by the growth (capital); the logarithm of the capital when the block began (before); where the
        growth was least, over all rows, measured from where the block began (lowest); the row after that, from which on
        the capital has grown most (starts); and what is subtracted for rounding in this block (slack). No array is
        changed in place.
    """

    value: float
    rows: int
    numbers: FloatArray

    @classmethod
    def begin(cls, value: float) -> Evidence:
        """Return the evidence before the first row."""
        return cls(value, 0, begin_state(value))

    @property
    def log_value(self) -> float:
        """Logarithm of the evidence now, rounded down."""
        numbers = self.numbers
        rows = np.array([float(self.rows)])
        with np.errstate(divide="ignore"):  # nothing was put in since a block began
            return float(logs_of(numbers[GROWTH][:, None], numbers[CAPITAL][:, None], numbers, rows)[0])

    @property
    def change(self) -> int:
        """The row from which on the capital has grown most."""
        return change_of(self.numbers)

    def add(self, losses: FloatArray, level: float) -> Found:
        """Take losses in [0, 1], and tell when the logarithm of the evidence first reached a level."""
        logs, found = np.empty(losses.size), None
        for piece in _run([self], losses, [losses.size], np.array([-np.inf])):
            some = logs[piece.start : piece.start + piece.growth.shape[1] - 1] = piece.logs()
            reached = np.flatnonzero(some >= level)
            if found is None and reached.size:
                found = piece.start + int(reached[0]), piece.change(int(reached[0]))
        return Found(logs, *((None, self.change) if found is None else found))

    def to_dict(self) -> dict[str, object]:
        """Return all numbers in full precision."""
        lists = {name: write_floats(self.numbers[part]) for name, part in _PARTS.items()}
        return {
            "value": self.value.hex(),
            "rows": self.rows,
            "starts": self.numbers[STARTS].astype(int).tolist(),
            **lists,
        }

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
        numbers = made.numbers.copy()
        for name, part in _PARTS.items():
            numbers[part] = read_floats(record[name], RATES)
        numbers[STARTS] = read_counts(record["starts"], RATES)
        made.numbers = numbers
        if not _is_sound(numbers, made.rows):
            refuse()
        return made


def _is_sound(numbers: FloatArray, rows: int) -> bool:
    """Whether so many rows could have led to these numbers."""
    inside, lowest_growth = rows % BLOCK > 0, -1.0 - BLOCK * np.log(5.0)
    return bool(
        np.all(numbers[SLACK] >= 0.0)
        and np.all(numbers[LOWEST] <= numbers[GROWTH])
        and np.all(numbers[GROWTH] >= lowest_growth)
        and np.all((numbers[CAPITAL] > 0.0) == inside)
        and np.all(np.isfinite(numbers[BEFORE]) == (rows >= BLOCK))
        and np.all(numbers[STARTS] <= rows + 1)
    )


def add_together(
    evidences: Sequence[Evidence], losses: FloatArray, sizes: Sequence[int], levels: Sequence[float]
) -> list[Crossing | None]:
    """Take the losses of several streams, one stream after the other; tell where each first reached its level.

    The result is that of :meth:`Evidence.add` for each, to the last bit. Evidence is computed only where it may have
    reached the level; an infinite level is never reached.
    """
    found: list[Crossing | None] = [None] * len(evidences)
    for piece in _run(evidences, losses, sizes, np.array(levels)):
        if found[piece.stream] is not None:
            continue
        logs = piece.logs()
        reached = np.flatnonzero(logs >= levels[piece.stream])
        if reached.size:
            row = int(reached[0])
            found[piece.stream] = Crossing(piece.start + row, piece.change(row), float(logs[row]))
    return found


def _run(
    evidences: Sequence[Evidence], losses: FloatArray, sizes: Sequence[int], levels: FloatArray
) -> Iterator[Piece]:
    """Move evidences on; yield the pieces that may have reached a level."""
    states, rows = np.array([each.numbers for each in evidences]), np.array([each.rows for each in evidences])
    values = np.array([each.value for each in evidences])
    yield from Pieces(values, states, rows, losses, np.array(sizes)).run(levels)
    for each, state, count in zip(evidences, states, rows.tolist(), strict=True):
        each.numbers, each.rows = state.copy(), count
