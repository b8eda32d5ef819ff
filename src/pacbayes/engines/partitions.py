"""Rows that are partitions of a Dask frame or array: looked at on the workers, in blocks as they lie in the table.

The order of the rows is that of the partitions. A partition is computed again whenever it is needed, unless the frame
was persisted; rows that come out otherwise then are noticed by a fingerprint of each partition, and refused.
"""

from __future__ import annotations

import pickle
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from pacbayes._core.rows import take
from pacbayes._core.types import IntArray, Rows
from pacbayes.engines.errors import EngineError
from pacbayes.engines.facts import Facts, look_at
from pacbayes.engines.kept import KeptRows
from pacbayes.engines.runner import Runner, call_shared

__all__ = ["PartitionedArray", "PartitionedFrame"]

_FAN_IN = 16  # facts of partitions that are merged at once, on a worker


class _Partitioned(KeptRows):
    """What rows of frames and of arrays share.

    Parameters
    ----------
    partitions : sequence of Delayed
        In the order of the rows.
    empty : rows
        No rows, of the types that each partition must have.
    runner : Runner
        What calls are made by.

    Attributes
    ----------
    shape : tuple of int
    lengths : ndarray of int
        Rows of each partition.
    exact : bool or tuple of bool
        Whether doubles hold all values, or those of each column, exactly.
    """

    def __init__(self, partitions: Sequence[Any], empty: Any, runner: Runner) -> None:
        import dask  # noqa: PLC0415

        super().__init__()
        self._partitions, self._empty, self._runner = list(partitions), empty, runner
        look = dask.delayed(look_at, pure=False)
        self._looks = [look(part, number, empty) for number, part in enumerate(self._partitions)]
        facts: Facts = runner.compute(_merge([dask.delayed(_only_facts, pure=False)(each) for each in self._looks]))
        self.lengths = np.array(facts.lengths, dtype=np.int64)
        self._stops, self._prints = np.cumsum(self.lengths), facts.prints
        self.exact = facts.exact
        self.shape = (int(self.lengths.sum()), int(empty.shape[1]))

    def empty(self) -> Rows:
        """Return no rows, in the container that rows come in."""
        return take(self._empty, slice(0))

    def map_blocks(
        self, function: Callable[..., Any], tasks: Iterable[Any], common: object, size: int
    ) -> Iterator[Any]:
        """Yield what a function gives for each block, computed on the workers; see :mod:`pacbayes._core.rows`."""
        shared, starts = self._runner.share(function, common), range(0, self.shape[0], size)
        blocks = zip(starts, tasks, strict=True)
        calls = (None if task is None else self._call(shared, task, start, start + size) for start, task in blocks)
        for found in self._runner.run(calls, len(starts)):
            if found is None:
                yield None
                continue
            result, prints = found
            self._check_same(prints)
            yield result

    def read_blocks(self, size: int) -> Iterator[Rows]:
        """Yield all rows in their order, so many at a time."""
        yield from self.map_blocks(_give, [True] * -(-self.shape[0] // size), None, size)

    def gather(self, rows: IntArray) -> Rows:
        """Return rows by their positions, each taken where it is."""
        sorting = np.argsort(rows, kind="stable")
        ordered, size = rows[sorting], self._block_size()
        tasks = []
        for start in range(0, self.shape[0], size):
            first, last = np.searchsorted(ordered, [start, start + size])
            tasks.append((ordered[first:last] - start).astype(np.int32) if last > first else None)
        parts = [part for part in self.map_blocks(_take_part, tasks, None, size) if part is not None]
        places = np.empty(rows.size, dtype=np.int64)
        places[sorting] = np.arange(rows.size)
        return take(self._join(parts), places)

    def _block_size(self) -> int:
        """Return how many rows are looked through at once: about as many as are in a partition."""
        return int(max(self.lengths.max(initial=1), 1 << 12))

    def _call(self, shared: Any, task: object, start: int, stop: int) -> Any:
        """Return the call that works on the rows between two positions: pieces of partitions, put together."""
        import dask  # noqa: PLC0415

        first = int(np.searchsorted(self._stops, start, side="right"))
        last = int(np.searchsorted(self._stops, min(stop, self.shape[0]), side="left"))
        numbers = [number for number in range(first, last + 1) if self.lengths[number]]
        cuts = []
        for number in numbers:
            begin = int(self._stops[number] - self.lengths[number])
            cuts.append((number, max(start - begin, 0), min(stop - begin, int(self.lengths[number]))))
        looks = [self._looks[number] for number in numbers]
        return dask.delayed(_work, pure=False)(shared, pickle.dumps((task, cuts, type(self).join)), *looks)

    def _check_same(self, prints: dict[int, tuple[int, bytes]]) -> None:
        for number, (length, found) in prints.items():
            if length != self.lengths[number] or found != self._prints[number]:
                raise EngineError(
                    "The rows of a Dask collection must be the same whenever they are computed. Those of partition "
                    f"{number} are not: persist it, or have it made by a fixed seed."
                )

    def _join(self, parts: list[Any]) -> Any:
        return type(self).join(parts)

    @staticmethod
    @abstractmethod
    def join(parts: list[Any]) -> Any:
        """Return pieces of rows as one."""


class PartitionedFrame(_Partitioned):
    """Rows of a Dask DataFrame, which :func:`pacbayes.engines.wrap_rows` makes of it."""

    @property
    def columns(self) -> Any:
        """Names of the columns."""
        return self._empty.columns

    @property
    def dtypes(self) -> Any:
        """The types of the columns."""
        return self._empty.dtypes

    def find_rows(self, rows: IntArray) -> tuple[Any, IntArray]:
        """Return a frame in memory that holds rows, and where in it they are."""
        return self._find(rows)

    def __getitem__(self, key: object) -> Any:
        """Return a column, in memory."""
        import pandas as pd  # noqa: PLC0415

        size = self._block_size()
        parts = list(self.map_blocks(_take_column, [True] * -(-self.shape[0] // size), key, size))
        return pd.concat(parts, ignore_index=True) if parts else self._empty[key]

    @staticmethod
    def join(parts: list[Any]) -> Any:
        """Return pieces of frames as one, without an index."""
        import pandas as pd  # noqa: PLC0415

        return pd.concat(parts, ignore_index=True) if len(parts) > 1 else parts[0].reset_index(drop=True)


class PartitionedArray(_Partitioned):
    """Rows of a Dask Array of two dimensions, which :func:`pacbayes.engines.wrap_rows` makes of it."""

    @property
    def dtype(self) -> Any:
        """The type of the values."""
        return self._empty.dtype

    def __getitem__(self, key: tuple[slice, int]) -> Any:
        """Return a column, in memory."""
        size = self._block_size()
        parts = list(self.map_blocks(_take_values, [True] * -(-self.shape[0] // size), key[1], size))
        return np.concatenate(parts) if parts else self._empty[key]

    @staticmethod
    def join(parts: list[Any]) -> Any:
        """Return pieces of an array as one."""
        return np.concatenate(parts) if len(parts) > 1 else parts[0]


def _merge(facts: list[Any]) -> Any:
    """Return the call that merges facts of partitions, a few at a time and on the workers."""
    import dask  # noqa: PLC0415

    merge = dask.delayed(Facts.merge, pure=False)
    while len(facts) > 1:
        facts = [merge(facts[start : start + _FAN_IN]) for start in range(0, len(facts), _FAN_IN)]
    return facts[0]


def _only_facts(looked: tuple[Any, Facts]) -> Facts:
    return looked[1]


def _work(shared: bytes, packed: bytes, *looked: tuple[Any, Facts]) -> tuple[Any, dict[int, tuple[int, bytes]]]:
    """Put a block together of pieces of partitions, work on it, and tell which partitions these were; on a worker."""
    task, cuts, join = pickle.loads(packed)  # noqa: S301  (from the process that the workers work for)
    pieces, prints = [], {}
    for (rows, facts), (number, start, stop) in zip(looked, cuts, strict=True):
        pieces.append(_cut(rows, start, stop))
        prints[number] = (facts.lengths[0], facts.prints[0])
        if stop > facts.lengths[0]:  # it is not what it was
            return None, prints
    return call_shared(shared, task, join(pieces)), prints


def _cut(rows: Any, start: int, stop: int) -> Any:
    return rows.iloc[start:stop] if hasattr(rows, "iloc") else rows[start:stop]


def _give(block: Rows, task: bool, common: None) -> Rows:
    del task, common
    return block


def _take_part(block: Rows, inside: IntArray, common: None) -> Rows:
    del common
    return take(block, inside)


def _take_column(block: Any, task: bool, name: object) -> Any:
    del task
    return block[name]


def _take_values(block: Any, task: bool, position: int) -> Any:
    del task
    return np.array(block[:, position])
