"""What must be so of losses that are recorded block by block, whatever they were."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pacbayes import bounds
from pacbayes._core.types import FloatArray
from pacbayes.certificate.quantities import QUANTITIES
from pacbayes.certificate.statement import Statement

__all__ = ["BLOCK_NAMES", "block_statistics", "is_growth_possible", "wrong_blocks"]

BLOCK_NAMES = ("block_means", "block_squares", "block_cubes", "block_growth")
_SLACK = 1e-9


def block_statistics(observed: Mapping[str, Any], rates: str | float | None, n: int, delta: float) -> dict[str, Any]:
    """Return what the bound reads: the blocks, the plan that "one_n" stands for, and the delta of its rates."""
    if rates not in ("one_n", "all_n"):
        raise ValueError(f"The rates must be 'one_n' or 'all_n'. Got {rates!r:.60} instead.")
    return {
        **{name: observed[name] for name in BLOCK_NAMES},
        "planned": n if rates == "one_n" else None,
        "rates_delta": delta,
    }


def is_growth_possible(risk: float, growth: FloatArray, rates: FloatArray) -> bool:
    """Return whether losses in [0, 1] with this mean can have given these means of ``log(1 - rate x)``.

    Each lies between its chord over [0, 1] and its tangent, so its mean lies between theirs.
    """
    if not 0.0 <= risk <= 1.0 or rates.shape != growth.shape:
        return False
    chord, tangent = risk * np.log1p(-rates), np.log1p(-rates * risk)
    return bool(np.all((growth >= chord - _SLACK) & (growth <= tangent + _SLACK)))


def wrong_blocks(statement: Statement, delta: float) -> str | None:
    """Return what no losses in [0, 1] can have given at the rates of the rule; None if there is nothing of the kind."""
    given = statement.observed
    if set(given) != {"risk", *BLOCK_NAMES} or statement.bound != "sequential":
        return "names"
    if not QUANTITIES[statement.quantity].is_graded:
        return "names"
    numbers = block_statistics(given, statement.rates, statement.n, delta)
    mean, square, cube, growth = (np.asarray(numbers[name], dtype=float) for name in BLOCK_NAMES)
    sizes, rates = bounds.sequential_rates(mean, square, cube, growth, statement.n, delta, numbers["planned"])
    if abs(float(given["risk"]) - float((sizes * mean).sum() / sizes.sum())) > _SLACK:
        return "risk"
    if np.any(_moment_gaps(mean, square, cube) < -_SLACK):
        return "moments"
    low, high = _growth_limits(mean, square, cube, rates)
    if np.any(growth < low - _SLACK) or np.any(growth > high + _SLACK):
        return "growth"
    one = sizes == 1.0
    wrong = np.abs(square - mean**2) + np.abs(cube - mean**3) + np.abs(growth - np.log1p(-rates * mean))
    return "growth" if np.any(wrong[one] > _SLACK) else None


def _moment_gaps(mean: FloatArray, square: FloatArray, cube: FloatArray) -> FloatArray:
    """Return what is non-negative for the first three moments of numbers in [0, 1], and for those only (Hausdorff)."""
    return np.stack(
        [
            mean - square,
            square - cube,
            square - mean**2,
            mean * cube - square**2,
            (1.0 - mean) * (square - cube) - (mean - square) ** 2,
        ]
    )


def _growth_limits(
    mean: FloatArray, square: FloatArray, cube: FloatArray, rates: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest mean of ``log(1 - rate x)`` with these moments.

    ``log(1 - rate x) = -rate x - (rate x)^2/2 - (rate x)^3/3 - x^3 h(x)`` where ``h`` rises from 0 and is convex. The
    mean of ``x^3 h(x)`` is therefore at most ``cube h(1)``, and at least ``cube h(cube/square)``, by Jensen's
    inequality with weights ``x^3``, since the fourth moment over the third is at least the third over the second.
    """
    series = -rates * mean - rates**2 * square / 2.0 - rates**3 * cube / 3.0
    inner = np.clip(cube / np.maximum(square, 1e-300), 0.0, 1.0)
    rest = _remainder(rates, inner) / np.maximum(inner, 1e-3) ** 3  # below, the remainder is less than rounding
    return series - cube * _remainder(rates, np.ones_like(rates)), series - cube * np.maximum(rest, 0.0)


def _remainder(rates: FloatArray, x: FloatArray) -> FloatArray:
    y = rates * x
    return np.asarray(-(np.log1p(-y) + y + y**2 / 2.0 + y**3 / 3.0))
