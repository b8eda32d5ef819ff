"""How far apart groups are, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pacbayes._core.plain import name_text
from pacbayes._core.units import limit_text

if TYPE_CHECKING:
    from pacbayes.certificate.statement import Statement

__all__ = ["apart_words", "difference_words"]


def apart_words(statement: Statement, groups: int | None = None) -> str:
    """Return how far groups are apart, in percentage points; of so many groups, if not all of them are compared."""
    columns = " and ".join(map(name_text, statement.groups[0]))
    most = _points(limit_text(statement.value, None, None, statement.side))
    compared = len(statement.groups)
    words = f"differs by at most {most} between any two of {compared} groups by {columns}"
    if groups is not None and groups > compared:
        words += f" (of {groups}: the others have too few rows)"
    if not statement.lower:
        return words
    return f"{words}, and by at least {_points(limit_text(statement.lower, None, None, 'lower'))} between some two"


def _points(text: str) -> str:
    return text.replace(" %", " percentage points")


def difference_words(statement: Statement, groups: int | None = None) -> str:
    """Return a statement on the largest difference between groups as a sentence of its own, without its confidence.

    ``groups`` is how many there are, where some were left out for having too few rows.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.apart_words import difference_words
    >>> y, group = [0, 1] * 200, ["a", "a", "b", "b"] * 100
    >>> difference_words(pb.certify_predictions(y, y, groups=group, differences=True).differences[0])
    'It differs by at most 2.71 percentage points between any two of 2 groups by group.'
    """
    return f"It {apart_words(statement, groups)}."
