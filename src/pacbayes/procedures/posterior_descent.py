"""From a good posterior to a better one by the bound's own gradient: mean, shape and scale at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from pacbayes._core.types import FloatArray
from pacbayes.posteriors import FamilyLosses, Gaussian, GaussianFamily
from pacbayes.procedures.posterior_search import Task

__all__ = ["Slopes", "bound_slopes", "descend"]

_STEPS, _MEMORY = 200, 20
_FLAT = 1e-4  # a gradient below this, in nats per unit of a parameter, is as good as none
_CHANGE = 1e-7  # a relative one that ends the descent; 1e-9 gains 2e-7 at twice the cost
_GRID = 2.0**-12  # parameters are rounded to it, so that the last digits of other libraries give the same posterior
_LEAST_GAIN = 1e-5  # of the bound, for which another posterior is worth having


@dataclass(frozen=True, slots=True)
class Slopes:
    """A bound and its derivatives.

    Attributes
    ----------
    value : float
    errors, both, kl : float, ndarray, float
        Derivatives with respect to the expected number of errors, to those in common with each reference, and to the
        divergence.
    """

    value: float
    errors: float
    both: FloatArray
    kl: float


def bound_slopes(task: Task, errors: float, both: FloatArray, kl: float) -> Slopes:
    """Return the bound of a posterior and its derivatives, through those of the bound's function.

    Statistics are linear in the numbers of errors (a variance is a square of them), so that the difference of their
    values one error above and below is exactly their derivative.
    """
    n = float(task.signs.size)
    above, below = min(errors + 1.0, n), max(errors - 1.0, 0.0)
    more, less = np.minimum(both + 1.0, n), np.maximum(both - 1.0, 0.0)
    at = task.statistics(np.asarray(errors), both)
    around = task.statistics(np.array([above, below, errors, errors]), np.stack([both, both, more, less]))
    value, gradient = task.with_gradient(at, kl)
    by_errors, by_both, by_kl = 0.0, np.zeros(both.size), float(np.asarray(gradient.pop("kl")))
    for name, slope in gradient.items():
        up, down, further, nearer = np.asarray(around[name])
        by_errors += float(np.sum(slope * (up - down))) / (above - below)
        if both.size:
            by_both = by_both + (slope * (further - nearer)).reshape(both.size, -1).sum(axis=1) / (more - less)
    return Slopes(value, by_errors, by_both, by_kl)


@dataclass(frozen=True, slots=True)
class _Objective:
    """The bound as a function of a family's parameters."""

    task: Task
    family: GaussianFamily
    losses: FamilyLosses

    def slopes(self, parameters: FloatArray) -> tuple[Slopes, FloatArray]:
        """Return the bound with its derivatives, and its gradient."""
        losses, pull = self.losses(parameters)
        kl, of_kl = self.family.kl(parameters)
        references = self.task.reference_losses
        found = bound_slopes(self.task, float(losses.sum()), references @ losses, kl)
        with np.errstate(over="ignore", invalid="ignore"):  # a bound of differences that are all zero has no slope
            gradient = pull(found.errors + found.both @ references) + found.kl * of_kl
        return found, gradient

    def minimise(self, start: FloatArray) -> FloatArray | None:
        """Return parameters with a smaller bound, rounded; None where there is no gradient to follow."""
        first, _ = self.slopes(start)
        if not (first.value < 1.0 and np.isfinite(first.kl) and first.kl > 0.0):
            return None

        def in_nats(parameters: FloatArray) -> tuple[float, FloatArray]:
            # in units of the divergence, in which the bound's curvature is at least that of a standard normal
            found, gradient = self.slopes(parameters)
            return found.value / first.kl, np.nan_to_num(gradient / first.kl)

        options = {"maxiter": _STEPS, "maxcor": _MEMORY, "ftol": _CHANGE, "gtol": _FLAT}
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = minimize(in_nats, start, jac=True, method="L-BFGS-B", options=options).x
        return np.round(found / _GRID) * _GRID if np.isfinite(found).all() else None


def descend(task: Task, prior: Gaussian, start: Gaussian, alike: FloatArray | None) -> Gaussian | None:
    """Return a posterior with a smaller bound than ``start``, or None where descent finds none that is worth having.

    Parameters
    ----------
    task : Task
        The judged rows and the bound.
    prior, start : Gaussian
        The prior, and the posterior from which to descend.
    alike : ndarray or None
        A covariance in whose axes, relative to the prior's, the posterior's variances are free; None for a free scale
        alone.
    """
    family = GaussianFamily.around(prior, alike)
    found = _Objective(task, family, family.losses_on(task.X, task.signs)).minimise(family.coordinates(start))
    if found is None:
        return None
    posterior = family.member(found)
    better = task.value(posterior, prior) < task.value(start, prior) * (1.0 - _LEAST_GAIN)
    return posterior if better else None
