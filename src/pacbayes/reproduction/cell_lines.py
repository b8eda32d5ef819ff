"""The lines of a file of results: each with a checksum that ties it to the first, and nothing taken unchecked.

A line counts only if it is, byte for byte, what would be written for its content, so that no change of it goes
unnoticed; the checksum of a record covers the checksum of the first line, so that no line of another run passes.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from pacbayes.datasets import names
from pacbayes.reproduction.cells import Record

__all__ = ["BEGINNING", "DamageError", "header_line", "is_number", "parse_lines", "record_line"]

BEGINNING = b'{"check": "'
_FORMAT = "pacbayes reproduction 2"
_DIGITS = 32
_FIELDS = ("data", "repeat", "method", "values")
_TIMED = (*_FIELDS, "seconds")


class DamageError(Exception):
    """A line that is neither whole nor the torn end of a file.

    Attributes
    ----------
    line : int
        From 1.
    """

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def header_line(configuration: Mapping[str, Any]) -> bytes:
    """Return the first line of a file."""
    return _make_line({"format": _FORMAT, "configuration": configuration}, b"")


def record_line(record: Record, header: bytes) -> bytes:
    """Return the line of a record in the file that begins with a header."""
    fields = _FIELDS if record.seconds is None else _TIMED
    return _make_line({name: getattr(record, name) for name in fields}, header)


def parse_lines(content: bytes) -> tuple[dict[str, Any] | None, list[Record], int]:
    """Return the configuration, the records, and how many bytes are whole; refuse damage anywhere but at the end."""
    lines = content.splitlines(keepends=True)
    first = _parse_line(lines[0], b"") if lines else None
    if first is None:
        if len(lines) > 1 or not content.startswith(BEGINNING[: len(content)]):
            raise DamageError(1)
        return None, [], 0
    configuration = first.get("configuration")
    if first.get("format") != _FORMAT or not isinstance(configuration, dict):
        raise DamageError(1)
    records = _parse_records(lines)
    return configuration, records, sum(map(len, lines[: len(records) + 1]))


def _parse_records(lines: Sequence[bytes]) -> list[Record]:
    parsed = [_parse_line(line, lines[0]) for line in lines[1:]]
    bad = next((k for k, content in enumerate(parsed) if content is None), len(parsed))
    if any(content is not None for content in parsed[bad:]):
        raise DamageError(bad + 2)
    records: dict[tuple[str, int, str], Record] = {}
    for number, content in enumerate(parsed[:bad], start=2):
        record = _to_record(content or {})
        if record is None or record.cell in records:
            raise DamageError(number)
        records[record.cell] = record
    return list(records.values())


def _to_record(content: Mapping[str, Any]) -> Record | None:
    """Return the record, if every part of it is what it has to be."""
    if tuple(content) not in (_FIELDS, _TIMED):
        return None
    data, repeat, method, values = (content[name] for name in _FIELDS)
    seconds = content.get("seconds", 0.0)
    known = data in names() and type(repeat) is int and repeat >= 0 and isinstance(method, str) and method
    if not known or not isinstance(values, dict) or not all(map(is_number, [seconds, *values.values()])):
        return None
    return Record(data, repeat, method, values, content.get("seconds"))


def is_number(value: object) -> bool:
    """Return whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _make_line(content: Mapping[str, Any], header: bytes) -> bytes:
    text = json.dumps(content).encode()
    check = hashlib.sha256(header + text).hexdigest()[:_DIGITS].encode()
    return BEGINNING + check + b'", "content": ' + text + b"}\n"


def _parse_line(line: bytes, header: bytes) -> dict[str, Any] | None:
    """Return the content of an intact line, else None."""
    try:
        content = json.loads(line)["content"]
        intact = isinstance(content, dict) and _make_line(content, header) == line
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return content if intact else None
