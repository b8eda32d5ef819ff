"""Two predictors in words: which is better, and by how many of 100 new cases at least and at most."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING

from pacbayes._core.plain import name_text

if TYPE_CHECKING:
    from pacbayes.certificate.statement import Statement

__all__ = ["difference_claim", "difference_limits_words", "difference_noun", "difference_verdict"]

_PLACES = Decimal("0.01")
_CASES = "of 100 new cases model {first} misclassifies on average "
_LOSS = "the mean loss of model {first}, of 100 % at most, is "
_WORDS = {  # by quantity: what comes first, more, fewer
    "error_difference": (_CASES, "more", "fewer", ""),
    "loss_difference": (_LOSS, "larger", "smaller", " percentage points"),
}


def difference_claim(statement: Statement) -> str:
    """Return what is claimed of two predictors, without its confidence.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.difference_words import difference_claim
    >>> print(difference_claim(pb.compare_predictions([0, 1] * 50, [0, 0] * 50, [0, 1] * 50).statements[0]))
    of 100 new cases model A misclassifies on average at least 36.86 and at most 60.98 more than model B: B is better
    """
    first, second = (name_text(name) for name in statement.compared)
    start, more, fewer, unit = _WORDS[statement.quantity]
    opening, low, high = start.format(first=first), _lower(statement), statement.value
    if low > 0.0 or high < 0.0:
        least, most, word = (low, high, more) if low > 0.0 else (-high, -low, fewer)
        better = second if low > 0.0 else first
        limits = f"at least {_down(least)} and at most {_up(most)}{unit} {word} than model {second}"
        return f"{opening}{limits}: {better} is better"
    limits = f"at most {_up(high)}{unit} {more} and at most {_up(-low)}{unit} {fewer} than model {second}"
    return f"{opening}{limits}: no difference is certified"


def difference_limits_words(statement: Statement) -> str:
    """Return both limits as text, in percentage points, each rounded to the safe side."""
    return f"{_signed(_lower(statement), ROUND_FLOOR)} to {_signed(statement.value, ROUND_CEILING)} points"


def difference_noun(statement: Statement) -> str:
    """Return what is bounded, as a heading has it."""
    first, second = (name_text(name) for name in statement.compared)
    what = "true error" if statement.quantity == "error_difference" else "mean loss"
    return f"{what} of {first} minus that of {second}"


def difference_verdict(statement: Statement) -> str:
    """Return which of the two is better, if that is certified.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.difference_words import difference_verdict
    >>> difference_verdict(pb.compare_predictions([0, 1] * 5, [0, 0] * 5, [0, 1] * 5).statements[0])
    'No difference is certified: both signs are possible. More rows would tell, or a difference is too small to matter.'
    """
    first, second = (name_text(name) for name in statement.compared)
    if statement.value < 0.0 or _lower(statement) > 0.0:
        return f"Model {first if statement.value < 0.0 else second} is better."
    return (
        "No difference is certified: both signs are possible. More rows would tell, or a difference is too small to "
        "matter."
    )


def _lower(statement: Statement) -> float:
    return -1.0 if statement.lower is None else statement.lower


def _up(share: float) -> str:
    return str((100 * Decimal(share)).quantize(_PLACES, rounding=ROUND_CEILING))


def _down(share: float) -> str:
    return str((100 * Decimal(share)).quantize(_PLACES, rounding=ROUND_FLOOR))


def _signed(share: float, rounding: str) -> str:
    return f"{(100 * Decimal(share)).quantize(_PLACES, rounding=rounding):+}"
