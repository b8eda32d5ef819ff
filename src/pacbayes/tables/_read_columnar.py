"""Tables stored by columns, with their types: Parquet and Arrow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pacbayes.tables._error import TableError, one_line
from pacbayes.tables._source import Description, Source, refuse_duplicates

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["read_arrow", "read_parquet"]


def read_parquet(source: Source, description: Description) -> pd.DataFrame:
    """Read a Parquet file."""
    from pyarrow import parquet  # noqa: PLC0415

    with _refuse_partial_files(description.suffix):
        file = parquet.ParquetFile(source)
        refuse_duplicates(file.schema_arrow.names)
        table = file.read()
    return _to_pandas(table)


def read_arrow(source: Source, description: Description) -> pd.DataFrame:
    """Read an Arrow file, also called Feather or IPC."""
    from pyarrow import feather  # noqa: PLC0415

    with _refuse_partial_files(description.suffix):
        table = feather.read_table(source)
    return _to_pandas(table)


@contextmanager
def _refuse_partial_files(suffix: str) -> Iterator[None]:
    import pyarrow as pa  # noqa: PLC0415

    try:
        yield
    except PermissionError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise TableError(f"it is not a whole {suffix[1:]} file ({one_line(error)}).") from None


def _to_pandas(table: pa.Table) -> pd.DataFrame:
    refuse_duplicates(table.column_names)
    # each column of Arrow is given up as soon as it is copied, so that the table is in memory once
    return table.to_pandas(self_destruct=True, split_blocks=True)
