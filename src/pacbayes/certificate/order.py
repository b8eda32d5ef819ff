"""Rows that were taken as they came, the earliest first: what a certificate then says instead of "i.i.d."."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pacbayes.certificate.statement import AS_GIVEN, Choice

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate

__all__ = ["add_period", "restrict_to_later"]


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
