"""How delta is shared among statements, such that all of them hold together.

Each metric has a part of delta that is fixed before the rows are looked at: an even one, or by stated weights. A metric
that is stated for all rows, by group, and as a difference between groups divides its part evenly among these three.
The part for the groups is divided evenly among the groups that there are. That is sound although their number is found
in the rows: given the groups of the rows, each group's limit fails with at most its share, so that all of them together
fail with at most the part that was fixed. To divide delta evenly among *all* statements would not be sound, since a
limit on all rows does not hold given the groups, and a share that depends on them may be largest when it fails.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pacbayes.certificate.checks import AGREEMENT, Check, compare

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.statement import Statement

__all__ = ["METRIC_WEIGHTS", "check_even_shares", "family_of", "recorded_weights", "share_among", "write_weights"]

METRIC_WEIGHTS = "metric_weights"  # the choice of how much of delta each metric has, if not evenly


def family_of(statement: Statement) -> str:
    """Return which of the three ways a metric is stated in: "all", "group" or "difference"."""
    if statement.groups:
        return "difference"
    return "all" if statement.group is None else "group"


def share_among(statements: Sequence[Statement], weights: Mapping[str, float] | None = None) -> list[float]:
    """Return each statement's share of delta: evenly by metric, or by weights, then by family, then by group.

    Parameters
    ----------
    statements : sequence of Statement
        All statements of a certificate; their shares play no part.
    weights : mapping, optional
        Of the metrics, by :attr:`Statement.name`.
    """
    names = list(dict.fromkeys(each.name for each in statements))
    parts = dict.fromkeys(names, 1.0) if weights is None else dict(weights)
    total = sum(parts[name] for name in names)
    peers = Counter((each.name, family_of(each)) for each in statements)
    families = Counter(name for name, _ in peers)
    return [parts[each.name] / total / families[each.name] / peers[each.name, family_of(each)] for each in statements]


def check_even_shares(record: Certificate) -> Check:
    """Check that shares are the library's own: even, or by weights that were stated."""
    shares = [statement.share for statement in record.statements]
    weights = recorded_weights(record)
    names = {statement.name for statement in record.statements}
    if weights is not None and (set(weights) != names or not all(each > 0.0 for each in weights.values())):
        return Check("shares", held=False)
    return compare("shares", shares, share_among(record.statements, weights), within=AGREEMENT)


def write_weights(weights: Mapping[str, float]) -> str:
    """Return weights as the text that a certificate records."""
    return json.dumps({name: float(value) for name, value in weights.items()}, ensure_ascii=False)


def recorded_weights(record: Certificate) -> dict[str, float] | None:
    """Return how much of delta each metric has, relative to the others; None where it is even."""
    found = [each for each in record.choices if each.what == METRIC_WEIGHTS]
    if not found:
        return None
    if len(found) > 1 or found[0].where != "given":
        raise ValueError("The weights of metrics must be recorded once, as given.")
    read = json.loads(str(found[0].value))
    return {str(name): float(value) for name, value in read.items()}
