"""The error of averaging over draws from the posterior, one-sided, in the direction that a bound needs.

For independent draws ``W_1..W_N`` each statistic is a mean of ``N`` independent numbers in a known range; scaled to
[0, 1], it is replaced by its one-sided Chernoff limit ``kl_inv(mean, log(1/share)/N)``. Every statistic gets an even
share of delta, so that all limits hold at once whichever bound is computed from them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pacbayes._core.rounding import log_inverse
from pacbayes._core.types import FloatOrArray
from pacbayes.numerics import kl_inv_lower, kl_inv_upper

__all__ = ["MonteCarloError"]


@dataclass(frozen=True, slots=True)
class MonteCarloError:
    """How many draws were made, and the probability with which their correction may fail."""

    draws: int
    delta: float

    def _budget(self, shares: int) -> float:
        return float(log_inverse(np.asarray(self.delta / shares)) / self.draws)

    def corrected(
        self, value: FloatOrArray, limits: tuple[FloatOrArray, FloatOrArray], shares: int, adverse: str
    ) -> FloatOrArray:
        """Return a statistic, or one per rate, moved to its adverse side ("above" or "below") within its limits."""
        low, high = limits
        scaled: FloatOrArray = np.clip((value - low) / (high - low), 0.0, 1.0)
        budget = self._budget(shares)
        moved = kl_inv_lower(scaled, budget) if adverse == "below" else kl_inv_upper(scaled, budget)
        return low + (high - low) * moved
