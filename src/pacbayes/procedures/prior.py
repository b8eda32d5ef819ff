"""What the prior's part teaches: penalty, weights, shape, scale and rate, all before the other rows are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr
from sklearn.model_selection import StratifiedKFold

from pacbayes._core.types import FloatArray
from pacbayes.learners import RefittedLogistic
from pacbayes.numerics import kl_inv_upper
from pacbayes.posteriors import Gaussian, laplace_covariance

__all__ = ["ALPHAS", "SIGNS", "Solver", "cross_validate", "predicted_rate", "shaped"]

SIGNS = np.array([-1.0, 1.0])
ALPHAS: FloatArray = 10.0 ** np.arange(-2.0, 4.0)  # penalties on the sum of losses
SCALES: FloatArray = 2.0 ** np.arange(-6.0, 2.5, 0.5)  # of the posterior, relative to its shape
_FOLDS = 4
_ROWS = 20_000  # enough to choose a penalty; more rows change the choice little and cost in proportion


class Solver:
    """Penalised logistic regression with the intercept as the last weight, warm-started from fit to fit."""

    def __init__(self) -> None:
        self._model = RefittedLogistic()

    def fit(self, X: Any, signs: FloatArray, alpha: float) -> FloatArray:
        """Return the weights; rows of a single class teach to predict it."""
        if np.all(signs == signs[0]):
            return np.append(np.zeros(X.shape[1]), signs[0])
        self._model.C = 1.0 / alpha  # set_params would read the signature each time
        return np.asarray(self._model.fit(X, signs).weights_).copy()


def shaped(X: Any, signs: FloatArray, weights: FloatArray, alpha: float, kind: str) -> Gaussian:
    """Return the Gaussian at these weights with the shape asked for, at scale 1."""
    if kind == "isotropic" or np.all(signs == signs[0]):
        return Gaussian(weights, 1.0, intercept=True)
    return Gaussian(weights, laplace_covariance(X, signs, weights, alpha, intercept=True), intercept=True)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Fits on rows that they had not seen, one row of each array per penalty.

    Attributes
    ----------
    margins : ndarray, shape (A, n)
        ``-s m.x``: positive where the fit errs.
    spreads : ndarray, shape (A, n)
        ``sqrt(x'Sx)`` of the shape at scale 1.
    """

    margins: FloatArray
    spreads: FloatArray

    def risks(self) -> FloatArray:
        """Return the expected error of the randomised predictor, shape (penalties, scales)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.nan_to_num(self.margins / self.spreads, posinf=np.inf, neginf=-np.inf)
        return np.stack([ndtr(ratio / scale).mean(axis=1) for scale in SCALES], axis=1)


def cross_validate(X: Any, signs: FloatArray, alphas: FloatArray, kind: str) -> HeldOut:
    """Judge each row by fits on the other folds, for each penalty, with spreads of the shape of that kind."""
    X, signs = X[:_ROWS], signs[:_ROWS]
    folds = min(_FOLDS, int((signs > 0.0).sum()), int((signs < 0.0).sum()))
    margins = np.zeros((alphas.size, signs.size))
    spreads = np.ones_like(margins)
    if folds < 2:  # too few rows of one class to compare by; every penalty looks the same
        return HeldOut(margins, spreads)
    for train, test in StratifiedKFold(folds).split(np.zeros(signs.size), signs):
        solver, rows = Solver(), X[train]
        for index in np.argsort(-alphas):  # from the strongest penalty, whose fit is a good start for the next
            weights = solver.fit(rows, signs[train], float(alphas[index]))
            shape = shaped(rows, signs[train], weights, float(alphas[index]), kind)
            spread, centre = shape.projections(X[test])
            margins[index, test], spreads[index, test] = -signs[test] * centre, spread
    return HeldOut(margins, spreads)


def predicted_rate(risk: float, n: int, delta: float, kl: float) -> float:
    """Return the best rate for betting at a predicted risk: ``1/t*`` of the dual form of the kl inverse."""
    value, (_, slope) = kl_inv_upper(min(risk, 1.0), (kl + np.log(1.0 / delta)) / n, return_grad=True)
    top = float(value) + float(slope)
    return float(min(max(1.0 / top if top > 0.0 else 1.0, 1e-3), 0.999))
