"""Which rows statements are about, and what must be so of several statements about parts of the same rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pacbayes.certificate.checks import Check
from pacbayes.certificate.parts import rows_for_half
from pacbayes.certificate.quantities import QUANTITIES
from pacbayes.certificate.shares import family_of

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.statement import Statement

__all__ = ["GROUP_COLUMNS", "SEPARATOR", "check_groups", "compared_groups", "own_rows"]

GROUP_COLUMNS = "groups"  # the choice of columns by whose values rows are grouped, in alphabetical order
SEPARATOR = ", "
_SLACK = 1e-9  # of sums of expected numbers of errors


def own_rows(record: Certificate, statement: Statement) -> bool:
    """Return whether a statement's rows are as the library takes them: all, or groups by the recorded columns."""
    if statement.group is not None and statement.groups:  # a difference is between groups, not within one
        return False
    columns = _columns(record)
    given = (*([] if statement.group is None else [statement.group]), *statement.groups)
    if any(SEPARATOR.join(sorted(each)) != columns for each in given):
        return False
    return not statement.groups or QUANTITIES[statement.quantity].is_share


def check_groups(record: Certificate) -> Check:
    """Check that nothing is stated twice, and that groups divide the rows of each metric among them.

    The first statement, which gives the headline, is about all rows; every metric has the same groups; and rates of
    one class are about as many rows as the class and the others have together.
    """
    keys, delta = Counter(map(_key, record.statements)), record.delta / record.candidates
    if len({each.compared[1:] for each in record.statements}) > 1:  # all are compared with the same one
        return Check("groups", held=False, claimed="compared")
    twice = next((name for (_, name, _, _), count in keys.items() if count > 1), None)
    by_name: dict[str, list[Statement]] = {}
    for each in record.statements:
        by_name.setdefault(each.name, []).append(each)
    wrong = next((name for name, alike in by_name.items() if not _adds_up(alike, delta)), twice)
    if len({(each.about, each.kl) for each in record.statements}) != len({each.about for each in record.statements}):
        wrong = "divergence"  # one posterior has one
    if family_of(record.statements[0]) != "all" or len({_groups_of(alike) for alike in by_name.values()}) > 1:
        wrong = record.statements[0].name
    return Check("groups", wrong is None and _classes_add_up(record.statements), claimed=wrong)


def _groups_of(alike: Sequence[Statement]) -> frozenset[str]:
    """Return the groups that a metric is stated for."""
    return frozenset(_group_key(each) for each in alike if each.group is not None)


def _group_key(statement: Statement) -> str:
    return repr(sorted((statement.group or {}).items()))


def _classes_add_up(statements: Sequence[Statement]) -> bool:
    """Return whether the rows of a class and of all others are all rows of a group, and nothing is about more."""
    sizes: dict[str, dict[tuple[str, str], set[int]]] = {}
    for each in statements:
        rows = each.kind.rows
        if each.groups or each.source is not None or rows is None:
            continue
        kind = sizes.setdefault(f"{each.about} {_group_key(each)}", {})
        kind.setdefault((rows, each.label or ""), set()).add(each.n)
    return all(map(_is_possible, sizes.values()))


def _is_possible(sizes: Mapping[tuple[str, str], set[int]]) -> bool:
    whole = sizes.get(("all", ""), set())
    if any(len(counts) > 1 for counts in sizes.values()):
        return False
    if not whole:
        return True
    total = next(iter(whole))
    parts = [next(iter(counts)) for counts in sizes.values()]
    classes = {label: next(iter(counts)) for (kind, label), counts in sizes.items() if kind == "class"}
    others = {label: next(iter(counts)) for (kind, label), counts in sizes.items() if kind == "others"}
    both = [classes[label] + others[label] for label in classes.keys() & others.keys()]
    return max(parts) <= total and sum(classes.values()) <= total and all(each == total for each in both)


def _key(statement: Statement) -> tuple[str, str, str, str]:
    rows = repr((_group_key(statement), statement.compared))
    return statement.about, statement.name, rows, family_of(statement)


def _columns(record: Certificate) -> str | None:
    found = [each for each in record.choices if each.what == GROUP_COLUMNS]
    return str(found[0].value) if len(found) == 1 and found[0].where == "given" else None


def _adds_up(alike: Sequence[Statement], delta: float) -> bool:
    """Return whether the groups of a metric add up to all rows of it, and whether a difference is one of them."""
    whole = [each for each in alike if family_of(each) == "all"]
    groups = [each for each in alike if family_of(each) == "group"]
    if not all(_compares(each, groups, delta) for each in alike if each.groups):
        return False
    if not groups:
        return True
    counts = [each.observed.get("errors") for each in groups]
    if len(whole) != 1 or sum(each.n for each in groups) != whole[0].n:
        return False
    numbers, total = [each for each in counts if isinstance(each, int | float)], whole[0].observed.get("errors")
    if len(numbers) < len(counts) or not isinstance(total, int | float):
        return True
    return abs(sum(numbers) - total) <= (0.0 if isinstance(total, int) else _SLACK * whole[0].n)


def compared_groups(groups: Sequence[Statement], delta: float) -> list[Statement]:
    """Return the groups that a difference is stated of: those with rows enough to tell them apart, or all of them.

    Which groups these are follows from how many rows each has, given which its limits hold.

    Parameters
    ----------
    groups : sequence of Statement
        Of one metric, a group each.
    delta : float
        That the difference has.
    """
    needed = rows_for_half(delta / (2 * len(groups)))
    large = [each for each in groups if each.n >= needed]
    return large if len(large) > 1 else list(groups)


def _compares(difference: Statement, groups: Sequence[Statement], delta: float) -> bool:
    """Return whether a difference is one of all groups that it must be about, with their counts."""
    if len(groups) < 2:
        return False
    own = compared_groups(groups, delta * difference.share)
    claimed = [repr(sorted(each.items())) for each in difference.groups]
    errors, rows = _counts(difference)
    return (
        claimed == [_group_key(each) for each in own]
        and list(rows) == [each.n for each in own]
        and list(errors) == [each.observed.get("errors") for each in own]
    )


def _counts(statement: Statement) -> tuple[Sequence[int], Sequence[int]]:
    errors, rows = statement.observed.get("errors"), statement.observed.get("rows")
    return (errors, rows) if isinstance(errors, list) and isinstance(rows, list) else ((), ())
