"""A certificate in words: sentences, and what codes mean."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING

from pacbayes._core.note_words import TABLE_NOTES, fill_sentence
from pacbayes._core.notes import Note
from pacbayes._core.plain import visible
from pacbayes._core.units import limit_text, number_text, observed_text, percent_text, round_up
from pacbayes.certificate.assumptions import ASSUMPTIONS
from pacbayes.certificate.difference_words import difference_claim, difference_limits_words
from pacbayes.certificate.quantities import QUANTITIES
from pacbayes.certificate.statement_words import group_words, quantity_noun, quantity_of, quantity_words
from pacbayes.certificate.subjects import SUBJECTS

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.statement import Choice, Statement

__all__ = [
    "assumption_words",
    "choice_words",
    "confidence_words",
    "gain_words",
    "headline_value",
    "limit_words",
    "note_words",
    "portfolio_words",
    "risk_words",
    "round_up",
    "scale_words",
    "sentence",
    "sentences",
    "subject_noun",
]

_DIFFERENCE = (
    "the true {words} of {subject}{where} differs by at most {limit} between any two of {groups} groups by {columns}"
)
_ANYTIME = "It holds for all lengths of the stream at once, so that it may be looked at and extended at will."
_FIRST_ANYTIME = (
    "The first number holds for all lengths of the stream at once, and delta has a part for longer streams, so that "
    "they may be looked at and extended at will."
)

_NOTES = {
    "sorted_by_label": "The rows came sorted by label; rows that were collected class by class are not i.i.d.",
    "time_index": "The rows carry a time index; rows that drift with time are not i.i.d.",
    "order_not_reproducible": "The order of the rows was drawn without a recorded seed: nobody can draw it again, so "
    "that a recheck takes it as the model states it.",
    "learning_only": "{names} played a part in learning only: the certificate counts each judged row once.",
    "repeated_rows": "{repeated} of {rows} rows repeat an earlier one; copies made by hand are not i.i.d.",
    "judged_rows_learned": "{repeated} of {rows} judged rows are copies of learning rows, far more than by chance: "
    "what was learned by heart counts as right on them.",
    "unlabelled_rows_seen": "{repeated} of {rows} unlabelled rows are copies of rows that were learned from or judged, "
    "far more than by chance: on those the two models agree too often.",
    "delta_above_half": "With a delta of {delta:g} the guarantee may be wrong more often than right.",
    "no_better_than_common": "This guarantee is no better than always giving the most common answer: {label!r} would "
    "be wrong on {percent:.1f} % of these rows.",
    "cut_within_a_time": "The judged rows begin among rows of the same time, {time}; which of these learn follows from "
    "their order in the file.",
    "several_seeds": "{count} seeds were tried for these rows and settings, one of which replaces the others; the best "
    "of several needs --candidates {count}.",
    "unreadable_lines": "{lines} lines could not be read and are not counted.",
    "lines_counted_as_wrong": "{lines} lines could not be read and are counted as wrong (loss 1).",
    **TABLE_NOTES,
}

_WHAT = {
    "learning_rows": "learning rows",
    "learning_curve": "learning curve (rows learned from: errors or sum of losses/rows on the learning rows after "
    "them)",
    "scale": "scale, the most that an error counts",
    "scale_rule": "rule for the scale",
    "scale_rows": "rows whose labels gave the scale, the first of the learning rows",
    "tolerance": "tolerance",
    "tolerance_rule": "rule for the tolerance, a quarter of",
    "tolerance_rows": "rows whose labels gave the tolerance, the first of the learning rows",
    "prior_mean": "prior mean",
    "prior_shape": "prior shape",
    "prior_scale": "prior scale",
    "prior_variance": "prior variance",
    "posterior_step": "posterior mean, share of the way to the fit on all rows",
    "posterior_scale": "posterior scale, relative to its shape",
    "posterior_mean": "posterior mean",
    "posterior_shape": "posterior shape and scale",
    "last_of": "snapshot, the last of",
    "expected_last": "snapshot expected to be the last at the first fit",
    "expected_rows": "rows that it was to be judged on",
    "order": "order of the rows",
    "time": "column of times",
    "judged_from": "first time among the judged rows",
    "judged_to": "last time among the judged rows",
    "refit": "second model",
    "transfer_delta": "part of delta for the disagreement on unlabelled rows",
    "groups": "columns that rows are grouped by",
    "metric_weights": "parts of delta by metric",
    "largest_cost": "largest cost",
    "costs": "costs (true class: predicted class: cost)",
    "largest_log_loss": "largest log loss, as which larger ones count",
}
_VALUES = {
    "grid": "best of a grid",
    "fit": "the fit on the learning rows",
    "gradient": "by the gradient of the bound",
    "as_given": "the earliest first, not shuffled",
    "refit_on_all_rows": "the same learner, refitted on all rows and not certified by this",
    "label_spread": "the distance between the 5 % and the 95 % quantile of their labels",
}
_WHERE = {
    "given": "given",
    "learning_rows": "chosen on the learning rows",
    "all_rows": "chosen on all rows",
    "schedule": "by the schedule",
    "losses": "by the values that losses can take",
}
_COSTS = {
    "none": "costs nothing",
    "all_posteriors": "costs nothing: the bound holds for all posteriors at once",
    "mixture_of_rates": "costs a mixture of {size:g} rates, inside the bound",
    "part_of_delta": "costs {percent} of delta",
    "candidates": "delta is divided by {size:g}",
    "reference": "costs {percent} of delta, for the reference's own loss",
    "most_of_the_weight": "has {percent} of the weight of the rates; the rest is spread over a grid",
    "portfolio": "costs its weight among {size:g} bets, inside the bound",
}


def confidence_words(delta: float) -> str:
    """Return the confidence, rounded down: 95 %, 99.9 %, 99.9999999 %."""
    lost = 100 * Decimal(repr(delta))
    last = Decimal(1).scaleb(max(min(-4, lost.adjusted() - 1), -15))  # a small delta is not rounded away
    return f"{(100 - lost).quantize(last, rounding=ROUND_FLOOR).normalize():f} %"


def sentence(certificate: Certificate) -> str:
    """Return the first statement as one sentence that names the predictor."""
    return _sentence(certificate, certificate.statements[0])


def sentences(certificate: Certificate) -> list[str]:
    """Return every statement as a sentence; all of them hold together."""
    return [_sentence(certificate, each) for each in certificate.statements]


def _sentence(certificate: Certificate, statement: Statement) -> str:
    if statement.compared:
        claim = difference_claim(statement)
        return f"With probability at least {confidence_words(certificate.delta)} over the data, {claim}."
    same = [SUBJECTS[each.about].words for each in statement.consequences if each.rule == "same"]
    subject = SUBJECTS[statement.about].words + "".join(f", and of {words}," for words in same)
    quantity = quantity_of(statement)
    where = group_words(statement) + _period_words(certificate)
    claim = (_DIFFERENCE if statement.groups else quantity.claim).format(
        words=quantity_words(statement),
        subject=subject,
        where=where.rstrip(",") if quantity.power else where,  # a comma follows
        limit=limit_words(statement, statement.value),
        scale=scale_words(statement),
        groups=len(statement.groups),
        columns=" and ".join(map(visible, statement.groups[0])) if statement.groups else "",
    )
    if statement.groups and statement.lower:
        claim += f", and by at least {limit_text(statement.lower, None, None, 'lower')} between some two"
    text = f"With probability at least {confidence_words(certificate.delta)} over the data, {claim}"
    for each in statement.consequences:
        if each.rule == "twice":
            text += f", and that of {SUBJECTS[each.about].words}, at most {limit_words(statement, each.value)}"
    return text + "."


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
    quantity = quantity_of(statement)
    subject = SUBJECTS[statement.about].words.rstrip(",") + group_words(statement)
    if about is not None and about != statement.about:  # "their vote" has nothing to refer to in a heading
        words = SUBJECTS[about].long_words
        subject = words[:1].lower() + words[1:]
    words = f"{quantity_noun(statement)} of {subject}"
    if quantity.parameter is None:
        return words
    return f"{words}, {quantity.parameter.replace('_', ' ')} {scale_words(statement)}"


def limit_words(statement: Statement, value: float) -> str:
    """Return a bound of a statement as text in the units that its sentence has, rounded to the safe side."""
    if statement.compared and value == statement.value:
        return difference_limits_words(statement)
    known = QUANTITIES.get(statement.quantity)
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
    return f" on rows of the judged period, {visible(period[0])} to {visible(period[1])},"


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


def assumption_words(certificate: Certificate) -> list[str]:
    """Return what has to be true for the certificate to hold, each once."""
    codes = dict.fromkeys(code for each in certificate.statements for code in each.assumptions)
    return [ASSUMPTIONS.get(code, visible(code)) for code in codes]


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
        return visible(note.code)


def choice_words(choice: Choice) -> str:
    """Return in a line what was chosen, where, and what it cost."""
    value = f"`{choice.value:.6g}`" if isinstance(choice.value, float) else str(choice.value)  # a setting, as code
    value = _VALUES.get(value, value)
    known, size = _COSTS.get(choice.cost), 0.0 if choice.size is None else min(choice.size, 1e300)
    cost = (
        choice.cost if known is None else known.format(size=size, percent=percent_text(size))
    )  # a text from a file is no format
    words = f"{_WHAT.get(choice.what, choice.what)}: {value} ({_WHERE.get(choice.where, choice.where)}; {cost})"
    return visible(words)
