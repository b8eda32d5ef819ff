"""Which rows statements are about, and what must be so of several statements about parts of the same rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pacbayes.certificate.checks import Check
from pacbayes.certificate.quantities import QUANTITIES
from pacbayes.certificate.shares import family_of

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.statement import Statement

__all__ = ["GROUP_COLUMNS", "SEPARATOR", "check_groups", "own_rows"]

GROUP_COLUMNS = "groups"  # the choice of columns by whose values rows are grouped, in alphabetical order
SEPARATOR = ", "


def own_rows(record: Certificate, statement: Statement) -> bool:
    """Return whether a statement's rows are as the library takes them: all, or groups by the recorded columns."""
    columns = _columns(record)
    given = (*([] if statement.group is None else [statement.group]), *statement.groups)
    if any(SEPARATOR.join(sorted(each)) != columns for each in given):
        return False
    return not statement.groups or QUANTITIES[statement.quantity].is_share


def check_groups(record: Certificate) -> Check:
    """Check that nothing is stated twice, and that groups divide the rows of each metric among them."""
    keys = Counter(map(_key, record.statements))
    if len({each.compared[1:] for each in record.statements}) > 1:  # all are compared with the same one
        return Check("groups", held=False, claimed="compared")
    twice = next((name for (_, name, _, _), count in keys.items() if count > 1), None)
    by_name: dict[str, list[Statement]] = {}
    for each in record.statements:
        by_name.setdefault(each.name, []).append(each)
    wrong = next((name for name, alike in by_name.items() if not _adds_up(alike)), twice)
    return Check("groups", wrong is None, claimed=wrong)


def _key(statement: Statement) -> tuple[str, str, str, str]:
    rows = repr((sorted((statement.group or {}).items()), statement.compared))
    return statement.about, statement.name, rows, family_of(statement)


def _columns(record: Certificate) -> str | None:
    found = [each for each in record.choices if each.what == GROUP_COLUMNS]
    return str(found[0].value) if len(found) == 1 and found[0].where == "given" else None


def _adds_up(alike: Sequence[Statement]) -> bool:
    """Return whether the groups of a metric add up to all rows of it, and whether a difference is one of them."""
    whole = [each for each in alike if family_of(each) == "all"]
    groups = [each for each in alike if family_of(each) == "group"]
    for each in alike:
        known = {repr(sorted((other.group or {}).items())): other for other in groups} if each.groups else {}
        for group, errors, rows in zip(each.groups, *_counts(each), strict=False):
            found = known.get(repr(sorted(group.items())))
            if found is None or (found.n, found.observed.get("errors")) != (rows, errors):
                return False
    if not groups:
        return not any(each.groups for each in alike)
    counts = [each.observed.get("errors") for each in groups]
    if len(whole) != 1 or sum(each.n for each in groups) != whole[0].n:
        return False
    whole_numbers = [each for each in counts if isinstance(each, int)]
    return len(whole_numbers) < len(counts) or sum(whole_numbers) == whole[0].observed.get("errors")


def _counts(statement: Statement) -> tuple[Sequence[int], Sequence[int]]:
    errors, rows = statement.observed.get("errors"), statement.observed.get("rows")
    return (errors, rows) if isinstance(errors, list) and isinstance(rows, list) else ((), ())
