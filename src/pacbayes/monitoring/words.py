"""A monitor in words."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from pacbayes._core.units import round_up
from pacbayes.monitoring.recent import RecentRisk

__all__ = [
    "ASSUMPTIONS",
    "alarm_words",
    "evidence_words",
    "level_words",
    "limits_words",
    "percent_words",
    "recent_words",
    "state_words",
]

ASSUMPTIONS = (
    "Each prediction was made before its label was known.",
    "Rows are judged as their labels come; how long a label takes does not depend on whether the prediction was right.",
    "If only a sample of rows has labels, it was chosen without looking at labels or predictions.",
)


def percent_words(value: float) -> str:
    """Return a share as a percentage."""
    return f"{100.0 * value:.3g} %"


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
    '0.1234 to 0.2766'
    """
    lower = Decimal(recent.lower).quantize(Decimal("0.0001"), rounding=ROUND_FLOOR)
    return f"{lower} to {round_up(recent.upper)}"


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
        f"Mean loss of the last {recent.n} rows {percent_words(recent.observed)}, true mean {limits_words(recent)} "
        f"with {confidence} confidence at one time fixed beforehand."
    )


def alarm_words(
    row: int, change: int, log_evidence: float, value: float, alpha: float, recent: RecentRisk | None
) -> str:
    """Return what an alarm says."""
    words = (
        f"Alarm at row {row}: the risk has exceeded the certified {round_up(value)}, since about row {change}. Were it "
        f"at most that, so much evidence ({evidence_words(log_evidence)}) would ever come up with a probability of at "
        f"most {level_words(alpha)}."
    )
    return f"{words} {recent_words(recent)}".rstrip()


def state_words(value: float, rows: int, log_evidence: float, recent: RecentRisk | None) -> str:
    """Return what there is to say without an alarm."""
    words = (
        f"No alarm in {rows} rows: the evidence that the risk exceeds the certified {round_up(value)} is "
        f"{evidence_words(log_evidence)}."
    )
    return f"{words} {recent_words(recent)}".rstrip()
