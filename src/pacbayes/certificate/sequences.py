"""Limits that are tested along a sequence of thresholds which was fixed before the judged rows were looked at.

At each threshold the same hypothesis is tested, "the true share of errors exceeds the target", by the exact binomial
tail; the next threshold is tested only if this one was rejected, and the last one that was is kept. No union is needed:
let ``j`` be the first threshold whose hypothesis is true. A false statement needs a threshold with a true hypothesis to
be kept, hence to be rejected, hence all before it and ``j`` itself to be rejected; and ``j`` is rejected with
probability at most delta. Which ``j`` that is depends on the true distribution and on the thresholds alone, not on the
judged rows.

What is stated *besides* of the threshold that was kept, such as how many rows are answered, was not tested on the way:
its limit holds at all thresholds at once, each with an even part of that statement's delta.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pacbayes import bounds

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.statement import Statement

__all__ = [
    "SEQUENCE_SUBJECTS",
    "TARGETS",
    "THRESHOLD",
    "THRESHOLDS",
    "count_passed",
    "is_own_sequence",
    "limit_at_target",
    "rows_for_target",
    "steps_of",
    "wrong_steps",
]

TARGETS = {"selective_error": "max_error", "fnr": "max_fnr"}  # what is tested, and the choice of its target
THRESHOLD, THRESHOLDS = "threshold", "thresholds"  # the choices of the one that was kept, and of how many there are
_BESIDE = {"selective_error": "coverage", "fnr": "fpr"}  # what is stated besides
_ALONG = {"rows_along", "errors_along", "passed"}
_MOST_ROWS = 2**63  # of a target so small that nobody has as many rows as it needs
SEQUENCE_SUBJECTS = frozenset({"answers", "shifted"})


def count_passed(bound: str, errors: Sequence[int], rows: Sequence[int], target: float, delta: float) -> int:
    """Return how many thresholds are rejected before the first that is not: of these the last is kept.

    ``P(Bin(rows, target) <= errors) <= delta`` where the exact upper limit at delta is at most the target.

    Parameters
    ----------
    bound : str
        The exact one, "clopper_pearson".
    errors, rows : sequence of int
        At each threshold, in their order.
    target : float
        What is stated if it is rejected that the true share exceeds it.
    delta : float
        The statement's own.

    Examples
    --------
    >>> from pacbayes.certificate.sequences import count_passed
    >>> count_passed("clopper_pearson", [0, 0, 3, 3], [20, 100, 150, 400], 0.05, 0.05)
    0
    >>> count_passed("clopper_pearson", [0, 3, 3], [100, 150, 400], 0.05, 0.05)
    1
    """
    if bound != "clopper_pearson":
        raise ValueError(f"A sequence must be tested by the bound 'clopper_pearson'. Got {bound!r:.60} instead.")
    counts, sizes = np.asarray(errors, dtype=float), np.asarray(rows, dtype=float)
    some = np.maximum(sizes, 1.0)
    limits = np.maximum(np.asarray(bounds.clopper_pearson(np.minimum(counts, some), some, delta)), counts / some)
    failed = np.flatnonzero((limits > target) | (sizes < 1.0))
    return int(failed[0]) if failed.size else int(sizes.size)


def limit_at_target(statement: Statement, delta: float) -> float:
    """Return the target if any threshold passes at the statement's own delta; 1 if none does."""
    observed, target = statement.observed, statement.target
    if target is None:
        raise ValueError("A statement must have a target for its limit to be tested. It has none.")
    passed = count_passed(statement.bound, observed["errors_along"], observed["rows_along"], target, delta)
    return target if passed else 1.0


def steps_of(statement: Statement) -> int:
    """Return at how many thresholds a statement holds at once; 1 for one that has no thresholds."""
    return int(statement.observed.get("steps", 1))


def rows_for_target(target: float, delta: float) -> int:
    """Return how many rows without an error are needed for a threshold to pass.

    Examples
    --------
    >>> from pacbayes.certificate.sequences import rows_for_target
    >>> rows_for_target(0.05, 0.05), rows_for_target(0.01, 0.05)
    (59, 299)
    """
    wanted, each = -float(np.log(delta)), -float(np.log1p(-target))
    return _MOST_ROWS if wanted > _MOST_ROWS * each else int(np.ceil(wanted / each))


def wrong_steps(record: Certificate, statement: Statement) -> str | None:
    """Return what no sequence of thresholds can have given; None if there is nothing of the kind."""
    if statement.target is None:
        return _wrong_beside(record, statement)
    given = statement.observed
    if set(given) != _ALONG:
        return "names"
    errors, rows, passed = given["errors_along"], given["rows_along"], given["passed"]
    if not isinstance(errors, list) or not isinstance(rows, list) or len(errors) != len(rows) or not rows:
        return "steps"
    if any(type(each) is not int for each in (*errors, *rows, passed)) or not _is_nested(statement, errors, rows):
        return "errors"
    own = record.delta / record.candidates * statement.share
    if passed != count_passed(statement.bound, errors, rows, statement.target, own):
        return "passed"
    return None if statement.n == (rows[passed - 1] if passed else 0) else "rows"


def _is_nested(statement: Statement, errors: Sequence[int], rows: Sequence[int]) -> bool:
    """Whether each threshold has all rows of the one before: errors among so many rows never become fewer."""
    if not 0 <= errors[0] <= rows[0]:
        return False
    if statement.quantity == "fnr":  # the rows are those of a class, at every threshold
        return len(set(rows)) == 1 and all(one <= two <= rows[0] for one, two in pairwise(errors))
    steps = zip(pairwise(errors), pairwise(rows), strict=True)
    return all(0 <= two - one <= after - before for (one, two), (before, after) in steps)


def _wrong_beside(record: Certificate, statement: Statement) -> str | None:
    """What is stated besides counts at the threshold that was kept, of as many as were tested."""
    given, tested = statement.observed, record.statements[0]
    if set(given) != {"errors", "steps"} or tested.target is None:
        return "names"
    if type(given["errors"]) is not int or not 0 <= given["errors"] <= statement.n:
        return "errors"
    rows, passed = tested.observed["rows_along"], tested.observed["passed"]
    if type(given["steps"]) is not int or given["steps"] != len(rows):
        return "steps"
    if statement.quantity != "coverage":
        return None
    answered = rows[passed - 1] if passed else 0
    # a row that counts as answered for the error alone, since its answer depends on its batch, is not answered here
    return None if statement.n == rows[-1] and given["errors"] >= statement.n - answered else "rows"


def is_own_sequence(record: Certificate, statement: Statement) -> bool:
    """Return whether a statement is tested, or stated besides, exactly where its subject is one with a threshold."""
    tested = record.statements[0]
    if statement.about not in SEQUENCE_SUBJECTS:
        return not statement.is_step
    if statement is not tested:
        beside = statement.is_step and _BESIDE.get(tested.quantity) == statement.quantity
        return beside and statement.target is None and _agrees(record)
    target, name = statement.target, TARGETS.get(statement.quantity)
    if target is None or not 0.0 < target < 1.0 or "target_before" not in statement.assumptions:
        return False
    chosen = [(each.value, each.where) for each in record.choices if each.what == name]
    return chosen == [(target, "given")] and len(record.statements) <= 2 and _agrees(record)


def _agrees(record: Certificate) -> bool:
    """Whether what is recorded of the thresholds agrees with what was counted at them."""
    first = record.statements[0].observed
    count = [(each.value, each.where) for each in record.choices if each.what == THRESHOLDS]
    kept = [each.value for each in record.choices if each.what == THRESHOLD]
    fits = len(kept) == 1 and (kept[0] is None) == (first["passed"] == 0)
    other = set(TARGETS.values()) - {TARGETS.get(record.statements[0].quantity)}
    alike = {(each.about, each.label) for each in record.statements}
    return (
        fits
        and count == [(len(first["rows_along"]), "learning_rows")]
        and not any(each.what in other for each in record.choices)
        and len(alike) == 1
    )
