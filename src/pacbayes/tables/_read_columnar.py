"""Tables stored by columns, with their types: Parquet and Arrow.

Damaged files of these formats have crashed their readers, so that they are read in a process of its own, checked
there, and handed over as a new stream of Arrow, which is whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from pacbayes.tables._batches import to_frame
from pacbayes.tables._child import Child
from pacbayes.tables._error import TableError, one_line
from pacbayes.tables._files import COLUMNAR
from pacbayes.tables._limits import check_cells
from pacbayes.tables._source import Description, Source, refuse_duplicates

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["join_files", "read_arrow", "read_parquet"]


def read_parquet(source: Source, description: Description) -> pd.DataFrame:
    """Read a Parquet file."""
    return _to_pandas(Child("parquet", source, description).result(_load_libraries), description)


def read_arrow(source: Source, description: Description) -> pd.DataFrame:
    """Read an Arrow file, also called Feather or IPC."""
    return _to_pandas(Child("arrow", source, description).result(_load_libraries), description)


def join_files(files: Sequence[Path], description: Description) -> pd.DataFrame:
    """Read files of Parquet or of Arrow as one table."""
    child = Child(COLUMNAR[description.suffix], files, description)
    return _to_pandas(child.result(_load_libraries), description)


def _load_libraries() -> None:
    """Import what is needed once the file is read, which takes as long as reading a small one."""
    import_module("pandas")
    import_module("pyarrow")


def _to_pandas(stream: memoryview, description: Description) -> pd.DataFrame:
    import pyarrow as pa  # noqa: PLC0415

    try:
        table = pa.ipc.open_stream(pa.BufferReader(pa.py_buffer(stream))).read_all()
        refuse_duplicates(table.column_names)
        check_cells(table.num_rows, table.num_columns, description.limit)
        # each column of Arrow is given up as soon as it is copied, so that the table is in memory once
        return to_frame(table, self_destruct=True, split_blocks=True)
    except (TableError, MemoryError):
        raise
    except Exception as error:  # what a file says of itself for pandas may be anything
        raise TableError(f"it cannot be turned into a data frame ({one_line(error)}).") from None
