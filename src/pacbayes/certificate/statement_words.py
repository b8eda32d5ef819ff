"""What one of several statements is about, in words: which metric, of which rows, and whether it says anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pacbayes._core.plain import name_text
from pacbayes._core.units import percent_text
from pacbayes.certificate.difference_words import difference_noun
from pacbayes.certificate.parts import rows_for_half
from pacbayes.certificate.sequences import rows_for_target

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.statement import Statement

__all__ = [
    "group_name",
    "group_words",
    "left_out_words",
    "quantity_noun",
    "quantity_words",
    "short_of_rows",
    "untested_words",
    "vacuous_words",
]


def quantity_words(statement: Statement) -> str:
    """Return what a statement bounds, in the words of its sentence: "recall of class yes"."""
    return statement.words


def quantity_noun(statement: Statement) -> str:
    """Return what a statement bounds, as a heading or an axis has it."""
    if statement.compared:
        return difference_noun(statement)
    noun = statement.kind.noun.format(label=name_text(statement.label or ""))
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


def left_out_words(statement: Statement) -> str | None:
    """Return on which rows a vote is evaluated, each voter on its own; None if all are for the same predictor.

    Examples
    --------
    >>> from pacbayes.certificate import Statement
    >>> from pacbayes.certificate.statement_words import left_out_words
    >>> left_out_words(Statement(about="forest", n=204, observed={"tandem": 0.1}, bound="tandem"))
    '204 rows or more left out by each two voters'
    """
    if not {"gibbs", "tandem"} & set(statement.observed):
        return None
    who = "each voter" if "gibbs" in statement.observed else "each two voters"
    return f"{statement.n:,} rows or more left out by {who}"


def group_name(group: Mapping[str, str], between: str = ", ") -> str:
    """Return a group in short: "sex = Female"."""
    return between.join(f"{name_text(column)} = {name_text(value)}" for column, value in group.items())


def short_of_rows(certificate: Certificate, statement: Statement) -> int | None:
    """Return how many rows a statement needs at least to say more than one half, if it has fewer; None if not.

    With that many rows and no error among them the limit is one half; of an average or a difference it is the number
    for each class or group, and the one with the fewest rows counts.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.statement_words import short_of_rows
    >>> certificate = pb.certify_predictions([0, 1] * 4, [0, 1] * 4, metrics=("error", "recall:1"))
    >>> [short_of_rows(certificate, each) for each in certificate.statements]
    [None, 6]
    """
    if statement.source is not None or statement.kl > 0.0:
        return None
    own = certificate.delta / certificate.candidates * statement.share
    rows: object = statement.observed.get("rows")
    if not (statement.has_parts and isinstance(rows, list) and rows):
        needed = rows_for_half(own)
        return needed if statement.n < needed else None
    needed = rows_for_half(own / (len(rows) * (2 if statement.groups else 1)))
    return needed if min(rows) < needed else None


def untested_words(statement: Statement, *, plain: bool = False) -> str:
    """Return what has to be said where no threshold of a sequence passed its test; ``plain`` is without code.

    Examples
    --------
    >>> from pacbayes.certificate import Statement
    >>> from pacbayes.certificate.statement_words import untested_words
    >>> print(untested_words(Statement(about="answers", n=0, observed={}, bound="clopper_pearson", target=0.01)))
    No threshold is certified at 1 %, and `predict_or_abstain` gives no answer to any row.
    """
    target = percent_text(statement.target or 0.0)
    who = {"answers": "`predict_or_abstain`", "shifted": "`predict`"}.get(statement.about, "")
    words = {
        "answers": f"{'the model' if plain else who} gives no answer to any row",
        "shifted": f"{'the model' if plain else who} answers {name_text(statement.label or '')} for every row",
    }
    return f"No threshold is certified at {target}, and {words.get(statement.about, 'nothing is stated')}."


def vacuous_words(certificate: Certificate, statement: Statement) -> str | None:
    r"""Return what has to be said of a statement that says nothing, or has too few rows to; None for any other.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.statement_words import vacuous_words
    >>> certificate = pb.certify_predictions([0, 1] * 4, [0, 0] * 4, metrics=("recall:1", "recall:0"))
    >>> print(*(vacuous_words(certificate, each) for each in certificate.statements), sep="\n")
    Nothing is certified about the recall of class 1: 4 judged rows are too few, at least 6 are needed.
    Hardly anything is certified about the recall of class 0: 4 judged rows are too few, at least 6 are needed.
    """
    if statement.source is not None or statement.kl > 0.0 or statement.compared:
        return None
    if statement.is_step:
        return _vacuous_step(statement, certificate.delta / certificate.candidates * statement.share)
    needed = short_of_rows(certificate, statement)
    if needed is None and not statement.is_vacuous:
        return None
    difference = "largest difference between groups in the " if statement.groups else ""
    about = f"is certified about the {difference}{quantity_words(statement)}{group_words(statement)}"
    start = f"{'Nothing' if statement.is_vacuous else 'Hardly anything'} {about}"
    return f"{start}: {_shortage(statement, needed)}."


def _shortage(statement: Statement, needed: int | None) -> str:
    """Return why a statement says nothing, or hardly anything."""
    if needed is None:
        all_wrong = statement.observed.get("errors") == statement.n
        return f"all of its {statement.n} judged rows are misclassified" if all_wrong else "its limit excludes nothing"
    if statement.has_parts:
        return f"each {'group' if statement.groups else 'class'} needs at least {needed} judged rows"
    few = {0: "there is no judged row, and", 1: "1 judged row is too few,"}
    rows = few.get(statement.n, f"{statement.n} judged rows are too few,")
    return f"{rows} at least {needed} are needed"


def _vacuous_step(statement: Statement, delta: float) -> str | None:
    if statement.target is None or not statement.is_vacuous:
        return None
    needed, seen = rows_for_target(statement.target, delta), statement.observed["rows_along"][0]
    errors = statement.observed["errors_along"][0]
    return (
        f"{untested_words(statement)} At least {needed} rows without an error are needed at a threshold; the first of "
        f"{len(statement.observed['rows_along'])} had {errors} {'error' if errors == 1 else 'errors'} among {seen}."
    )
