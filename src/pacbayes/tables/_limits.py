"""How much memory a table may take: the default, the limit in words, and the refusal."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from pacbayes.tables._error import SizeError

__all__ = ["check_cells", "check_limit", "default_limit", "refuse_size", "to_bytes", "to_words"]

_MOST = 4 << 30
_CELL = 8  # bytes of a number, or of a reference to anything else
_COLUMN = 2048  # what pandas keeps of a column besides its values
_GROUP = Path("/sys/fs/cgroup/memory.max")
_UNITS = {
    "": 1,
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "ki": 1 << 10,
    "mi": 1 << 20,
    "gi": 1 << 30,
    "ti": 1 << 40,
}
_SIZE = re.compile(r"\s*(\d{1,18}(?:\.\d{1,9})?)\s*([kmgt]i?)?b?\s*", re.IGNORECASE | re.ASCII)


def default_limit() -> int:
    """Return 4 GiB, or half of the memory that there is if that is less."""
    found = [_MOST]
    with suppress(AttributeError, OSError, ValueError):  # not on Windows
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
    with suppress(OSError, ValueError):  # the limit of a container, where it is a number
        found.append(int(_GROUP.read_text(encoding="ascii")) // 2)
    return min(each for each in found if each > 0)


def to_bytes(size: int | str | None) -> int:
    """Return a limit on memory in bytes.

    Parameters
    ----------
    size : int, str or None
        Bytes, or a text such as "500MB" or "4GiB"; None is :func:`default_limit`.

    Examples
    --------
    >>> from pacbayes.tables import to_bytes
    >>> to_bytes("1.5 GiB"), to_bytes("500MB"), to_bytes(1000)
    (1610612736, 500000000, 1000)
    """
    if size is None:
        return default_limit()
    match = None if isinstance(size, bool) else _SIZE.fullmatch(str(size))
    value = 0 if match is None else int(float(match[1]) * _UNITS[(match[2] or "").lower()])
    if value < 1:
        raise ValueError(f"--max-memory must be a number of bytes, such as 500MB or 4GiB. Got {size!r:.60} instead.")
    return value


def to_words(size: int) -> str:
    """Return a number of bytes as people say it."""
    for name, unit in (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size} bytes"


def refuse_size(limit: int, needed: int | None = None) -> SizeError:
    """Return the refusal of a table that needs too much."""
    much = "more" if needed is None else f"{to_words(needed)} or more"
    return SizeError(
        f"it needs {much} of memory when it is read, and the limit is {to_words(limit)}. "
        "If you trust the file, raise the limit with --max-memory."
    )


def check_limit(needed: int, limit: int) -> None:
    """Refuse what needs more bytes than are allowed."""
    if needed > limit:
        raise refuse_size(limit, needed)


def check_cells(rows: int, columns: int, limit: int) -> None:
    """Refuse a table of more cells than fit into the memory allowed."""
    check_limit(rows * columns * _CELL + columns * _COLUMN, limit)
