"""What every reader of a file gets: where its bytes are, and what is known of it before it is read."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from pacbayes.tables._error import TableError

__all__ = ["Description", "Source", "refuse_duplicates"]

Source: TypeAlias = "Path | io.BytesIO"  # a file, or what was unpacked from one


@dataclass(frozen=True, slots=True)
class Description:
    """The ending of the file's name, and how text in it is to be read: see :func:`pacbayes.tables.read_table`."""

    suffix: str
    delimiter: str | None = None
    header: bool = True
    missing_values: Sequence[str] = ()


def refuse_duplicates(names: Sequence[str]) -> None:
    """Raise an error if two columns have the same name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(f"column names must differ. {twice[0]!r} occurs more than once.")
