"""The paper's three bounds on its own posterior, as published and with corrected arithmetic, by the same code.

The statistics come from one fit and one online reference per split; `departures.py` says which errata to reproduce.
UB and Ours rest on the published theorem for online references in *both* versions (erratum E7): the corrected numbers
are what the paper's theorems say, not certificates.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from pacbayes._core.types import FloatArray, Labels
from pacbayes.bounds import excess_kl, maurer, progressive_chernoff, unexpected_bernstein
from pacbayes.learners import RefittedLogistic
from pacbayes.numerics import log_xi
from pacbayes.online import Every, OnlineReference, online_reference
from pacbayes.posteriors import Gaussian
from pacbayes.reproduction.departures import Departures, printed_phi

__all__ = ["ALPHA", "PERIOD", "REFERENCE_TOL", "PaperFit", "fit_paper", "paper_bound", "paper_reference"]

ALPHA, PERIOD, PRIOR_VARIANCE = 0.01, 150, 0.5
_TOL, REFERENCE_TOL = 1e-7, 1e-4  # the second is scikit-learn's own: predictions need no more


@dataclass(frozen=True, slots=True, eq=False)
class PaperFit:
    """What all bounds on the paper's posterior read: one row per scale ``sigma^2 = 2**-j``, j = 1..J."""

    n: int
    test: float  # error rate of the deterministic predictor, the printed 'Test'
    test_gibbs: FloatArray  # expected test error of each posterior, which is what the bounds are about
    expected: FloatArray  # expected training losses, shape (J, n)
    kl: FloatArray
    reference: OnlineReference

    @property
    def risk(self) -> FloatArray:
        """Empirical risk of each posterior."""
        return np.asarray(self.expected.mean(axis=1))

    def parts(self) -> tuple[FloatArray, FloatArray]:
        """Return ``plus`` and ``minus`` for each scale; the reference is 0 or 1."""
        losses = self.reference.losses
        minus = losses.mean() - self.expected @ losses / self.n
        return self.expected @ (1.0 - losses) / self.n, np.maximum(minus, 0.0)


def scale_count(n: int) -> int:
    """Return ``J = ceil(log2 n)``."""
    return max(1, math.ceil(math.log2(n)))


def fit_paper(train: tuple[FloatArray, Labels], test: tuple[FloatArray, Labels]) -> PaperFit:
    """Run the online reference over the training rows as they come, fit on all of them, and average the losses."""
    X, y = train
    reference = paper_reference(X, y, keep=1)
    start = reference.snapshots[-1][1] if reference.snapshots else RefittedLogistic(ALPHA)
    model = start.set_params(tol=_TOL).fit(X, y)  # the last snapshot continued: the same minimiser
    weights = model.weights_
    scales = np.sqrt(0.5 ** np.arange(1, scale_count(len(y)) + 1))
    posterior = Gaussian(weights, 1.0, intercept=True)
    prior = Gaussian(np.zeros(weights.size), PRIOR_VARIANCE, intercept=True)
    return PaperFit(
        n=len(y),
        test=float(np.mean(model.predict(test[0]) != test[1])),
        test_gibbs=posterior.zero_one(*test, classes=[0, 1], scales=scales).mean(axis=1),
        expected=posterior.zero_one(X, y, classes=[0, 1], scales=scales),
        kl=posterior.kl(prior, scales=scales),
        reference=reference,
    )


def paper_reference(X: FloatArray, y: Labels, keep: int = 0) -> OnlineReference:
    """Return the paper's reference: refits after every 150 rows, as they come, zero for the first 150."""
    estimator = RefittedLogistic(ALPHA, tol=REFERENCE_TOL)
    return online_reference(estimator, X, y, schedule=Every(PERIOD), shuffle=False, keep=keep)


def paper_bound(name: str, fit: PaperFit, departures: Departures, delta: float) -> tuple[float, int]:
    """Return the bound "maurer", "ub" or "ours" at its best scale, and that scale's ``j``."""
    share = delta / scale_count(fit.n) if departures.e6_union_over_scales else delta
    values = _BOUNDS[name](fit, departures, share)
    values = values[:-1] if departures.e6_union_over_scales and values.size > 1 else values
    best = int(np.argmin(values))
    return float(values[best]), best + 1


def _maurer(fit: PaperFit, departures: Departures, delta: float) -> FloatArray:  # noqa: ARG001
    return np.asarray(maurer(fit.risk, fit.kl, fit.n, delta, constant="published"))


def _ub(fit: PaperFit, departures: Departures, delta: float) -> FloatArray:
    plus, minus = fit.parts()
    start = fit.risk if departures.e4_bernstein_from_risk else plus - minus
    if departures.e12_bernstein_delta_unsplit:
        first = unexpected_bernstein(start, plus + minus, fit.kl, fit.n, delta)
    else:  # K is that of the whole delta, as printed
        count = max(1, math.ceil(math.log2(0.5 * math.sqrt(fit.n / math.log(1.0 / delta)))))
        rates = 0.5 ** np.arange(1, count + 1)
        first = unexpected_bernstein(start, plus + minus, fit.kl, fit.n, delta / 2.0, rates=rates)
    return np.asarray(first + _reference_part(fit, delta))


def _ours(fit: PaperFit, departures: Departures, delta: float) -> FloatArray:
    plus, minus = fit.parts()
    if departures.e5_powers_of_two:
        budget = (fit.kl + log_xi(3, fit.n, "published") + math.log(2.0 / delta)) / fit.n
        first = printed_phi(plus, minus, budget)
    else:
        first = excess_kl(plus, minus, fit.kl, fit.n, delta / 2.0, constant="published")
    return np.asarray(first + _reference_part(fit, delta))


def _reference_part(fit: PaperFit, delta: float) -> float:
    """Bound the reference's average true loss by the de-bias theorem, which for references that learn can fail (E7)."""
    return float(progressive_chernoff(fit.reference.losses.mean(), fit.n, delta / 2.0))


_Bound: TypeAlias = Callable[[PaperFit, Departures, float], FloatArray]
_BOUNDS: dict[str, _Bound] = {"maurer": _maurer, "ub": _ub, "ours": _ours}
