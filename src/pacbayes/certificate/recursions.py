"""Recursive bounds in certificates: how rows are split into parts, and which numbers of the steps go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pacbayes import bounds
from pacbayes._core.types import FloatArray, IntArray
from pacbayes.certificate.statement import Statement

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate

__all__ = ["MOST_STEPS", "PARTS", "RECURSIVE_BOUNDS", "is_own_recursion", "part_ends", "wrong_recursion"]

PARTS = ("even", "geometric")
RECURSIVE_BOUNDS = frozenset({"recursive", "recursive_portfolio"})
MOST_STEPS = 100
_SLACK = 1e-9
_SHARES = ("step_risk", "step_worse", "step_better")


def part_ends(rows: int, steps: int, parts: str) -> IntArray:
    """Return where each of the parts of so many rows ends: parts of one size, or each as large as all before it.

    Every part has at least one row, if there are as many rows as steps.

    Examples
    --------
    >>> from pacbayes.certificate.recursions import part_ends
    >>> part_ends(1000, 4, "even").tolist(), part_ends(1000, 4, "geometric").tolist()
    ([250, 500, 750, 1000], [125, 250, 500, 1000])
    """
    shares = np.arange(1, steps + 1) / steps if parts == "even" else 2.0 ** np.arange(1.0 - steps, 1.0)
    least = np.arange(1, steps + 1)
    return np.minimum(np.maximum(np.floor(rows * shares + 0.5).astype(np.int64), least), rows - least[::-1] + 1)


def is_own_recursion(record: Certificate, statement: Statement) -> bool:
    """Whether rows were split as the library does, and each step is on the rows that the one before has not seen."""
    chosen = {each.what: each for each in record.choices}
    names = ("learning_rows", "steps", "parts")
    if not all(name in chosen and chosen[name].where == "given" for name in names):
        return False
    learning, steps, parts = (chosen[name].value for name in names)
    counts = all(type(each) is int and each >= 1 for each in (learning, steps))
    if not counts or parts not in PARTS or not 2 <= int(steps or 0) <= MOST_STEPS:
        return False
    rows = int(learning or 0) + statement.n
    ends = part_ends(rows, int(steps or 0), str(parts))
    own = statement.observed["step_n"] == (rows - ends[:-1]).tolist() and int(ends[0]) == learning
    if statement.bound != "recursive":
        return own
    gamma = chosen.get("gamma")
    if gamma is None or gamma.where != "given":
        return False
    return own and statement.observed["gamma"] == [gamma.value] * (len(ends) - 1)


def wrong_recursion(statement: Statement) -> str | None:
    """Return what cannot be, of the numbers of the steps.

    The first distribution is fixed before the rows that it is judged on, so that its divergence is none. The errors of
    each distribution are counted twice: as its own, and in the next step on the rows that are left, as far as it errs
    alone or together with the next one.
    """
    own = set(bounds.get(statement.bound).numbers)
    if set(statement.observed) != own | {"risk"}:
        return "names"
    if statement.kl != 0.0:
        return "divergence"
    given = {name: np.asarray(statement.observed[name], dtype=float) for name in statement.observed}
    count = given["step_n"].size
    if any(each.shape != (() if name in ("risk", "first_risk") else (count,)) for name, each in given.items()):
        return "names"
    if count == 0 or given["risk"] != given["step_risk"][-1]:
        return "risk"
    return None if _fits(given, statement.n) else "both"


def _fits(given: dict[str, FloatArray], n: int) -> bool:
    risk, worse, better = (given[name] for name in _SHARES)
    sizes = np.append(float(n), given["step_n"])
    own = sizes[:-1] * np.append(given["first_risk"], risk[:-1])  # errors of each but the last at its own step
    left = sizes[1:] * (risk - worse + better)  # of which so many are on the rows of the next
    gone = own - left
    slack = _SLACK * (1.0 + sizes[:-1])
    between = (gone >= -slack) & (gone <= sizes[:-1] - sizes[1:] + slack)
    return bool(np.all(between) and np.all(worse <= risk + _SLACK) and np.all(risk + better <= 1.0 + _SLACK))
