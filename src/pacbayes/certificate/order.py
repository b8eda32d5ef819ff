"""Rows that were taken as they came, the earliest first: what a certificate then says instead of "i.i.d."."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pacbayes.certificate.statement import Choice

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate

__all__ = ["AS_GIVEN", "add_period", "is_in_order", "period_of", "restrict_to_later"]

AS_GIVEN = Choice("order", "as_given", "given")


def is_in_order(record: Certificate) -> bool:
    """Return whether the rows were taken as they came, and not shuffled.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate import is_in_order
    >>> is_in_order(pb.certify_predictions([0, 1], [0, 1]))
    False
    """
    return AS_GIVEN in record.choices


def restrict_to_later(record: Certificate) -> Certificate:
    """Return a certificate of rows that were not shuffled: it is about rows like the judged ones, which are later.

    Given the rows before them, the judged rows have to be independent draws from one distribution; the predictor is
    then fixed before them, and every bound of the library holds for that distribution. Of the distribution of the
    learning rows nothing is assumed, and nothing is said.
    """
    later = [
        replace(each, assumptions=tuple("later_iid" if code == "iid" else code for code in each.assumptions))
        for each in record.statements
    ]
    return replace(record, statements=tuple(later), choices=(*record.choices, AS_GIVEN), digest="")


def add_period(record: Certificate, column: str, first: str, last: str) -> Certificate:
    """Return a certificate of rows that were not shuffled with the times of its judged rows."""
    choices = (
        Choice("time", column, "given"),
        Choice("judged_from", first, "given"),
        Choice("judged_to", last, "given"),
    )
    return replace(record, choices=(*record.choices, *choices), digest="")


def period_of(record: Certificate) -> tuple[str, str] | None:
    """Return the times of the first and the last judged row, where a certificate has them."""
    found = {each.what: str(each.value) for each in record.choices}
    return (found["judged_from"], found["judged_to"]) if {"judged_from", "judged_to"} <= set(found) else None
