"""Sums over examples of everything a bound may need, in twice the working precision."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import TypeVar

import numpy as np

from pacbayes._core.rounding import two_sum
from pacbayes._core.types import FloatArray
from pacbayes.statistics import STRENGTHS, ExpectedLosses, Mean, RealLosses, means

__all__ = ["Totals", "draw_totals", "exact_totals", "mixture_totals"]

_AnyBlock = TypeVar("_AnyBlock", ExpectedLosses, RealLosses)
_BLOCK = 8192  # examples at a time: with 63 rates, temporaries of 4 MB, and of 20 MB for growths at real references
_DRAWN_CELLS = 64 * _BLOCK  # losses of draws at a time: sums for each draw are worth more of them


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums of every statistic that is a mean, in the order of the table, each as an unevaluated sum of two doubles."""

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

    def mean(self, name: str, n: int, rates: int) -> FloatArray:
        """Return the mean of a statistic over ``n`` examples: one number, or one per entry of a vector or matrix."""
        names = [entry.name for entry in means()]
        ends = np.cumsum([math.prod(entry.shape(rates)) for entry in means()])
        position = names.index(name)
        part = slice(ends[position - 1] if position else 0, ends[position])
        # both doubles divided: the mean is correct to its last place
        return np.asarray(self.high[part] / n + self.low[part] / n)


def exact_totals(losses: FloatArray, references: FloatArray, strength: float, rates: FloatArray) -> Totals:
    """Return the totals for *expected 0-1 losses*: each loss is 1 with the given probability, else 0."""
    blocks = [slice(start, start + _BLOCK) for start in range(0, losses.size, _BLOCK)]
    parts = (ExpectedLosses.of(losses[b], references[b], strength, rates) for b in blocks)
    return _gather(_sums(part, _expected_sum) for part in parts)


def mixture_totals(
    losses: FloatArray, weights: FloatArray, references: FloatArray, strength: float, rates: FloatArray
) -> Totals:
    """Return the totals for losses of several predictors (rows) averaged with weights."""
    step = max(1, _BLOCK // max(1, losses.shape[0]))
    blocks = [slice(start, start + step) for start in range(0, losses.shape[1], step)]
    parts = (RealLosses.of(losses[:, b], references[b], strength, rates[:, None]) for b in blocks)
    return _gather(_sums(part, partial(_real_sum, weights=weights, rates=rates)) for part in parts)


def draw_totals(
    losses: FloatArray, references: FloatArray, strength: float, rates: FloatArray
) -> tuple[Totals, Totals]:
    """Return the totals for draws (rows) averaged evenly, and those of each draw, with one column per draw."""
    step = max(1, _DRAWN_CELLS // max(1, losses.shape[0]))
    blocks = [slice(start, start + step) for start in range(0, losses.shape[1], step)]
    parts = (RealLosses.of(losses[:, b], references[b], strength, rates[:, None]) for b in blocks)
    by_draw = _gather(_sums(part, partial(_draw_sums, rates=rates)) for part in parts)
    return Totals(by_draw.high.mean(axis=1), by_draw.low.mean(axis=1)), by_draw


def _draw_sums(entry: Mean, block: RealLosses, rates: FloatArray) -> FloatArray:
    """Return the sum over a block for each draw, on the last axis; what is about the reference is the same for all."""
    draws = block.loss.shape[0]
    if entry.of_reference:
        return np.repeat(_real_sum(entry, block, np.ones(draws), rates)[:, None], draws, axis=1)
    if entry.per is None:
        return np.asarray(entry.values(block).sum(axis=-1))[None]
    parts = (entry.values(replace(block, rates=rate)).reshape(-1, *block.loss.shape) for rate in rates)
    return np.stack([part.sum(axis=-1) for part in parts], axis=1).reshape(-1, draws)


def _gather(parts: Iterable[FloatArray]) -> Totals:
    """Add up blocks, of which callers have checked that there is at least one."""
    return reduce(Totals.__add__, map(Totals.of, parts))


def _sums(block: _AnyBlock, sum_of: Callable[[Mean, _AnyBlock], FloatArray]) -> FloatArray:
    """Return the sums of every mean over a block, one after the other."""
    found: dict[str, FloatArray] = {}
    alone = not np.any(block.reference)
    for entry in means():
        if alone and entry.repeats is not None:
            found[entry.name] = np.concatenate([found[entry.repeats]] * len(STRENGTHS))
        else:
            found[entry.name] = sum_of(entry, block)
    return np.concatenate(list(found.values()))


def _expected_sum(entry: Mean, block: ExpectedLosses) -> FloatArray:
    short = entry.shortcut(block)
    # numpy adds up a contiguous axis pairwise, which keeps the error at a few units in the last place
    return np.atleast_1d(entry.expected(block).sum(axis=-1) if short is None else short)


def _real_sum(entry: Mean, block: RealLosses, weights: FloatArray, rates: FloatArray) -> FloatArray:
    short = entry.shortcut(block)
    if short is not None:
        return short
    if entry.of_reference:
        return np.atleast_1d(entry.values(block).sum(axis=-1))
    if entry.per is None:
        return np.atleast_1d((weights @ entry.values(block)).sum())
    # one rate at a time: all at once would need as many copies of the losses
    parts = (entry.values(replace(block, rates=rate)).reshape(-1, *block.loss.shape) for rate in rates)
    return np.ravel(np.transpose([(weights @ part).sum(axis=-1) for part in parts]))
