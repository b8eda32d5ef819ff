"""What is kept of a file of predictions: how it is read, and a folder with where in it to count again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pacbayes.certificate import Certificate
from pacbayes.runs.folder import save_folder
from pacbayes.runs.kinds import kind_of_columns
from pacbayes.runs.words import check_readme_words

__all__ = ["check_reading", "save_counted"]


def check_reading(delimiter: str | None, decimal: str) -> None:
    """Refuse what separates neither columns nor decimals."""
    if delimiter is not None and len(delimiter) != 1:
        raise ValueError(f"--delimiter must be a single character. Got {delimiter!r:.60} instead.")
    if decimal not in (".", ","):
        raise ValueError(f"--decimal must be '.' or ','. Got {decimal!r:.60} instead.")
    if decimal == delimiter:
        raise ValueError(f"--decimal and --delimiter must differ. Got {decimal!r} for both.")


def save_counted(
    folder: Path, certificate: Certificate, report: str, source: str, columns: Mapping[str, Any], *, force: bool
) -> list[Path]:
    """Write a certificate that was counted in a file of predictions, with where in that file to count again."""
    return save_folder(
        folder,
        certificate,
        report,
        lambda _: check_readme_words(certificate, source),
        columns=columns,
        kind=kind_of_columns(columns),
        force=force,
    )
