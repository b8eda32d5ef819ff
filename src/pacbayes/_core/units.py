"""Numbers as they are written: shares in percent, mean errors in the units of the labels.

A number in [0, 1] is shown as a percentage without a ``power``, and otherwise relative to that power of a ``scale``.
All of it is exact up to the last place that is shown; a limit is rounded away from what is favourable, what was
observed to the nearest.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext

__all__ = [
    "in_units",
    "limit_text",
    "number_text",
    "observed_text",
    "part_texts",
    "percent_text",
    "round_up",
]

_DIGITS = 4
_PLACES, _LEAST = 2, 2  # places of a percentage, and the digits that even a tiny one has
_EXACT = 3000  # digits that a product of three doubles may have
_LONGEST = 15  # places of a number that is written without an exponent
_AWAY = {"upper": ROUND_CEILING, "lower": ROUND_FLOOR, "both": ROUND_CEILING}


def round_up(value: float, digits: int = _DIGITS) -> str:
    """Return a bound as text, rounded up so that it stays one."""
    return str(Decimal(value).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_CEILING))


def in_units(value: float, scale: float | None, power: int | None) -> Decimal:
    """Return a number in [0, 1] in the units of the labels, exactly; a share as it is.

    Examples
    --------
    >>> from pacbayes._core.units import in_units
    >>> in_units(0.25, 5.0, 1), in_units(0.25, None, None)
    (Decimal('1.25'), Decimal('0.25'))
    """
    with localcontext() as context:
        context.prec = _EXACT
        return Decimal(value) * Decimal(1.0 if scale is None else scale) ** (power or 0)


def limit_text(value: float, scale: float | None, power: int | None, side: str = "upper") -> str:
    """Return a bound as text, in percent or in the units of the labels: an upper one rounded up, a lower one down.

    Examples
    --------
    >>> from pacbayes._core.units import limit_text
    >>> limit_text(0.123456, None, None), limit_text(0.123456, 5.0, 1), limit_text(0.123456, None, None, "lower")
    ('12.35 %', '0.6173', '12.34 %')
    """
    return _text(value, scale, power, _AWAY[side])


def observed_text(value: float, scale: float | None, power: int | None) -> str:
    """Return what was observed as text, in percent or in the units of the labels, rounded to the nearest.

    Examples
    --------
    >>> from pacbayes._core.units import observed_text
    >>> observed_text(0.123456, None, None), observed_text(0.123456, 5.0, 1), observed_text(float("nan"), None, None)
    ('12.35 %', '0.6173', 'nan')
    """
    return _text(value, scale, power, ROUND_HALF_EVEN)


def percent_text(share: float) -> str:
    """Return a share that is no bound, such as a part of delta, in percent: as many digits as it has, at most six.

    Examples
    --------
    >>> from pacbayes._core.units import percent_text
    >>> percent_text(0.05), percent_text(1 / 3), percent_text(1.0), percent_text(1e-9)
    ('5 %', '33.3333 %', '100 %', '0.0000001 %')
    """
    exact = Decimal(repr(float(share))) * 100
    return f"{Decimal(f'{exact:.6g}').normalize():f} %" if exact.is_finite() else str(exact)


def part_texts(parts: Sequence[float], total: float, scale: float | None, power: int | None) -> list[str]:
    """Return parts of a bound as text, the last one such that they add up to the total as it is shown.

    Examples
    --------
    >>> from pacbayes._core.units import part_texts
    >>> part_texts([0.1, 0.02346], 0.12346, None, None), part_texts([0.1, 0.02345], 0.12345, 5.0, 1)
    (['10.00 %', '2.35 %'], ['0.5000', '0.1173'])
    """
    with localcontext() as context:
        context.prec = _EXACT
        unit = _unit(total, scale, power)
        shown = [_shown(each, scale, power).quantize(unit) for each in parts[:-1]]
        whole = _shown(total, scale, power).quantize(unit, rounding=ROUND_CEILING)
        return [f"{each:f}{_sign(power)}" for each in (*shown, whole - sum(shown, Decimal(0)))]


def number_text(number: float | str) -> str:
    """Return a number as text: no zeros at its end, and an exponent only where it would be very long.

    Examples
    --------
    >>> from pacbayes._core.units import number_text
    >>> number_text(5.0), number_text(0.1), number_text(250_000.0), number_text(1e-300)
    ('5', '0.1', '250000', '1E-300')
    """
    exact = Decimal(repr(number) if isinstance(number, float) else number).normalize()
    return f"{exact:f}" if -_LONGEST < exact.adjusted() < _LONGEST else str(exact)


def _text(value: float, scale: float | None, power: int | None, rounding: str) -> str:
    with localcontext() as context:
        context.prec = _EXACT
        shown = _shown(value, scale, power)
        if not shown.is_finite():
            return str(shown).lower()
        rounded = shown.quantize(_unit(value, scale, power), rounding=rounding)
    if power or rounded in {0, 100}:  # "100 %" and "0 %" need no places
        return number_text(str(rounded)) + _sign(power)
    return f"{rounded:f}{_sign(power)}"


def _sign(power: int | None) -> str:
    """Return what stands behind a number: a percent sign, or nothing."""
    return "" if power else " %"


def _shown(value: float, scale: float | None, power: int | None) -> Decimal:
    """Return the number that is shown, exactly."""
    return in_units(value, scale, power) * (1 if power else 100)


def _unit(value: float, scale: float | None, power: int | None) -> Decimal:
    """Return the last place to which a number is shown: four digits of what has units, two places of a percentage.

    A percentage that two places would say too little of has two digits.
    """
    found = _shown(value, scale, power)
    digits = _DIGITS if power else _LEAST
    last = found.adjusted() - digits + 1 if found else -_PLACES
    return Decimal(1).scaleb(last if power else max(min(last, -_PLACES), -_LONGEST))
