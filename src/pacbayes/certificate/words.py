"""A certificate in words: sentences, and what codes mean."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal, localcontext
from typing import TYPE_CHECKING

from pacbayes._core.note_words import TABLE_NOTES, fill_sentence
from pacbayes._core.notes import Note
from pacbayes._core.plain import name_text, visible
from pacbayes._core.units import limit_text, number_text, observed_text, percent_text, round_up
from pacbayes.certificate.apart_words import apart_words
from pacbayes.certificate.assumptions import ASSUMPTIONS, FIRST_NUMBER, FIXED_NUMBER
from pacbayes.certificate.choice_words import choice_words
from pacbayes.certificate.difference_words import difference_claim, difference_limits_words
from pacbayes.certificate.quantities import QUANTITIES
from pacbayes.certificate.statement_words import (
    group_words,
    quantity_noun,
    untested_words,
)
from pacbayes.certificate.subjects import SUBJECTS

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.statement import Statement

__all__ = [
    "assumption_words",
    "choice_words",
    "confidence_words",
    "drawn_words",
    "gain_words",
    "headline_subject",
    "headline_value",
    "limit_name",
    "limit_words",
    "note_words",
    "number_condition",
    "plain_sentence",
    "portfolio_words",
    "risk_words",
    "round_up",
    "scale_words",
    "sentence",
    "sentences",
    "subject_noun",
]

_EXACT = 400  # digits of 100 minus the smallest delta
_OVER = {"drawn_once": "the data and the draws", "one_draw": "the data and the draw"}
_ANYTIME = "It holds for all lengths of the stream at once: look whenever you like while rows are added to it."
_FIRST_ANYTIME = (
    "The first number holds for all lengths of the stream at once, and so much is set aside for later snapshots that "
    "you may look whenever you like while rows are added to it."
)

_NOTES = {
    "sorted_by_label": "The rows came sorted by label; rows that were collected class by class are not i.i.d.",
    "time_index": "The rows carry a time index; rows that drift with time are not i.i.d.",
    "order_not_reproducible": "The order of the rows was drawn without a recorded seed: nobody can draw it again, so "
    "that nobody can tell whether it was chosen after a look at the rows, and no recheck passes.",
    "learning_only": "{names} played a part in learning only: the certificate counts each judged row once.",
    "repeated_rows": "{repeated} of {rows} rows repeat an earlier one; copies made by hand are not i.i.d.",
    "judged_rows_learned": "{repeated} of {rows} judged rows are copies of learning rows, far more than by chance: "
    "what was learned by heart counts as right on them.",
    "unknown_predictions": "Predictions that are no label of these rows: {count}, such as {example!r:.40}; "
    "they count against every limit. Is each class written the same way?",
    "unlabelled_rows_seen": "{repeated} of {rows} unlabelled rows are copies of rows that were learned from or judged, "
    "far more than by chance: on those the two models agree too often.",
    "unlabelled_rows_repeated": "{repeated} of {rows} unlabelled rows repeat an earlier one, far more than by chance; "
    "copies are no further draws, and tell nothing new of how often the two models disagree.",
    "delta_above_half": "With a delta of {delta:g} the guarantee may be wrong more often than right.",
    "no_better_than_common": "This guarantee is no better than always giving the most common answer: {label!r} would "
    "be wrong on {percent:.1f} % of these rows.",
    "cut_within_a_time": "The judged rows begin among rows of the same time, {time}; which of these learn follows from "
    "their order in the file.",
    "several_seeds": "{count} seeds were tried for these rows and settings, one of which replaces the others; the best "
    "of several may be kept only if their number was fixed before the first, and passed as --candidates to each.",
    "unreadable_lines": "Lines that could not be read and are not counted: {lines}.",
    "lines_counted_as_wrong": "Lines that could not be read and are counted as wrong (loss 1): {lines}.",
    "file_replaced": "{times} times the watched file was cut or replaced by other lines, all of which count; a line "
    "that was in both files is counted twice.",
    **TABLE_NOTES,
}


def confidence_words(delta: float) -> str:
    """Return the confidence, rounded down: 95 %, 99.9 %, 99.9999999 %."""
    with localcontext() as context:
        context.prec = _EXACT  # with fewer digits, 100 minus next to nothing would be 100
        lost = 100 * Decimal(repr(delta))
        last = Decimal(1).scaleb(max(min(-4, lost.adjusted() - 1), -15))  # a small delta is not rounded away
        return f"{(100 - lost).quantize(last, rounding=ROUND_FLOOR).normalize():f} %"


def sentence(certificate: Certificate) -> str:
    """Return the first statement as one sentence that names the predictor."""
    return _sentence(certificate, certificate.statements[0])


def sentences(certificate: Certificate, statements: Sequence[Statement] | None = None) -> list[str]:
    """Return every statement, or some of them, as a sentence; all of them hold together."""
    return [_sentence(certificate, each) for each in (certificate.statements if statements is None else statements)]


def plain_sentence(certificate: Certificate) -> str:
    """Return the first statement for a reader who knows neither code nor theory: about what predicting returns.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.words import plain_sentence
    >>> plain_sentence(pb.certify_predictions([0, 1] * 100, [0, 1] * 95 + [1, 1] * 5))
    'With probability at least 95 %, the true error of the model that made these predictions is at most 5.19 %.'
    """
    first, about = certificate.statements[0], headline_subject(certificate)
    if first.compared:
        return _sentence(certificate, first)
    if first.target is not None and not first.n:
        return untested_words(first, plain=True)
    claim = _claim(certificate, first, SUBJECTS[about].plain_words, headline_value(certificate))
    return f"With probability at least {confidence_words(certificate.delta)}, {claim}."


def _sentence(certificate: Certificate, statement: Statement) -> str:
    if statement.target is not None and not statement.n:
        return untested_words(statement)
    if statement.compared:
        claim = difference_claim(statement)
        return f"With probability at least {confidence_words(certificate.delta)} over the data, {claim}."
    same = [SUBJECTS[each.about].words for each in statement.consequences if each.rule == "same"]
    subject = SUBJECTS[statement.about].words + "".join(f", and of {words}," for words in same)
    claim = _claim(certificate, statement, subject, statement.value)
    over = next((words for code, words in _OVER.items() if code in statement.assumptions), "the data")
    text = f"With probability at least {confidence_words(certificate.delta)} over {over}, {claim}"
    for each in statement.consequences:
        if each.rule == "twice":
            sign = "at least" if statement.side == "lower" else "at most"
            text += f", and that of {SUBJECTS[each.about].words}, {sign} {limit_words(statement, each.value)}"
    return text + "."


def _claim(certificate: Certificate, statement: Statement, subject: str, value: float) -> str:
    quantity = statement.kind
    where = ("" if statement.group is None else group_words(statement)) + _period_words(certificate)
    if statement.groups:
        groups = sum(each.group is not None and each.name == statement.name for each in certificate.statements)
        return f"the true {statement.words} of {subject}{where} {apart_words(statement, groups)}"
    return quantity.claim.format(
        words=statement.words,
        subject=subject,
        where=where.rstrip(",") if quantity.power else where,  # a comma follows
        limit=limit_words(statement, value),
        scale=scale_words(statement),
    )


def headline_value(certificate: Certificate) -> float:
    """Return the number that a report opens with: about what ``predict`` returns, where the first statement tells.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.words import headline_value
    >>> round(headline_value(pb.certify_predictions([0, 1] * 100, [0, 1] * 95 + [1, 1] * 5)), 4)
    0.0518
    """
    vote = certificate.vote_value
    return certificate.value if vote is None else vote


def headline_subject(certificate: Certificate) -> str:
    """Return whom the number that a report opens with is about: a code of :data:`pacbayes.certificate.SUBJECTS`.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.words import headline_subject
    >>> headline_subject(pb.certify_predictions([0, 1] * 100, [0, 1] * 95 + [1, 1] * 5))
    'given_predictions'
    """
    first = certificate.statements[0]
    is_vote = certificate.vote_value is not None and first.value_about("vote") is not None
    return "vote" if is_vote else first.about


def subject_noun(statement: Statement, about: str | None = None) -> str:
    """Return what is bounded, and of whom, as a heading has it; ``about`` names a consequence in place of the subject.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.words import subject_noun
    >>> subject_noun(pb.certify_predictions([0, 1] * 100, [0, 1] * 95 + [1, 1] * 5).statements[0])
    'true error of the predictor that made these predictions'
    """
    if statement.compared:
        return quantity_noun(statement)
    quantity = statement.kind
    subject = SUBJECTS[statement.about].words.rstrip(",") + group_words(statement)
    if about is not None and about != statement.about:  # "their vote" has nothing to refer to in a heading
        words = SUBJECTS[about].long_words
        subject = words[:1].lower() + words[1:]
    words = f"{quantity_noun(statement)} of {subject}"
    if quantity.parameter is None:
        return words
    return f"{words}, {quantity.parameter.replace('_', ' ')} {scale_words(statement)}"


def limit_name(statement: Statement, about: str) -> str:
    """Return what a limit is about as a line of a chart has it, without code or theory.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.words import limit_name
    >>> limit_name(pb.certify_predictions([0, 1], [0, 1]).statements[0], "vote")
    'True error of the majority vote'
    """
    whose = "" if statement.compared else f" of {SUBJECTS[about].plain_words.rstrip(',')}{group_words(statement)}"
    words = f"{quantity_noun(statement)}{whose}"
    parameter = statement.kind.parameter
    words = words if parameter is None else f"{words}, {parameter.replace('_', ' ')} {scale_words(statement)}"
    return words[:1].upper() + words[1:]


def limit_words(statement: Statement, value: float) -> str:
    """Return a bound of a statement as text in the units that its sentence has, rounded to the safe side."""
    if statement.compared and value == statement.value:
        return difference_limits_words(statement)
    known = QUANTITIES.get(statement.quantity)
    given = percent_text(value)
    if value == statement.target and Decimal(given.removesuffix(" %")) >= 100 * Decimal(repr(value)):
        return given  # in so many digits as it was asked for, unless these say less than was tested
    return limit_text(value, statement.scale, None if known is None else known.power, statement.side)


def scale_words(statement: Statement) -> str:
    """Return the scale or tolerance of a statement as text; nothing where there is none."""
    return "" if statement.scale is None else number_text(float(statement.scale))


def _period_words(certificate: Certificate) -> str:
    """Return which rows the sentence is about, where they were not shuffled."""
    if not certificate.in_order:
        return ""
    period = certificate.period
    if period is None:
        return " on rows like the judged ones, which came last,"
    return f" on rows of the judged period, {name_text(period[0])} to {name_text(period[1])},"


def risk_words(statement: Statement) -> str:
    """Return what was observed as text, in the units that a statement's sentence has."""
    known = QUANTITIES.get(statement.quantity)
    if statement.n == 0:
        return "no rows"
    if statement.compared:
        return f"{100.0 * statement.risk:+.2f} points"
    return observed_text(statement.risk, statement.scale, None if known is None else known.power)


def portfolio_words(statement: Statement) -> list[str]:
    """Return each reference of a portfolio in a few words; no strength of one was chosen."""
    counted = statement.observed.get("reference_errors")
    errors = counted if isinstance(counted, list) else []
    return [
        f"{visible(kind)}, {_count_text(count)} errors, at all strengths"
        for kind, count in zip(statement.references, errors, strict=False)
    ]


def _count_text(count: object) -> str:
    return f"{count:.10g}" if isinstance(count, int | float) else visible(str(count))


def drawn_words(statement: Statement) -> str:
    """Return what was drawn of networks, and what is exact; nothing for any other predictor.

    Examples
    --------
    >>> from pacbayes.certificate import Drawn, Statement
    >>> from pacbayes.certificate.words import drawn_words
    >>> drawn = Drawn(errors=30, draws=3000, share=0.1)
    >>> drawn_words(Statement(about="network_draw", n=1000, observed={}, bound="maurer", drawn=drawn))
    '30 errors in 3,000 draws, 3 for each row, with 10 % of delta; the divergence is exact'
    """
    subject, drawn = SUBJECTS.get(statement.about), statement.drawn
    if drawn is not None:
        passes = f"{drawn.draws / max(statement.n, 1):g} for each row, with {percent_text(drawn.share)} of delta"
        return f"{drawn.errors:,} errors in {drawn.draws:,} draws, {passes}; the divergence is exact"
    if subject is None or not subject.has_draws:
        return ""
    if subject.has_divergence:
        return "nothing: expected errors and the divergence are computed, rounded up"
    return "one network for each row, which is judged on it; that is exact"


def assumption_words(certificate: Certificate) -> list[str]:
    """Return what has to be true for the certificate to hold, each once."""
    codes = dict.fromkeys(code for each in certificate.statements for code in each.assumptions)
    number = number_condition(certificate)
    return [*(ASSUMPTIONS.get(code, visible(code)) for code in codes), *([number] if number else [])]


def number_condition(certificate: Certificate) -> str:
    """Return what has to be true of the number of rows; nothing if it may have been decided by results.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.words import number_condition
    >>> losses = [0.0, 1.0] * 50
    >>> compared = [pb.compare_predictions(None, losses, losses[::-1], anytime=each) for each in (False, True)]
    >>> [number_condition(each)[:14] for each in compared]
    ['How many rows ', '']
    """
    if not all(each.anytime for each in certificate.statements):
        return FIXED_NUMBER
    return FIRST_NUMBER if certificate.procedure == "online" else ""


def gain_words(certificate: Certificate) -> list[str]:
    """Return what a certificate gives beyond its numbers; nothing of it has to be assumed."""
    anytime = [each.anytime for each in certificate.statements]
    if not anytime or not anytime[0]:
        return []
    return [_ANYTIME if all(anytime) else _FIRST_ANYTIME]


def note_words(note: Note) -> str:
    """Return a note as a sentence."""
    try:
        return visible(fill_sentence(_NOTES[note.code], note))
    except (KeyError, IndexError, ValueError):  # a code that is not known, or without its numbers
        return f"A note that this version does not know: {name_text(note.code)}."
