"""What a report says in plain words: the verdict, the parts of a number, what has to be true."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from pacbayes._core.notes import Note
from pacbayes._core.plain import visible
from pacbayes._core.units import limit_text, observed_text
from pacbayes.certificate import QUANTITIES, SUBJECTS, Certificate, Statement
from pacbayes.certificate.assumptions import ASSUMPTIONS
from pacbayes.certificate.difference_words import difference_verdict
from pacbayes.certificate.statement import observed_share
from pacbayes.certificate.statement_words import group_words, quantity_noun
from pacbayes.certificate.words import headline_value, limit_words, note_words, risk_words, scale_words
from pacbayes.report.values import Refit, SplitCost

__all__ = [
    "OBSERVED",
    "PARTS",
    "QUESTIONS",
    "RULES",
    "Comparison",
    "Rule",
    "certified_row",
    "compare_with_trivial",
    "condition_words",
    "count_words",
    "headline_value",
    "headline_words",
    "learning_words",
    "noun_words",
    "order_words",
    "rates_words",
    "refit_row",
    "refit_sentence",
    "share_words",
    "sign_words",
    "split_words",
    "subject_words",
    "verdict_words",
    "words_of_notes",
]

_WEAK, _OFTEN = 0.5, 0.25
_ENOUGH = 10  # cases in a sentence


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule by which another number follows from a guarantee.

    Attributes
    ----------
    part : str
        What that number is about.
    why : str
        How it follows.
    advice : str
        How to read a curve of the guarantee.
    """

    part: str
    why: str
    advice: str


class Comparison(NamedTuple):
    """How a guarantee compares with always predicting the most common class: what to say, and a warning or nothing."""

    words: str
    warning: str


# a rule by which the same number holds for another predictor needs no words of its own
RULES = {
    "twice": Rule(
        "Vote",
        "twice the guarantee, since a vote is wrong only where at least half of those who vote are",
        "double it for the vote",
    )
}
PARTS = {
    "observed": ("Observed", "what was observed on the judged rows, which the bound is computed on"),
    "confidence": ("Chance", "what has to be added because these rows are only a sample"),
    "complexity": ("Complexity", "what has to be added because the predictor was still adjusted to these rows"),
    "union": ("Comparisons", "what has to be added because several settings were compared on these rows"),
}
QUESTIONS = {
    "iid": "Will the cases you use it on come from the same source as these rows, and was no row copied or picked "
    "because of others?",
    "later_iid": "Will the cases you use it on be like those of the judged period, and was no row copied or picked "
    "because of others?",
    "nothing_before": "Had nobody used these same rows before to choose columns, settings or models?",
    "row_by_row": "Is each case answered by itself, whichever others are asked about at the same time?",
    "arrival_order": "Were the rows of updates taken as they came, without sorting or picking?",
    "unseen": "Were the judged rows kept away from training and from every choice?",
    "fresh_unlabelled": "Were the unlabelled rows drawn from the same source, and kept away from every fit and choice?",
    "scale_before": "Was it decided how errors are counted before anybody had seen the errors on these rows?",
    "zero_one": "Is a prediction either right or wrong? Here it is.",
    "before_label": "Was each prediction made before the truth was known, and was every case counted?",
    "average_over_time": "Is an average over all that time what you want to know?",
}
SIGNS = {"upper": "at most", "lower": "at least", "both": "at most"}
OBSERVED = {
    "errors": "Errors on these rows",
    "disagreements": "Disagreements with the certified model on these rows",
    "reference_errors": "Errors of the reference",
    "both": "Errors of both together",
    "risk": "Mean loss on these rows",
    "only_first": "Rows on which only the first model errs",
    "only_second": "Rows on which only the second model errs",
    "unsteady": "Rows on which an answer depends on the batch, counted against each limit",
}
_RATES = {"one_n": "the library's grid for this number of rows", "all_n": "the library's grid for all numbers of rows"}


def headline_words(certificate: Certificate) -> str:
    """Return the number that a report opens with: a percentage, or in the units of the labels."""
    return limit_words(certificate.statements[0], headline_value(certificate))


def sign_words(statement: Statement) -> str:
    """Return what stands between what is bounded and its limit."""
    return "from" if statement.compared else SIGNS[statement.side]


def noun_words(statement: Statement) -> str:
    """Return what a statement bounds as a heading has it, with its scale where there is one."""
    known, noun = QUANTITIES[statement.quantity], quantity_noun(statement) + group_words(statement)
    return noun if known.parameter is None else f"{noun}, {known.parameter.replace('_', ' ')} {scale_words(statement)}"


def unit_words(statement: Statement) -> str:
    """Return what stands beside the large number."""
    return QUANTITIES[statement.quantity].unit.format(label=visible(statement.label or ""))


def verdict_words(certificate: Certificate) -> str:
    """Return what the headline means, and whether it says anything."""
    best, first = headline_value(certificate), certificate.statements[0]
    if first.compared:
        return difference_verdict(first)
    quantity, label = QUANTITIES[first.quantity], visible(first.label or "")
    if first.is_vacuous or best >= 1.0:
        return "This number says nothing: there are too few rows, or the model is too often wrong."
    wrong = 1.0 - best if first.side == "lower" else best
    if wrong < _WEAK:
        limit = limit_words(first, best)
        numbers = _count_among(best, first.side) | {"limit": limit, "scale": scale_words(first), "label": label}
        return quantity.verdict.format(percent=limit.removesuffix(" %"), **numbers)
    seen = observed_share(first)
    if seen >= _OFTEN:
        text = observed_text(seen, first.scale, quantity.power)
        numbers = {"percent": text.removesuffix(" %"), "risk": text, "scale": scale_words(first), "label": label}
        return f"This is a weak guarantee. {quantity.often.format(**numbers)}"
    return f"This is a weak guarantee. There are only {first.n} judged rows; more would sharpen it."


def _count_among(value: float, side: str) -> dict[str, str]:
    """Return a limit as a whole number of cases, rounded to the safe side, among so many that it hardly shows."""
    cases = next((10**power for power in range(2, 9) if value * 10**power >= _ENOUGH), 10**9)
    rounded = math.floor if side == "lower" else math.ceil
    return {"count": f"{rounded(Fraction(value) * cases):,}", "cases": f"{cases:,}"}


def compare_with_trivial(certificate: Certificate, trivial: Mapping[str, str | float] | None) -> Comparison:
    """Compare a guarantee with always predicting the most common class.

    Parameters
    ----------
    certificate : Certificate
        What ``predict`` is guaranteed counts, where the certificate tells.
    trivial : mapping or None
        The most common class: "label", and the "share" of rows that it misclassifies. None compares with nothing.

    Returns
    -------
    Comparison
        ``words`` and ``warning``, both empty where there is nothing to say.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.report import compare_with_trivial
    >>> certificate = pb.certify_predictions([0, 1] * 100, [0, 1] * 95 + [1, 1] * 5)
    >>> compare_with_trivial(certificate, {"label": "ok", "share": 0.01}).warning
    'This guarantee is no better than always giving the most common answer.'
    >>> compare_with_trivial(certificate, None)
    Comparison(words='', warning='')
    """
    if trivial is None:
        return Comparison("", "")
    share = float(trivial["share"])
    words = (
        f"For comparison: always answering {str(trivial['label'])!r} would be wrong on "
        f"{observed_text(share, None, None)} of these rows. All kinds of error count alike; the number does "
        "not say how many cases of one class are missed."
    )
    noted = any(note.code == "no_better_than_common" for note in certificate.notes)  # which says the same
    worse = headline_value(certificate) >= share and not noted
    return Comparison(words, "This guarantee is no better than always giving the most common answer." if worse else "")


def words_of_notes(certificate: Certificate, notes: Sequence[Note | str]) -> list[str]:
    """Return the certificate's notes and further ones as sentences; what is a sentence already stays as it is."""
    return [each if isinstance(each, str) else note_words(each) for each in (*certificate.notes, *notes)]


def order_words(certificate: Certificate) -> str:
    """Return in which order the rows were taken; nothing where there is no order."""
    if "order" not in certificate.digests:
        return ""
    if certificate.in_order:
        return "The rows were not shuffled: they were taken as they came, the earliest first."
    return "The rows were shuffled."


def condition_words(certificate: Certificate) -> list[tuple[str, str]]:
    """Return each assumption, once, with a plain question to ask oneself before it."""
    codes = dict.fromkeys(code for each in certificate.statements for code in each.assumptions)
    return [(QUESTIONS.get(code, ""), ASSUMPTIONS.get(code, code)) for code in codes]


def subject_words(about: str, *, inside: bool = False) -> str:
    """Return who a statement is about, for a reader who has never seen the library; ``inside`` a sentence or not."""
    words = SUBJECTS[about].long_words
    return words[:1].lower() + words[1:] if inside else words


def count_words(observed: float | Sequence[float]) -> str:
    """Return an observed number as recorded, which a page shows as code, or one for each reference.

    Examples
    --------
    >>> from pacbayes.report.phrases import count_words
    >>> count_words(12.5), count_words([3, 4.25])
    ('`12.5`', '`3`, `4.25`')
    """
    several = observed if isinstance(observed, Sequence) else [observed]
    return ", ".join(f"`{each:.10g}`" for each in several)


def learning_words(found: SplitCost, stop: tuple[int, float, float]) -> str:
    """Return what the picture of a learning curve shows, for those who do not see it."""
    learned, observed, guarantee = stop[0], observed_text(stop[1], None, None), limit_text(stop[2], None, None)
    seen = [f"{observed_text(errors / rows, None, None)} at {size}" for size, errors, rows in found.curve if rows]
    return (
        f"Errors of snapshots by the rows learned from: {', '.join(seen)}. Learning stopped at {learned} of "
        f"{found.rows} rows: {observed} on the judged rows, guaranteed at most {guarantee}."
    )


def share_words(point: tuple[int, int, int]) -> str:
    """Return the share of errors of a snapshot."""
    _, errors, rows = point
    return observed_text(errors / rows, None, None)


def split_words(found: SplitCost) -> str:
    """Return what was given up for a guarantee: rows that judge teach nothing."""
    judged = found.rows - found.learned
    share = observed_text(found.learned / found.rows, None, None)
    how = (
        "Where to stop was chosen by the learning curve, on the rows before the stop alone, which costs nothing."
        if found.curve
        else "The share was fixed beforehand."
    )
    return (
        f"The certified model learned from {found.learned} of {found.rows} rows ({share}); the other {judged} judge "
        f"it, and it has learned nothing from them. {how}"
    )


def certified_row(statement: Statement, learned: int) -> tuple[str, int, str, str]:
    """Return the certified model as a row of a table: name, rows learned from, how it was judged, and its bound."""
    errors = statement.observed.get("errors")
    seen = f"{errors} errors among" if isinstance(errors, int) else f"{risk_words(statement)} on"
    judged = f"{seen} {statement.n} judged rows"
    return "The certified model", learned, judged, limit_words(statement, statement.value)


def refit_row(refit: Refit, rows: int) -> tuple[str, int, str, str]:
    """Return a refitted model as a row of the same table."""
    name = "The model refitted on all rows"
    if refit.transfer is None:
        return name, rows, "nothing: it has seen the judged rows", "not certified"
    first = refit.transfer.statements[0]
    apart = f"{first.observed['disagreements']} disagreements with the certified model on {first.n} unlabelled rows"
    return name, rows, apart, limit_words(first, first.value)


def refit_sentence(refit: Refit | None) -> str:
    """Return what is guaranteed of a refitted model, or that nothing is; empty where there is no such model."""
    if refit is None:
        return ""
    if refit.transfer is None:
        return (
            "The refitted model is not certified: no number on this page is about it. Fresh rows without labels would "
            "certify it (--unlabelled)."
        )
    return (
        f"{refit.transfer.sentence()} It is at most the error of the certified model, and the share of cases in which "
        "the two disagree; with that probability the guarantee at the top holds too. It needs one thing more to be "
        f"true: {ASSUMPTIONS['fresh_unlabelled']}"
    )


def rates_words(statement: Statement) -> str:
    """Return which rates a bound bets at."""
    rates = statement.rates
    if "block_means" in statement.observed:
        return "chosen block by block from the losses before"
    return _RATES.get(rates, rates) if isinstance(rates, str) else f"`{rates:g}`, chosen on the learning rows"
