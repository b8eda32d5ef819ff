"""The posterior with the smallest bound: a free choice, since the bounds hold for all posteriors at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from pacbayes import bounds, statistics
from pacbayes._core.types import FloatArray, FloatOrArray, Rows
from pacbayes.bounds import LearnedBets
from pacbayes.certificate import Reference, portfolio_weights, risk_bound
from pacbayes.posteriors import Gaussian
from pacbayes.procedures.prior import SIGNS

__all__ = ["Task", "best_on_the_line"]

_ROWS = 8192
_ROUNDS = 3  # each narrows the grid around its best point


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be bounded, and how: the judged rows and everything fixed before them.

    Attributes
    ----------
    X, signs : rows and labels
        The judged rows.
    reference_losses : ndarray, shape (references, n)
        Their 0-1 losses; no row without a reference.
    reference : Reference or None
        The one reference that is subtracted at one strength.
    several : bool
        Whether the bound is a portfolio, which takes any number of references.
    rates, weights : ndarray
        Of a bound that bets.
    bound : str
    delta : float
    bets : LearnedBets or None
        Of a portfolio whose rate was predicted; None for the library's own for all data.
    """

    X: Rows
    signs: FloatArray
    reference_losses: FloatArray
    reference: Reference | None
    several: bool
    rates: FloatArray
    weights: FloatArray
    bound: str
    delta: float
    bets: LearnedBets | None = None

    def losses(self, posterior: Gaussian) -> FloatArray:
        """Return the probability that a draw from a posterior misclassifies each judged row."""
        found = [posterior.zero_one(self.X[block], self.signs[block], classes=SIGNS) for block in self._blocks()]
        return np.concatenate(found)

    def observe(self, posterior: Gaussian) -> dict[str, float | list[float]]:
        """Return the expected numbers of errors of one posterior, as a statement records them."""
        return self.count(self.losses(posterior))

    def count(self, losses: FloatArray) -> dict[str, float | list[float]]:
        """Return numbers of errors from the losses on all judged rows, alone and in common with the references."""
        errors: dict[str, float | list[float]] = {"errors": float(losses.sum())}
        if not len(self.reference_losses):
            return errors
        against, both = self.reference_errors.tolist(), (self.reference_losses @ losses).tolist()
        found: dict[str, list[float]] = {"reference_errors": against, "both": both}
        return errors | (found if self.several else {name: each[0] for name, each in found.items()})

    @property
    def reference_errors(self) -> FloatArray:
        """The number of errors of each reference."""
        return np.asarray(self.reference_losses.sum(axis=1))

    def statistics(self, errors: FloatArray, both: FloatArray) -> dict[str, Any]:
        """Return every statistic from expected numbers of errors; those in common have references on their last axis.

        Statistics for a portfolio have the axis of references before those of strengths and rates.
        """
        n = self.signs.size
        grid: dict[str, Any] = {"rates": self.rates, "weights": self.weights}
        if self.several:
            return statistics.from_outcomes(n, errors[..., None], self.reference_errors, both, **grid)
        if self.reference is None:
            return statistics.from_outcomes(n, errors, **grid)
        strength, against = self.reference.strength, float(self.reference_errors[0])
        return statistics.from_outcomes(n, errors, against, both[..., 0], strength=strength, **grid)

    def grid_statistics(
        self, start: Gaussian, towards: FloatArray, steps: FloatArray, scales: FloatArray
    ) -> dict[str, Any]:
        """Return the statistics of each posterior on a grid of steps and scales, in one pass over the rows."""
        against = self.reference_losses
        errors, both = np.zeros((steps.size, scales.size)), np.zeros((steps.size, scales.size, len(against)))
        for block in self._blocks():
            losses = start.zero_one(
                self.X[block], self.signs[block], classes=SIGNS, towards=towards, steps=steps, scales=scales
            )
            both += losses @ against[:, block].T
            errors += losses.sum(axis=-1)
        return self.statistics(errors, both)

    def bound_of(self, observed: Mapping[str, Any], kl: FloatArray | float) -> FloatArray:
        """Evaluate the bound on statistics of many posteriors."""
        kinds: dict[str, Any] = {"reference": self.reference, "several": self.several, "bets": self.bets}
        return np.asarray(risk_bound(self.bound, observed, self.signs.size, self.delta, kl, **kinds))

    def with_gradient(self, at: Mapping[str, Any], kl: float) -> tuple[float, dict[str, FloatArray]]:
        """Return the bound, and its derivatives by the names of statistics and "kl"."""
        n, reference = self.signs.size, self.reference
        record = bounds.get(self.bound)
        share = 1.0 if reference is None else reference.split
        given = {name: at[name] for name in record.statistics} | {"kl": kl, "n": n, "delta": self.delta * share}
        if self.several:
            value, found = bounds.portfolio(**given, **portfolio_weights(self.bets), several=True, return_grad=True)
            return float(np.asarray(value)), {"growths": np.asarray(found["growths"]), "kl": np.asarray(found["kl"])}
        if (
            reference is not None and self.bound == reference.bound == "betting"
        ):  # one martingale, as in bounds.debiased
            growths, others = np.asarray(at["log_growth"])[None, :], (at["reference_log_growth"], at["rates"])
            bets = {"weights": at["weights"], "share": reference.split, "return_grad": True}
            value, found = bounds.portfolio(growths, [reference.strength], *others, kl, n, self.delta, **bets)
            return float(np.asarray(value)), {
                "log_growth": np.asarray(found["growths"])[0],
                "kl": np.asarray(found["kl"]),
            }
        differentiable = cast("Callable[..., tuple[float, dict[str, FloatOrArray]]]", record.function)
        _, found = differentiable(**given, return_grad=True)
        return float(self.bound_of(at, kl)), {name: np.asarray(slope) for name, slope in found.items()}

    def value(self, posterior: Gaussian, prior: Gaussian) -> float:
        """Return the bound of one posterior, as a certificate has it."""
        found = self.observe(posterior)
        both = np.atleast_1d(np.asarray(found.get("both", []), dtype=float))
        return float(self.bound_of(self.statistics(np.asarray(found["errors"]), both), posterior.kl(prior)))

    def _blocks(self) -> Iterator[slice]:
        for start in range(0, self.signs.size, _ROWS):
            yield slice(start, min(start + _ROWS, self.signs.size))


def best_on_the_line(
    task: Task, prior: Gaussian, start: Gaussian, towards: FloatArray
) -> tuple[Gaussian, float, float]:
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
