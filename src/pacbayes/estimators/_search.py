"""The posterior with the smallest bound: a free choice, since the bounds hold for all posteriors at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pacbayes._core.types import FloatArray
from pacbayes.certificate._arithmetic import bound_value
from pacbayes.estimators._prior import SIGNS
from pacbayes.posteriors import Gaussian
from pacbayes.summary import Summary

__all__ = ["Task", "best_posterior", "grid_statistics"]

_ROWS = 8192
_ROUNDS = 3  # each narrows the grid around its best point


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be bounded, and how: the rows of the bound's part and everything fixed before them."""

    X: Any
    signs: FloatArray
    references: FloatArray | None
    reference_kind: str
    strength: float
    rates: FloatArray
    weights: FloatArray
    bound: str
    reference_bound: str | None
    split: float
    delta: float

    def summary(self, posterior: Gaussian) -> Summary:
        """Return the statistics of one posterior."""
        losses = np.concatenate(
            [
                posterior.zero_one(self.X[block], self.signs[block], classes=SIGNS)
                for block in _blocks(self.signs.size, _ROWS)
            ]
        )
        options: dict[str, Any] = {"strength": self.strength, "rates": self.rates, "weights": self.weights}
        if self.references is None:
            return Summary.from_losses(losses, **options)
        return Summary.from_losses(losses, self.references, reference_kind=self.reference_kind, **options)

    def value(self, statistics: dict[str, Any], kl: Any) -> Any:
        """Evaluate the bound on statistics of one or many posteriors."""
        return bound_value(
            self.bound,
            statistics,
            self.signs.size,
            self.delta,
            kl,
            reference_bound=self.reference_bound,
            split=self.split,
        )


def best_posterior(task: Task, prior: Gaussian, start: Gaussian, towards: FloatArray) -> tuple[Gaussian, float, float]:
    """Search over means on the line from ``start`` to ``towards`` and over scales; return posterior, step and scale."""
    steps, scales = np.linspace(0.0, 1.0, 9), 2.0 ** np.linspace(-4.0, 2.0, 7)
    step = scale = 0.0
    for _ in range(_ROUNDS):
        kl = start.kl(prior, scales=scales, towards=towards, steps=steps)
        values = task.value(grid_statistics(task, start, towards, steps, scales), kl)
        row, column = np.unravel_index(int(np.argmin(values)), values.shape)
        step, scale = float(steps[row]), float(scales[column])
        steps = np.clip(step + np.linspace(-1.0, 1.0, 7) * (steps[1] - steps[0]) * 0.75, 0.0, 1.0)
        scales = scale * (scales[1] / scales[0]) ** (np.linspace(-1.0, 1.0, 5) * 0.75)
    return start.moved(towards, step).scaled(scale), step, scale


def grid_statistics(
    task: Task, start: Gaussian, towards: FloatArray, steps: FloatArray, scales: FloatArray
) -> dict[str, Any]:
    """Return the statistics of each posterior on the grid, in one pass over the rows.

    References are 0 or 1, so all statistics are linear in the mean losses on rows where the reference is right and on
    rows where it errs.
    """
    n = task.signs.size
    errs = np.zeros(n) if task.references is None else task.references
    right, wrong = np.zeros((steps.size, scales.size)), np.zeros((steps.size, scales.size))
    for block in _blocks(n, _ROWS):
        losses = start.zero_one(
            task.X[block], task.signs[block], classes=SIGNS, towards=towards, steps=steps, scales=scales
        )
        wrong += losses @ errs[block]
        right += losses @ (1.0 - errs[block])
    return _statistics(task, right / n, wrong / n, float(errs.mean()))


def _statistics(task: Task, right: FloatArray, wrong: FloatArray, reference: float) -> dict[str, Any]:
    gamma, rates, n = task.strength if task.references is not None else 0.0, task.rates, task.signs.size
    saved = np.maximum(reference - wrong, 0.0)  # the reference errs and the posterior does not
    risk = np.minimum(right + wrong, 1.0)
    plus = np.minimum(right + (1.0 - gamma) * wrong, 1.0)
    growth = (
        right[..., None] * np.log1p(-rates)
        + wrong[..., None] * np.log1p(-rates * (1.0 - gamma))
        + saved[..., None] * np.log1p(rates * gamma)
    )
    return {
        "strength": task.strength,
        "reference_kind": task.reference_kind,
        "risk": risk,
        "plus": plus,
        "minus": np.minimum(gamma * saved, 1.0 - plus),
        "excess": risk - gamma * reference,
        "second": np.minimum(right + (1.0 - gamma) ** 2 * wrong + gamma**2 * saved, 1.0),
        "variance": np.minimum(n / max(n - 1, 1) * risk * (1.0 - risk), 0.5),
        "reference": reference,
        "reference_second": reference,
        "log_growth": growth,
        "reference_log_growth": reference * np.log1p(-rates),
        "rates": rates,
        "weights": task.weights,
    }


def _blocks(n: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]
