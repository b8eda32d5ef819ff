"""Predictors that picked the rows they learned from: what their statements record, and what has to fit together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.statement import Statement

__all__ = ["GROWTH", "KEPT_ROUND", "PICKED", "ROUNDS", "is_own_pick", "most_picked", "rows_per_round", "wrong_picks"]

PICKED = "picked"  # the subject
ROUNDS = "rounds"  # the choice of how many rounds may be picked at most; None until nothing is wrong
GROWTH = "growth"  # the choice of how many rows a round picks, as a share of those picked before
KEPT_ROUND = "kept_round"  # the choice of the round with the smallest bound
_MOST_ROUNDS = 1_000_000


def rows_per_round(picked: int, growth: float) -> int:
    """Return how many rows a round picks at most, where so many are picked: it depends on nothing else.

    Examples
    --------
    >>> from pacbayes.certificate.picks import rows_per_round
    >>> rows_per_round(0, 0.5), rows_per_round(9, 0.5)
    (1, 5)
    """
    return max(math.ceil(growth * picked), 1)


def most_picked(rounds: int, growth: float, n: int) -> int:
    """Return how many of ``n`` rows can have been picked after so many rounds.

    Examples
    --------
    >>> from pacbayes.certificate.picks import most_picked
    >>> [most_picked(rounds, 0.5, 100) for rounds in (0, 1, 2, 3, 4, 20)]
    [0, 1, 2, 3, 5, 100]
    """
    size = 0
    for _ in range(rounds):
        size += rows_per_round(size, growth)
        if size >= n:
            return n
    return size


def is_own_pick(record: Certificate, statement: Statement) -> bool:
    """Whether the recorded rule is one of the library's, and what was picked is what it can pick.

    A round that was chosen by its bound costs a share of delta for each round that was allowed, where the bound does
    not hold for all sets of rows at once.
    """
    given = {each.what: each.value for each in record.choices if each.where == "given"}
    kept = [each.value for each in record.choices if each.what == KEPT_ROUND]
    rounds, growth = given.get(ROUNDS), given.get(GROWTH)
    most = _MOST_ROUNDS if rounds is None else _as_count(rounds, _MOST_ROUNDS)
    last = None if most is None or len(kept) > 1 else _as_count(kept[0], most) if kept else most
    if last is None or not isinstance(growth, int | float) or not 0.0 <= growth < math.inf:
        return False
    if statement.bound == "pick_to_learn":
        looks = most + 1 if kept and most is not None else 1
        if statement.observed.get("looks") != looks or (kept and rounds is None):
            return False
    size = statement.observed.get("size", 0)
    return bool((rounds is None and not kept) or size <= most_picked(last, float(growth), statement.n))


def _as_count(value: object, most: int) -> int | None:
    """Return a recorded number of rounds if it is one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most else None


def wrong_picks(statement: Statement) -> str | None:
    """Return what is wrong with the counts of a statement about picked rows; None if nothing is."""
    given = statement.observed
    names = {"size", "errors"} | ({"looks"} if statement.bound == "pick_to_learn" else set())
    if set(given) != names:
        return "names"
    if any(type(given[name]) is not int or given[name] < 0 for name in names):
        return "counts"
    return None if given["size"] + given["errors"] <= statement.n else "size"
