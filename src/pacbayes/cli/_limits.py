"""The limit on memory that commands which read tables share."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Annotated

import typer

__all__ = ["MAX_MEMORY", "limit_memory"]

MAX_MEMORY = Annotated[
    str | None,
    typer.Option("--max-memory", help="Refuse a table that would need more, such as 4G [default: as the reader says]."),
]


def limit_memory(reader: Callable[..., object], size: str | None) -> dict[str, str]:
    """Return the argument that limits the memory of a reader; none where no limit was asked for."""
    if size is None:
        return {}
    if "max_memory" not in signature(reader).parameters:  # a limit that nothing heeds must not look like one
        raise ValueError("--max-memory cannot be given: the reader of tables has no limit in this version.")
    return {"max_memory": size}
