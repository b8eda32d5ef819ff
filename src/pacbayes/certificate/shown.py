"""Which statements a text shows where there are hundreds of groups: the worst and the best of each metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pacbayes.certificate.statement_words import short_of_rows

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.statement import Statement

__all__ = ["MANY_GROUPS", "Ends", "further_words", "is_lacking", "select_ends", "shown_statements"]

MANY_GROUPS = 40  # of a metric, of which all are shown
_EACH = 10  # of more groups: from each end


@dataclass(frozen=True, slots=True)
class Ends:
    """The groups of a metric by their limits.

    Attributes
    ----------
    ordered : list of Statement
        All of them, the worst limit first; those with too few rows to say anything come last.
    worst, best : list of Statement
        The first and the last of those that say something.
    lacking : int
        How many do not.
    """

    ordered: list[Statement]
    worst: list[Statement]
    best: list[Statement]
    lacking: int

    @property
    def between(self) -> int:
        """How many are among neither the worst nor the best."""
        return len(self.ordered) - len(self.worst) - len(self.best)


def is_lacking(certificate: Certificate, statement: Statement) -> bool:
    """Return whether a statement says nothing, or has too few rows to say more than one half."""
    return statement.is_vacuous or short_of_rows(certificate, statement) is not None


def select_ends(certificate: Certificate, groups: Sequence[Statement]) -> Ends:
    """Return the groups of one metric in the order of their limits, and both ends of it.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.shown import select_ends
    >>> y, group = [0] * 1200, [f"{k:02d}" for k in range(60)] * 20
    >>> certificate = pb.certify_predictions(y, [0] * 60 + [1] * 30 + [0] * 1110, groups=group)
    >>> ends = select_ends(certificate, certificate.statements[1:])
    >>> len(ends.ordered), ends.worst[0].group, ends.best[-1].group, ends.between, ends.lacking
    (60, {'group': '00'}, {'group': '59'}, 40, 0)
    """
    lacking = {id(each) for each in groups if is_lacking(certificate, each)}
    ordered = sorted(
        groups, key=lambda each: (id(each) in lacking, each.value if each.side == "lower" else -each.value)
    )
    saying = len(groups) - len(lacking)
    worst = ordered[: min(_EACH, saying)]
    return Ends(ordered, worst, ordered[max(len(worst), saying - _EACH) : saying], len(lacking))


def shown_statements(certificate: Certificate) -> tuple[list[Statement], int]:
    """Return the statements that a text shows, in the order of the certificate, and how many of groups it leaves out.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.shown import shown_statements
    >>> certificate = pb.certify_predictions([0] * 6000, [0] * 6000, groups=list(range(300)) * 20)
    >>> shown, left_out = shown_statements(certificate)
    >>> len(certificate.statements), len(shown), left_out
    (301, 21, 280)
    """
    by_name: dict[str, list[Statement]] = {}
    for each in certificate.statements:
        if each.group is not None:
            by_name.setdefault(each.name, []).append(each)
    hidden: set[int] = set()
    for groups in by_name.values():
        if len(groups) > MANY_GROUPS:
            ends = select_ends(certificate, groups)
            hidden |= {id(each) for each in groups} - {id(each) for each in (*ends.worst, *ends.best)}
    return [each for each in certificate.statements if id(each) not in hidden], len(hidden)


def further_words(shown: Sequence[Statement], count: int) -> str:
    """Return what has to be said where so many statements about groups are left out beside those that are shown."""
    listed = sum(each.group is not None for each in shown)
    if not listed:
        return (
            "No group is listed, since no limit of a group says enough, most often for lack of rows; all "
            f"{count:,} statements about groups, which hold together with these, are in the certificate."
        )
    ends = f"the groups with the {_EACH} worst and the {_EACH} best limits"
    some = ends if listed >= 2 * _EACH else f"the groups whose limits say enough, at most the {_EACH} worst and best,"
    return (
        f"Of each metric {some} are listed; {count:,} further statements about groups, which hold together with "
        "these, are in the certificate."
    )
