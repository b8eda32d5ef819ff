"""Rows of many streams at once: pieces of blocks in arrays, with the bits that they have row by row.

A block of a stream is :data:`BLOCK` rows. Within it, growth and sums begin anew and do not depend on what was before,
so that pieces of many blocks, of one stream or of many, are computed together; only their ends are joined one after
another. Sums are sequential along the rows, and all else is element by element: it makes no difference to any bit which
pieces come together. What is beyond the end of a shorter piece has no growth and no weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

import numpy as np

from pacbayes._core.rounding import EPS
from pacbayes._core.types import BoolArray, FloatArray, IntArray
from pacbayes.monitoring._bets import RATES, left_weight, rate_fractions, rate_weights, start_weights

__all__ = [
    "BEFORE",
    "BLOCK",
    "CAPITAL",
    "GROWTH",
    "LOWEST",
    "SLACK",
    "STARTS",
    "Piece",
    "Pieces",
    "begin_state",
    "change_of",
    "logs_of",
]

BLOCK = 256  # rows between two places where logarithms are moved back to their origin
GROWTH, CAPITAL, BEFORE, LOWEST, STARTS, SLACK = range(6)  # what a state holds for each rate
_AT_ONCE = 4096  # rows for which memory is taken at once
_STEP = 8  # rows that share one limit on their evidence; a power of 2
_FRACTIONS, _LOG_SHARES = rate_fractions(), np.log(rate_weights())


@dataclass(slots=True)
class Piece:
    """A part of a block after it was computed.

    Attributes
    ----------
    stream : int
        The place of its stream.
    start : int
        How many losses of the stream came before it in this call.
    rows : int
        How many rows of the stream came before it.
    before : ndarray, shape (6, rates)
        The state before it.
    growth, sums : ndarray, shape (rates, rows + 1)
        Sums of logarithms of factors, and of what starts put in, since the block began.
    """

    stream: int
    start: int
    rows: int
    before: FloatArray
    growth: FloatArray
    sums: FloatArray

    def logs(self) -> FloatArray:
        """Return logarithms of the evidence after each row, rounded down."""
        numbers = np.arange(self.rows + 1.0, self.rows + self.growth.shape[1])
        return logs_of(self.growth[:, 1:], self.sums[:, 1:], self.before, numbers)

    def change(self, row: int) -> int:
        """Return the start with the most growth after one of the rows."""
        growth = self.growth[:, : row + 2]
        place = growth.shape[1] - 1 - np.argmin(growth[:, ::-1], axis=1)
        least = growth[np.arange(RATES), place]
        state = self.before.copy()
        lower = least <= state[LOWEST]
        state[GROWTH] = growth[:, -1]
        state[LOWEST] = np.where(lower, least, state[LOWEST])
        state[STARTS] = np.where(lower, self.rows + place + 1.0, state[STARTS])
        return change_of(state)


class Pieces:
    """The losses of further rows of some streams, computed piece by piece.

    Parameters
    ----------
    values : ndarray, shape (streams,)
        What each risk is said not to exceed.
    states : ndarray, shape (streams, 6, rates)
        The state of each stream, which is moved on in place.
    rows : ndarray of int, shape (streams,)
        The rows of each stream so far, which are moved on in place.
    losses : ndarray
        The losses of the first stream, then those of the second, and so on.
    sizes : ndarray of int, shape (streams,)
        How many losses each stream has.
    """

    def __init__(
        self, values: FloatArray, states: FloatArray, rows: IntArray, losses: FloatArray, sizes: IntArray
    ) -> None:
        self._values, self._states, self._rows, self._losses = values, states, rows, losses
        first = np.minimum(sizes, BLOCK - rows % BLOCK)
        counts = np.where(sizes > 0, 1 + -((first - sizes) // BLOCK), 0)
        self._stream = np.repeat(np.arange(sizes.size), counts)
        self._turn = np.arange(self._stream.size) - np.repeat(np.cumsum(counts) - counts, counts)
        self._start = np.where(self._turn == 0, 0, first[self._stream] + (self._turn - 1) * BLOCK)
        self._size = np.where(
            self._turn == 0, first[self._stream], np.minimum(sizes[self._stream] - self._start, BLOCK)
        )
        self._place = (np.cumsum(sizes) - sizes)[self._stream] + self._start
        self._before = rows[self._stream] + self._start

    def run(self, levels: FloatArray) -> Iterator[Piece]:
        """Move all states on; yield the pieces that may have reached the level of their stream, in their order."""
        order = np.lexsort((self._size, self._turn))
        start = 0
        sizes = self._size[order].tolist()
        while start < order.size:
            end, longest = start, 0
            while end < order.size and (end == start or max(longest, sizes[end]) * (end + 1 - start) <= _AT_ONCE):
                longest, end = max(longest, sizes[end]), end + 1
            yield from self._run_some(order[start:end], longest, levels)
            start = end

    def _run_some(self, chosen: IntArray, longest: int, levels: FloatArray) -> Iterator[Piece]:
        length = -(-longest // _STEP) * _STEP
        columns = np.arange(length)
        inside = columns < self._size[chosen, None]
        numbers = self._before[chosen, None] + (columns + 1.0)
        growth, sums = self._begin(chosen, length)
        growth[:, :, 1:] = self._steps(chosen, inside)
        np.cumsum(growth, axis=-1, out=growth)
        weights = np.where(inside, np.log(start_weights(numbers)), -np.inf)
        np.exp(weights[:, None, :] - growth[:, :, :-1], out=sums[:, :, 1:])
        np.cumsum(sums, axis=-1, out=sums)
        before = self._join(chosen, growth, sums)
        suspected = self._highest(growth, sums, before) >= levels[self._stream[chosen]]
        for place in np.flatnonzero(suspected).tolist():
            piece, size = int(chosen[place]), int(self._size[chosen[place]])
            yield Piece(
                int(self._stream[piece]),
                int(self._start[piece]),
                int(self._before[piece]),
                before[place],
                growth[place, :, : size + 1],
                sums[place, :, : size + 1],
            )

    def _begin(self, chosen: IntArray, length: int) -> tuple[FloatArray, FloatArray]:
        """Return room for growth and sums, with what they begin with: only the first piece of a stream goes on."""
        made = np.empty((2, chosen.size, RATES, length + 1))
        going_on = (self._turn[chosen] == 0)[:, None]
        streams = self._stream[chosen]
        made[0, :, :, 0] = np.where(going_on, self._states[streams, GROWTH], 0.0)
        made[1, :, :, 0] = np.where(going_on, self._states[streams, CAPITAL], 0.0)
        return made[0], made[1]

    def _steps(self, chosen: IntArray, inside: BoolArray) -> FloatArray:
        """Return logarithms of the factors; those of 0 and 1 are looked up."""
        columns = np.arange(inside.shape[1])
        losses = self._losses[np.where(inside, self._place[chosen, None] + columns, self._place[chosen, None])]
        values = self._values[self._stream[chosen], None]
        rates = _FRACTIONS / values
        wrong = losses == 1.0
        if np.all(wrong | (losses == 0.0)):
            steps = np.where(
                wrong[:, None, :],
                np.log1p((1.0 - values) * rates)[:, :, None],
                np.log1p((0.0 - values) * rates)[:, :, None],
            )
        else:
            steps = np.log1p((losses - values)[:, None, :] * rates[:, :, None])
        return steps if inside.all() else np.where(inside[:, None, :], steps, 0.0)

    def _join(self, chosen: IntArray, growth: FloatArray, sums: FloatArray) -> FloatArray:
        """Move the states of the streams on, piece after piece; return what each was before its piece."""
        least = growth.min(axis=-1)
        place = growth.shape[-1] - 1 - np.argmax((growth == least[:, :, None])[:, :, ::-1], axis=-1)
        place = np.minimum(place, self._size[chosen, None])  # the last such place: a start lies as late as it can
        ends = self._before[chosen] + self._size[chosen]
        steady = _steady_slack(self._values[self._stream[chosen]], ends)
        turns, starts = self._turn[chosen], self._before[chosen, None] + place + 1.0
        before = np.empty((chosen.size, *self._states.shape[1:]))
        cuts = [0, *(np.flatnonzero(np.diff(turns)) + 1).tolist(), chosen.size]
        for low, high in pairwise(cuts):
            streams = self._stream[chosen[low:high]]
            state = before[low:high] = self._states[streams]
            lower = least[low:high] <= state[:, LOWEST]
            state[:, LOWEST] = np.where(lower, least[low:high], state[:, LOWEST])
            state[:, STARTS] = np.where(lower, starts[low:high], state[:, STARTS])
            state[:, GROWTH], state[:, CAPITAL] = growth[low:high, :, -1], sums[low:high, :, -1]
            full = np.flatnonzero(ends[low:high] % BLOCK == 0)
            if full.size:
                state[full] = _end_block(state[full], steady[low:high][full])
            self._states[streams] = state
        self._rows += np.bincount(self._stream[chosen], self._size[chosen], self._rows.size).astype(np.int64)
        return before

    def _highest(self, growth: FloatArray, sums: FloatArray, before: FloatArray) -> FloatArray:
        """Return at least the largest logarithm of the evidence of each piece.

        Sums never fall along the rows, so that those after the last of some rows and the highest growth among them are
        above all of them. What has not started weighs at most 1. Rounding takes away far less than 1e-6
        unless the capital is above e to the 10^8, and above any level.
        """
        top, step = growth[:, :, 1:], _STEP
        while step > 1:  # in pairs: far faster than the maxima of many short rows
            top, step = np.maximum(top[:, :, ::2], top[:, :, 1::2]), step // 2
        top += np.logaddexp(before[:, BEFORE, :, None], np.log(sums[:, :, _STEP::_STEP]))
        top += (_LOG_SHARES - before[:, SLACK])[:, :, None]
        total = np.exp(np.minimum(top, 700.0)).sum(axis=1).max(axis=-1)
        return np.asarray(np.log1p(total) + 1e-6)


def begin_state(value: float) -> FloatArray:
    """Return the state before the first row."""
    made = np.zeros((6, RATES))
    made[BEFORE], made[STARTS] = -np.inf, 1.0
    made[SLACK] = _steady_slack(np.array([value]), np.zeros(1, dtype=np.int64))[0]
    return made


def _end_block(states: FloatArray, steady: FloatArray) -> FloatArray:
    """Return states with logarithms moved back to their origin, less what rounding may have added before."""
    made = np.empty_like(states)
    made[:, BEFORE] = _log_capital(states[:, GROWTH], states[:, CAPITAL], states[:, BEFORE]) - states[:, SLACK]
    made[:, LOWEST] = states[:, LOWEST] - states[:, GROWTH]
    made[:, GROWTH] = made[:, CAPITAL] = 0.0
    made[:, STARTS] = states[:, STARTS]
    made[:, SLACK] = steady + BLOCK * EPS * 4.0 * np.abs(made[:, BEFORE])
    return made


def _steady_slack(values: FloatArray, rows: IntArray) -> FloatArray:
    """Return what is subtracted for rounding in a block after so many rows, but for that of the capital before it."""
    largest = np.maximum(-np.log1p(-_FRACTIONS), np.log1p(_FRACTIONS / values[:, None]))
    weight = -np.log(start_weights(rows[:, None] + np.float64(BLOCK)))
    return np.asarray(BLOCK * EPS * (64.0 + 16.0 * (BLOCK + 1) * largest + 8.0 * weight))


def logs_of(growth: FloatArray, sums: FloatArray, state: FloatArray, rows: FloatArray) -> FloatArray:
    """Return logarithms of the mixture over rates and of what has not started, less what rounding may add."""
    lowered = np.empty((RATES + 1, rows.size))
    lowered[:RATES] = _log_capital(growth, sums, state[BEFORE][:, None])
    lowered[:RATES] += _LOG_SHARES[:, None] - state[SLACK][:, None]
    lowered[RATES] = np.log(left_weight(rows))
    return _add_logs(lowered)


def change_of(state: FloatArray) -> int:
    """Return the row from which on the capital has grown most."""
    return int(state[STARTS, np.argmax(state[GROWTH] - state[LOWEST])])


def _log_capital(growth: FloatArray, sums: FloatArray, before: FloatArray) -> FloatArray:
    return np.asarray(growth + np.logaddexp(before, np.log(sums)))


def _add_logs(lowered: FloatArray) -> FloatArray:
    """Return the logarithm of the sum of each column's exponentials, less what rounding may add.

    Terms are added one after another, for one column as for many, so that it does not matter how many come at once.
    """
    highest = lowered.max(axis=0)
    terms = np.exp(lowered - highest)
    total = highest + np.log(reduce(np.add, terms))
    return np.asarray(total - 64.0 * EPS * (1.0 + np.abs(total)))
