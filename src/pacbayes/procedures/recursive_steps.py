"""The steps of recursive PAC-Bayes for Gaussians over linear weights: each posterior is found by its own step's bound.

Every posterior but the last is a prior for later rows. It may depend on the rows of its own part and of earlier parts,
and on nothing else: what stands in for the bound of the step before, in the search, is an estimate from these rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pacbayes import bounds
from pacbayes._core.types import FloatArray, IntArray
from pacbayes.posteriors import Gaussian, laplace_covariance
from pacbayes.procedures import prior as learning
from pacbayes.procedures.posterior_descent import descend
from pacbayes.procedures.posterior_search import Task, best_on_the_line

__all__ = ["Chain", "StepTask", "climb"]

_MOST_SQUARES = 2**27  # rows times weights: with more of them the posterior's scale is free, its shape is not
_STEPS: dict[str, Callable[..., Any]] = {
    "recursive": bounds.recursive_step,
    "recursive_portfolio": bounds.recursive_portfolio_step,
}


@dataclass(frozen=True, slots=True)
class StepTask(Task):
    """One step: rows, the expected losses of its prior on them, and a bound on the prior's risk.

    Attributes
    ----------
    previous : float
        The bound on the risk of the prior, or what stands in for it.
    gamma : float or None
        How much of the prior's loss is subtracted; None for a bound that bets on all strengths.
    """

    previous: float = 1.0
    gamma: float | None = None

    @classmethod
    def of(cls, X: Any, signs: FloatArray, prior: Gaussian, **others: Any) -> StepTask:
        """Return the step on these rows."""
        none = np.empty(0)
        empty = cls(X, signs, np.empty((0, signs.size)), None, several=False, rates=none, weights=none, **others)
        return replace(empty, reference_losses=empty.losses(prior)[None, :])

    def statistics(self, errors: FloatArray, both: FloatArray) -> dict[str, Any]:
        """Return how often a draw errs, only it errs, and only one from the prior errs."""
        n, common = float(self.signs.size), both[..., 0]
        against = float(self.reference_errors[0])
        return {"risk": errors / n, "worse": (errors - common) / n, "better": (against - common) / n}

    def bound_of(self, observed: Mapping[str, Any], kl: FloatArray | float) -> FloatArray:
        """Evaluate the step's bound on statistics of many posteriors."""
        return np.asarray(self._evaluate(observed, kl))

    def with_gradient(self, observed: Mapping[str, Any], kl: float) -> tuple[float, dict[str, FloatArray]]:
        """Return the bound, and its derivatives by the names of statistics and "kl"."""
        value, found = self._evaluate(observed, kl, return_grad=True)
        del found["previous"]
        return float(value), {name: np.asarray(slope) for name, slope in found.items()}

    def _evaluate(self, observed: Mapping[str, Any], kl: FloatArray | float, **options: bool) -> Any:
        strength = {} if self.gamma is None else {"gamma": self.gamma}
        given = {**observed, "kl": kl, "n": self.signs.size, "delta": self.delta}
        return _STEPS[self.bound](self.previous, **given, **strength, **options)


@dataclass(frozen=True, slots=True)
class Chain:
    """All posteriors, and the numbers of their steps.

    Attributes
    ----------
    posteriors : tuple of Gaussian
        The first is fixed before the rows that it is judged on.
    numbers : mapping
        What a statement records.
    """

    posteriors: tuple[Gaussian, ...]
    numbers: Mapping[str, Any]


def climb(
    X: Any,
    signs: FloatArray,
    ends: IntArray,
    first: Gaussian,
    alpha: float,
    bound: str,
    delta: float,
    gamma: float | None,
) -> Chain:
    """Go from posterior to posterior; ``delta`` is that of one step.

    Parameters
    ----------
    X, signs : rows and labels
        In their order, behind preprocessing that was learned on the first part.
    ends : ndarray
        Where each part ends.
    first : Gaussian
        Learned on the first part alone.
    alpha : float
        Penalty of the fits to which posteriors move, chosen on the first part.
    bound : {"recursive", "recursive_portfolio"}
    delta : float
    gamma : float or None
    """
    solver, others = learning.Solver(), {"bound": bound, "delta": delta, "gamma": gamma}
    judged = slice(int(ends[0]), None)
    risk = float(StepTask.of(X[judged], signs[judged], first, **others).reference_losses.mean())
    posteriors, found = [first], []
    value = _first_bound(bound, risk, signs.size - int(ends[0]), delta)
    for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        prior, rest = posteriors[-1], slice(start, None)
        whole = StepTask.of(X[rest], signs[rest], prior, **others, previous=value)
        seen = whole
        if end < signs.size:  # what comes after its part must play no role in a posterior that is a prior for it
            part = StepTask.of(X[start:end], signs[start:end], prior, **others)
            seen = replace(part, previous=float(part.reference_losses.mean()))
        posterior = _find(seen, prior, X[:end], signs[:end], solver, alpha)
        statistics = _statistics(whole, posterior)
        kl = float(posterior.kl(prior))
        value = float(whole.bound_of(statistics, kl))
        found.append(statistics | {"kl": kl, "n": signs.size - start})
        posteriors.append(posterior)
    steps = {f"step_{name}": [each[name] for each in found] for name in found[0]}
    strengths = {} if gamma is None else {"gamma": [gamma] * len(found)}
    return Chain(tuple(posteriors), {"first_risk": risk, **steps, **strengths, "risk": found[-1]["risk"]})


def _first_bound(bound: str, risk: float, n: int, delta: float) -> float:
    """Return the bound on the first distribution, which is fixed before the rows: one step, with no divergence."""
    none: dict[str, Any] = {f"step_{name}": [] for name in ("risk", "worse", "better", "kl", "n")}
    return float(bounds.get(bound).function(risk, **none, kl=0.0, n=n, delta=delta))


def _find(
    task: StepTask, prior: Gaussian, X: Any, signs: FloatArray, solver: learning.Solver, alpha: float
) -> Gaussian:
    """Return the posterior with the smallest bound: on the line to the fit on the rows so far, then by the gradient."""
    fit = solver.fit(X, signs, alpha)
    posterior, _, _ = best_on_the_line(task, prior, prior, fit)
    shaped = prior.root.ndim == 2 and signs.size * fit.size <= _MOST_SQUARES and not np.all(signs == signs[0])
    alike = laplace_covariance(X, signs, fit, alpha, intercept=True) if shaped else None
    better = descend(task, prior, posterior, alike)
    return posterior if better is None else better


def _statistics(task: StepTask, posterior: Gaussian) -> dict[str, float]:
    observed = task.observe(posterior)
    both = np.atleast_1d(np.asarray(observed["both"], dtype=float))
    found = task.statistics(np.asarray(observed["errors"]), both)
    return {name: float(np.clip(each, 0.0, 1.0)) for name, each in found.items()}
