"""Raw files: where they are kept, how they are checked, and how they are fetched if they are not there."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from pacbayes.datasets._specifications import Specification

__all__ = ["DataFileError", "folder", "raw_file"]

VARIABLE = "PACBAYES_DATA"


class DataFileError(OSError):
    """A data file that is missing or not what it should be; the message says which, where, and how to get it.

    Attributes
    ----------
    brief : str
        The same in a line, for commands; empty where the message is short already.
    """

    def __init__(self, message: str = "", brief: str = "") -> None:
        super().__init__(message)
        self.brief = brief


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
    """Download through pooch, which checks the SHA-256 before the file gets its name; folders stay only if it did."""
    advice = f"Get it from {specification.address} and put it there, or set {VARIABLE} to the folder that holds it"
    missing = (
        f"The file {specification.file} of data set {specification.name!r} was looked for at {path} and is not there"
    )
    try:
        import pooch  # noqa: PLC0415  (an optional dependency)
    except ImportError:
        raise DataFileError(
            f"{missing}. {advice}, or install pacbayes[data] to have it fetched.",
            f"{specification.file} is not in {path.parent}. Put it there, set {VARIABLE}, or install pacbayes[data].",
        ) from None
    made = [each for each in (path.parent, *path.parent.parents) if not each.exists()]
    log = pooch.get_logger()
    level = log.level
    log.setLevel("WARNING")
    try:
        pooch.retrieve(
            specification.address,
            known_hash=f"sha256:{specification.sha256}",
            fname=specification.file,
            path=path.parent,
            progressbar=False,
        )
    except Exception as error:
        _remove_empty(made)
        why = _reason(error)
        raise DataFileError(
            f"{missing}, and fetching it failed ({why}). {advice}.",
            f"{specification.file} is not in {path.parent} and could not be fetched ({why}). "
            f"Put it there, or set {VARIABLE}.",
        ) from None
    finally:
        log.setLevel(level)


def _reason(error: Exception) -> str:
    """Return in a few words why a download failed."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if isinstance(error, ValueError) and "hash" in str(error).lower():
        return "what came is not that file"
    if "HTTPError" in kinds:
        return f"the server answered {getattr(getattr(error, 'response', None), 'status_code', 'with an error')}"
    if kinds & {"ConnectionError", "Timeout"}:
        return "no network"
    return getattr(error, "strerror", None) or type(error).__name__


def _remove_empty(folders: list[Path]) -> None:
    for each in folders:
        try:
            each.rmdir()
        except OSError:
            return
