"""Rows as numbers that are the same for copies, in whatever container they come, and how likely two rows agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from pacbayes._core.coded_labels import CodedLabels
from pacbayes._core.rows import BLOCK_ROWS, distinct_labels, is_stored, map_blocks, take
from pacbayes._core.types import FloatArray, IntArray, RowsLike

__all__ = ["SAMPLE", "chance_of_agreement", "hash_labelled_rows", "hash_rows"]

SAMPLE = 5000  # rows that tell how likely two agree
_BLOCK = 8192
_ROWS = 1 << 16  # that are hashed at once
_VALUES = 1 << 23  # of a block that are looked at together
_NUMBERS, _LONG, _EXACT = "fiub", 8, 2**53  # kinds, bytes, and the largest whole number that a double tells from others
_MOST_COLUMNS = 1 << 24  # of sparse rows, each of which has a factor
_LABEL = "\0label"  # no column of a table has this name


def hash_rows(X: RowsLike) -> NDArray[np.uint64] | None:
    """Return a 64-bit number for each row, the same for the same; None where rows are not looked into."""
    return hash_labelled_rows(X, np.zeros(int(np.shape(X)[0])))


def hash_labelled_rows(X: Any, y: ArrayLike) -> NDArray[np.uint64] | None:
    """Return a number for each row and its label, the same for the same; None where rows are not looked into."""
    labels = y.codes if isinstance(y, CodedLabels) else np.asarray(y)
    if labels.size == 0 or not hasattr(X, "shape"):
        return None
    if not is_stored(X) and hasattr(X, "hash_rows"):  # polars
        codes = np.unique(labels, return_inverse=True)[1].astype(np.uint64)
        return np.asarray(X.hash_rows().to_numpy() * np.uint64(2) + codes)
    classes, hashes, start = distinct_labels(labels), np.empty(labels.size, dtype=np.uint64), 0
    size = BLOCK_ROWS if hasattr(X, "map_blocks") else _ROWS  # here the memory counts, elsewhere the number of tasks
    for found in map_blocks(X, _hash_block, _code_blocks(labels, classes, size), None, size):
        if found is None:
            return None
        hashes[start : start + found.size] = found
        start += found.size
    return hashes


def _code_blocks(labels: NDArray[Any], classes: NDArray[Any], size: int) -> Iterator[NDArray[Any]]:
    """Yield the positions of labels among the classes, block by block and in few bytes."""
    small = np.min_scalar_type(classes.size)
    for start in range(0, labels.size, size):
        yield np.searchsorted(classes, labels[start : start + size]).astype(small)


def _hash_block(rows: Any, codes: NDArray[Any], common: None) -> NDArray[np.uint64] | None:
    """Return a number for each row of a block and its label; the same in whatever container, and of any type."""
    del common
    if sp.issparse(rows):
        return _hash_sparse(rows, codes) if rows.dtype.kind in _NUMBERS and rows.shape[1] <= _MOST_COLUMNS else None
    if hasattr(rows, "duplicated") and hasattr(rows, "assign"):  # pandas
        return _hash_frame(rows, codes)
    if not isinstance(rows, np.ndarray) or rows.dtype.kind not in _NUMBERS:
        return None
    return _hash_numbers(lambda part: rows[part], rows.shape, codes)


def _hash_frame(rows: Any, codes: NDArray[Any]) -> NDArray[np.uint64] | None:
    import pandas as pd  # noqa: PLC0415
    from pandas.util import hash_pandas_object  # noqa: PLC0415

    numbered = [_holds_doubles(rows.iloc[:, place]) for place in range(rows.shape[1])]
    if numbered and all(numbered):
        convert = {"dtype": np.float64, "na_value": np.nan}
        return _hash_numbers(lambda part: rows.iloc[part].to_numpy(**convert), rows.shape, codes)
    # to assign a column of a frame with hundreds of them would warn that it is fragmented
    labels = pd.Series(codes.astype(np.uint64), index=rows.index, name=_LABEL)
    columns = [_as_doubles(rows.iloc[:, place]) if each else rows.iloc[:, place] for place, each in enumerate(numbered)]
    try:
        return np.asarray(hash_pandas_object(pd.concat([*columns, labels], axis=1), index=False))
    except TypeError:  # lists and the like in cells
        return None


def _holds_doubles(column: Any) -> bool:
    """Return whether a column holds numbers that doubles can tell apart, missing ones included."""
    kind = getattr(column.dtype, "kind", "O")
    if kind not in _NUMBERS:
        return False
    small = kind in "fb" or getattr(column.dtype, "itemsize", 8) < _LONG or not len(column)
    return small or bool(column.isna().all() or max(abs(int(column.min())), abs(int(column.max()))) <= _EXACT)


def _as_doubles(column: Any) -> Any:
    doubles = column.to_numpy(dtype=np.float64, na_value=np.nan) + 0.0
    return type(column)(doubles, index=column.index, name=column.name)


def _hash_numbers(
    read: Callable[[slice], NDArray[Any]], shape: tuple[int, int], codes: NDArray[Any]
) -> NDArray[np.uint64]:
    """Return a number for each row of numbers and its label; zeros add nothing."""
    factors = _factors(shape[1])
    hashes = np.empty(shape[0], dtype=np.uint64)
    size = max(1, min(_BLOCK, _VALUES // max(shape[1], 1)))
    for start in range(0, shape[0], size):
        block = slice(start, start + size)
        bits = _bits_of(np.ascontiguousarray(read(block), dtype=np.float64))
        own = codes[block].astype(np.uint64) * factors[-1]
        hashes[block] = _mix(bits * factors[:-1]).sum(axis=1, dtype=np.uint64) + own
    return hashes


def _hash_sparse(rows: Any, codes: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the numbers that the same rows have as an array."""
    factors, entries = _factors(rows.shape[1]), _without_duplicates(rows)
    mixed = _mix(_bits_of(entries.data.astype(np.float64)) * factors[entries.indices])
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(mixed, dtype=np.uint64)])  # modulo 2**64
    return np.asarray(sums[entries.indptr[1:]] - sums[entries.indptr[:-1]] + codes.astype(np.uint64) * factors[-1])


def _without_duplicates(rows: Any) -> Any:
    entries = rows.tocsr()
    if not entries.has_canonical_format:
        entries = entries.copy()
        entries.sum_duplicates()
    return entries


def _factors(columns: int) -> NDArray[np.uint64]:
    return np.random.default_rng(0).integers(1, 2**63, columns + 1, dtype=np.uint64) * 2 + 1


def _bits_of(numbers: FloatArray) -> NDArray[np.uint64]:
    bits = (numbers + 0.0).view(np.uint64)
    bits ^= bits >> np.uint64(29)  # round numbers have only high bits, which products would lose
    return bits


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return values ^ (values >> np.uint64(32))


def chance_of_agreement(X: Any, different: IntArray) -> float:
    """Return how likely two rows agree in all columns, if these were independent: by pairs of rows that differ."""
    chance, chosen = 1.0, different[:: max(1, different.size // SAMPLE)]
    part: Any = take(X, chosen)
    if sp.issparse(part):
        return _chance_in_sparse(part)
    for position in range(X.shape[1]):
        values = np.asarray(part.iloc[:, position] if hasattr(part, "iloc") else part[:, position])
        texts = values.astype(str) if values.dtype.kind not in "fiub" else values
        counts = np.unique(texts, return_counts=True)[1]
        chance *= float(np.sum(counts * (counts - 1.0))) / max(chosen.size * (chosen.size - 1.0), 1.0)
    return chance


def _chance_in_sparse(part: Any) -> float:
    """Return the same from all entries at once, of which columns without any say nothing."""
    entries, count = _without_duplicates(part), int(part.shape[0])
    filled = entries.data != 0
    columns, bits = entries.indices[filled], _bits_of(entries.data[filled].astype(np.float64))
    order = np.lexsort((bits, columns))
    columns, bits = columns[order], bits[order]
    first = np.flatnonzero(np.r_[True, (columns[1:] != columns[:-1]) | (bits[1:] != bits[:-1])][: columns.size])
    equal = np.diff(np.append(first, columns.size)).astype(np.float64)
    known, place = np.unique(columns[first], return_inverse=True)
    zeros = count - np.bincount(place, equal, known.size)
    pairs = np.bincount(place, equal * (equal - 1.0), known.size) + zeros * (zeros - 1.0)
    return float(np.prod(pairs / max(count * (count - 1.0), 1.0)))
