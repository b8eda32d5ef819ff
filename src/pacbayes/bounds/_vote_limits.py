"""Limits on the mean loss of voters and of pairs of them, and the Chebyshev-Cantelli inequality in them."""

from __future__ import annotations

import numpy as np

from pacbayes._core.rounding import EPS, raised
from pacbayes._core.types import FloatArray
from pacbayes.bounds._budget import budget
from pacbayes.numerics import kl_inv_lower, kl_inv_upper, log_xi

__all__ = ["at_mu", "best_mu", "limit", "times"]

_LOWEST = -1e6  # of mu: where the Gibbs loss is about 1/2 the best one is infinitely low, and the bound is 1


def limit(
    loss: FloatArray,
    kl: FloatArray,
    n: FloatArray,
    delta: FloatArray,
    constant: str,
    *,
    pairs: bool = False,
    lower: bool = False,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a limit on a mean over voters, or over pairs of them, and its derivatives by that mean and by a nat."""
    allowed = budget(2.0 * kl if pairs else kl, n, delta, log_xi(2, n, constant))
    value, (of_loss, of_budget) = (kl_inv_lower if lower else kl_inv_upper)(loss, allowed, return_grad=True)
    return np.asarray(value), np.asarray(of_loss), np.asarray(of_budget) / n


def best_mu(one: FloatArray, both: FloatArray) -> FloatArray:
    """Return the best mu for given limits, or one near it: any mu below 1/2 gives a valid bound."""
    with np.errstate(all="ignore"):
        best = (one / 2.0 - both) / (0.5 - one)
    return np.where(one < 0.5, np.clip(best, _LOWEST, 0.5 - 1e-6), _LOWEST)


def at_mu(one: FloatArray, both: FloatArray, mu: FloatArray) -> FloatArray:
    """Return ``(both - 2 mu one + mu^2)/(1/2 - mu)^2``, rounded up."""
    # three products and two sums, each rounded by EPS/2 of terms that are at most the sum of absolute values
    slack = 4.0 * EPS * (both + 2.0 * np.abs(mu) * one + mu * mu)
    return raised((both - 2.0 * mu * one + mu * mu + slack) / (0.5 - mu) ** 2, 4)


def times(factor: FloatArray, slope: FloatArray) -> FloatArray:
    """Return a product in which nothing times infinity is nothing."""
    return np.where(factor == 0.0, 0.0, factor * np.where(factor == 0.0, 0.0, slope))
