"""What a posterior's bound is planned on: everything that the learning rows choose, by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from pacbayes import statistics
from pacbayes._core.types import FloatArray, Rows
from pacbayes.bounds import betting_rates
from pacbayes.certificate import Reference, risk_bound
from pacbayes.numerics import kl_inv_upper
from pacbayes.posteriors import Gaussian
from pacbayes.procedures import prior as learning

__all__ = ["SPLIT", "Plan", "Planner"]

SPLIT = 0.5  # of delta between excess and reference
_VARIANCES = 4.0 ** np.arange(-2, 4)  # of a prior centred at zero
_STRENGTHS = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is chosen on the learning rows."""

    alpha: float
    scale: float
    variance: float
    rate: float
    strength: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Planner:
    """The options of a posterior that matter before the judged rows are looked at.

    Attributes
    ----------
    delta : float
        For this one of the candidates.
    alpha, strength : float or None
        None has them chosen.
    prior : {"informed", "zero"}
    shape : {"laplace", "isotropic"}
    has_strength : bool
        Whether one reference is subtracted at one strength.
    """

    delta: float
    alpha: float | None
    strength: float | None
    prior: str
    shape: str
    has_strength: bool

    def make(self, X: Rows, signs: FloatArray, n: int) -> Plan:
        """Choose penalty, scale and (for a prior at zero) variance by the bound predicted in cross-validation."""
        alphas = learning.ALPHAS if self.alpha is None else np.full(1, self.alpha)
        held = learning.cross_validate(X, signs, alphas, self.shape)
        risks, kls = held.risks(), self._predicted_kls(X, signs, alphas)
        predicted = kl_inv_upper(risks[:, :, None], (kls + np.log(1.0 / self.delta)) / n)
        a, s, v = np.unravel_index(int(np.argmin(predicted)), predicted.shape)
        rate = learning.predicted_rate(float(risks[a, s]), n, self.delta, float(kls[a, s, v]))
        scale = float(learning.SCALES[s])
        losses = ndtr(held.margins[a] / (scale * held.spreads[a]))
        strength = self._strength(losses, (held.margins[a] >= 0.0).astype(float), n)
        return Plan(float(alphas[a]), scale, float(_VARIANCES[v]), rate, strength)

    def _predicted_kls(self, X: Rows, signs: FloatArray, alphas: FloatArray) -> FloatArray:
        """Return divergences by penalty, scale and variance of the prior: zero where the prior is the fit itself."""
        if self.prior == "informed":
            return np.zeros((alphas.size, learning.SCALES.size, 1))
        result = np.empty((alphas.size, learning.SCALES.size, _VARIANCES.size))
        for a, alpha in enumerate(alphas):
            weights = learning.Solver().fit(X, signs, float(alpha))
            around = learning.shaped(X, signs, weights, float(alpha), self.shape)
            for v, variance in enumerate(_VARIANCES):
                zero = Gaussian(np.zeros_like(weights), float(variance), intercept=True)
                result[a, :, v] = around.kl(zero, scales=learning.SCALES)
        return result

    def _strength(self, losses: FloatArray, errors: FloatArray, n: int) -> float:
        """Choose how much of a reference to subtract, by the bound predicted in cross-validation."""
        if not self.has_strength or self.strength is not None:
            return self.strength if self.strength is not None and self.has_strength else 1.0
        rates, weights = betting_rates(n=n, delta=self.delta)
        values = []
        for strength in _STRENGTHS:
            observed = statistics.from_outcomes(
                losses.size,
                float(losses.sum()),
                float(errors.sum()),
                float(losses @ errors),
                strength=strength,
                rates=rates,
                weights=weights,
            )
            reference = Reference("fixed", strength, "betting", SPLIT)
            values.append(float(risk_bound("betting", observed, n, self.delta, 1.0, reference=reference)))
        return _STRENGTHS[int(np.argmin(values))]
