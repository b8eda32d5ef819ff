"""The canonical text of a certificate, over which its content digest is taken, and its schema."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from pacbayes._core.strict_json import parse_strictly
from pacbayes.certificate.subjects import SUBJECTS

__all__ = ["SCHEMA_VERSION", "content_digest", "parse_certificate", "schema", "to_text"]

SCHEMA_VERSION = 1


@cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema of certificates, as it is published in the package."""
    return dict(json.loads(files("pacbayes.certificate").joinpath("schema.json").read_text(encoding="utf-8")))


def to_text(record: Mapping[str, Any], indent: int | None = None) -> str:
    """Return JSON with sorted keys; floats as the shortest text that reads back as the same double."""
    separators = (",", ":") if indent is None else (",", ": ")
    return json.dumps(record, sort_keys=True, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)


def content_digest(record: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the canonical text without the digest itself."""
    content = {key: value for key, value in record.items() if key != "digest"}
    return hashlib.sha256(to_text(content).encode("utf-8")).hexdigest()


def parse_certificate(text: str | bytes) -> dict[str, Any]:
    """Return the record in a JSON text of this schema, or say in one sentence what is wrong with it."""
    if not isinstance(text, str | bytes):
        raise ValueError(  # noqa: TRY004
            f"A certificate must be JSON text or a path object. Got {type(text).__name__} instead."
        )
    try:
        record = parse_strictly(text)
        to_text(record).encode("utf-8")  # a lone surrogate has no place in UTF-8
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError and JSONDecodeError are ValueErrors
        hint = " To read a file, pass pathlib.Path(...)." if isinstance(text, str) and len(text) < 500 else ""
        raise ValueError(f"A certificate must be JSON text. Got something else: {error}.{hint}") from None
    if not isinstance(record, dict):
        raise ValueError(f"A certificate must be a JSON object. Got {type(record).__name__} instead.")  # noqa: TRY004
    version = record.get("schema_version")
    if version != SCHEMA_VERSION or isinstance(version, bool):
        raise ValueError(f"A certificate must have schema version {SCHEMA_VERSION}. Got {version!r:.60} instead.")
    _check_object("certificate", record, schema())
    _check_subjects(record["statements"])
    if not record["digest"]:
        raise ValueError("The field 'digest' must be a SHA-256 in hexadecimal. It is empty.")
    return record


def _check_subjects(statements: list[dict[str, Any]]) -> None:
    """Refuse predictors that this version does not know; the schema leaves the list open, so that it may grow."""
    own = [name for name, subject in SUBJECTS.items() if subject.bounds is None or subject.bounds]
    covered = list(dict.fromkeys(name for subject in SUBJECTS.values() for name, _ in subject.consequences))
    for statement in statements:
        _check("about", statement["about"], {"enum": own})
        for each in statement["consequences"]:
            _check("about", each["about"], {"enum": covered})


_TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
    "integer": int,
    "null": type(None),
}


def _is_a(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, float) and not math.isfinite(value):  # 1e999 reads as infinity
        return False
    return isinstance(value, _TYPES.get(kind, ()))


def _check(name: str, value: Any, rule: Mapping[str, Any]) -> None:
    """Check the part of JSON Schema that ours uses: types, bounds, enumerations, items and properties."""
    kinds = rule.get("type")
    allowed = [kinds] if isinstance(kinds, str) else kinds
    if allowed is not None and not any(_is_a(value, kind) for kind in allowed):
        raise ValueError(f"The field {name!r} must be {' or '.join(allowed)}. Got {value!r:.60} instead.")
    if "enum" in rule and value not in rule["enum"]:
        raise ValueError(f"The field {name!r} must be one of {rule['enum']}. Got {value!r:.60} instead.")
    if isinstance(value, int | float) and not isinstance(value, bool):
        _check_range(name, value, rule)
    if isinstance(value, list) and "items" in rule:
        for position, item in enumerate(value):
            _check(f"{name}[{position}]", item, rule["items"])
    if isinstance(value, dict):
        _check_object(name, value, rule)


def _check_range(name: str, value: float, rule: Mapping[str, Any]) -> None:
    inside = (
        value >= rule.get("minimum", -math.inf)
        and value <= rule.get("maximum", math.inf)
        and value > rule.get("exclusiveMinimum", -math.inf)
        and value < rule.get("exclusiveMaximum", math.inf)
    )
    if not inside:
        raise ValueError(f"The field {name!r} is out of range. Got {value!r}.")


def _check_object(name: str, record: Mapping[str, Any], rule: Mapping[str, Any]) -> None:
    missing = [key for key in rule.get("required", []) if key not in record]
    if missing:
        raise ValueError(f"The {name} must have the field {missing[0]!r}. It is missing.")
    properties, others = rule.get("properties", {}), rule.get("additionalProperties", True)
    for key, value in record.items():
        if key in properties:
            _check(key, value, properties[key])
        elif others is False:
            raise ValueError(f"The {name} has a field {key!r} that its schema does not know.")
        elif isinstance(others, dict):
            _check(f"{name}.{key}", value, others)
