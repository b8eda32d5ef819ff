"""A file that grows: read to its end or for ever, through truncation and rotation."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import BinaryIO

from pacbayes.cli._lines import CHUNK, Block, Line, Lines

__all__ = ["CHANGES", "GrowingFile"]

_PAUSE = 0.2
_TAIL = 1024  # bytes before the place that are looked at again: a file may be cut and grow beyond it between two looks
CHANGES = {
    "replaced": "{source} was replaced by other lines: the old file was read to its end, and all lines of the new one "
    "count.",
    "cut": "{source} was cut or written anew with other lines: all of them count, and what was cut unread is lost.",
    "same": "{source} was written anew and begins with the lines that were counted: it goes on behind them.",
    "held": "{source} was written anew and so far has only lines that were counted at its beginning: they are not "
    "counted again, unless a line that differs shows that they are new.",
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
        Called with a code of :data:`CHANGES` when the file was replaced or cut, before what follows.
    """

    def __init__(self, path: Path, *, follow: bool, announce: Callable[[str], None]) -> None:
        self._path, self._follow, self._announce = path, follow, announce
        self._pending = False  # whether an older file is read to its end first
        self._next: BinaryIO | None = None  # the file after a change, until it says where to go on in it
        self._told = False  # that its lines are held back
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
        if self._next is not None:
            self._next.close()

    def resume(
        self, inode: int, position: int, number: int, digest: str, headers: re.Pattern[bytes] | None = None
    ) -> bool:
        """Go to a place that was reached earlier, in this file or the one it replaced; return whether it is there."""
        for path in (self._path, *self._others(inode)):
            place = _Place(path.open("rb", buffering=0))
            if place.lines.skip_to(place.file, position, number, headers) and place.lines.digest == digest:
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

    @property
    def holds_back(self) -> bool:
        """Whether the file was written anew, and so far says nothing but the beginning of what was counted."""
        return self._next is not None

    def __iter__(self) -> Iterator[Line | Block | None]:
        """Yield the lines, and None before waiting for more."""
        while True:
            if self._next is None and self._at.is_cut():
                self._next = self._at.file
            if self._next is None:
                if chunk := self._at.read():
                    yield from self.lines.split(chunk)
                    continue
                self._next = self._find_other(self._at.file) if self._follow or self._pending else None
            if self._next is not None:
                yield from self._drain()
                if (yield from self._change_over(self._next)):
                    continue
            if not self._follow:
                break
            yield None
            time.sleep(_PAUSE)  # half a line waits for its end
        if not self.holds_back:
            yield from self.lines.rest()

    def _drain(self) -> Iterator[Line | Block]:
        """Read what was written to the old file until now; its writer may have needed a moment to change over."""
        if self._at.is_cut():
            return
        if self._follow:
            time.sleep(_PAUSE)
        while chunk := self._at.read():
            yield from self.lines.split(chunk)

    def _change_over(self, file: BinaryIO) -> Generator[Line, None, bool]:
        """Go on in a file that was cut or is another now; return whether it says enough to tell where.

        If it begins with all lines that were taken, it goes on behind them, and otherwise at its beginning.
        """
        change, place = self._at.find_in(file)
        if change == "held" and not self._is_rotated(file):
            if not self._told and os.fstat(file.fileno()).st_size:
                self._told = True
                self._announce(change)
            return False
        if change != "same":
            yield from self.lines.rest(lost=True)
            change, place = "cut" if file is self._at.file else "replaced", _Place(file)
            file.seek(0)
        old = self._at.file
        self._at, self._next = place, None  # file and place change together: an interrupt finds the old or the new ones
        self._pending = self._told = False
        if old is not file:
            old.close()
        if change != "same" or self.lines.position:
            self._announce(change)
        return True

    def _is_rotated(self, file: BinaryIO) -> bool:
        """Whether a file that is still too short to tell is a new one, because a file was renamed to make room.

        A file that is written anew takes the place of one that is then gone.
        """
        if file is not self._at.file and self._at.status.st_nlink:
            return True
        other = self._find_other(file)
        if other is None:
            return False
        if os.fstat(file.fileno()).st_nlink:
            other.close()
            return True
        self._next = other
        if file is not self._at.file:
            file.close()
        return False

    def _find_other(self, than: BinaryIO) -> BinaryIO | None:
        """Return the file that is now at the path, if it is another."""
        try:
            file = self._path.open("rb", buffering=0) if self._path.is_file() else None
        except FileNotFoundError:
            return None  # between two files
        if file is None:
            return None
        there, here = os.fstat(file.fileno()), os.fstat(than.fileno())
        if (there.st_dev, there.st_ino) != (here.st_dev, here.st_ino):
            return file
        file.close()
        return None


class _Place:
    """An open file, the lines read of it, and the last bytes of them."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.lines, self._tail = file, Lines(), b""
        self._cut = False

    @property
    def status(self) -> os.stat_result:
        return os.fstat(self.file.fileno())

    def read(self) -> bytes:
        """Read what comes next; nothing at the end."""
        chunk = self.file.read(CHUNK)
        self._tail = (self._tail + chunk)[-_TAIL:]
        return chunk

    def is_cut(self) -> bool:
        """Whether the file was ever shorter than what was read of it, or said something else there."""
        self._cut = self._cut or self._looks_cut()
        return self._cut

    def _looks_cut(self) -> bool:
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

    def find_in(self, file: BinaryIO) -> tuple[str, _Place]:
        """Return "same" and its place in a file that begins with all lines taken, "held" if it may yet, or "other"."""
        lines, place = self.lines, _Place(file)
        if lines.reached and not lines.position:
            return "other", place
        file.seek(0)
        start = file.read(len(lines.head))
        if not lines.head.startswith(start):
            return "other", place
        file.seek(0)
        if place.status.st_size < lines.position or not place.lines.skip_to(file, lines.position, lines.number):
            return "held", place
        place.remember_tail()
        return "same" if place.lines.digest == lines.digest else "other", place

    def remember_tail(self) -> None:
        """Read the bytes before the place again."""
        place = self.file.tell()
        self.file.seek(max(0, place - _TAIL))
        self._tail = self.file.read(place - self.file.tell())
        self.file.seek(place)
