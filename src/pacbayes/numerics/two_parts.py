"""Sums of two mixtures of exponentials: one rises in ``R`` and falls in ``b``, the other rises in ``b``.

The function is that of :mod:`pacbayes.numerics.minimum`; here it is evaluated, with its slopes and a bound on its
rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pacbayes._core.rounding import EPS
from pacbayes._core.types import FloatArray, IntArray
from pacbayes.numerics.mixture import bound_rounding, to_shares

__all__ = ["Balance", "Evaluation", "MinimumProblem", "log_sum"]


@dataclass(frozen=True, slots=True)
class MinimumProblem:
    """The coefficients of ``F`` for N rows of S summands, with T terms in their first and K in their second part.

    Attributes
    ----------
    growth : ndarray, shape (N, S, T)
    other : ndarray, shape (N, S, K)
    first : ndarray, shape (N, 1, T)
        Logarithms of weights, rounded down.
    second : ndarray, shape (K,)
        The same.
    term_rates, strengths : ndarray, shape (T,)
        Rates in (0, 1) and strengths in [0, 1] of the first part.
    rates : ndarray, shape (K,)
        Of the second part.
    n : ndarray, shape (N,)
    """

    growth: FloatArray
    other: FloatArray
    first: FloatArray
    second: FloatArray
    term_rates: FloatArray
    strengths: FloatArray
    rates: FloatArray
    n: FloatArray

    def take(self, rows: IntArray) -> MinimumProblem:
        """Return the problem of some rows."""
        return replace(self, growth=self.growth[rows], other=self.other[rows], first=self.first[rows], n=self.n[rows])

    def risk_floor(self, risk: FloatArray, b: FloatArray) -> FloatArray:
        """Return a lower bound on the first part of each summand, proved with its rounding."""
        n = self.n[:, None, None]
        x = self.term_rates * (risk[:, None, None] - self.strengths * b[:, :, None])
        logs = np.log1p(-x)
        exponents = self.first + n * (self.growth - logs)
        each = bound_rounding(self.growth, x, logs, self.first, n, exponents)
        each += EPS * 2.0 * n * self.term_rates / (1.0 - x)  # of the difference R - strength b
        return _floor(exponents, each)

    def other_floor(self, b: FloatArray) -> FloatArray:
        """Return a lower bound on the second part of each summand, proved with its rounding."""
        n = self.n[:, None, None]
        y = self.rates * b[:, :, None]
        logs = np.log1p(-y)
        exponents = self.second + n * (self.other - logs)
        return _floor(exponents, bound_rounding(self.other, y, logs, self.second, n, exponents))

    def evaluate(self, risk: FloatArray, b: FloatArray) -> Evaluation:
        """Evaluate both parts of each summand at ``R`` of shape (N,) and ``b`` of shape (N, S)."""
        n = self.n[:, None, None]
        x = self.term_rates * (risk[:, None, None] - self.strengths * b[:, :, None])
        logs = np.log1p(-x)
        exponents = self.first + n * (self.growth - logs)
        y = self.rates * b[:, :, None]
        other_logs = np.log1p(-y)
        other_exponents = self.second + n * (self.other - other_logs)
        p, risk_part = to_shares(exponents)
        q, other_part = to_shares(other_exponents)
        inner = ((x, logs, exponents), (y, other_logs, other_exponents))
        return Evaluation(
            self, (risk_part, other_part), p, q, self.term_rates / (1.0 - x), self.rates / (1.0 - y), inner
        )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Logarithms of both parts of each summand at a point, and the shares of their terms; slopes are over n.

    Attributes
    ----------
    problem : MinimumProblem
    parts : pair of ndarray, shape (N, S)
    p, q : ndarray, shapes (N, S, T) and (N, S, K)
        Shares of the terms in their part.
    gain, other_gain : ndarray
        Derivatives of the exponents with respect to ``R`` and, in the second part, to ``b_s``.
    inner : pair of triples
        What exponents were made of, for the bound on their rounding.
    """

    problem: MinimumProblem
    parts: tuple[FloatArray, FloatArray]
    p: FloatArray
    q: FloatArray
    gain: FloatArray
    other_gain: FloatArray
    inner: tuple[tuple[FloatArray, FloatArray, FloatArray], tuple[FloatArray, FloatArray, FloatArray]]

    def value(self) -> FloatArray:
        """Return ``log F``."""
        return log_sum(np.logaddexp(*self.parts))

    def weights(self) -> tuple[FloatArray, FloatArray]:
        """Return the share of each summand's first part in ``F``, and that of its second part."""
        total = self.value()[:, None]
        return np.exp(self.parts[0] - total), np.exp(self.parts[1] - total)

    def slope(self) -> FloatArray:
        """Return the derivative of ``log F`` with respect to ``R``."""
        return np.asarray((self.weights()[0] * (self.p * self.gain).sum(axis=2)).sum(axis=1))

    def falls(self) -> FloatArray:
        """Return minus the derivative of each first part with respect to ``b_s``: non-negative."""
        return np.asarray((self.p * self.gain * self.problem.strengths).sum(axis=2))

    def rises(self) -> FloatArray:
        """Return the derivative of each second part with respect to ``b_s``: positive."""
        return np.asarray((self.q * self.other_gain).sum(axis=2))

    def balance(self) -> Balance:
        """Return the logarithm of what falls over what rises, with its derivatives."""
        strengths, n = self.problem.strengths, self.problem.n[:, None] + 1.0
        risen = self.p * self.gain
        turned = risen * self.gain * strengths
        other = self.q * self.other_gain
        falls, rises = (risen * strengths).sum(axis=2), other.sum(axis=2)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            level = self.parts[0] - self.parts[1] + np.log(falls / rises)
            of_b = n * ((turned * strengths).sum(axis=2) / falls + (other * self.other_gain).sum(axis=2) / rises)
            of_risk = n * turned.sum(axis=2) / falls
        return Balance(level, of_b, of_risk, risen.sum(axis=2))

    def roundings(self) -> tuple[FloatArray, FloatArray]:
        """Bound the rounding of each exponent."""
        n, problem = self.problem.n[:, None, None], self.problem
        (x, logs, exponents), (y, other_logs, other_exponents) = self.inner
        first = bound_rounding(problem.growth, x, logs, problem.first, n, exponents)
        # the difference risk - strength b is rounded too, by EPS (risk + b) at most
        first += EPS * 2.0 * n * self.gain
        return first, bound_rounding(problem.other, y, other_logs, problem.second, n, other_exponents)

    def errors(self, roundings: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
        """Bound the rounding of both parts, from that of each exponent."""
        first, second = roundings
        sizes = [(part.shape[2] + 16) * EPS for part in (self.p, self.q)]
        risk, other = (np.abs(inner[2].max(axis=2)) for inner in self.inner)
        return (
            np.asarray((self.p * first).sum(axis=2) + sizes[0] * (1.0 + risk)),
            np.asarray((self.q * second).sum(axis=2) + sizes[1] * (1.0 + other)),
        )

    def error(self) -> FloatArray:
        """Bound the rounding of :meth:`value`."""
        one, two = self.errors(self.roundings())
        return np.asarray(np.maximum(one, two).max(axis=1) + (self.p.shape[1] + 32) * EPS)


@dataclass(frozen=True, slots=True)
class Balance:
    """What falls in ``b_s`` over what rises, as a logarithm: zero where ``F_s`` is smallest.

    Close to linear, since both parts are nearly exponentials in ``b_s``.

    Attributes
    ----------
    level : ndarray, shape (N, S)
    of_b, of_risk : ndarray, shape (N, S)
        Its derivatives with respect to ``b_s``, negated, and to ``R``.
    steep : ndarray, shape (N, S)
        The derivative of each first part with respect to ``R``, over n.
    """

    level: FloatArray
    of_b: FloatArray
    of_risk: FloatArray
    steep: FloatArray


def _floor(exponents: FloatArray, roundings: FloatArray) -> FloatArray:
    """Return the logarithm of a sum of exponentials less all that rounding may have added to it."""
    shares, value = to_shares(exponents)
    own = (exponents.shape[2] + 16) * EPS * (1.0 + np.abs(exponents.max(axis=2)))
    return np.asarray(value - (shares * roundings).sum(axis=2) - own)


def log_sum(values: FloatArray) -> FloatArray:
    """Return the logarithm of the sum of exponentials over the second axis."""
    if values.shape[1] == 1:
        return values[:, 0]
    top = values.max(axis=1)
    return np.asarray(top + np.log(np.exp(values - top[:, None]).sum(axis=1)))
