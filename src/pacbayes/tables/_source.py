"""What every reader of a file gets: where its bytes are, and what is known of it before it is read."""

from __future__ import annotations

import codecs
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from pacbayes.tables._error import TableError
from pacbayes.tables._limits import default_limit

__all__ = ["Description", "Source", "check_encoding", "is_wide", "refuse_duplicates"]

# codecs that are no encodings of a text, that mean other things on other machines, or whose time grows with the square
_NO_ENCODINGS = frozenset({"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "mbcs", "oem"})

Source: TypeAlias = "Path | io.BytesIO"  # a file, or what was unpacked from one


@dataclass(frozen=True, slots=True)
class Description:
    """The ending of the file's name, and how it is to be read: see :func:`pacbayes.tables.read_table`.

    ``limit`` is the memory allowed, in bytes.
    """

    suffix: str
    delimiter: str | None = None
    header: bool = True
    missing_values: Sequence[str] = ()
    encoding: str | None = None
    decimal: str = "."
    texts: Sequence[str] = ()
    limit: int = field(default_factory=default_limit)


def check_encoding(encoding: str | None) -> None:
    """Refuse what is not an encoding of text."""
    if encoding is None:
        return
    try:
        known = codecs.lookup(encoding).name.replace("-", "_") not in _NO_ENCODINGS
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)  # refuses codecs that are not of text
    except (LookupError, ValueError):
        known = False
    if not known:
        raise TableError(
            f"--encoding must be an encoding of text, such as latin-1 or utf-8. Got {encoding!r:.60} instead."
        )


def is_wide(encoding: str | None) -> bool:
    """Return whether an encoding uses zero bytes in ordinary text."""
    return encoding is not None and codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))


def refuse_duplicates(names: Sequence[str]) -> None:
    """Raise an error if two columns have the same name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(f"column names must differ. {twice[0]!r:.60} occurs more than once.")
