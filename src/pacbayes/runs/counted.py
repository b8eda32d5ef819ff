"""What is kept of a file of predictions: how it is read, and a folder with where in it to count again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from pacbayes.certificate import Certificate
from pacbayes.runs.folder import save_folder
from pacbayes.runs.words import check_readme_words

__all__ = ["check_reading", "has_fields", "read_columns", "save_counted"]

_USUAL = {"encoding": None, "decimal": "."}  # fields that are written only where they are something else


def check_reading(delimiter: str | None, decimal: str) -> None:
    """Refuse what separates neither columns nor decimals."""
    if delimiter is not None and len(delimiter) != 1:
        raise ValueError(f"--delimiter must be a single character. Got {delimiter!r:.60} instead.")
    if decimal not in (".", ","):
        raise ValueError(f"--decimal must be '.' or ','. Got {decimal!r:.60} instead.")
    if decimal == delimiter:
        raise ValueError(f"--decimal and --delimiter must differ. Got {decimal!r} for both.")


def has_fields(kind: type[Any], record: Mapping[str, Any]) -> bool:
    """Return whether a record has the fields of its kind, of which those that are usual may be left out."""
    names = {each.name for each in fields(kind)}
    return names - set(_USUAL) <= set(record) <= names


def save_counted(
    folder: Path, certificate: Certificate, report: str, source: str, columns: Mapping[str, Any], *, force: bool
) -> list[Path]:
    """Write a certificate that was counted in a file of predictions, with where in that file to count again."""
    return save_folder(
        folder,
        certificate,
        report,
        lambda _: check_readme_words(certificate, source),
        columns={name: value for name, value in columns.items() if value != _USUAL.get(name, ...)},
        force=force,
    )


def read_columns(text: bytes) -> dict[str, Any]:
    """Read the record of columns that was written beside a certificate for predictions in a file."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise ValueError("The record of checked predictions must be JSON text.")  # noqa: TRY004
    return record
