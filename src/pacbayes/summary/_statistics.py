"""The statistics that bounds read off a summary: means over examples, after draws each on its safe side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pacbayes._core.arguments import single_number
from pacbayes._core.types import FloatArray, FloatOrArray
from pacbayes.statistics import STRENGTHS, TABLE, Mean, means
from pacbayes.summary._monte_carlo import Drawn, MonteCarloError
from pacbayes.summary._totals import Totals

__all__ = ["Statistics"]

_MEANS = {entry.name: entry for entry in means()}
_OTHERS = ("variance", "strength", "strengths", "rates", "weights")  # what a summary has besides means


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """Totals over examples, and what they are totals of."""

    n: int
    strength: float
    reference_kind: str
    rates: FloatArray
    weights: FloatArray
    totals: Totals
    monte_carlo: MonteCarloError | None = None

    def statistic(self, name: str) -> FloatOrArray:
        """Return a statistic of the table by its name, after draws moved to its safe side.

        Examples
        --------
        >>> import pacbayes as pb
        >>> pb.Summary.from_losses([0.0, 1.0], rates=[0.5]).statistic("second")
        0.5
        """
        if name in _MEANS:
            entry = _MEANS[name]
            return self._number(entry) if entry.per is None else self._vector(entry)
        if name not in _OTHERS:
            raise ValueError(f"A summary has no statistic {name!r}; it has {', '.join((*_MEANS, *_OTHERS))}.")
        found: FloatOrArray = getattr(self, name)
        return found

    def statistics(self) -> dict[str, FloatOrArray]:
        """Return every statistic that a summary has, by name.

        Examples
        --------
        >>> import pacbayes as pb
        >>> list(pb.Summary.from_losses([0.0, 1.0]).statistics())[:4]
        ['risk', 'reference', 'plus', 'minus']
        """
        return {name: self.statistic(name) for name in TABLE if name in _MEANS or name in _OTHERS}

    def _number(self, entry: Mean) -> float:
        if self.monte_carlo is not None and not entry.of_reference:
            value = float(self.monte_carlo.corrected(entry.name, self._drawn)[0])
        else:
            low, high = entry.limits(self.strength, self.rates)
            value = float(np.clip(self._mean(entry.name), low, high)[0])
        return value if entry.rest_of is None else min(value, 1.0 - float(self.statistic(entry.rest_of)))

    def _vector(self, entry: Mean) -> FloatArray:
        if self.monte_carlo is None or entry.of_reference:
            value = self._mean(entry.name)
        else:
            value = self.monte_carlo.corrected(entry.name, self._drawn)
        return value.reshape(entry.shape(self.rates.size))

    def _mean(self, name: str) -> FloatArray:
        return self.totals.mean(name, self.n, self.rates.size)

    @property
    def _drawn(self) -> Drawn:
        return Drawn(self.n, self.strength, self.rates, self.weights, self.reference_kind == "none")

    @property
    def risk(self) -> float:
        """Mean loss."""
        return self._number(_MEANS["risk"])

    @property
    def plus(self) -> float:
        """Mean of the positive part of ``x``."""
        return self._number(_MEANS["plus"])

    @property
    def minus(self) -> float:
        """Mean of the negative part of ``x``."""
        return self._number(_MEANS["minus"])

    @property
    def second(self) -> float:
        """Mean of ``x**2``."""
        return self._number(_MEANS["second"])

    @property
    def excess(self) -> float:
        """Mean of ``x``."""
        return self._number(_MEANS["excess"])

    @property
    def variance(self) -> float:
        """An upper bound on the posterior mean of the unbiased sample variance of the loss."""
        if self.n < 2:
            return 0.5
        draws = self.monte_carlo
        mean = float(self._mean("risk")[0]) if draws is None else draws.risk_from_below(self._drawn)
        spread = self._number(_MEANS["risk_second"]) - mean**2
        return float(np.clip(self.n / (self.n - 1) * spread, 0.0, 0.5))

    @property
    def reference(self) -> float:
        """Mean loss of the reference."""
        return self._number(_MEANS["reference"])

    @property
    def reference_second(self) -> float:
        """Mean of the reference's squared loss; equal to :attr:`reference` for losses of 0 and 1."""
        return self._number(_MEANS["reference_second"])

    @property
    def log_growth(self) -> FloatArray:
        """``G(rate) = mean of log(1 - rate x)``, one per rate."""
        return self._vector(_MEANS["log_growth"])

    @property
    def growths(self) -> FloatArray:
        """``G(strength, rate) = mean of log(1 - rate (loss - strength r))``, one per strength and rate."""
        return self._vector(_MEANS["growths"])

    @property
    def strengths(self) -> FloatArray:
        """The strengths of :attr:`growths`."""
        return np.array(STRENGTHS)

    @property
    def reference_log_growth(self) -> FloatArray:
        """The same of the reference itself: mean of ``log(1 - rate r)``."""
        return self._vector(_MEANS["reference_log_growth"])

    if not TYPE_CHECKING:  # the names above are spelled out for editors and documentation; the table may hold more

        def __getattr__(self, name: str) -> FloatOrArray:
            if name in _MEANS:
                return self.statistic(name)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def spent(self) -> float:
        """What Monte-Carlo draws have spent of delta."""
        return 0.0 if self.monte_carlo is None else self.monte_carlo.delta

    def remaining(self, delta: float) -> float:
        """Return what is left of a total delta after the draws, or say that nothing is."""
        total = single_number("Summary.bound", "delta", delta)
        if total <= self.spent:
            raise ValueError(
                "The 'delta' argument of Summary.bound must exceed what Monte-Carlo draws have spent "
                f"({self.spent!r}). Got {total!r} instead."
            )
        return total - self.spent
