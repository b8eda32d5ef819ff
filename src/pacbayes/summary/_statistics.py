"""The statistics that bounds read off a summary: means over examples, after draws each on its safe side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pacbayes._core.arguments import single
from pacbayes._core.types import FloatArray
from pacbayes.summary._monte_carlo import MonteCarloError
from pacbayes.summary._totals import SCALARS, Totals

__all__ = ["Statistics"]


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

    def _mean(self, position: int) -> float:
        # both doubles divided: the mean is correct to its last place
        return float(self.totals.high[position] / self.n + self.totals.low[position] / self.n)

    def _statistic(self, name: str) -> float:
        value = self._mean(SCALARS.index(name))
        low, high = (-self.strength, 1.0) if name == "excess" else (0.0, 1.0)
        value = min(max(value, low), high)
        if self.monte_carlo is None or name.startswith("reference"):
            return value
        return self.monte_carlo.corrected(name, value, low, high, self._shares)

    @property
    def _shares(self) -> int:
        """How many statistics depend on draws: six scalars, the risk from below, and one growth per rate."""
        return 7 + self.rates.size

    @property
    def risk(self) -> float:
        """Mean loss."""
        return self._statistic("risk")

    @property
    def plus(self) -> float:
        """Mean of the positive part of ``x``."""
        return self._statistic("plus")

    @property
    def minus(self) -> float:
        """Mean of the negative part of ``x``."""
        return min(self._statistic("minus"), 1.0 - self.plus)

    @property
    def second(self) -> float:
        """Mean of ``x**2``."""
        return self._statistic("second")

    @property
    def excess(self) -> float:
        """Mean of ``x``."""
        return self._statistic("excess")

    @property
    def variance(self) -> float:
        """An upper bound on the posterior mean of the unbiased sample variance of the loss."""
        if self.n < 2:
            return 0.5
        mean = self._mean(SCALARS.index("risk"))
        if self.monte_carlo is not None:
            mean = self.monte_carlo.corrected("risk from below", mean, 0.0, 1.0, self._shares)
        spread = self._statistic("risk_second") - mean**2
        return float(np.clip(self.n / (self.n - 1) * spread, 0.0, 0.5))

    @property
    def reference(self) -> float:
        """Mean loss of the reference."""
        return self._statistic("reference")

    @property
    def reference_second(self) -> float:
        """Mean of the reference's squared loss; equal to :attr:`reference` for losses of 0 and 1."""
        return self._statistic("reference_second")

    @property
    def log_growth(self) -> FloatArray:
        """``G(rate) = mean of log(1 - rate x)``, one per rate."""
        start = len(SCALARS)
        value = self._growth(start)
        if self.monte_carlo is None:
            return value
        low, high = np.log1p(-self.rates), np.log1p(self.strength * self.rates)
        return self.monte_carlo.corrected_growth(value, low, high, self._shares)

    @property
    def reference_log_growth(self) -> FloatArray:
        """The same of the reference itself: mean of ``log(1 - rate r)``."""
        return self._growth(len(SCALARS) + self.rates.size)

    def _growth(self, start: int) -> FloatArray:
        part = slice(start, start + self.rates.size)
        return np.asarray(self.totals.high[part] / self.n + self.totals.low[part] / self.n)

    @property
    def spent(self) -> float:
        """What Monte-Carlo draws have spent of delta."""
        return 0.0 if self.monte_carlo is None else self.monte_carlo.delta

    def remaining(self, delta: float) -> float:
        """Return what is left of a total delta after the draws, or say that nothing is."""
        total = float(single("Summary.bound", "delta", delta))
        if total <= self.spent:
            raise ValueError(
                "The 'delta' argument of Summary.bound must exceed what Monte-Carlo draws have spent "
                f"({self.spent!r}). Got {total!r} instead."
            )
        return total - self.spent
