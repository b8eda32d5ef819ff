"""Bounds that are put together from parts of the rows: averages over classes, differences between groups.

Each part has a limit of its own at an even share of the statement's delta, so that all of them hold at once; what is
stated follows from them.
"""

from __future__ import annotations

import numpy as np

from pacbayes import bounds
from pacbayes._core.rounding import raised
from pacbayes._core.types import FloatArray
from pacbayes.certificate.quantities import check_count_bound
from pacbayes.certificate.statement import Statement

__all__ = ["average_limit", "difference_limits", "part_limits", "rows_for_half", "wrong_parts"]


def part_limits(statement: Statement, delta: float) -> tuple[FloatArray, FloatArray]:
    """Return the upper and the lower limit on each part's share of errors; all of them hold at once.

    Parameters
    ----------
    statement : Statement
        With "errors" and "rows" by part, and where there are some "unsteady": errors whose answer depends on its batch.
        For an upper limit they are errors, for a lower one they are not.
    delta : float
        The statement's own. An average needs upper limits alone, and each part gets an even share; a difference needs
        both, and each of the two gets half of that.
    """
    errors, rows = (np.asarray(statement.observed[name], dtype=float) for name in ("errors", "rows"))
    sure = errors - np.asarray(statement.observed.get("unsteady", 0), dtype=float)
    own = delta / (errors.size * (2 if statement.groups else 1))
    high = _upper(statement.bound, errors, rows, own)
    low = 1.0 - _upper(statement.bound, rows - sure, rows, own)
    return high, np.maximum(low - np.spacing(1.0), 0.0)


def _upper(bound: str, errors: FloatArray, rows: FloatArray, delta: float) -> FloatArray:
    """Return the limits for parts with rows, and 1 for parts without."""
    some = np.maximum(rows, 1.0)
    share = np.minimum(errors, some)
    if check_count_bound(bound) == "chernoff":
        found = bounds.chernoff(share / some, some, delta)
    else:
        found = bounds.clopper_pearson(share, some, delta)
    return np.where(rows > 0.0, np.maximum(found, share / some), 1.0)


def average_limit(statement: Statement, delta: float) -> float:
    """Return the limit on the mean over classes of the share of errors."""
    high, _ = part_limits(statement, delta)
    return min(float(raised(np.float64(high.mean()), float(high.size + 2))), 1.0)


def difference_limits(statement: Statement, delta: float) -> tuple[float, float]:
    """Return the upper and the lower limit on the largest difference between any two groups.

    On the event that all limits of the groups hold, no two of the true shares are farther apart than the largest
    upper and the smallest lower limit of *different* groups, and two of them are at least as far apart as the largest
    lower and the smallest upper limit.
    """
    high, low = part_limits(statement, delta)
    upper = max(_most_apart(high, low), statement.risk)
    return min(float(raised(np.float64(upper), 2.0)), 1.0), max(float(low.max() - high.min()) - 1e-15, 0.0)


def _most_apart(high: FloatArray, low: FloatArray) -> float:
    """Return the largest ``high[i] - low[j]`` of two different groups; 0 where there is one alone."""
    if high.size < 2:
        return 0.0
    first, least = int(np.argmax(high)), int(np.argmin(low))
    if first != least:
        return max(float(high[first] - low[least]), 0.0)
    others = np.arange(high.size) != first  # the same group has both: one of the two is another's
    return max(float(high[others].max() - low[least]), float(high[first] - low[others].min()), 0.0)


def rows_for_half(delta: float) -> int:
    """Return how many rows are needed for a limit below one half, if none of them is an error.

    Examples
    --------
    >>> from pacbayes.certificate.parts import rows_for_half
    >>> rows_for_half(0.05), rows_for_half(0.005)
    (5, 8)
    """
    return int(np.ceil(np.log(delta) / np.log(0.5) + 1e-9))


def wrong_parts(statement: Statement) -> str | None:
    """Return what no rows can have given; None if there is nothing of the kind."""
    given = statement.observed
    named = {"errors", "rows", "unsteady"} if statement.groups and "unsteady" in given else {"errors", "rows"}
    if set(given) != named:
        return "names"
    counts = [given[name] for name in ("unsteady", "errors", "rows") if name in given]
    rows = counts[-1]
    if any(not isinstance(each, list) or not each or len(each) != len(rows) for each in counts):
        return "parts"
    if statement.groups and len(statement.groups) != len(rows):
        return "groups"
    whole = all(type(each) is int for part in counts for each in part)
    if not whole or any(list(each) != sorted(each) or each[0] < 0 for each in zip(*counts, strict=True)):
        return "errors"
    return None if sum(rows) == statement.n else "rows"
