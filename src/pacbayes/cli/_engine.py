"""The options that say where rows are judged."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["ENGINE", "SCHEDULER"]

ENGINE = Annotated[
    str,
    typer.Option(
        help="local: judge rows in this process. dask: on the workers of a Dask cluster, which read the files "
        "themselves; the certificate is the same."
    ),
]
SCHEDULER = Annotated[
    str | None,
    typer.Option(
        help="Address of the scheduler of a Dask cluster, such as tcp://10.0.0.1:8786; only of one that you trust "
        "[default: one process per core, for this run].",
    ),
]
