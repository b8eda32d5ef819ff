"""The one table of statistics: what each is, how it follows from losses, and what a bound may fear of it.

A statistic is a mean over examples (and over the posterior) of some function of ``loss`` and ``reference``, most often
of ``x = loss - strength * reference``. Everything that has to know which statistics there are (summaries, bounds, the
planning of sample sizes, the options of ``pacbayes bound``) reads :data:`TABLE`. A new statistic is one entry here, its
domain in ``pacbayes._core.arguments.DOMAINS``, and the bound that reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from pacbayes._core.arguments import DOMAINS, Domain
from pacbayes._core.types import FloatArray, FloatOrArray

__all__ = ["STRENGTHS", "TABLE", "Block", "ExpectedLosses", "Mean", "RealLosses", "Statistic", "means"]

STRENGTHS = (0.0, 0.25, 0.5, 0.75, 1.0)  # at which growths are collected for the portfolio

_ROUNDING = 1e-9  # as in the table of domains: this much beyond a range is rounding


@dataclass(frozen=True, slots=True)
class ExpectedLosses:
    """Expected 0-1 losses: ``x`` is ``gain`` with the given probability, else ``-scaled``."""

    probability: FloatArray
    reference: FloatArray
    rates: FloatArray  # a column, so that formulas broadcast: one row per rate, one column per example
    scaled: FloatArray  # strength * reference
    gain: FloatArray  # 1 - scaled
    plus: FloatArray
    minus: FloatArray

    @classmethod
    def of(cls, probability: FloatArray, reference: FloatArray, strength: float, rates: FloatArray) -> ExpectedLosses:
        """Return one block of examples with what several statistics share."""
        scaled = strength * reference
        gain = 1.0 - scaled
        plus, minus = probability * gain, (1.0 - probability) * scaled
        return cls(probability, reference, rates[:, None], scaled, gain, plus, minus)


@dataclass(frozen=True, slots=True)
class RealLosses:
    """Losses of any values in [0, 1], one row per predictor; ``excess`` is ``x``."""

    loss: FloatArray
    reference: FloatArray
    rates: FloatOrArray
    excess: FloatArray

    @classmethod
    def of(cls, loss: FloatArray, reference: FloatArray, strength: float, rates: FloatOrArray) -> RealLosses:
        """Return one block of examples with what several statistics share."""
        return cls(loss, reference, rates, loss - strength * reference)


Block: TypeAlias = ExpectedLosses | RealLosses


@dataclass(frozen=True, slots=True)
class Statistic:
    """One entry of the table: a number that some bound or summary speaks of.

    Attributes
    ----------
    name, help : str
        Its name, also that of the argument of bounds that read it and of the option of ``pacbayes bound``; a sentence.
    per : {None, "rate", "type", "strength", "strength and rate"}
        None for a number; a vector has one entry per rate, type of error or strength on its last axis, a matrix one per
        strength and rate on its last two.
    adverse : {"above", "below"}
        Whether bounds grow with it or fall with it: the side to which an estimate of it is moved.
    derived : callable, optional
        Its value from the other statistics of 0-1 losses and "n". A statistic that is neither derived nor a
        :class:`Mean` is a setting: strength, rates and weights.

    Examples
    --------
    >>> from pacbayes import statistics
    >>> entry = statistics.TABLE["minus"]
    >>> entry.domain.words, entry.adverse
    ('lie in [0, 1]', 'below')
    """

    name: str
    help: str
    per: Literal["rate", "type", "strength", "strength and rate"] | None = None
    adverse: Literal["above", "below"] = "above"
    derived: Callable[[Mapping[str, FloatOrArray]], FloatOrArray] | None = None

    @property
    def domain(self) -> Domain:
        """The numbers that it may be, and the words that say so."""
        return DOMAINS[self.name]

    def shape(self, rates: int) -> tuple[int, ...]:
        """Return the shape of its value for a number of rates."""
        return {"rate": (rates,), "strength and rate": (len(STRENGTHS), rates)}.get(self.per or "", ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean(Statistic):
    """A statistic that is a mean over examples.

    Attributes
    ----------
    expected, values : callable
        What each example contributes, for :class:`ExpectedLosses` and for :class:`RealLosses`; one row per entry of a
        vector or matrix.
    of_reference : bool
        Whether it is about the reference alone.
    additive : bool
        Whether it is a function of the loss plus a function of the reference, so that it follows from their means.
    rest_of : str, optional
        A statistic whose sum with this one is at most 1.
    repeats : str, optional
        A statistic that, without a reference, it repeats for every strength.
    shortcut : callable, optional
        The sum over a block without one value for each example, or None where the block does not allow it.
    limits : callable
        From strength and rates to the smallest and the largest value that one example can contribute.
    """

    expected: Callable[[ExpectedLosses], FloatArray]
    values: Callable[[RealLosses], FloatArray]
    of_reference: bool = False
    additive: bool = False
    rest_of: str | None = None
    repeats: str | None = None
    shortcut: Callable[[Block], FloatArray | None] = lambda _: None
    limits: Callable[[float, FloatArray], tuple[FloatOrArray, FloatOrArray]] = lambda *_: (0.0, 1.0)


def _expected_growth(block: ExpectedLosses) -> FloatArray:
    p, rates = block.probability, block.rates
    return np.asarray(p * np.log1p(-rates * block.gain) + (1.0 - p) * np.log1p(rates * block.scaled))


def _growth_shortcut(block: Block) -> FloatArray | None:
    """Two logarithms per rate do for all examples if references are 0 or 1 at full strength."""
    if isinstance(block, RealLosses) or not np.all((block.reference == 0.0) | (block.scaled == 1.0)):
        return None
    rates = block.rates[:, 0]
    return np.asarray(block.plus.sum() * np.log1p(-rates) + block.minus.sum() * np.log1p(rates))


def _expected_growths(block: ExpectedLosses) -> FloatArray:
    p, r, rates = block.probability, block.reference, block.rates
    return np.concatenate(
        [p * np.log1p(-rates * (1.0 - g * r)) + (1.0 - p) * np.log1p(rates * (g * r)) for g in STRENGTHS]
    )


def _real_growths(block: RealLosses) -> FloatArray:
    return np.concatenate([np.log1p(-block.rates * (block.loss - g * block.reference)) for g in STRENGTHS])


def _growths_shortcut(block: Block) -> FloatArray | None:
    """Three logarithms per strength and rate do for all examples if references are 0 or 1."""
    r = block.reference
    if isinstance(block, RealLosses) or not np.all((r == 0.0) | (r == 1.0)):
        return None
    p, rates, strengths = block.probability, block.rates[:, 0], np.array(STRENGTHS)[:, None]
    both, saved = (p * r).sum(), ((1.0 - p) * r).sum()
    alone = (p * (1.0 - r)).sum()
    logs = alone * np.log1p(-rates) + both * np.log1p(-rates * (1.0 - strengths)) + saved * np.log1p(rates * strengths)
    return np.asarray(np.ravel(logs))


def _growths_limits(_: float, rates: FloatArray) -> tuple[FloatArray, FloatArray]:
    strengths = np.array(STRENGTHS)[:, None]
    return np.tile(np.log1p(-rates), len(STRENGTHS)), np.ravel(np.log1p(strengths * rates))


def _reference_growth(block: Block) -> FloatArray:
    return np.asarray(np.log1p(-block.rates * block.reference))


def _reference_growth_shortcut(block: Block) -> FloatArray | None:
    r = block.reference
    if not np.all((r == 0.0) | (r == 1.0)):
        return None
    return np.asarray(r.sum() * np.log1p(-np.ravel(block.rates)))


def _number_of_errors(found: Mapping[str, FloatOrArray]) -> FloatOrArray:
    return np.ceil(found["risk"] * found["n"] - _ROUNDING)


def _sample_variance(found: Mapping[str, FloatOrArray]) -> FloatOrArray:
    n, risk = found["n"], found["risk"]
    return np.minimum(risk * (1.0 - risk) * n / np.maximum(n - 1, 1), 0.5)


def _error_frequencies(found: Mapping[str, FloatOrArray]) -> FloatOrArray:
    return np.stack([np.asarray(found["risk"]), 1.0 - np.asarray(found["risk"])], axis=-1)


_ENTRIES = (
    Mean("risk", "Observed mean loss.", expected=lambda b: b.probability, values=lambda b: b.loss, additive=True),
    Statistic("errors", "Number of errors (clopper_pearson).", derived=_number_of_errors),
    Mean(
        "reference",
        "Mean loss of a reference model.",
        expected=lambda b: b.reference,
        values=lambda b: b.reference,
        of_reference=True,
        additive=True,
    ),
    Mean(
        "plus",
        "Mean of the positive part of loss less reference.",
        expected=lambda b: b.plus,
        values=lambda b: np.maximum(b.excess, 0.0),
    ),
    Mean(
        "minus",
        "Mean of the negative part.",
        adverse="below",
        expected=lambda b: b.minus,
        values=lambda b: np.maximum(-b.excess, 0.0),
        rest_of="plus",
    ),
    Mean(
        "excess",
        "Mean of loss less reference.",
        expected=lambda b: b.probability - b.scaled,
        values=lambda b: b.excess,
        additive=True,
        limits=lambda strength, _: (-strength, 1.0),
    ),
    Mean(
        "second",
        "Mean square of loss less reference.",
        expected=lambda b: b.plus * b.gain + b.minus * b.scaled,
        values=lambda b: b.excess * b.excess,
    ),
    Statistic("variance", "Sample variance of the loss.", derived=_sample_variance),
    Statistic("frequencies", "Shares of the kinds of error (vector_kl).", per="type", derived=_error_frequencies),
    Statistic(
        "values", "What each kind of error costs (vector_kl).", per="type", derived=lambda _: np.array([1.0, 0.0])
    ),
    Mean(
        "log_growth",
        "Mean log(1 - rate * loss), one per rate (betting).",
        per="rate",
        adverse="below",
        expected=_expected_growth,
        values=lambda b: np.log1p(-b.rates * b.excess),
        shortcut=_growth_shortcut,
        limits=lambda strength, rates: (np.log1p(-rates), np.log1p(strength * rates)),
    ),
    Mean(
        "growths",
        "Mean log(1 - rate * (loss - strength * reference)), one per strength and rate (portfolio).",
        per="strength and rate",
        adverse="below",
        expected=_expected_growths,
        values=_real_growths,
        repeats="log_growth",
        shortcut=_growths_shortcut,
        limits=_growths_limits,
    ),
    Statistic(
        "strengths",
        "How much of the reference is subtracted in each row of the growths (portfolio).",
        per="strength",
        derived=lambda _: np.array(STRENGTHS),
    ),
    Statistic("rates", "Rates in (0, 1) (betting, portfolio).", per="rate"),
    Statistic("weights", "Share of delta for each rate (betting).", per="rate"),
    Statistic("strength", "How much of the reference is subtracted from the loss."),
    Mean(
        "risk_second",
        "Mean square of the loss.",
        expected=lambda b: b.probability,
        values=lambda b: b.loss * b.loss,
        additive=True,
    ),
    Mean(
        "reference_second",
        "Mean square of the reference's loss.",
        expected=lambda b: b.reference * b.reference,
        values=lambda b: b.reference * b.reference,
        of_reference=True,
        additive=True,
    ),
    Mean(
        "reference_log_growth",
        "Mean log(1 - rate * reference), one per rate.",
        per="rate",
        adverse="below",
        expected=_reference_growth,
        values=_reference_growth,
        of_reference=True,
        additive=True,
        shortcut=_reference_growth_shortcut,
        limits=lambda _, rates: (np.log1p(-rates), 0.0),
    ),
)
TABLE: Mapping[str, Statistic] = {entry.name: entry for entry in _ENTRIES}


def means() -> tuple[Mean, ...]:
    """Return the statistics that are means over examples, in the order of the table.

    Examples
    --------
    >>> from pacbayes import statistics
    >>> [entry.name for entry in statistics.means() if not entry.of_reference]
    ['risk', 'plus', 'minus', 'excess', 'second', 'log_growth', 'growths', 'risk_second']
    """
    return tuple(entry for entry in TABLE.values() if isinstance(entry, Mean))
