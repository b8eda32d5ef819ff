"""Bets on the losses of one predictor: rates that are constant on blocks and chosen from the blocks before.

Any rule that reads the past alone is sound; this one was kept since it measured narrowest (`benchmarks/sequential.py`,
`docs/theory.md`). It never looks at the mean that is tested, so that capital increases in that mean.

For one sample size, planned beforehand, the sum of the rows left is taken for normal. To get from a capital ``K`` to
``1/delta`` at a mean ``m``, the best bets are those that pay off on the event that has probability ``p = delta K`` if
``m`` is the mean: ``phi(z)/(p s)`` per row, where ``z`` is the normal quantile of ``1 - p`` and ``s`` the standard
deviation of the sum of the rows left. The ``m`` that counts is the bound that will be reached; it is not known, and
predicted as the one with ``(m - mean) left = z s``. Skewed losses vary more at a larger mean, hence the third moment.

For all sample sizes at once the rates fall about as ``1/sqrt(t log t)`` (Waudby-Smith and Ramdas, 2024, their eq. 26,
with a term for the logarithm of a logarithm).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr

from pacbayes._core.types import FloatArray

__all__ = ["LARGEST_RATE", "Bets", "Block", "block_sizes"]

LARGEST_RATE = 0.99
_FIRST = 8
_EVEN = 128  # blocks are at most this part of the planned rows
_SHORTER = 20  # and at most this part of the rows left
_PRIOR_SQUARES = 0.16  # sum of squares that stands for what is not known yet
_PRIOR_CUBES = 0.1
_SEARCH = 8  # always as many, so that a sequence does not depend on those beside it
_LOG_ROOT_TAU = 0.5 * np.log(2.0 * np.pi)


def block_sizes(n: int, planned: int | None) -> tuple[FloatArray, FloatArray]:
    """Return the lengths of the blocks of ``n`` rows, the last one cut off at ``n``, and what they are if it is not.

    With a planned number of rows they grow by half from 8 up to a 128th of the plan, and shrink again as a 20th of the
    rows left; without one each is a 20th of the rows before it. Rates may depend on the whole length of a block only:
    where its rows end is not known before they are seen.
    """
    sizes: list[int] = []
    rows, growing = 0, _FIRST
    while rows < n:
        if planned is None:
            size = max(_FIRST, -(-rows // _SHORTER))
        else:
            size = min(growing, -(-planned // _EVEN), -(-(planned - rows) // _SHORTER))
            growing = min(growing * 3 // 2, planned)
        sizes.append(size)
        rows += size
    whole = np.array(sizes, dtype=np.float64)
    return np.append(whole[:-1], whole[-1] - (rows - n)), whole


class Block(NamedTuple):
    """Means over one block of losses, their squares, their cubes and ``log(1 - rate loss)``: one per sequence."""

    mean: FloatArray
    square: FloatArray
    cube: FloatArray
    growth: FloatArray


@dataclass(slots=True)
class Bets:
    """The rates of several sequences, block by block; :meth:`next_rate` and :meth:`add` take turns.

    Attributes
    ----------
    log_level : ndarray, shape (N,)
        ``log(1/delta)`` of each sequence.
    planned : int or None
        The sample size that was fixed beforehand; None for all at once.
    rates, growth : ndarray, shape (N, B)
        One column per block so far.
    sizes : ndarray, shape (B,)
    """

    log_level: FloatArray
    planned: int | None
    rates: FloatArray = field(init=False)
    growth: FloatArray = field(init=False)
    sizes: FloatArray = field(init=False)
    _sums: FloatArray = field(init=False)
    _predicted: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        count = self.log_level.size
        self.rates, self.growth, self.sizes = np.zeros((count, 0)), np.zeros((count, 0)), np.zeros(0)
        self._sums, self._predicted = np.zeros((3, count)), np.full(count, 0.5)

    def next_rate(self, size: float) -> FloatArray:
        """Return the rates for the next block, which has ``size`` rows if it is not cut off."""
        if self.planned is None:
            stake, predicted = self._stake_at_all_sizes(size)
        else:
            stake, predicted = self._stake_at_one_size(size)
        return np.minimum(stake / (1.0 + stake * predicted), LARGEST_RATE)

    def add(self, size: float, rate: FloatArray, block: Block) -> None:
        """Take in what was observed on a block."""
        self.rates = np.column_stack([self.rates, rate])
        self.growth = np.column_stack([self.growth, block.growth])
        self.sizes = np.append(self.sizes, size)
        self._sums = self._sums + size * np.stack(block[:3])

    def _moments(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the mean so far, the variance, and by how much the variance grows with the mean."""
        t, (first, second, third) = float(self.sizes.sum()), self._sums
        mean = first / max(t, 1.0)
        squares = np.maximum(second - t * mean**2, 0.0)
        cubes = third - 3.0 * mean * second + 2.0 * t * mean**3
        skew = np.clip((_PRIOR_CUBES + cubes) / (_PRIOR_CUBES + squares), 0.0, 1.0)
        return (first + 0.5) / (t + 1.0), (_PRIOR_SQUARES + squares) / (t + 1.0), skew

    def _stake_at_all_sizes(self, size: float) -> tuple[FloatArray, FloatArray]:
        mean, variance, skew = self._moments()
        end = float(self.sizes.sum()) + size
        effort = 2.0 * (self.log_level + 2.0 * np.log(np.log(end + np.e))) / (end * np.log1p(end))
        width = np.sqrt(effort * variance) + effort * skew
        return np.sqrt(effort / (variance + skew * width)), np.minimum(mean + width, 1.0)

    def _stake_at_one_size(self, size: float) -> tuple[FloatArray, FloatArray]:
        """Return the stake per unit of loss and the predicted bound, found by Newton's method within a bracket.

        ``log(delta K(m)) - log(1 - Phi(z(m)))`` increases, and but for the change of the spread it is convex.
        """
        mean, variance, skew = self._moments()
        left = float(self.planned or 0) - float(self.sizes.sum())
        m, low, high = np.maximum(self._predicted, mean), np.zeros_like(mean), np.ones_like(mean)
        for _ in range(_SEARCH):
            spread = np.sqrt((variance + skew * np.maximum(m - mean, 0.0)) / left)
            z = (m - mean) / spread
            log_p, slope = self._log_probability(m)
            gap = log_p - log_ndtr(-z)
            low, high = np.where(gap > 0.0, low, m), np.where(gap > 0.0, m, high)
            further = m - gap / (slope + _hazard(z) / spread)
            m = np.where((further >= low) & (further <= high), further, 0.5 * (low + high))
        self._predicted = m
        variance = variance + skew * np.maximum(m - mean, 0.0)
        hazard = _hazard((m - mean) * np.sqrt(left / variance))
        return hazard / np.sqrt(variance * (left - 0.5 * size)), m

    def _log_probability(self, m: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return ``log(delta K(m))`` and its slope."""
        x = self.rates * m[:, None]
        log_capital = (self.sizes * (self.growth - np.log1p(-x))).sum(axis=-1)
        return log_capital - self.log_level, (self.sizes * self.rates / (1.0 - x)).sum(axis=-1)


def _hazard(z: FloatArray) -> FloatArray:
    """Return ``phi(z)/(1 - Phi(z))`` of the normal distribution."""
    return np.asarray(np.exp(-0.5 * z * z - _LOG_ROOT_TAU - log_ndtr(-z)))
