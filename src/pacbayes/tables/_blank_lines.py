"""Blank lines in a table of text: no rows where there are several columns, missing values where there is one."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from pacbayes.tables._error import TableError
from pacbayes.tables._source import Source

__all__ = ["decoded", "opened", "readable"]

_BLANKS = " \t\r\n"
_MOST = 1 << 28  # characters that are held until something follows them


@contextmanager
def opened(source: Source) -> Iterator[IO[bytes]]:
    """Give a file to read, and leave a source in memory at its start."""
    if isinstance(source, Path):
        with source.open("rb") as file:
            yield file
    else:
        yield source
        source.seek(0)


@contextmanager
def decoded(source: Source, encoding: str) -> Iterator[io.TextIOWrapper]:
    """Give the characters of a file, with its line ends as they are, and leave a source in memory at its start."""
    with opened(source) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig" if encoding == "utf-8" else encoding, newline="")
        try:
            yield text
        finally:
            text.detach()  # which would close the file that is not its own


@contextmanager
def readable(source: Source, options: dict[str, Any]) -> Iterator[Any]:
    """Give what pandas is to read with these options, and leave a source in memory at its start.

    A file of one column comes without the blank lines at its end and before its header.
    """
    if options["skip_blank_lines"]:
        yield source
        if not isinstance(source, Path):
            source.seek(0)
        return
    with decoded(source, options["encoding"]) as text:
        yield _Trimmed(text, options["header"] is not None)


class _Trimmed(io.TextIOBase):
    """A text whose blanks are read once something follows them; those at its beginning only if they are asked for."""

    def __init__(self, text: io.TextIOWrapper, trims_start: bool) -> None:
        self._text, self._trims_start = text, trims_start
        self._held: list[str] = []

    def read(self, size: int | None = -1, /) -> str:
        """Return about so many characters, and none at the end."""
        while part := self._text.read(size):
            if self._trims_start:
                part = part.lstrip(_BLANKS)
            kept = part.rstrip(_BLANKS)
            if kept:
                whole = "".join([*self._held, kept])
                self._held, self._trims_start = [part[len(kept) :]], False
                return whole
            if part:
                self._held.append(part)
            if sum(map(len, self._held)) > _MOST:
                raise TableError("it has too many blank lines, one after the other.")
        return ""
