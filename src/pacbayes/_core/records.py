"""Stored records of a dataclass: fields may have been added since, each with a default, and none is unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any

__all__ = ["check_fields"]


def check_fields(
    what: str, record: Mapping[str, Any], kind: type, is_own: Callable[[str, object], bool] = lambda *_: True
) -> None:
    """Refuse a record with a field that a dataclass has not, or without one that has no default.

    What an earlier version wrote has no fields that were added since; they are at their defaults, which say what that
    version did.

    Parameters
    ----------
    what : str
        For the message.
    record : mapping
        By names of fields.
    kind : type
        The dataclass.
    is_own : callable
        Whether a field, by its name, can have a value; one that cannot is refused.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from pacbayes._core.records import check_fields
    >>> @dataclass
    ... class Place:
    ...     row: int
    ...     column: int = 0
    >>> check_fields("A place", {"row": 1}, Place)
    >>> check_fields("A place", {"column": 1}, Place)
    Traceback (most recent call last):
      ...
    ValueError: A place must have the field 'row'. It is missing.
    """
    known = {each.name: each for each in fields(kind)}
    unknown = next((name for name in record if name not in known), None)
    if unknown is not None:
        raise ValueError(f"{what} must have exactly the fields of this version. Got {unknown!r:.60} as well.")
    needed = [name for name, each in known.items() if each.default is MISSING and each.default_factory is MISSING]
    missing = next((name for name in needed if name not in record), None)
    if missing is not None:
        raise ValueError(f"{what} must have the field {missing!r}. It is missing.")
    wrong = next((name for name, value in record.items() if not is_own(name, value)), None)
    if wrong is not None:
        raise ValueError(f"{what} must have the field {wrong!r} as it was written. Got {record[wrong]!r:.60} instead.")
