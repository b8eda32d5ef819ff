"""Rows that stay in files which every worker can read under the same path: each reads the blocks that it works on."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pacbayes._core.rows import BLOCK_ROWS, take
from pacbayes._core.types import IntArray
from pacbayes.engines.errors import EngineError
from pacbayes.engines.runner import Runner, call_shared
from pacbayes.tables import FileRange, FileRanges, StoredRows, Table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DistributedRows", "distribute_table"]


class DistributedRows(StoredRows):
    """Rows of files, worked on by the workers of a cluster, which read them by themselves.

    Parameters
    ----------
    rows : StoredRows
        As they are opened here.
    runner : Runner
        What calls are made by.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np, pandas as pd
    >>> from pacbayes._core.rows import map_blocks
    >>> from pacbayes.engines import DistributedRows, Runner
    >>> from pacbayes.tables import open_table
    >>> with TemporaryDirectory() as folder:
    ...     pd.DataFrame({"age": range(40), "ill": [0, 1] * 20}).to_parquet(Path(folder) / "table.parquet")
    ...     rows = DistributedRows(open_table(folder, "ill", in_memory=0).X, Runner())
    ...     list(map_blocks(rows, lambda block, task, common: block["age"].sum().item(), [1, 1], None, size=25))
    [300.0, 480.0]
    """

    def __init__(self, rows: StoredRows, runner: Runner) -> None:
        super().__init__(rows.batches, rows.described, rows.shape[0], rows.take_rows(slice(0, 1)))
        self._runner, self._ranges = runner, FileRanges(rows.batches)

    def map_blocks(
        self, function: Callable[..., Any], tasks: Iterable[Any], common: object, size: int
    ) -> Iterator[Any]:
        """Yield what a function gives for each block, computed on the workers; see :mod:`pacbayes._core.rows`."""
        shared, starts = self._runner.share(function, common), range(0, self.shape[0], size)
        blocks = zip(starts, tasks, strict=True)
        calls = (None if task is None else self._call(shared, task, start, start + size) for start, task in blocks)
        yield from self._runner.run(calls, len(starts))
        self.batches.check_same()

    def _call(self, shared: Any, task: object, start: int, stop: int) -> Any:
        import dask  # noqa: PLC0415

        packed = pickle.dumps((task, self._ranges.part(start, min(stop, self.shape[0])), self._named))
        return dask.delayed(_work, pure=False)(shared, packed)

    def _pick(self, ordered: IntArray) -> Iterator[tuple[int, int, pd.DataFrame]]:
        """Yield rows by their ascending positions, each taken where it is read."""
        edges = range(0, self.shape[0], BLOCK_ROWS)
        cuts = [tuple(np.searchsorted(ordered, [start, start + BLOCK_ROWS]).tolist()) for start in edges]
        tasks = (
            (ordered[first:last] - start).astype(np.int32) if last > first else None
            for start, (first, last) in zip(edges, cuts, strict=True)
        )
        for (first, last), part in zip(cuts, self.map_blocks(_take_part, tasks, None, BLOCK_ROWS), strict=True):
            if part is not None:
                yield first, last, part


def distribute_table(table: Table, runner: Runner) -> Table:
    """Return a table whose rows the workers of a cluster work on; its files must be where they can read them."""
    if not isinstance(table.X, StoredRows):
        raise EngineError(
            "With --engine dask the table must be of Parquet, of Arrow or of text, and not compressed: workers read it "
            "in parts."
        )
    return replace(table, X=DistributedRows(table.X, runner))


def _work(shared: bytes, packed: bytes) -> Any:
    """Read a block and work on it; on a worker."""
    task, place, named = pickle.loads(packed)  # noqa: S301  (from the process that the workers work for)
    block: FileRange = place
    return call_shared(shared, task, block.read(named))


def _take_part(block: Any, inside: IntArray, common: None) -> Any:
    del common
    return take(block, inside)
