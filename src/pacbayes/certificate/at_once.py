"""Values of many statements at once: thousands of groups have the same bound on counts of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pacbayes import bounds
from pacbayes.certificate.arithmetic import evaluate_limits, lower_limit
from pacbayes.certificate.statement import Statement

__all__ = ["Limits", "evaluate_counts", "evaluate_many"]

Limits = tuple[float, float | None]
_LARGEST = 2**53


def evaluate_many(statements: Sequence[Statement], delta: float) -> list[Limits]:
    """Evaluate statements as :func:`evaluate_limits` does one by one, to the last bit.

    Examples
    --------
    >>> from pacbayes.certificate import Statement
    >>> from pacbayes.certificate.at_once import evaluate_many
    >>> made = [Statement(about="predict", n=200, observed={"errors": k}, bound="clopper_pearson") for k in (0, 10)]
    >>> [round(value, 4) for value, _ in evaluate_many(made, 0.05)]
    [0.0149, 0.0833]
    """
    found = evaluate_counts(statements, delta)
    return [
        evaluate_limits(each, delta) if known is None else known for each, known in zip(statements, found, strict=True)
    ]


def evaluate_counts(statements: Sequence[Statement], delta: float) -> list[Limits | None]:
    """Evaluate those statements that bound a number of errors by the exact binomial limit; None for all others.

    :func:`pacbayes.bounds.clopper_pearson` takes each element of its arrays by itself, so that it does not matter which
    others are evaluated beside it.
    """
    counted = [place for place, each in enumerate(statements) if _is_count(each, delta)]
    found: list[Limits | None] = [None] * len(statements)
    if not counted:
        return found
    errors, sizes = (np.array([pick(statements[place]) for place in counted], dtype=float) for pick in (_errors, _size))
    shares = np.array([delta * statements[place].share for place in counted])
    limits = np.clip(np.asarray(bounds.clopper_pearson(errors, sizes, shares)), 0.0, 1.0)
    uppers = np.maximum(limits, errors / sizes)  # at a delta above one half a limit may lie below what was observed
    for place, upper in zip(counted, uppers.tolist(), strict=True):
        each = statements[place]
        found[place] = (lower_limit(each, upper) if each.side == "lower" else upper), None
    return found


def _errors(statement: Statement) -> int:
    return int(statement.observed["errors"])


def _size(statement: Statement) -> int:
    return statement.n


def _is_count(statement: Statement, delta: float) -> bool:
    """Whether nothing but a whole number of errors among rows is bounded, and both are as they must be."""
    if statement.bound != "clopper_pearson" or set(statement.observed) != {"errors"}:
        return False
    errors, n, share = statement.observed["errors"], statement.n, statement.share
    whole = type(errors) is int and type(n) is int and 0 < n < _LARGEST and 0 <= errors <= n
    further = (statement.groups, statement.compared, statement.references, statement.reference, statement.source)
    plain = not any(further) and statement.rates is None and statement.target is None and statement.drawn is None
    alone = plain and not statement.has_parts
    return whole and alone and isinstance(share, int | float) and 0.0 < delta * share < 1.0
