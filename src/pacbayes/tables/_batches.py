"""Tables that are read in batches of rows, as often as they are needed, with one batch in memory."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pacbayes.tables._child import stream_batches
from pacbayes.tables._error import TableError, one_line
from pacbayes.tables._limits import refuse_size
from pacbayes.tables._source import Description

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Batches", "refuse_change", "release_memory", "to_frame"]


@dataclass(frozen=True, slots=True)
class Batches:
    """Files of one table.

    Attributes
    ----------
    kind : {"parquet", "arrow"}
    files : tuple of Path
        In their order.
    description : Description
        With the limit on memory.
    name : str
        Of the table, for messages.
    owner : object
        What has to stay alive as long as the files are read: a temporary file.
    """

    kind: str
    files: tuple[Path, ...]
    description: Description
    name: str
    owner: Any = None
    _identity: list[tuple[int, ...]] = field(default_factory=list)

    def frames(self, columns: Sequence[str] | None = None) -> Generator[pd.DataFrame]:
        """Yield all rows in their order, batch by batch, as they are read; only some columns if they are named.

        A file that is another than when it was first read is refused.
        """
        import pyarrow as pa  # noqa: PLC0415

        self.check_same()
        try:
            for batch in stream_batches(self.kind, self.files, self.description, columns):
                yield to_frame(pa.Table.from_batches([batch]))
        except TableError as error:
            raise type(error)(f"{self.name}: {error}") from None
        except MemoryError:
            raise refuse_size(self.description.limit) from None
        except Exception as error:  # what a file says of itself for pandas may be anything
            raise TableError(f"{self.name}: it cannot be read ({one_line(error)}).") from None
        finally:
            release_memory()
        self.check_same()

    def check_same(self) -> None:
        """Refuse files that are others than when they were first read."""
        now = [_identify(file) for file in self.files]
        if not self._identity:
            self._identity.extend(now)
        elif now != self._identity:
            raise _changed(self.name)


@contextmanager
def refuse_change(file: Path) -> Iterator[None]:
    """Refuse a file that is another at the end than at the beginning, whatever went wrong with it in between."""
    before = _identify(file)
    try:
        yield
    finally:
        if _identify(file) != before:
            raise _changed(file.name) from None


def _changed(name: str) -> TableError:
    return TableError(f"{name} must not change while it is read. It did.")


def to_frame(table: Any, **options: Any) -> pd.DataFrame:
    """Return a table of Arrow as a frame, named as in the file; numbers of 16 bits, which pandas cannot sort, have 32.

    Parameters
    ----------
    table : pyarrow.Table
    **options
        For its ``to_pandas``.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pyarrow as pa
    >>> from pacbayes.tables._batches import to_frame
    >>> frame = to_frame(pa.Table.from_pandas(pd.DataFrame({0: np.array([0.5], dtype=np.float16)})))
    >>> list(frame.columns), frame["0"].dtype
    (['0'], dtype('float32'))
    """
    frame = table.to_pandas(**options)
    frame.columns = [str(name) for name in frame.columns]  # pandas stores beside a file that they are others
    half = [name for name, kind in frame.dtypes.items() if kind == np.float16]
    return frame.astype(dict.fromkeys(half, np.float32)) if half else frame


def release_memory() -> None:
    """Give back to the system the memory that batches were in."""
    import pyarrow as pa  # noqa: PLC0415

    pa.default_memory_pool().release_unused()


def _identify(file: Path) -> tuple[int, ...]:
    found = file.stat()
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
