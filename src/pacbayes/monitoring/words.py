"""A monitor in words."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal

from pacbayes._core.units import limit_text, observed_text
from pacbayes.monitoring.recent import RecentRisk

__all__ = [
    "ASSUMPTIONS",
    "alarm_words",
    "brief_words",
    "certified_words",
    "evidence_words",
    "level_words",
    "limits_words",
    "observed_words",
    "recent_words",
    "state_words",
]

ASSUMPTIONS = (
    "Each prediction was made before its label was known.",
    "Rows are judged as their labels come; how long a label takes does not depend on whether the prediction was right.",
    "If only a sample of rows has labels, it was chosen at random, or by a rule that ignores everything about the row.",
)


def observed_words(value: float) -> str:
    """Return a mean loss that was observed as a percentage, as certificates have it."""
    return observed_text(value, None, None)


def certified_words(value: float) -> str:
    """Return a certified value, or another upper limit, as a percentage that is rounded up."""
    return limit_text(value, None, None)


def level_words(alpha: float) -> str:
    """Return the probability of a false alarm as a percentage of three digits, rounded up.

    Examples
    --------
    >>> from pacbayes.monitoring.words import level_words
    >>> level_words(0.01), level_words(0.00114142)
    ('1 %', '0.115 %')
    """
    rounded = Context(prec=3, rounding=ROUND_CEILING).create_decimal(100 * Decimal(repr(alpha)))
    return f"{float(rounded):g} %"


def limits_words(recent: RecentRisk) -> str:
    """Return limits on the recent risk, each rounded to its safe side.

    Examples
    --------
    >>> from pacbayes.monitoring import RecentRisk
    >>> from pacbayes.monitoring.words import limits_words
    >>> limits_words(RecentRisk(n=100, observed=0.2, lower=0.12349, upper=0.27651, delta=0.05))
    '12.34 % to 27.66 %'
    """
    return f"{limit_text(recent.lower, None, None, 'lower')} to {certified_words(recent.upper)}"


def evidence_words(log_evidence: float) -> str:
    """Return the evidence as a number that one can read, rounded down.

    Examples
    --------
    >>> from pacbayes.monitoring.words import evidence_words
    >>> evidence_words(0.0), evidence_words(5.0), evidence_words(2000.0)
    ('1', '148', '10^868')
    """
    tens = log_evidence / math.log(10.0)
    if tens >= 6.0:
        return f"10^{math.floor(tens)}"
    number = math.exp(log_evidence)
    return f"{math.floor(number + 1e-12)}" if number >= 10.0 else f"{math.floor(100.0 * number + 1e-9) / 100.0:g}"


def recent_words(recent: RecentRisk | None) -> str:
    """Return what the last rows say."""
    if recent is None:
        return ""
    confidence = f"{100.0 * (1.0 - recent.delta):g} %"
    return (
        f"{_recently_observed(recent)}, true mean {limits_words(recent)} "
        f"with {confidence} confidence, for independent losses at one time fixed beforehand."
    )


def _recently_observed(recent: RecentRisk) -> str:
    return f"Mean loss of the last {recent.n} rows {observed_words(recent.observed)}"


def alarm_words(
    row: int, change: int, log_evidence: float, value: float, alpha: float, recent: RecentRisk | None
) -> str:
    """Return what an alarm says."""
    words = (
        f"Alarm at row {row}: the risk has exceeded the certified {certified_words(value)}, since about row {change}. "
        f"Were it at most that, so much evidence ({evidence_words(log_evidence)}) would ever come up with a "
        f"probability of at most {level_words(alpha)}."
    )  # without limits on the recent risk, which do not hold at a moment that the losses have chosen
    return words if recent is None else f"{words} {_recently_observed(recent)}."


def brief_words(value: float, rows: int, recent: RecentRisk | None, alarm: int | None) -> str:
    """Return a monitor on one line, with the row of its alarm if there was one.

    Examples
    --------
    >>> from pacbayes.monitoring.words import brief_words
    >>> brief_words(0.0625, 0, None, None)
    '<Monitor of 6.25 %: 0 rows, no alarm>'
    """
    seen = "" if recent is None else f", recent mean loss {observed_words(recent.observed)}"
    told = "no alarm" if alarm is None else f"alarm at row {alarm}"
    return f"<Monitor of {certified_words(value)}: {rows} rows{seen}, {told}>"


def state_words(value: float, rows: int, log_evidence: float, recent: RecentRisk | None) -> str:
    """Return what there is to say without an alarm."""
    words = (
        f"No alarm in {rows} rows: the evidence that the risk exceeds the certified {certified_words(value)} is "
        f"{evidence_words(log_evidence)}."
    )
    return f"{words} {recent_words(recent)}".rstrip()
