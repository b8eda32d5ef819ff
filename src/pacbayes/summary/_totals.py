"""Sums over examples of everything a bound may need, in twice the working precision."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from pacbayes._core.rounding import two_sum
from pacbayes._core.types import FloatArray

__all__ = ["SCALARS", "Totals", "exact_totals", "mixture_totals"]

SCALARS = ("risk", "plus", "minus", "second", "excess", "risk_second", "reference", "reference_second")
_BLOCK = 8192  # examples at a time: with 63 rates, temporaries of 4 MB


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums of the scalar statistics and of both growths, each as an unevaluated sum of two doubles."""

    high: FloatArray
    low: FloatArray

    def __add__(self, other: Totals) -> Totals:
        total, error = two_sum(self.high, other.high)
        high, low = two_sum(total, error + self.low + other.low)
        return Totals(high, low)

    @classmethod
    def of(cls, sums: FloatArray) -> Totals:
        """Start from the sums of one block."""
        return cls(sums, np.zeros_like(sums))


def exact_totals(losses: FloatArray, references: FloatArray, strength: float, rates: FloatArray) -> Totals:
    """Return the totals for *expected 0-1 losses*: each loss is 1 with the given probability, else 0."""
    blocks = [slice(start, start + _BLOCK) for start in range(0, losses.size, _BLOCK)]
    return _gather(_zero_one_sums(losses[b], references[b], strength, rates) for b in blocks)


def mixture_totals(
    losses: FloatArray, weights: FloatArray, references: FloatArray, strength: float, rates: FloatArray
) -> Totals:
    """Return the totals for losses of several predictors (rows) averaged with weights."""
    step = max(1, _BLOCK // max(1, losses.shape[0]))
    blocks = [slice(start, start + step) for start in range(0, losses.shape[1], step)]
    return _gather(_mixture_sums(losses[:, b], weights, references[b], strength, rates) for b in blocks)


def _gather(parts: Iterable[FloatArray]) -> Totals:
    """Add up blocks, of which callers have checked that there is at least one."""
    return reduce(Totals.__add__, map(Totals.of, parts))


def _zero_one_sums(p: FloatArray, r: FloatArray, strength: float, rates: FloatArray) -> FloatArray:
    """Sum over one block: ``x`` is ``1 - strength r`` with probability ``p``, else ``-strength r``."""
    scaled = strength * r
    gain = 1.0 - scaled
    plus, minus = p * gain, (1.0 - p) * scaled
    second = plus * gain + minus * scaled
    # numpy adds up a contiguous axis pairwise, which keeps the error at a few units in the last place
    scalars = [part.sum() for part in (p, plus, minus, second, p - scaled, p, r, r * r)]
    if np.all((r == 0.0) | (scaled == 1.0)):  # 0-1 references at full strength: two logarithms per rate do for all
        growth = scalars[1] * np.log1p(-rates) + scalars[2] * np.log1p(rates)
    else:
        column = rates[:, None]
        growth = (p * np.log1p(-column * gain) + (1.0 - p) * np.log1p(column * scaled)).sum(axis=1)
    return np.concatenate([scalars, growth, _reference_growth(r, rates)])


def _mixture_sums(
    losses: FloatArray, weights: FloatArray, r: FloatArray, strength: float, rates: FloatArray
) -> FloatArray:
    x = losses - strength * r
    means = [losses, np.maximum(x, 0.0), np.maximum(-x, 0.0), x * x, x, losses * losses]
    scalars = [*((weights @ part).sum() for part in means), r.sum(), (r * r).sum()]
    growth = [(weights @ np.log1p(-rate * x)).sum() for rate in rates]
    return np.concatenate([scalars, growth, _reference_growth(r, rates)])


def _reference_growth(r: FloatArray, rates: FloatArray) -> FloatArray:
    if np.all((r == 0.0) | (r == 1.0)):
        return np.asarray(r.sum() * np.log1p(-rates))
    return np.asarray(np.log1p(-rates[:, None] * r).sum(axis=1))
