"""What a page says at its top: statements that certify nothing, and cautions that matter; codes first, then words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pacbayes import bounds
from pacbayes._core.note_words import fill_sentence
from pacbayes._core.notes import Note
from pacbayes._core.plain import visible
from pacbayes._core.units import observed_text, percent_text
from pacbayes.certificate.sequences import rows_for_target
from pacbayes.certificate.statement import REFIT, observed_share
from pacbayes.certificate.words import confidence_words, headline_value, limit_name, note_words, risk_words

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.statement import Statement

__all__ = ["CAUTIONS", "find_empty", "find_notices", "is_vacuous", "notice_words"]

_USEFUL = 0.5  # a limit on an error that says something
_MOST = 6  # sentences on single statements
_FACTORS = {"same": 1.0, "twice": 2.0}  # what a consequence's limit is, relative to the statement's
_WORDS = {
    "nothing_certified": "{what}: nothing is certified, {rows:,} rows are too few; about {needed:,} would do.",
    "nothing_certified_often_wrong": "{what}: nothing is certified; the observed value is {observed}, and more rows "
    "alone will not help.",
    "no_threshold_passed": "No threshold is certified at {target}, so that nothing is; that needs at least {needed:,} "
    "rows at a threshold without an error.",
    "nothing_certified_from": "{what}: nothing is certified from {rows:,} rows.",
    "nothing_certified_more": "Nothing is certified by {count} more statements; they are listed below.",
    "no_better_than_common": "This guarantee is no better than always giving the most common answer, {label!r}, which "
    "is wrong on {share} of these rows.",
    "delta_above_half": "The confidence is only {confidence}: the guarantee may be wrong more often than right.",
    "judged_rows_learned": "{repeated} of {rows} judged rows are copies of learning rows, far more than by chance; the "
    "number may be too good.",
    "unlabelled_rows_seen": "{repeated} of {rows} unlabelled rows are copies of rows that were learned from or judged; "
    "the number may be too good.",
    "unlabelled_rows_repeated": "{repeated} of {rows} unlabelled rows repeat an earlier one; the number may be too "
    "good.",
    "unknown_predictions": "Predictions that are no label of these rows: {count}, such as {example!r:.40}; if "
    "classes are written in two ways, the numbers are not about the model.",
    "classes_differ_in_blanks": "Some classes differ in blanks, capitals or Unicode form alone: {classes}; if they are "
    "one class, the numbers are not about the model.",
    "rows_may_belong_together": "The column {column!r} has {values} values with about {rows} rows each; if the rows of "
    "one value belong together, such as those of one patient, the number is too small for new patients.",
    "copies_target": "The column {column!r} is a copy of the target under other names: if it is not known for new "
    "cases, the number is not about them.",
    "gives_target_away": "The column {column!r} determines the target: if it is not known for new cases, the number is "
    "not about them.",
    "almost_gives_target_away": "The column {column!r} alone predicts the target with {percent:.2f} % errors: if it is "
    "not known for new cases, the number is not about them.",
    "several_seeds": "This was done {count} times with other random orders of the rows; if the best was picked, the "
    "number is too good.",
    "refit_not_certified": "A second model, trained on all rows, lies beside the certified one. It is not certified: "
    "no number on this page is about it.",
}
CAUTIONS = (
    "delta_above_half",
    "judged_rows_learned",
    "unlabelled_rows_seen",
    "unlabelled_rows_repeated",
    "rows_may_belong_together",
    "copies_target",
    "gives_target_away",
    "almost_gives_target_away",
    "several_seeds",
    "unknown_predictions",
    "classes_differ_in_blanks",
)


def is_vacuous(statement: Statement, value: float | None = None) -> bool:
    """Return whether a limit of a statement, by default its own, excludes nothing.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate import is_vacuous
    >>> [is_vacuous(pb.certify_predictions([0] * 3, [1] * wrong + [0] * (3 - wrong)).statements[0]) for wrong in (3, 2)]
    [True, False]
    """
    limit = statement.value if value is None else value
    return limit <= 0.0 if statement.side == "lower" else limit >= 1.0


def find_notices(
    certificate: Certificate, trivial: Mapping[str, str | float] | None = None, *, has_transfer: bool = False
) -> list[Note]:
    """Return what has to be said at the top of a report, as codes with numbers, the gravest first.

    Parameters
    ----------
    certificate : Certificate
        Each of its statements that certifies nothing is named, with the rows that would do where that can be told.
    trivial : mapping, optional
        The most common class: "label", and the "share" of rows that it misclassifies.
    has_transfer : bool, default=False
        Whether a second model that was trained on all rows has a certificate of its own.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate import find_notices, notice_words
    >>> wrong = pb.certify_predictions([0, 1] * 5, [1, 0] * 5)
    >>> [notice_words(each) for each in find_notices(wrong)]  # doctest: +ELLIPSIS
    ['True error of ... predictions: nothing is certified; the observed value is 100 %, and more rows alone ...']
    """
    further = [*_cautions(certificate), *_refit(certificate, has_transfer=has_transfer)]
    return [*find_empty(certificate), *_comparison(certificate, trivial), *further]


def find_empty(certificate: Certificate) -> list[Note]:
    """Return the statements that certify nothing, as codes with numbers; the first few, and how many more there are.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate import find_empty
    >>> [each.code for each in find_empty(pb.certify_predictions([0] * 9, [1] * 9))]
    ['nothing_certified_often_wrong']
    """
    empty = list(_empty_statements(certificate))
    if len(empty) <= _MOST:
        return empty
    return [*empty[:_MOST], Note("nothing_certified_more", {"count": len(empty) - _MOST})]


def notice_words(note: Note) -> str:
    """Return a notice as a sentence without code or theory; :func:`find_notices` has an example."""
    try:
        return visible(fill_sentence(_WORDS[note.code], note))
    except (KeyError, IndexError, ValueError):  # a note from a file, without its numbers
        return note_words(note)


def _empty_statements(certificate: Certificate) -> Iterator[Note]:
    first = certificate.statements[0]
    for statement in certificate.statements:
        if statement is not first and statement.is_step and is_vacuous(first):
            continue  # of a threshold that there is not
        delta = certificate.delta * statement.share / certificate.candidates
        covered = [(statement.about, "same", statement.value)]
        covered += [(each.about, each.rule, each.value) for each in statement.consequences]
        for about, rule, value in covered:
            if is_vacuous(statement, value):
                yield _empty_note(statement, about, _USEFUL / _FACTORS.get(rule, 1.0), delta)


def _empty_note(statement: Statement, about: str, target: float, delta: float) -> Note:
    what = limit_name(statement, about)
    if statement.target is not None:
        needed = rows_for_target(statement.target, delta)
        return Note("no_threshold_passed", {"target": percent_text(statement.target), "needed": needed})
    if statement.n and observed_share(statement) >= target:
        if statement.n < rows_for_target(target, delta):  # not even rows without an error would do
            return Note("nothing_certified_from", {"what": what, "rows": statement.n})
        return Note("nothing_certified_often_wrong", {"what": what, "observed": risk_words(statement)})
    needed = _rows_needed(statement, target, delta)
    if needed <= statement.n:
        return Note("nothing_certified_from", {"what": what, "rows": statement.n})
    return Note("nothing_certified", {"what": what, "rows": statement.n, "needed": needed})


def _rows_needed(statement: Statement, target: float, delta: float) -> int:
    """Return with how many rows like these the limit would say something; 0 where that cannot be told."""
    risk = observed_share(statement) if statement.n else 0.0
    if not math.isfinite(risk) or statement.source is not None or statement.has_parts:
        return 0
    try:
        return bounds.examples_needed(statement.bound, target=target, risk=risk, kl=statement.kl, delta=delta)[0]
    except (ValueError, TypeError, KeyError):  # a bound that needs more than a risk
        return 0


def _comparison(certificate: Certificate, trivial: Mapping[str, str | float] | None) -> list[Note]:
    if trivial is None or certificate.statements[0].quantity != "error":
        return []
    share = float(trivial["share"])
    if headline_value(certificate) < share:
        return []
    numbers = {"label": str(trivial["label"]), "share": observed_text(share, None, None)}
    return [Note("no_better_than_common", numbers)]


def _cautions(certificate: Certificate) -> list[Note]:
    confidence = {"confidence": confidence_words(certificate.delta)}
    return [Note(each.code, {**each.numbers, **confidence}) for each in certificate.notes if each.code in CAUTIONS]


def _refit(certificate: Certificate, *, has_transfer: bool) -> list[Note]:
    """Return that a second model is not certified, where there is one, and nothing says otherwise."""
    is_beside = REFIT in certificate.choices and certificate.statements[0].source is None
    return [Note("refit_not_certified")] if is_beside and not has_transfer else []
