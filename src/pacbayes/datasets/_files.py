"""Raw files: where they are kept, how they are checked, and how they are fetched if they are not there."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from pacbayes.datasets._specifications import Specification

__all__ = ["DataFileError", "folder", "raw_file"]

VARIABLE = "PACBAYES_DATA"


class DataFileError(OSError):
    """A data file that is missing or not what it should be; the message says which, where, and how to get it."""


def folder() -> Path:
    """Return the folder of raw files: ``PACBAYES_DATA``, or a cache in the user's home."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen) if chosen else Path.home() / ".cache" / "pacbayes"


def raw_file(specification: Specification) -> Path:
    """Return the path of a raw file after checking its SHA-256, fetching it first if it is not there."""
    path = folder() / specification.file
    if not path.is_file():
        _fetch(specification, path)
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != specification.sha256:
        raise DataFileError(
            f"The file {specification.file} of data set {specification.name!r} at {path} is corrupt: its SHA-256 is "
            f"{found}, expected {specification.sha256}. Delete it to fetch it again from {specification.address}."
        )
    return path


def _fetch(specification: Specification, path: Path) -> None:
    """Download through pooch, which checks the SHA-256 before the file gets its name."""
    advice = f"Get it from {specification.address} and put it there, or set {VARIABLE} to the folder that holds it"
    missing = (
        f"The file {specification.file} of data set {specification.name!r} was looked for at {path} and is not there"
    )
    try:
        import pooch  # noqa: PLC0415  (an optional dependency)
    except ImportError:
        raise DataFileError(f"{missing}. {advice}, or install pacbayes[data] to have it fetched.") from None
    try:
        pooch.retrieve(
            specification.address,
            known_hash=f"sha256:{specification.sha256}",
            fname=specification.file,
            path=path.parent,
            progressbar=False,
        )
    except Exception as error:
        raise DataFileError(f"{missing}, and fetching it failed ({error}). {advice}.") from None
