"""The error of averaging over draws from the posterior, one-sided, in the direction that a bound needs.

For independent draws ``W_1..W_N`` each statistic is the mean of ``N`` independent numbers with one mean, one per draw,
in a known range. Scaled to [0, 1] they are losses of one fixed predictor, and :func:`pacbayes.bounds.sequential` bounds
their mean from above; from below it bounds the mean of 1 minus them. Draws of a posterior mostly agree on their number
of errors, so that bets that adapt to their variance come far closer than a limit for any numbers with that mean.

Every limit has its share of delta, fixed before the draws, and shares add up to at most 1: by the union bound all
limits hold at once with probability at least ``1 - delta``, whichever bound is computed from them. The risk from above
has a fifth of delta, the other numbers three tenths, and vectors half, of which each rate has its weight: the rates
that :func:`pacbayes.bounds.betting` trusts most are moved least. What repeats another statistic costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from pacbayes._core.types import FloatArray
from pacbayes.bounds import sequential
from pacbayes.statistics import STRENGTHS, Mean, means
from pacbayes.summary._totals import Totals

__all__ = ["Drawn", "MonteCarloError"]

_RISK_SHARE, _NUMBERS_SHARE, _VECTORS_SHARE = 0.2, 0.3, 0.5 * (1.0 - 1e-12)  # rounding keeps the sum below 1
_BELOW = "risk from below"  # which the variance subtracts


class Drawn(NamedTuple):
    """What turns sums over examples into statistics, and what their limits depend on.

    Attributes
    ----------
    n : int
    strength : float
    rates, weights : ndarray, shape (K,)
    alone : bool
        Whether there is no reference, so that growths are the same for all strengths.
    """

    n: int
    strength: float
    rates: FloatArray
    weights: FloatArray
    alone: bool


@dataclass(frozen=True, slots=True)
class MonteCarloError:
    """The sums of each draw, and the probability with which their correction may fail.

    Attributes
    ----------
    draws : int
    delta : float
    sums : Totals
        Of every statistic over the examples so far, with one column per draw.
    """

    draws: int
    delta: float
    sums: Totals = field(compare=False, repr=False)
    _found: dict[str, FloatArray] = field(default_factory=dict, compare=False, repr=False)

    def __add__(self, other: MonteCarloError) -> MonteCarloError:
        """Add further examples; if theirs are other draws, pairs of draws are as independent as draws are."""
        return replace(self, sums=self.sums + other.sums, _found={})

    def corrected(self, name: str, drawn: Drawn) -> FloatArray:
        """Return a statistic on its adverse side: one number, or one per entry of a vector or matrix."""
        vector = next((entry for entry in _drawn_means() if entry.name == name and entry.per is not None), None)
        if vector is not None and vector.repeats is not None and drawn.alone:
            return np.tile(self.corrected(vector.repeats, drawn), len(STRENGTHS))
        if name not in self._found:
            self._found.update(self._numbers(drawn) if vector is None else self._vector(vector, drawn))
        return self._found[name]

    def risk_from_below(self, drawn: Drawn) -> float:
        """Return a lower limit on the risk."""
        return float(self.corrected(_BELOW, drawn)[0])

    def _numbers(self, drawn: Drawn) -> dict[str, FloatArray]:
        """Return all numbers at once: one call for several sequences costs little more than for one."""
        entries = [entry for entry in _drawn_means() if entry.per is None]
        names = [*(entry.name for entry in entries), _BELOW]
        below = np.array([*(entry.adverse == "below" for entry in entries), True])
        entries.append(next(entry for entry in entries if entry.name == "risk"))
        other = self.delta * _NUMBERS_SHARE / (len(names) - 1)
        shares = np.array([self.delta * _RISK_SHARE if name == "risk" else other for name in names])
        limits = np.array([entry.limits(drawn.strength, drawn.rates) for entry in entries], dtype=float)
        values = np.concatenate([self._values(entry, drawn) for entry in entries])
        moved = _limit(values, limits[:, 0], limits[:, 1], below, shares)
        return {name: moved[index : index + 1] for index, name in enumerate(names)}

    def _vector(self, entry: Mean, drawn: Drawn) -> dict[str, FloatArray]:
        """Return all entries at once; strengths have even shares, and rates their weights."""
        vectors = [each for each in _drawn_means() if each.per is not None and not (drawn.alone and each.repeats)]
        values = self._values(entry, drawn)
        weights = np.tile(drawn.weights, len(values) // drawn.weights.size)
        shares = self.delta * _VECTORS_SHARE / len(vectors) * weights / weights.sum()
        low, high = (np.broadcast_to(limit, shares.shape) for limit in entry.limits(drawn.strength, drawn.rates))
        return {entry.name: _limit(values, low, high, np.full(shares.shape, entry.adverse == "below"), shares)}

    def _values(self, entry: Mean, drawn: Drawn) -> FloatArray:
        """Return what each draw gives, on the last axis."""
        return self.sums.mean(entry.name, drawn.n, drawn.rates.size)


def _drawn_means() -> tuple[Mean, ...]:
    """Return the statistics that depend on draws, in the order of the table."""
    return tuple(entry for entry in means() if not entry.of_reference)


def _limit(values: FloatArray, low: FloatArray, high: FloatArray, below: FloatArray, delta: FloatArray) -> FloatArray:
    """Return one-sided limits on means over draws, the last axis, of numbers in a range, each with its own delta."""
    scaled = np.clip((values - low[:, None]) / (high - low)[:, None], 0.0, 1.0)
    moved = np.asarray(sequential(np.where(below[:, None], 1.0 - scaled, scaled), delta, n=values.shape[-1]))
    return np.where(below, high - (high - low) * moved, low + (high - low) * moved)
