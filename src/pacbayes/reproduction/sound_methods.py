"""Certificates for the paper's classifier with better posteriors: everything the prior needs comes from other rows."""

from __future__ import annotations

import numpy as np

from pacbayes._core.types import FloatArray, Labels
from pacbayes.bounds import betting_rates, debiased
from pacbayes.learners import RefittedLogistic
from pacbayes.posteriors import Gaussian, laplace_covariance
from pacbayes.reproduction.paper import ALPHA, PRIOR_VARIANCE
from pacbayes.reproduction.random_split import Scaler, Split
from pacbayes.summary import Summary

__all__ = ["informed", "laplace", "split_kl"]

_SCALES = 2.0 ** np.arange(-1.0, 5.0, 0.5)
_PRIOR_SCALES = 2.0 ** np.arange(-1.0, 5.0)
_STEPS = np.linspace(0.0, 1.0, 11)


def laplace(split: Split, delta: float) -> dict[str, float]:
    """Centre ``N(m, s^2 H^-1)`` at the fit on all training rows, prior ``N(0, I/2)``.

    A tenth of the rows scales the features and the bound is on the rest. ``m``, ``H`` and ``s`` are the posterior's and
    may come from all of them.
    """
    X, y = split.train
    cut = max(2, len(y) // 10)
    scaler = Scaler(X[:cut])
    X = scaler(X)
    weights = RefittedLogistic(ALPHA).fit(X, y).weights_
    posterior = Gaussian(weights, _covariance(X, y, weights), intercept=True)
    prior = Gaussian(np.zeros(weights.size), PRIOR_VARIANCE, intercept=True)
    divergences = posterior.kl(prior, scales=_SCALES)
    expected = posterior.zero_one(X[cut:], y[cut:], classes=[0, 1], scales=_SCALES)
    values = _bound_by_betting(expected, divergences, delta)
    best = int(np.argmin(values))
    return _record(split, scaler, posterior.scaled(_SCALES[best]), values[best], expected[best], divergences[best])


def informed(split: Split, delta: float) -> dict[str, float]:
    """Learn scaling, ``m0`` and ``H0`` on one half; prior ``N(m0, s^2 H0^-1)``, posterior on the way to the full fit.

    The bound is on the other half, by betting. The prior's scale ``s`` is one of six, a sixth of delta each; how far to
    go from ``m0`` towards the fit on all rows is the posterior's choice and costs nothing.
    """
    halves = _Halves(split)
    return halves.best(_bound_by_betting(halves.expected, halves.kl, delta / _PRIOR_SCALES.size))


def split_kl(split: Split, delta: float) -> dict[str, float]:
    """Bound the same posteriors by split-kl on the excess over ``m0``, and ``m0`` itself by Clopper-Pearson.

    For a reference that learns from the same rows no theorem covers split-kl; ``m0`` is fixed before them.
    """
    halves = _Halves(split)
    options = {"excess": "split_kl", "reference": "clopper_pearson"}
    values = []
    for losses, kl in zip(halves.expected, halves.kl, strict=True):
        summary = Summary.from_losses(losses, halves.reference, reference_kind="fixed", rates=[0.5])
        values.append(float(debiased(summary, kl, delta / _PRIOR_SCALES.size, **options)))  # type: ignore[arg-type]
    return halves.best(values)


class _Halves:
    """Posteriors around a prior from the first half of the training rows, with their losses on the second."""

    def __init__(self, split: Split) -> None:
        X, y = split.train
        cut = len(y) // 2
        self._split, self._scaler = split, Scaler(X[:cut])
        X = self._scaler(X)
        model = RefittedLogistic(ALPHA).fit(X[:cut], y[:cut])
        self.reference = (model.predict(X[cut:]) != y[cut:]).astype(np.float64)
        start = model.weights_
        self._target = model.fit(X, y).weights_
        self._prior = Gaussian(start, _covariance(X[:cut], y[:cut], start), intercept=True)
        # prior and posterior share the scale, so the divergence at scale s is that at 1 over s^2
        divergences = self._prior.kl(self._prior, towards=self._target, steps=_STEPS)
        self.kl = np.ravel(divergences[:, None] / _PRIOR_SCALES**2)
        grid = {"scales": _PRIOR_SCALES, "towards": self._target, "steps": _STEPS}
        self.expected = self._prior.zero_one(X[cut:], y[cut:], classes=[0, 1], **grid).reshape(self.kl.size, -1)

    def best(self, values: list[float]) -> dict[str, float]:
        """Return the record of the posterior with the smallest bound."""
        best = int(np.argmin(values))
        step, scale = divmod(best, _PRIOR_SCALES.size)
        chosen = self._prior.moved(self._target, _STEPS[step]).scaled(_PRIOR_SCALES[scale])
        return _record(self._split, self._scaler, chosen, values[best], self.expected[best], self.kl[best])


def _covariance(X: FloatArray, y: Labels, weights: FloatArray) -> FloatArray:
    return laplace_covariance(X, y, weights, ALPHA * len(y), intercept=True)


def _bound_by_betting(expected: FloatArray, divergences: FloatArray, delta: float) -> list[float]:
    rates, weights = betting_rates(expected.shape[1], delta)
    summaries = (Summary.from_losses(losses, rates=rates, weights=weights) for losses in expected)
    return [float(s.bound("betting", kl=kl, delta=delta)) for s, kl in zip(summaries, divergences, strict=True)]


def _record(
    split: Split, scaler: Scaler, posterior: Gaussian, value: float, expected: FloatArray, kl: float
) -> dict[str, float]:
    X, y = scaler(split.test[0]), split.test[1]
    predicted = posterior.mean[:-1] @ X.T + posterior.mean[-1] > 0.0
    return {
        "value": value,
        "test": float(np.mean(predicted != y)),
        "test_gibbs": float(posterior.zero_one(X, y, classes=[0, 1]).mean()),
        "risk": float(expected.mean()),
        "kl": float(kl),
    }
