"""The portfolio on the paper's own posterior, prior and split, and the paper's bounds with the exact constants.

Its references are the paper's classifier with noise on its weights, of two variances. An example's loss is then a
probability of error, as a posterior's is, and not 0 or 1. They learn from 40 rows on, where the paper's begin at 150.
Variances and schedule were chosen on three other splits of the same data sets, none of them among the 20 repeats.
"""

from __future__ import annotations

import numpy as np

from pacbayes._core.types import FloatArray, Labels
from pacbayes.bounds import betting_rates, excess_kl, maurer, portfolio, progressive_chernoff
from pacbayes.learners import RefittedLogistic
from pacbayes.online import Geometric, OnlineReference, online_reference
from pacbayes.posteriors import Gaussian
from pacbayes.reproduction.paper import ALPHA, REFERENCE_TOL, PaperFit
from pacbayes.statistics import STRENGTHS

__all__ = ["exact_bounds", "portfolio_bound", "portfolio_references"]

_VARIANCES = np.array([0.01, 0.001])
_SCHEDULE = Geometric(1.2, first=40)


def portfolio_references(X: FloatArray, y: Labels) -> list[OnlineReference]:
    """Return one reference per variance, all from the same refits on rows as they come."""
    estimator = RefittedLogistic(ALPHA, tol=REFERENCE_TOL)
    plain = online_reference(estimator, X, y, schedule=_SCHEDULE, shuffle=False, keep=len(y))
    losses = np.tile(plain.losses, (_VARIANCES.size, 1))
    for (start, stop), (_, model) in zip(plain.boundaries[1:], plain.snapshots, strict=True):
        if hasattr(model, "weights_"):  # not if it has met one class alone: then its 0-1 loss stands
            posterior = Gaussian(model.weights_, 1.0, intercept=True)
            rows, scales = slice(start, stop), np.sqrt(_VARIANCES)
            losses[:, rows] = posterior.zero_one(X[rows], y[rows], classes=[0, 1], scales=scales)
    return [OnlineReference(each, plain.order, plain.points) for each in losses]


def portfolio_bound(fit: PaperFit, references: list[OnlineReference], delta: float) -> tuple[float, int]:
    """Return the portfolio at its best scale, and that scale's ``j``; no union is needed over posteriors."""
    rates, weights = betting_rates(fit.n, delta)
    summaries = [[each.summary(losses, rates=rates, weights=weights) for each in references] for losses in fit.expected]
    growths = np.array([[summary.growths for summary in row] for row in summaries])
    own = np.array([summary.reference_log_growth for summary in summaries[0]])
    values = np.asarray(portfolio(growths, STRENGTHS, own, rates, fit.kl, fit.n, delta, weights, several=True))
    best = int(np.argmin(values))
    return float(values[best]), best + 1


def exact_bounds(fit: PaperFit, delta: float) -> dict[str, float]:
    """Return Maurer and Ours, arithmetic corrected, with the exact constants in place of the published ones."""
    plus, minus = fit.parts()
    excess = excess_kl(plus, minus, fit.kl, fit.n, delta / 2.0)
    ours = excess + progressive_chernoff(fit.reference.losses.mean(), fit.n, delta / 2.0)
    values = {"maurer_exact": maurer(fit.risk, fit.kl, fit.n, delta), "ours_exact": ours}
    return {name: min(1.0, float(np.min(value))) for name, value in values.items()}
