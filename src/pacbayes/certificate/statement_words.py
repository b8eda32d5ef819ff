"""What one of several statements is about, in words: which metric, of which rows, and whether it says anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pacbayes._core.plain import visible
from pacbayes.certificate.difference_words import difference_noun
from pacbayes.certificate.parts import has_parts, rows_for_half
from pacbayes.certificate.quantities import QUANTITIES, Quantity

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.statement import Statement

__all__ = ["group_name", "group_words", "quantity_noun", "quantity_of", "quantity_words", "vacuous_words"]


def quantity_words(statement: Statement) -> str:
    """Return what a statement bounds, in the words of its sentence: "recall of class yes"."""
    return quantity_of(statement).words.format(label=visible(statement.label or ""))


def quantity_noun(statement: Statement) -> str:
    """Return what a statement bounds, as a heading or an axis has it."""
    if statement.compared:
        return difference_noun(statement)
    noun = quantity_of(statement).noun.format(label=visible(statement.label or ""))
    return f"largest difference in {noun}" if statement.groups else noun


def group_words(statement: Statement) -> str:
    """Return which rows a statement is about, where it is not all of them: " among rows with sex = Female".

    Examples
    --------
    >>> from pacbayes.certificate import Statement
    >>> from pacbayes.certificate.statement_words import group_words
    >>> group_words(Statement(about="predict", n=9, observed={}, bound="chernoff", group={"sex": "Female"}))
    ' among rows with sex = Female'
    """
    if statement.group is None:
        return ""
    return f" among rows with {group_name(statement.group, ' and ')}"


def group_name(group: Mapping[str, str], between: str = ", ") -> str:
    """Return a group in short: "sex = Female"."""
    return between.join(f"{visible(column)} = {visible(value)}" for column, value in group.items())


def vacuous_words(certificate: Certificate, statement: Statement) -> str | None:
    """Return what has to be said of a statement that says nothing, or has too few rows to; None for any other.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.statement_words import vacuous_words
    >>> certificate = pb.certify_predictions([0, 1], [0, 0], metrics=("recall:1",))
    >>> vacuous_words(certificate, certificate.statements[0])
    'The recall of class 1: nothing is certified. 1 row is too few: at least 5 are needed to certify one half.'
    """
    if statement.source is not None or statement.kl > 0.0 or has_parts(statement) or statement.compared:
        return None
    own = certificate.delta / certificate.candidates * statement.share
    needed = rows_for_half(own)
    what = f"The {quantity_words(statement)}{group_words(statement)}"
    verb = "is" if statement.n == 1 else "are"
    rows = f"{statement.n or 'no'} row{'' if statement.n == 1 else 's'}"
    if statement.n < needed:
        said = "nothing is certified" if statement.is_vacuous else "almost nothing is certified"
        return f"{what}: {said}. {rows} {verb} too few: at least {needed} are needed to certify one half."
    if statement.is_vacuous:
        return f"{what}: nothing is certified. All {statement.n} judged rows that it is about were wrong."
    return None


def quantity_of(statement: Statement) -> Quantity:
    """Return what a statement bounds, and its own name for what this version does not know."""
    known = QUANTITIES.get(statement.quantity)
    if known is not None:
        return known
    words = visible(statement.quantity).replace("{", "(").replace("}", ")")
    return Quantity(words, words, words, words)
