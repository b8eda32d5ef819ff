"""How many rows to learn from: a rule that extrapolates the learning curve and stops where the bound will be least.

Rows come in random order. Snapshots of the learner are judged on the rows that come after them, as far as those have
been looked at. Curves ``e(m) = a + b (m/m_0)**-c`` are weighted by how well they explain those counts. Each of them
lets expect a bound for a stop now and for every later one: learning longer lowers the error, and leaves fewer rows to
judge by. The rule stops when the bound for now is the least, by the mean of its logarithm over the curves, even if half
of what could be gained by knowing the curve is granted to going on.

The forecast is no part of the guarantee, which holds for every rule that looks at the rows before its stop only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from pacbayes._core.types import FloatArray
from pacbayes.procedures.split import Point, Stop, learning_count

__all__ = ["Adaptive", "forecast_bounds"]

_TIMES = (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8)  # too early costs more than too late
_SNAPSHOTS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)  # with the last possible stop fits on 2.35 times all rows
_LEAST = 10  # rows of a snapshot
_EXPONENTS = (0.25, 0.5, 1.0, 2.0, 4.0)
_LEVELS = 24  # of a and of b besides zero, evenly spaced in their logarithms
_SPAN = 100.0  # how far the smallest of them lies below the lowest error that was seen
_TEMPER = 0.5  # snapshots are judged on the same rows
_DEVIATION = 0.05  # by which no learning curve has quite this shape, relative to the error
_LEAST_WEIGHT = 1e-3  # of a curve, relative to the likeliest
_PRIOR = 0.5  # exponent of the present error in a curve's weight, as Jeffreys has it: no errors so far is not none ever
_LEAST_DISPERSION = 1e-6  # of losses, relative to 0-1 losses of the same mean
_PATIENCE = 0.5  # share of what knowing the curve would gain that is granted to going on


@dataclass(frozen=True, slots=True)
class Adaptive(Stop):
    """Stop where the bound is expected to be least, by the learning curve on the rows before.

    Attributes
    ----------
    shares : tuple of float
        Of the rows, that snapshots learn from: fewer cost less, and tell less about the curve.
    most : int or None
        Rows that are learned from at most.
    """

    shares: tuple[float, ...] = _SNAPSHOTS
    most: int | None = None

    where: ClassVar[str] = "learning_rows"

    def times(self, rows: int) -> tuple[int, ...]:
        """Return shares of the rows from two fifths to four fifths, as far as so many may be learned from."""
        return _counts(_TIMES, rows, self.most)

    def snapshots(self, rows: int) -> tuple[int, ...]:
        """Return shares of the rows, by default from a twentieth to a half, none of fewer than ten rows."""
        return tuple(each for each in _counts(self.shares, rows) if each >= _LEAST)

    def is_reached(self, curve: Sequence[Point], times: Sequence[int], rows: int, delta: float) -> bool:
        """Return whether the bound that is expected for a stop now is at most any that is for later.

        Examples
        --------
        >>> from pacbayes.procedures import Adaptive, Point
        >>> flat = [Point(500, 700, 3500), Point(1000, 600, 3000), Point(2000, 400, 2000)]
        >>> falling = [Point(500, 1400, 3500), Point(1000, 600, 3000), Point(2000, 200, 2000)]
        >>> [Adaptive().is_reached(curve, (4000, 6000, 8000), 10_000, 0.05) for curve in (flat, falling)]
        [True, False]
        """
        if not any(point.rows for point in curve):  # too few rows for a snapshot: half of them
            return bool(2 * times[0] >= rows)
        values, weights = forecast_bounds(curve, times, rows, delta)
        expected = np.log(values) @ weights
        informed = np.log(values[1:].min(axis=0, initial=1.0)) @ weights
        return bool(expected[0] <= (1.0 - _PATIENCE) * expected[1:].min(initial=0.0) + _PATIENCE * informed)


def _counts(shares: Sequence[float], rows: int, most: int | None = None) -> tuple[int, ...]:
    return tuple(dict.fromkeys(learning_count(each, rows, most) for each in shares))


def forecast_bounds(
    curve: Sequence[Point], times: Sequence[int], rows: int, delta: float
) -> tuple[FloatArray, FloatArray]:
    """Return the bounds to expect for a stop at each of some times, by each curve that may explain what was seen.

    Parameters
    ----------
    curve : sequence of Point
        At least one of them judged on a row.
    times : sequence of int
        Numbers of learning rows, the first of them now.
    rows : int
        How many there are in all.
    delta : float
        That the bound is evaluated at.

    Returns
    -------
    values : ndarray, shape (times, curves)
    weights : ndarray, shape (curves,)
        Of the curves; they add up to one.

    Examples
    --------
    >>> from pacbayes.procedures import Point
    >>> from pacbayes.procedures.stopping import forecast_bounds
    >>> points = [Point(100, 60, 300), Point(200, 40, 200)]
    >>> values, weights = forecast_bounds(points, [400, 600, 800], 1000, 0.05)
    >>> (values @ weights).round(2).tolist()
    [0.21, 0.21, 0.22]
    """
    spread = _dispersion(curve)
    level, drop, exponent = _make_curves(curve, rows, spread)
    unit = _SNAPSHOTS[1] * rows
    fit = np.zeros(level.size)
    for point in curve:
        risk = np.clip(level + drop * (point.learned / unit) ** -exponent, 0.05 * spread / rows, 0.95)
        likelihood = point.errors * np.log(risk) + (point.rows - point.errors) * np.log1p(-risk)
        fit += likelihood / spread * _TEMPER / (1.0 + _DEVIATION**2 * point.errors / spread)
    fit += _PRIOR * np.log(np.clip(level + drop * (times[0] / unit) ** -exponent, 0.05 * spread / rows, 0.95))
    weights = np.exp(fit - fit.max())
    kept = weights > _LEAST_WEIGHT
    stops = np.asarray(times, dtype=np.float64)[:, None]
    risks = np.minimum(level[kept] + drop[kept] * (stops / unit) ** -exponent[kept], 0.95)
    return _approximate_limit(risks, (rows - stops) / spread, delta), weights[kept] / weights[kept].sum()


def _dispersion(curve: Sequence[Point]) -> float:
    """Return the variance of losses relative to that of 0-1 losses of the same mean; 1 for counts.

    Losses of a variance that is so much smaller tell as much as 0-1 losses on so many times more rows.
    """
    measured = [point for point in curve if point.squares is not None and point.rows]
    means = [point.errors / point.rows for point in measured]
    binary = sum(mean * (1.0 - mean) for mean in means)
    if not binary:
        return 1.0
    found = sum(float(point.squares or 0.0) / point.rows - mean**2 for point, mean in zip(measured, means, strict=True))
    return float(np.clip(found / binary, _LEAST_DISPERSION, 1.0))


def _make_curves(seen: Sequence[Point], rows: int, spread: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return all combinations of ``a``, ``b`` and ``c``, at the scale of the errors that were seen."""
    errors = [(point.errors + 0.5 * spread) / (point.rows + spread) for point in seen]
    lowest = max(min(errors) / _SPAN, 0.3 * spread / rows)  # far below what so many rows can tell from zero
    levels = np.append(0.0, np.geomspace(lowest, min(1.2 * max(errors), 0.9), _LEVELS))
    level, drop, exponent = np.meshgrid(levels, levels, _EXPONENTS, indexing="ij")
    return level.ravel(), drop.ravel(), exponent.ravel()


def _approximate_limit(risk: FloatArray, rows: FloatArray, delta: float) -> FloatArray:
    """Return about the exact binomial limit at the expected number of errors, in closed form.

    Wilson and Hilferty's cube for the gamma quantile, and Bolshev's correction from Poisson to binomial.
    """
    errors = risk * rows
    shape = errors + 1.0
    mean = shape * np.maximum(1.0 - 1.0 / (9.0 * shape) + ndtri(1.0 - delta) / (3.0 * np.sqrt(shape)), 0.0) ** 3
    return np.asarray(np.minimum(2.0 * mean / (2.0 * rows - errors + mean), 1.0))
