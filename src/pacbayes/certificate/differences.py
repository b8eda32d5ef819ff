"""Two predictors on the same rows: limits from both sides on the difference of their true errors or mean losses.

Each side has half of the statement's delta. Where losses are 0 or 1 at one number of rows, the limits follow from the
rows on which one of the two errs (:func:`pacbayes.bounds.paired`). Otherwise bets are made on ``(1 + d)/2``, which lies
in [0, 1], for the upper limit on the mean of the difference ``d``, and on ``(1 - d)/2`` for the lower one. A row on
which the answer of either predictor depends on its batch counts against each limit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pacbayes import bounds
from pacbayes._core.types import FloatArray
from pacbayes.certificate.blocks import BLOCK_NAMES, is_growth_possible, wrong_blocks
from pacbayes.certificate.statement import Statement

__all__ = ["COUNTS", "SIDES", "comparison_limits", "side_delta", "wrong_comparison"]

COUNTS = ("only_first", "only_second", "unsteady")
SIDES = ("upper", "lower")
_SLACK = 1e-9


def side_delta(delta: float, share: float) -> float:
    """Return the part of delta that each of the two limits of a statement has."""
    return delta * share / 2.0


def comparison_limits(statement: Statement, delta: float, grid_delta: float | None = None) -> tuple[float, float]:
    """Return the upper and the lower limit on the difference; arguments as for any other statement."""
    own = side_delta(delta, statement.share)
    made_for = own if grid_delta is None else side_delta(grid_delta, statement.share)
    upper, against = (_upper_limit(statement, side, own, made_for) for side in SIDES)
    seen = statement.risk
    return min(max(upper, seen), 1.0), max(min(-against, seen), -1.0)


def _upper_limit(statement: Statement, side: str, delta: float, made_for: float) -> float:
    """Return the upper limit on the difference, or with the two predictors exchanged."""
    n, given = statement.n, statement.observed
    if statement.bound == "paired":
        one, two = _counts(statement, side)
        return bounds.paired(one, two, n, delta)
    if statement.bound == "betting":
        rates, weights = bounds.betting_rates()
        growth = _growth(statement, side, rates)
        return _as_difference(float(bounds.betting(growth, rates, 0.0, n, delta, weights=weights)))
    means, squares, cubes, growths = (given[f"{side}_{name}"] for name in BLOCK_NAMES)
    return _as_difference(bounds.sequential_from_blocks(means, squares, cubes, growths, n, delta, n, made_for))


def _as_difference(mean: float) -> float:
    """Return a limit on a difference from one on the mean of ``(1 + d)/2``, rounded up."""
    return float(np.nextafter(2.0 * mean - 1.0, np.inf))


def _counts(statement: Statement, side: str) -> tuple[int, int]:
    """Return the rows that count for and against a limit, the unsteady ones among the first."""
    first, second, unsteady = (int(statement.observed[name]) for name in COUNTS)
    return (first if side == "upper" else second) + unsteady, second if side == "upper" else first


def _growth(statement: Statement, side: str, rates: FloatArray) -> FloatArray:
    """Return the mean of ``log(1 - rate x)`` where ``x`` is 1, 0 or one half for 0-1 losses."""
    if "only_first" not in statement.observed:
        return np.asarray(statement.observed[f"{side}_log_growth"], dtype=float)
    one, two = _counts(statement, side)
    rest = statement.n - one - two
    return np.asarray((one * np.log1p(-rates) + rest * np.log1p(-rates / 2.0)) / statement.n)


def wrong_comparison(statement: Statement, delta: float) -> str | None:
    """Return what no two predictors can have given; None if there is nothing of the kind."""
    if "only_first" in statement.observed:
        return _wrong_counts(statement)
    if statement.quantity != "loss_difference":
        return "names"
    names = ("risk", "log_growth") if statement.bound == "betting" else ("risk", *BLOCK_NAMES)
    if set(statement.observed) != {f"{side}_{name}" for side in SIDES for name in names}:
        return "names"
    for side in SIDES:
        found = _wrong_side(statement, {name: statement.observed[f"{side}_{name}"] for name in names}, delta)
        if found is not None:
            return found
    # a difference and its opposite: of rows whose losses are known the two add up to 1, others count for both
    total = float(statement.observed["upper_risk"]) + float(statement.observed["lower_risk"])
    return None if total >= 1.0 - _SLACK else "risk"


def _wrong_counts(statement: Statement) -> str | None:
    given = statement.observed
    if set(given) != set(COUNTS) or statement.quantity != "error_difference":
        return "names"
    if not all(type(each) is int and each >= 0 for each in given.values()):
        return "whole"
    return None if sum(given.values()) <= statement.n else "rows"


def _wrong_side(statement: Statement, given: dict[str, Any], delta: float) -> str | None:
    if statement.bound == "betting":
        rates, _ = bounds.betting_rates()
        growth = np.asarray(given["log_growth"], dtype=float)
        return None if is_growth_possible(float(given["risk"]), growth, rates) else "growth"
    one = replace(statement, quantity="loss", observed=given, compared=())
    return wrong_blocks(one, side_delta(delta, statement.share))
