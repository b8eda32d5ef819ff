"""Lines of bounded length, with the place that was reached and a digest of all before it."""

from __future__ import annotations

import hashlib
import io
import re
import select
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

__all__ = ["CHUNK", "LONGEST", "Block", "Line", "Lines", "read_pipe"]

LONGEST = 1_000_000  # bytes; no loss and no pair of labels is so long, and memory stays flat
CHUNK = 983_040  # bytes that are read at once, if they are there; less than a line that is too long has
_HEAD = 1 << 20  # bytes at the beginning of a file that are kept, to be compared with those of one written anew
_FEWEST = 16  # lines that are worth a block
_BOM = b"\xef\xbb\xbf"
_BLANK = re.compile(rb"^[ \t\r\x0b\x0c]*\n", re.MULTILINE)


@dataclass(slots=True)  # frozen ones take twice as long to make
class Line:
    """One line as it came.

    Attributes
    ----------
    content : bytes or None
        Without its end; None if it was too long to be kept.
    ended : bool
        Whether its end has come; a file may go on in the middle of a line.
    lost : bool
        Whether its end can no longer come, because its file was replaced or cut.
    """

    content: bytes | None
    ended: bool = True
    lost: bool = False


@dataclass(slots=True)
class Block:
    """Lines that came together, all with their ends and none of them too long.

    Attributes
    ----------
    content : bytes
        The lines.
    """

    content: bytes


class Lines:
    """Splits bytes into lines; a line counts as taken, and moves the place, only with :meth:`take`.

    Attributes
    ----------
    position : int
        Bytes of all lines that were taken.
    number : int
        How many they are.
    filled : int
        Of lines before a place that was gone to, how many at least are neither blank nor headers.
    head : bytearray
        The first bytes of all lines that were taken, without a gap; a million at most.
    """

    def __init__(self) -> None:
        self.position = self.number = self.filled = 0
        self.head = bytearray()
        self._digest = hashlib.sha256()
        self._parts: list[bytes] = []
        self._size = 0
        self._beyond: hashlib._Hash | None = None  # of a line too long to be kept

    @property
    def reached(self) -> int:
        """How many bytes were read, those of a line without an end included."""
        return self.position + self._size

    @property
    def digest(self) -> str:
        """SHA-256 of all bytes before the place."""
        return self._digest.hexdigest()

    def split(self, chunk: bytes) -> Iterator[Line | Block]:
        """Yield the lines that end in a chunk; each is to be taken before the next.

        Where there are many, they are a block, after what a line that began earlier or the first of all has to itself.
        """
        start = 0
        if (self._size or not self.position) and (end := chunk.find(b"\n") + 1) > 0:
            self._keep(chunk[:end])
            yield self._line(ended=True)
            start = end
        end = chunk.rfind(b"\n") + 1
        if end - start <= LONGEST and chunk.count(b"\n", start, end) >= _FEWEST:
            yield Block(chunk[start:end])
            start = end
        while (end := chunk.find(b"\n", start) + 1) > 0:
            self._keep(chunk[start:end])
            yield self._line(ended=True)
            start = end
        self._keep(chunk[start:])

    def rest(self, *, lost: bool = False) -> Iterator[Line]:
        """Yield what has no end yet, if there is something."""
        if self._size:
            yield self._line(ended=False, lost=lost)

    def take(self) -> None:
        """Move the place behind the line that was yielded last."""
        if self._beyond is None:
            for part in self._parts:
                self._pass(part)
        else:
            self._digest = self._beyond
            self.position += self._size
        self.number += 1
        self._parts, self._size, self._beyond = [], 0, None

    def hold(self, piece: bytes) -> None:
        """Read a line of a block by itself; it is to be taken next."""
        self._keep(piece)

    def take_many(self, content: bytes, count: int) -> None:
        """Move the place behind so many lines of a block."""
        self._pass(content)
        self.number += count

    def skip_to(self, file: BinaryIO, position: int, number: int, headers: re.Pattern[bytes] | None = None) -> bool:
        """Read up to a place that was reached earlier; return whether the file is so long."""
        while self.position < position and (chunk := file.read(min(CHUNK, position - self.position))):
            # what a chunk cuts off a line may look blank, and behind the mark of an encoding there may be nothing
            marked = not self.position and chunk.startswith(_BOM)
            self.filled += chunk.count(b"\n") - len(_BLANK.findall(chunk)) - marked
            if headers is not None:  # the first line may be one of other names, and a chunk may cut one in two
                self.filled -= len(headers.findall(chunk)) + 1
            self._pass(chunk)
        self.number = number
        return self.position == position

    def _pass(self, piece: bytes) -> None:
        """Move the place behind some bytes."""
        if len(self.head) == self.position < _HEAD:
            self.head += piece[: _HEAD - self.position]
        self._digest.update(piece)
        self.position += len(piece)

    def _keep(self, piece: bytes) -> None:
        if not piece:
            return
        self._size += len(piece)
        if self._beyond is None and self._size <= LONGEST:
            self._parts.append(piece)
            return
        if self._beyond is None:
            self._beyond = self._digest.copy()
            for part in self._parts:
                self._beyond.update(part)
            self._parts = []
        self._beyond.update(piece)

    def _line(self, *, ended: bool, lost: bool = False) -> Line:
        if self._beyond is not None:
            return Line(None, ended, lost)
        content = b"".join(self._parts)
        return Line(content.removeprefix(_BOM) if not self.position else content, ended, lost)


def read_pipe(stream: object, lines: Lines) -> Iterator[Line | Block | None]:
    """Yield the lines of a pipe as they come, and None before waiting for more; the last line may lack its end."""
    raw = getattr(stream, "buffer", stream)
    if not isinstance(raw, io.BufferedIOBase):
        raise ValueError(  # noqa: TRY004  (it is the user's doing)
            "There is no stdin to read from; pass a file."
        )
    while chunk := _read_all(raw):
        yield from lines.split(chunk)
        if not _has_more(raw):
            yield None
    yield from lines.rest()


def _read_all(raw: io.BufferedIOBase) -> bytes:
    """Read what is there, at least something: a pipe holds less than is worth a block of many keys."""
    parts = [raw.read1(CHUNK)]
    size = len(parts[0])
    while parts[-1] and size < CHUNK and _has_more(raw):
        parts.append(raw.read1(CHUNK - size))
        size += len(parts[-1])
    return b"".join(parts)


def _has_more(raw: io.BufferedIOBase) -> bool:
    """Whether reading on would give something at once; False where that cannot be known."""
    try:
        return bool(select.select([raw], [], [], 0)[0])
    except (OSError, TypeError, ValueError):  # no file of the system, or one that cannot be asked
        return False
