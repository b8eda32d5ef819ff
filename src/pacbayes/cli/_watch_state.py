"""What ``watch`` needs to go on after a restart: the place in the file and the losses before it, in one file."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import NoReturn

from pacbayes._core.files import write_atomically
from pacbayes.cli._growing import GrowingFile
from pacbayes.procedures import LossMonitor

__all__ = ["WatchState"]

_FORMAT = "pacbayes watch state 1"
_FIELDS = {"format", "source", "inode", "position", "line", "prefix", "monitor", "checksum"}
_LARGEST = 10_000_000  # bytes; a state has a few thousand numbers


class WatchState:
    """A state file: place and totals change together, since they are written together and in one step.

    Parameters
    ----------
    path : Path
        The state file.
    source : Path
        The file that is watched.
    """

    def __init__(self, path: Path, source: Path) -> None:
        # the name stays as it is: a link may point to another file with time
        self._path, self._source = path, str(source.parent.resolve() / source.name)

    def save(self, monitor: LossMonitor, file: GrowingFile) -> None:
        """Write the losses so far and the place up to which they go."""
        record = {
            "format": _FORMAT,
            "source": self._source,
            "inode": file.inode,
            "position": file.lines.position,
            "line": file.lines.number,
            "prefix": file.lines.digest,
            "monitor": monitor.to_dict(),
        }
        write_atomically(self._path, json.dumps({**record, "checksum": _checksum(record)}, indent=1) + "\n")

    def load(self, delta: float, file: GrowingFile) -> LossMonitor:
        """Return the losses so far, with the file at its place; a new monitor where there is no state yet."""
        if not self._path.exists():
            return LossMonitor(delta)
        record = self._read()
        if record["source"] != self._source:
            self._refuse(f"belongs to {record['source']!r:.200}, not to {self._source!r}")
        try:
            monitor = LossMonitor.from_dict(record["monitor"] if isinstance(record["monitor"], dict) else {})
        except ValueError:
            self._refuse("was made by another version of pacbayes")
        if monitor.delta != delta:
            self._refuse(f"belongs to a delta of {monitor.delta!r}, not {delta!r}")
        inode, position, line = (record[name] for name in ("inode", "position", "line"))
        if not file.resume(inode, position, line, str(record["prefix"])):  # type: ignore[arg-type]
            self._refuse(f"does not belong to {self._source!r} as it is now: what was read of it has changed")
        return monitor

    def _read(self) -> dict[str, object]:
        """Return the record, with its checksum and its whole numbers checked."""
        if not self._path.is_file() or self._path.stat().st_size > _LARGEST:
            self._refuse("is not one that watch has written")
        try:
            record = json.loads(self._path.read_bytes())
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict) or set(record) != _FIELDS or record["format"] != _FORMAT:
            self._refuse("is not one that watch has written")
        whole = all(type(record[name]) is int and record[name] >= 0 for name in ("inode", "position", "line"))
        if not whole or record.pop("checksum") != _checksum(record):
            self._refuse("is damaged")
        return record

    def _refuse(self, why: str) -> NoReturn:
        raise ValueError(
            f"The state file {str(self._path)!r} {why}. Name another with --state, or remove it to count from the "
            "first line."
        )


def _checksum(record: dict[str, object]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
