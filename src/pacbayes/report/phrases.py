"""What a report says in plain words: the verdict, the parts of a number, what has to be true."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from pacbayes._core.notes import Note
from pacbayes._core.plain import name_text
from pacbayes._core.units import observed_text
from pacbayes.certificate import QUANTITIES, SUBJECTS, Certificate, Statement
from pacbayes.certificate.assumptions import ASSUMPTIONS, FIRST_NUMBER, FIXED_NUMBER
from pacbayes.certificate.difference_words import difference_verdict
from pacbayes.certificate.statement import observed_share
from pacbayes.certificate.statement_words import group_words, left_out_words, quantity_noun, quantity_words
from pacbayes.certificate.words import headline_value, limit_words, note_words, number_condition, scale_words
from pacbayes.report.observed_words import OBSERVED

__all__ = [
    "OBSERVED",
    "PARTS",
    "QUESTIONS",
    "RULES",
    "SIDES",
    "Comparison",
    "Headline",
    "Rule",
    "compare_with_trivial",
    "condition_words",
    "consequence_words",
    "count_words",
    "headline_value",
    "headline_words",
    "holdout_words",
    "noun_words",
    "often_words",
    "order_words",
    "rates_words",
    "says_nothing",
    "scope_words",
    "subject_words",
    "unit_words",
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
    "inference": (
        "Chance and inference",
        "what has to be added because the rows are only a sample, and the bound reads other numbers than these errors",
    ),
    "draws": ("Draws", "what has to be added because the expected error on these rows was estimated by draws"),
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
    "rule_before": "Was it decided how rows are picked and learned from before anybody had seen results on these rows?",
    "scores_by_row": "Is each case answered by itself, whichever others are asked about at the same time?",
    "drawn_once": "Was nothing drawn again until the number looked better?",
    "one_draw": "Was the model drawn once, and not again until the number looked better?",
    "arrival_order": "Were the rows of updates taken as they came, without sorting or picking?",
    "unseen": "Were the judged rows kept away from training and from every choice?",
    "fresh_unlabelled": "Were the unlabelled rows drawn from the same source, and kept away from every fit and choice?",
    "target_before": "Was it decided how many errors are allowed before anybody had seen the errors on these rows?",
    "scale_before": "Was it decided how errors are counted before anybody had seen the errors on these rows?",
    "zero_one": "Is a prediction either right or wrong, with nothing in between?",
    "before_label": "Was each prediction made before the truth was known, and was every case counted?",
    "average_over_time": "Is an average over all that time what you want to know?",
}
_NUMBERS = {
    FIXED_NUMBER: "Was it settled how many rows to collect before anybody had seen results on them?",
    FIRST_NUMBER: "Was the model fitted once, on a number of rows that nobody chose by results, and then only updated?",
}
SIDES = {"upper": "at most", "lower": "at least", "both": "at most"}
_SCOPE = {  # by what has to be true
    "iid": "It is about new cases from the same source as these rows; if the source changes, it says nothing.",
    "later_iid": "It is about cases like those of the judged period; if things have changed since, it says nothing.",
    "average_over_time": "It is about the average over all that time, not about the last few cases alone.",
}
_ALIKE = "All errors count equally: it does not say how many cases of one class are missed."
_AVERAGE = "It is about cases on average, not about any single one."
_RATES = {"one_n": "the library's grid for this number of rows", "all_n": "the library's grid for all numbers of rows"}


class Headline(NamedTuple):
    """What a report opens with: the number, what stands beside it, and what it is, with its side."""

    number: str
    unit: str
    noun: str
    side: str

    @classmethod
    def of(cls, certificate: Certificate) -> Headline:
        """Return the headline of a certificate."""
        first = certificate.statements[0]
        return cls(headline_words(certificate), unit_words(first), quantity_noun(first), SIDES[first.side])


def headline_words(certificate: Certificate) -> str:
    """Return the number that a report opens with: a percentage, or in the units of the labels."""
    return limit_words(certificate.statements[0], headline_value(certificate))


def consequence_words(statement: Statement, about: str) -> str:
    """Return how a limit on another predictor follows from a statement; nothing where it is the same number."""
    rules = [each.rule for each in statement.consequences if each.about == about and each.rule in RULES]
    return RULES[rules[0]].why if rules else ""


def holdout_words(n: int, errors: int) -> str:
    """Return what a usual hold-out test was."""
    return f"A usual hold-out: trained on four fifths of the rows, tested on the other {n:,} ({errors:,} errors)"


def scope_words(certificate: Certificate) -> list[str]:
    """Return what the number is not about, in plain words."""
    codes = dict.fromkeys(code for each in certificate.statements for code in each.assumptions)
    kinds = {each.quantity for each in certificate.statements}
    alike = [_ALIKE] if kinds == {"error"} else []
    return [*(_SCOPE[code] for code in codes if code in _SCOPE), _AVERAGE, *alike]


def often_words(delta: float) -> str:
    """Return what a confidence means.

    Examples
    --------
    >>> from pacbayes.report.phrases import often_words
    >>> print(often_words(0.05))
    If this were done on 100 different data sets, at most about 5 of the 100 certificates would be wrong.
    """
    number = _count_among(Fraction(repr(delta)), 1)
    return (
        f"If this were done on {number['cases']} different data sets, at most about {number['count']} of the "
        f"{number['cases']} certificates would be wrong."
    )


def noun_words(statement: Statement) -> str:
    """Return what a statement bounds as a heading has it, with its scale where there is one."""
    known, noun = QUANTITIES[statement.quantity], quantity_noun(statement) + group_words(statement)
    return noun if known.parameter is None else f"{noun}, {known.parameter.replace('_', ' ')} {scale_words(statement)}"


def unit_words(statement: Statement) -> str:
    """Return what stands beside the large number."""
    if _is_over_time(statement):
        return f"mean {quantity_words(statement)} over time so far, at most"
    if statement.compared:
        return quantity_noun(statement)
    return QUANTITIES[statement.quantity].unit.format(label=name_text(statement.label or ""))


def says_nothing(certificate: Certificate) -> bool:
    """Return whether the number that a report opens with excludes nothing."""
    first = certificate.statements[0]
    return first.is_vacuous or (first.side == "upper" and headline_value(certificate) >= 1.0)


def verdict_words(certificate: Certificate) -> str:
    """Return what the headline means, and whether it says anything."""
    best, first = headline_value(certificate), certificate.statements[0]
    if first.compared:
        return difference_verdict(first)
    quantity, label = QUANTITIES[first.quantity], name_text(first.label or "")
    if says_nothing(certificate):
        return "This number says nothing."
    if _is_over_time(first) and best < _WEAK:
        return f"Over all that time the {quantity_noun(first)} was on average at most {limit_words(first, best)}."
    wrong = 1.0 - best if first.side == "lower" else best
    if wrong < _WEAK:
        limit, number = limit_words(first, best), _count_among(_exact(first, best), _ENOUGH, first.side)
        numbers = number | {"limit": limit, "scale": scale_words(first), "label": label}
        return quantity.verdict.format(percent=limit.removesuffix(" %"), **numbers)
    seen = observed_share(first)
    if seen >= _OFTEN:
        text = observed_text(seen, first.scale, quantity.power)
        numbers = {"percent": text.removesuffix(" %"), "risk": text, "scale": scale_words(first), "label": label}
        return f"This is a weak guarantee. {quantity.often.format(**numbers)}"
    return f"This is a weak guarantee. {_few_words(first)}"


def _few_words(first: Statement) -> str:
    left_out = left_out_words(first)
    if left_out is None:
        return f"There are only {first.n} judged rows; more would sharpen it."
    return f"The bound of this vote reads only {left_out}, and not how the votes cancel; more rows would sharpen it."


def _exact(statement: Statement, value: float) -> Fraction:
    """Return a limit exactly; a target as it was given, in so many digits."""
    return Fraction(repr(value)) if value == statement.target else Fraction(value)


def _is_over_time(statement: Statement) -> bool:
    """Return whether a number is about what has been predicted so far, and not about new cases."""
    return "average_over_time" in statement.assumptions


def _count_among(share: Fraction, least: int, side: str = "upper") -> dict[str, str]:
    """Return a share as a whole number of cases, rounded to the safe side, among so many that it is large enough."""
    cases = next((10**power for power in range(2, 12) if share * 10**power >= least), 10**12)
    rounded = math.floor if side == "lower" else math.ceil
    return {"count": f"{rounded(share * cases):,}", "cases": f"{cases:,}"}


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
    if trivial is None or certificate.statements[0].quantity != "error":
        return Comparison("", "")
    share = float(trivial["share"])
    words = (
        f"For comparison: always predicting {str(trivial['label'])!r} would be wrong on "
        f"{observed_text(share, None, None)} of these rows."
    )
    if len({each.name for each in certificate.statements}) == 1:
        words += (
            " All errors count equally; the number does not say how many cases of one class are missed "
            "(--metric recall:CLASS does)."
        )
    noted = any(note.code == "no_better_than_common" for note in certificate.notes)  # which says the same
    worse = headline_value(certificate) >= share and not noted
    return Comparison(words, "This guarantee is no better than always giving the most common answer." if worse else "")


def words_of_notes(certificate: Certificate, notes: Sequence[Note | str], told: Collection[str] = ()) -> list[str]:
    """Return the certificate's notes and further ones as sentences, but for codes that were told already.

    What is a sentence already stays as it is.
    """
    every = [each for each in (*certificate.notes, *notes) if isinstance(each, str) or each.code not in told]
    return [each if isinstance(each, str) else note_words(each) for each in every]


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
    number = number_condition(certificate)
    asked = [(_NUMBERS[number], number)] if number else []
    return [*((QUESTIONS.get(code, ""), ASSUMPTIONS.get(code, code)) for code in codes), *asked]


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


def rates_words(statement: Statement) -> str:
    """Return which rates a bound bets at."""
    rates = statement.rates
    if "block_means" in statement.observed:
        return "chosen block by block from the losses before"
    return _RATES.get(rates, rates) if isinstance(rates, str) else f"`{rates:g}`, chosen on the learning rows"
