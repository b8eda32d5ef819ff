"""Results on disk: one file to which records are appended, and which survives whatever ends a run.

One JSON object per line, each with a checksum; the first says which configuration the numbers are of. A task's records
are written together and synchronised before the next. A line that was torn by a kill or a power failure can only be at
the end, and is cut off when the file is opened again.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from pacbayes._core.drafts import sync_folder
from pacbayes.reproduction.cell_lines import DamageError, header_line, is_number, parse_lines, record_line
from pacbayes.reproduction.cells import Configuration, Record

try:
    import fcntl
except ImportError:  # not on Windows, where nothing keeps two runs from one file
    fcntl = None  # type: ignore[assignment]

__all__ = ["FILE", "CellStore", "ResultsFileError"]

FILE = "cells.jsonl"


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
        self._header = header_line(configuration)
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
        content = self._file.read()
        try:
            found, self.records, self._size = parse_lines(content)
        except DamageError as damage:
            raise ResultsFileError(
                f"Line {damage.line} of {self.path} is damaged, and not because a write was cut short. Restore it, or "
                "delete the file to start anew."
            ) from None
        if found is not None:
            self._check_configuration(found, configuration)
            self._header = content[: content.index(b"\n") + 1]
        if self.records and not resume:
            raise ResultsFileError(
                f"The file {self.path} has {len(self.records)} cells already. "
                "Pass --resume, or another folder with --out."
            )
        self._file.truncate(self._size)
        if found is None:
            self._write(self._header)
            sync_folder(self.path.parent)

    def _check_configuration(self, found: dict[str, Any], configuration: Configuration) -> None:
        differing = sorted(k for k in found.keys() | configuration.keys() if found.get(k) != configuration.get(k))
        if differing:
            words = ", ".join(f"{k} {found.get(k)!r} there and {configuration.get(k)!r} here" for k in differing)
            raise ResultsFileError(
                f"The file {self.path} is of another configuration ({words}). Delete it, or choose another folder."
            )

    def append(self, records: Sequence[Record]) -> None:
        """Write records and wait until they are on disk."""
        for record in records:
            wrong = [name for name, value in record.values.items() if not is_number(value)]
            if wrong:
                raise ResultsFileError(
                    f"The method {record.method!r} gave no finite number for {wrong[0]!r} on {record.data!r}. The "
                    f"{len(self.records)} cells in {self.path} are safe."
                )
        self._write(b"".join(record_line(record, self._header) for record in records))
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
