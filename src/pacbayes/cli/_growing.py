"""A file that grows: read to its end or for ever, through truncation and rotation."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from pacbayes.cli._lines import CHUNK, Block, Line, Lines

__all__ = ["CHANGES", "GrowingFile"]

_PAUSE = 0.2
_TAIL = 1024  # bytes before the place that are looked at again: a file may be cut and grow beyond it between two looks
CHANGES = {
    "replaced": "{source} was replaced: the old file was read to its end, and the new one follows",
    "cut": "{source} was cut or written anew: it is read from its beginning, and what was cut unread is lost",
}


class GrowingFile:
    """The lines of a file, and the place that was reached in it.

    Parameters
    ----------
    path : Path
        The file; it may be replaced by another meanwhile.
    follow : bool
        Whether to wait for more at the end.
    announce : callable
        Called with a code of :data:`CHANGES` when the file was replaced or cut, at the beginning of what follows.
    """

    def __init__(self, path: Path, *, follow: bool, announce: Callable[[str], None]) -> None:
        self._path, self._follow, self._announce = path, follow, announce
        self._pending = False  # whether an older file is read to its end first
        self._at = _Place(path.open("rb", buffering=0))

    @property
    def lines(self) -> Lines:
        """The lines of the file that is being read."""
        return self._at.lines

    @property
    def inode(self) -> int:
        """The number of that file."""
        return self._at.status.st_ino

    @property
    def regular(self) -> bool:
        """Whether it is a file on a disk, which can be read again."""
        return stat.S_ISREG(self._at.status.st_mode)

    def close(self) -> None:
        """Close the file."""
        self._at.file.close()

    def resume(self, inode: int, position: int, number: int, digest: str) -> bool:
        """Go to a place that was reached earlier, in this file or the one it replaced; return whether it is there."""
        for path in (self._path, *self._others(inode)):
            place = _Place(path.open("rb", buffering=0))
            if place.lines.skip_to(place.file, position, number) and place.lines.digest == digest:
                self._at.file.close()
                self._at, self._pending = place, path != self._path
                place.remember_tail()
                return True
            place.file.close()
        return False

    def _others(self, inode: int) -> Iterator[Path]:
        """Yield the file of a number in the same folder: where a rotation has put it."""
        with os.scandir(self._path.parent) as entries:
            for entry in entries:
                if entry.inode() == inode and entry.is_file(follow_symlinks=False) and entry.name != self._path.name:
                    yield Path(entry.path)

    def __iter__(self) -> Iterator[Line | Block | None]:
        """Yield the lines, and None before waiting for more."""
        while True:
            if self._at.is_cut():
                yield from self._start_again("cut", self._at.file)
            if chunk := self._at.read():
                yield from self.lines.split(chunk)
                continue
            fresh = self._find_replacement() if self._follow or self._pending else None
            if fresh is not None:
                yield from self._drain()
                yield from self._start_again("replaced", fresh)
            elif self._follow:
                yield None
                time.sleep(_PAUSE)  # half a line waits for its end
            else:
                break
        yield from self.lines.rest()

    def _drain(self) -> Iterator[Line | Block]:
        """Read what was written to the old file until now; its writer may have needed a moment to change over."""
        if self._follow:
            time.sleep(_PAUSE)
        while chunk := self._at.read():
            yield from self.lines.split(chunk)

    def _start_again(self, why: str, file: BinaryIO) -> Iterator[Line]:
        yield from self.lines.rest(lost=True)
        if file is not self._at.file:
            self._at.file.close()
        file.seek(0)
        self._pending = False
        self._at = _Place(file)  # file and place change together: an interrupt finds the old ones or the new ones
        self._announce(why)

    def _find_replacement(self) -> BinaryIO | None:
        """Return the file that is now where the one being read was, if it is another."""
        try:
            file = self._path.open("rb", buffering=0) if self._path.is_file() else None
        except FileNotFoundError:
            return None  # between two files
        if file is None:
            return None
        there, here = os.fstat(file.fileno()), self._at.status
        if (there.st_dev, there.st_ino) != (here.st_dev, here.st_ino):
            return file
        file.close()
        return None


class _Place:
    """An open file, the lines read of it, and the last bytes of them."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.lines, self._tail = file, Lines(), b""

    @property
    def status(self) -> os.stat_result:
        return os.fstat(self.file.fileno())

    def read(self) -> bytes:
        """Read what comes next; nothing at the end."""
        chunk = self.file.read(CHUNK)
        self._tail = (self._tail + chunk)[-_TAIL:]
        return chunk

    def is_cut(self) -> bool:
        """Whether the file is shorter than what was read of it, or says something else there."""
        status = self.status
        if not stat.S_ISREG(status.st_mode):
            return False
        place = self.file.tell()
        if status.st_size < place:
            return True
        self.file.seek(place - len(self._tail))
        same = self.file.read(len(self._tail)) == self._tail
        self.file.seek(place)
        return not same

    def remember_tail(self) -> None:
        """Read the bytes before the place again."""
        place = self.file.tell()
        self.file.seek(max(0, place - _TAIL))
        self._tail = self.file.read(place - self.file.tell())
        self.file.seek(place)
