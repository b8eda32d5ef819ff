"""JSON from untrusted files: one object, no name twice, no NaN, no infinity."""

from __future__ import annotations

import json
import math
from typing import Any

__all__ = ["parse_strictly", "read_object", "without_duplicates"]

_LONGEST = 300  # digits and more: Python takes quadratic time to read such a number


def read_object(what: str, text: bytes) -> dict[str, Any]:
    """Return the object in a JSON text, or say in one sentence what is wrong with it.

    Parameters
    ----------
    what : str
        For the message.
    text : bytes
        UTF-8.

    Examples
    --------
    >>> from pacbayes._core.strict_json import read_object
    >>> read_object("This", b'{"a": [1, 2.5, null]}')
    {'a': [1, 2.5, None]}
    >>> read_object("This", b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
      ...
    ValueError: This must be a JSON object. Got something else: a name occurs twice.
    """
    try:
        record = parse_strictly(text)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError and JSONDecodeError are ValueErrors
        raise ValueError(f"{what} must be a JSON object. Got something else: {error!s:.120}.") from None
    if not isinstance(record, dict):
        raise ValueError(  # noqa: TRY004
            f"{what} must be a JSON object. Got something else: {type(record).__name__}."
        )
    return record


def parse_strictly(text: str | bytes) -> Any:
    """Return the value in a JSON text; ValueError or RecursionError if it is none.

    Examples
    --------
    >>> from pacbayes._core.strict_json import parse_strictly
    >>> parse_strictly('[NaN]')
    Traceback (most recent call last):
      ...
    ValueError: NaN is not a number
    """
    return json.loads(
        text,
        object_pairs_hook=without_duplicates,
        parse_constant=_no_constant,
        parse_int=_short_int,
        parse_float=_finite,
    )


def without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these names and values; ValueError if a name occurs twice."""
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError("a name occurs twice")
    return record


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _short_int(digits: str) -> int:
    if len(digits) > _LONGEST:
        raise ValueError("a number has too many digits")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):  # 1e999 reads as infinity
        raise ValueError("a number is too large")
    return value
