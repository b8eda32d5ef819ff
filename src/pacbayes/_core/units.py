"""Numbers as they are written: shares as they are or in percent, mean errors in the units of the labels.

A number in [0, 1] is a share without a ``scale``, a percentage with a scale and no ``power``, and otherwise relative to
that power of the scale. All of it is exact up to the last place that is shown, and a bound is rounded up there.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext

__all__ = ["in_units", "limit_text", "number_text", "part_texts", "round_down", "round_up"]

_DIGITS = 4
_EXACT = 3000  # digits that a product of three doubles may have
_LONGEST = 15  # places of a number that is written without an exponent


def round_up(value: float, digits: int = _DIGITS) -> str:
    """Return a bound as text, rounded up so that it stays one."""
    return str(Decimal(value).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_CEILING))


def round_down(value: float, digits: int = _DIGITS) -> str:
    """Return a lower bound as text, rounded down so that it stays one.

    Examples
    --------
    >>> from pacbayes._core.units import round_down
    >>> round_down(0.98765)
    '0.9876'
    """
    return str(Decimal(value).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_FLOOR))


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


def limit_text(value: float, scale: float | None, power: int | None) -> str:
    """Return a bound as text, rounded up: as it is, as a percentage, or in the units of the labels.

    Examples
    --------
    >>> from pacbayes._core.units import limit_text
    >>> limit_text(0.123456, None, None), limit_text(0.123456, 5.0, None), limit_text(0.123456, 5.0, 1)
    ('0.1235', '12.35 %', '0.6173')
    """
    with localcontext() as context:
        context.prec = _EXACT
        rounded = _shown(value, scale, power).quantize(_unit(value, scale, power), rounding=ROUND_CEILING)
    return str(rounded) if scale is None else number_text(str(rounded)) + _sign(scale, power)


def part_texts(parts: Sequence[float], total: float, scale: float | None, power: int | None) -> list[str]:
    """Return parts of a bound as text, the last one such that they add up to the total as it is shown.

    Examples
    --------
    >>> from pacbayes._core.units import part_texts
    >>> part_texts([0.1, 0.02346], 0.12346, None, None), part_texts([0.1, 0.02345], 0.12345, 5.0, 1)
    (['0.1000', '0.0235'], ['0.5000', '0.1173'])
    """
    with localcontext() as context:
        context.prec = _EXACT
        unit = _unit(total, scale, power)
        shown = [_shown(each, scale, power).quantize(unit) for each in parts[:-1]]
        whole = _shown(total, scale, power).quantize(unit, rounding=ROUND_CEILING)
        return [f"{each:f}{_sign(scale, power)}" for each in (*shown, whole - sum(shown, Decimal(0)))]


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


def _sign(scale: float | None, power: int | None) -> str:
    """Return what stands behind a number: a percent sign, or nothing."""
    return " %" if scale is not None and not power else ""


def _shown(value: float, scale: float | None, power: int | None) -> Decimal:
    """Return the number that is shown, exactly."""
    return in_units(value, scale, power) * (100 if _sign(scale, power) else 1)


def _unit(value: float, scale: float | None, power: int | None) -> Decimal:
    """Return the last place to which a bound is shown: four places, or four digits of what has units."""
    if scale is None or not power:
        return Decimal(1).scaleb(-_DIGITS if scale is None else -2)
    found = _shown(value, scale, power)
    return Decimal(1).scaleb(found.adjusted() - _DIGITS + 1 if found else -_DIGITS)
