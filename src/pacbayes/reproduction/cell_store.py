"""Results on disk: one file to which records are appended, and which survives whatever ends a run.

One JSON object per line, each with a checksum of its content; the first says which configuration the numbers are of. A
task's records are written together and synchronised before the next. A line that was torn by a kill or a
power failure can only be at the end, and is cut off when the file is opened again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from pacbayes._core.drafts import sync_folder
from pacbayes.reproduction.cells import Configuration, Record

try:
    import fcntl
except ImportError:  # not on Windows, where nothing keeps two runs from one file
    fcntl = None  # type: ignore[assignment]

__all__ = ["FILE", "CellStore", "ResultsFileError"]

FILE = "cells.jsonl"
_FORMAT = "pacbayes reproduction"
_BEGINNING = b'{"check": "'


class ResultsFileError(OSError):
    """A file of results that cannot be read, written or continued; the message says why and what is safe."""


class CellStore:
    """The file of results in a folder, locked while it is open.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    configuration : dict
        What the numbers depend on; a file of another one is refused.
    resume : bool
        Whether to continue a file that has records.
    """

    def __init__(self, folder: str | os.PathLike[str], configuration: Configuration, *, resume: bool = False) -> None:
        self.path = Path(folder) / FILE
        self.records: list[Record] = []
        self._new_paths = [each for each in (self.path, *self.path.parents) if not each.exists()]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file: BinaryIO = self.path.open("a+b", buffering=0)
        except OSError as error:
            raise ResultsFileError(
                f"The folder {self.path.parent} cannot be written to ({error.strerror}). Choose another with 'folder'."
            ) from error
        try:
            self._lock()
            self._read(configuration, resume=resume)
        except BaseException:
            self.close()
            raise

    def _lock(self) -> None:
        """Refuse to share the file with another run, where the system has locks."""
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ResultsFileError(f"The file {self.path} is in use by another run. Wait for it to end.") from error

    def _read(self, configuration: Configuration, *, resume: bool) -> None:
        self._file.seek(0)
        lines, self._size = _read_lines(self.path, self._file.read())
        if lines:
            self._check_header(lines[0], configuration)
            self.records = [Record(**line) for line in lines[1:]]
        if self.records and not resume:
            raise ResultsFileError(
                f"The file {self.path} has {len(self.records)} cells already. "
                "Give --resume, or another folder with --out."
            )
        self._file.truncate(self._size)
        if not lines:
            self._write(_make_line({"format": _FORMAT, "configuration": configuration}))
            sync_folder(self.path.parent)

    def _check_header(self, header: dict[str, Any], configuration: Configuration) -> None:
        if header.get("format") != _FORMAT:
            raise ResultsFileError(f"The file {self.path} is not one of cells. Choose another folder.")
        found = header["configuration"]
        differing = sorted(k for k in found.keys() | configuration.keys() if found.get(k) != configuration.get(k))
        if differing:
            words = ", ".join(f"{k} {found.get(k)!r} there and {configuration.get(k)!r} here" for k in differing)
            raise ResultsFileError(
                f"The file {self.path} is of another configuration ({words}). Delete it, or choose another folder."
            )

    def append(self, records: Sequence[Record]) -> None:
        """Write records and wait until they are on disk."""
        fields = ("data", "repeat", "method", "values")
        self._write(b"".join(_make_line({name: getattr(r, name) for name in fields}) for r in records))
        self.records.extend(records)

    def _write(self, content: bytes) -> None:
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            self._remove_failed_write()
            raise ResultsFileError(
                f"The file {self.path} cannot be written ({error.strerror}). Its {len(self.records)} cells are safe: "
                "make room and resume."
            ) from error
        self._size += len(content)

    def _remove_failed_write(self) -> None:
        """Remove what a failed write left; if even that fails, opening the file again does it."""
        try:
            self._file.truncate(self._size)
        except OSError:
            return

    def close(self) -> None:
        """Close the file and let go of its lock; a new one without records is removed, with its new folders."""
        self._file.close()
        if not self.records:
            _remove_paths(self._new_paths)


def _remove_paths(paths: Sequence[Path]) -> None:
    """Remove a file and then its folders, as far as they are empty."""
    for path in paths:
        try:
            path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
        except OSError:
            return


def _make_line(content: dict[str, Any]) -> bytes:
    text = json.dumps(content)
    return _BEGINNING + f'{_checksum(text)}", "content": {text}}}\n'.encode()


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _parse_line(line: bytes) -> dict[str, Any] | None:
    """Return the content of an intact line, else None."""
    try:
        whole = json.loads(line)
        content = whole["content"]
        intact = whole["check"] == _checksum(json.dumps(content))
    except (ValueError, KeyError, TypeError):
        return None
    return content if intact and line.endswith(b"\n") and isinstance(content, dict) else None


def _read_lines(path: Path, content: bytes) -> tuple[list[dict[str, Any]], int]:
    """Return the content of the intact lines and their length; refuse damage anywhere but at the end."""
    lines = content.splitlines(keepends=True)
    parsed = [_parse_line(line) for line in lines]
    bad = next((k for k, line in enumerate(parsed) if line is None), len(lines))
    later = [k for k in range(bad, len(lines)) if parsed[k] is not None]
    foreign = bad == 0 and not content.startswith(_BEGINNING[: len(content)])
    if later or foreign:
        raise ResultsFileError(
            f"Line {bad + 1} of {path} is damaged, and not because a write was cut short. Restore it, or delete the "
            "file to start anew."
        )
    return [line for line in parsed[:bad] if line is not None], sum(map(len, lines[:bad]))
