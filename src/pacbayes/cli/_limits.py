"""The limit on memory that commands which read tables share."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["MAX_MEMORY"]

MAX_MEMORY = Annotated[
    str | None,
    typer.Option(
        "--max-memory",
        help="Refuse a table that needs more memory, such as 4G [default: 4 GiB, at most half of the memory].",
    ),
]
