"""The posterior with the smallest bound: a free choice, since the bounds hold for all posteriors at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pacbayes import statistics
from pacbayes._core.types import FloatArray, Rows
from pacbayes.certificate import Reference, risk_bound
from pacbayes.posteriors import Gaussian
from pacbayes.procedures.prior import SIGNS

__all__ = ["Task", "best_posterior"]

_ROWS = 8192
_ROUNDS = 3  # each narrows the grid around its best point


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be bounded, and how: the judged rows and everything fixed before them."""

    X: Rows
    signs: FloatArray
    reference_losses: FloatArray | None
    reference: Reference | None
    rates: FloatArray
    weights: FloatArray
    bound: str
    delta: float

    def observe(self, posterior: Gaussian) -> dict[str, float]:
        """Return the expected numbers of errors of one posterior, as a statement records them."""
        losses = np.concatenate(
            [posterior.zero_one(self.X[block], self.signs[block], classes=SIGNS) for block in self._blocks()]
        )
        if self.reference_losses is None:
            return {"errors": float(losses.sum())}
        against = self.reference_losses
        return {
            "errors": float(losses.sum()),
            "reference_errors": float(against.sum()),
            "both": float(losses @ against),
        }

    def grid_statistics(
        self, start: Gaussian, towards: FloatArray, steps: FloatArray, scales: FloatArray
    ) -> dict[str, Any]:
        """Return the statistics of each posterior on a grid of steps and scales, in one pass over the rows."""
        n = self.signs.size
        against = np.zeros(n) if self.reference_losses is None else self.reference_losses
        errors, both = np.zeros((steps.size, scales.size)), np.zeros((steps.size, scales.size))
        for block in self._blocks():
            losses = start.zero_one(
                self.X[block], self.signs[block], classes=SIGNS, towards=towards, steps=steps, scales=scales
            )
            both += losses @ against[block]
            errors += losses.sum(axis=-1)
        strength = 1.0 if self.reference is None else self.reference.strength
        grid = {"rates": self.rates, "weights": self.weights}
        return statistics.from_outcomes(n, errors, float(against.sum()), both, strength=strength, **grid)

    def bound_of(self, observed: Mapping[str, Any], kl: FloatArray) -> FloatArray:
        """Evaluate the bound on statistics of many posteriors."""
        values = risk_bound(self.bound, observed, self.signs.size, self.delta, kl, reference=self.reference)
        return np.asarray(values)

    def _blocks(self) -> Iterator[slice]:
        for start in range(0, self.signs.size, _ROWS):
            yield slice(start, min(start + _ROWS, self.signs.size))


def best_posterior(task: Task, prior: Gaussian, start: Gaussian, towards: FloatArray) -> tuple[Gaussian, float, float]:
    """Search over means on the line from ``start`` to ``towards`` and over scales; return posterior, step and scale."""
    steps, scales = np.linspace(0.0, 1.0, 9), 2.0 ** np.linspace(-4.0, 2.0, 7)
    step = scale = 0.0
    for _ in range(_ROUNDS):
        kl = start.kl(prior, scales=scales, towards=towards, steps=steps)
        values = task.bound_of(task.grid_statistics(start, towards, steps, scales), kl)
        row, column = np.unravel_index(int(np.argmin(values)), values.shape)
        step, scale = float(steps[row]), float(scales[column])
        steps = np.clip(step + np.linspace(-1.0, 1.0, 7) * (steps[1] - steps[0]) * 0.75, 0.0, 1.0)
        scales = scale * (scales[1] / scales[0]) ** (np.linspace(-1.0, 1.0, 5) * 0.75)
    return start.moved(towards, step).scaled(scale), step, scale
