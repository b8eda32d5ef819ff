"""What every reader of a file gets: where its bytes are, and what is known of it before it is read."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from pacbayes.tables._error import TableError
from pacbayes.tables._limits import default_limit

__all__ = ["Description", "Source", "refuse_duplicates"]

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
    texts: Sequence[str] = ()
    limit: int = field(default_factory=default_limit)


def refuse_duplicates(names: Sequence[str]) -> None:
    """Raise an error if two columns have the same name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(f"column names must differ. {twice[0]!r:.60} occurs more than once.")
