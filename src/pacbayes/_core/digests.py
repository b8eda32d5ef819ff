"""Digests of data: SHA-256 over a canonical form that does not depend on the container.

An array is hashed as its name, a line ``kind:shape`` and its values, row by row. Numbers and truth values that doubles
hold exactly are of the kind ``number``: little-endian doubles, with one zero and one NaN. Everything else is of the
kind ``value``: each value as a tag of one byte that says what it is (see ``_encode``), the length of what follows in
eight little-endian bytes, and its text in UTF-8; whole numbers that no double holds are among these, and so are names.
So 1, 1.0 and True agree in arrays of numbers, while 1, "1", True and None differ in arrays of objects.

A frame of numbers is hashed as the array it holds, any other frame as the number of its columns and then column by
column, each under its name; a sparse matrix as its row pointers, column numbers and values after duplicates are summed
and zeros dropped.

Of more than 65,536 rows, each block of so many is hashed by itself, in a frame with all its columns, and its SHA-256
takes the place of its values; the number of rows then stands beside that of columns. So rows that come in batches have
the digest that they have in memory, whoever hashes which blocks.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import math
import numbers
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from hashlib import _Hash

    from pacbayes._core.types import RowsLike

__all__ = ["DIGEST_ROWS", "data_digest", "digest_of_arrays"]

_Column: TypeAlias = tuple[object, NDArray[Any], bool]  # a name, values, and whether doubles hold them exactly

DIGEST_ROWS = 1 << 16  # of a block that is hashed by itself
_ROWS = 8192
_EXACT = 2**53  # up to which doubles hold all whole numbers
_SECONDS = {"W": 604800, "D": 86400, "h": 3600, "m": 60, "s": 1}
_PARTS = {"ms": 10**3, "us": 10**6, "ns": 10**9, "ps": 10**12, "fs": 10**15, "as": 10**18}
_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001  (like numpy's, in no time zone)


def data_digest(X: RowsLike, y: ArrayLike) -> str:
    """Return the SHA-256 of rows and labels in their given order.

    Parameters
    ----------
    X : array_like, sparse matrix or data frame
        Anything with rows.
    y : array_like
        Labels.

    Examples
    --------
    >>> from pacbayes.certificate import data_digest
    >>> data_digest([[1, 2], [3, 4]], [0, 1]) == data_digest([[1.0, 2.0], [3.0, 4.0]], [False, True])
    True
    >>> data_digest([[1], [2]], [0, 1]) == data_digest([["1"], ["2"]], [0, 1])
    False
    """
    hasher = hashlib.sha256(b"pacbayes data 2\n")
    if hasattr(X, "tocsr"):
        _add_sparse(hasher, X)
    elif hasattr(X, "read_blocks"):
        _add_stored(hasher, X)
    elif hasattr(X, "columns") and not _is_numeric_frame(X):
        _add_frame(hasher, X)
    else:
        _add(hasher, "X", X)
    _add(hasher, "y", y)
    return hasher.hexdigest()


def digest_of_arrays(**arrays: ArrayLike) -> str:
    """Return the SHA-256 of named arrays: an order, the weights of a model."""
    hasher = hashlib.sha256(b"pacbayes arrays 2\n")
    for name, values in arrays.items():
        _add(hasher, name, values)
    return hasher.hexdigest()


def _columns_of(X: Any) -> Iterator[tuple[object, Any]]:
    """Yield each column with its name, those of a repeated name too."""
    for position, name in enumerate(X.columns):
        yield name, X.iloc[:, position] if hasattr(X, "iloc") else X[name]


def _is_numeric_frame(X: Any) -> bool:
    """Return whether a frame holds numbers alone, all of which survive in one array."""
    return all(_is_number(_as_array(values)) for _, values in _columns_of(X))


def _add_sparse(hasher: _Hash, X: Any) -> None:
    matrix = X.tocsr().copy()
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    hasher.update(f"sparse:{matrix.shape}\n".encode())
    for name in ("indptr", "indices", "data"):
        _add(hasher, name, getattr(matrix, name))


def _add_frame(hasher: _Hash, frame: Any) -> None:
    columns = [(name, array, _is_number(array)) for name, array in ((n, _as_array(v)) for n, v in _columns_of(frame))]
    rows = len(frame)
    hasher.update(_columns_line(len(columns), rows))
    for start in range(0, max(rows, 1), DIGEST_ROWS):
        part = [(name, array[start : start + DIGEST_ROWS], exact) for name, array, exact in columns]
        _add_columns(hasher, part, rows)


def _add_stored(hasher: _Hash, X: Any) -> None:
    """Add rows that are read block by block, whose columns hold doubles or text: as the frame of all of them."""
    rows, columns = X.shape
    numeric = all(kind == "number" for kind in X.kinds)
    hasher.update(_encode("X") + f"number:{X.shape}\n".encode() if numeric else _columns_line(columns, rows))
    for frame in X.read_blocks(DIGEST_ROWS):
        if numeric:
            _add_block(hasher, frame.to_numpy(), rows, exact=True)
        else:
            arrays = [(name, _as_array(values)) for name, values in _columns_of(frame)]
            kinds = zip(arrays, X.kinds, strict=True)
            _add_columns(hasher, [(name, array, kind == "number") for (name, array), kind in kinds], rows)


def _columns_line(columns: int, rows: int) -> bytes:
    """Return how many columns follow, and where blocks are hashed by themselves of how many rows."""
    return f"columns:{columns}\n".encode() if rows <= DIGEST_ROWS else f"columns:{columns} rows:{rows}\n".encode()


def _add_columns(hasher: _Hash, columns: Sequence[_Column], rows: int) -> None:
    """Add the columns of one block of a frame of so many rows."""
    own = hasher if rows <= DIGEST_ROWS else hashlib.sha256()
    for name, array, exact in columns:
        own.update(_encode(name) + f"{'number' if exact else 'value'}:{array.shape}\n".encode())
        _add_values(own, array, exact=exact)
    if own is not hasher:
        hasher.update(own.digest())


def _add(hasher: _Hash, name: object, values: Any) -> None:
    coded = hasattr(values, "codes") and hasattr(values, "classes")  # labels, each of which occurs
    array = values if coded else _as_array(values)
    exact, rows = _is_number(values.classes if coded else array), len(array) if array.ndim else 1
    hasher.update(_encode(name) + f"{'number' if exact else 'value'}:{array.shape}\n".encode())
    for start in range(0, max(rows, 1), DIGEST_ROWS):
        _add_block(hasher, array[start : start + DIGEST_ROWS] if array.ndim else array, rows, exact=exact)


def _add_block(hasher: _Hash, block: NDArray[Any], rows: int, *, exact: bool) -> None:
    """Add one block of an array of so many rows."""
    if rows <= DIGEST_ROWS:
        _add_values(hasher, block, exact=exact)
        return
    own = hashlib.sha256()
    _add_values(own, block, exact=exact)
    hasher.update(own.digest())


def _add_values(hasher: _Hash, array: NDArray[Any], *, exact: bool) -> None:
    for start in range(0, max(1, len(array)) if array.ndim else 1, _ROWS):
        block = array[start : start + _ROWS] if array.ndim else array
        hasher.update(_doubles(block) if exact else _values(block))


def _as_array(values: Any) -> NDArray[Any]:
    """Return the values as an array in which none of them was turned into another type."""
    if hasattr(values, "columns"):
        return _frame_array(values)
    if hasattr(values, "to_numpy"):
        return _column_array(values)
    if isinstance(values, np.ndarray):
        return values
    array = np.asarray(values)
    # numpy makes text of numbers beside text, and doubles of whole numbers beside doubles
    lossy = array.dtype.kind in "US" or (array.dtype.kind == "f" and not hasattr(values, "dtype"))
    return _objects(values, array) if lossy else array


def _frame_array(frame: Any) -> NDArray[Any]:
    """Return a frame of numbers as one array."""
    array: NDArray[Any] = frame.to_numpy()
    if array.dtype.kind in "fiub":
        return array
    return np.column_stack([np.asarray(_as_array(values), dtype=np.float64) for _, values in _columns_of(frame)])


def _column_array(values: Any) -> NDArray[Any]:
    """Return a column; missing numbers are NaN unless there are numbers beside them that no double holds."""
    kind = getattr(values.dtype, "kind", None)
    if kind is not None and (isinstance(values.dtype, np.dtype) or kind not in "iufb"):
        return values.to_numpy()  # type: ignore[no-any-return]
    listed = values.to_list() if kind in ("i", "u") or _is_whole(values) else []
    if any(isinstance(value, int) and not _is_double(value) for value in listed):
        return _objects(listed)
    return values.to_numpy() if kind is None else values.to_numpy(dtype=np.float64, na_value=np.nan)  # type: ignore[no-any-return]


def _is_whole(values: Any) -> bool:
    """Return whether a column of polars has whole numbers and gaps, which its conversion makes doubles of."""
    return hasattr(values, "null_count") and values.null_count() > 0 and values.dtype.is_integer()


def _objects(values: Any, converted: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return a list as an array of objects, or as it was converted where that lost nothing."""
    objects = np.array(values, dtype=object)
    if converted is None or objects.shape != converted.shape:
        return objects
    text = str if converted.dtype.kind == "U" else bytes if converted.dtype.kind == "S" else None
    if text is not None:
        return converted if all(isinstance(value, text) for value in objects.flat) else objects
    whole = (value for value in objects.flat if isinstance(value, numbers.Integral))
    return converted if all(_is_double(int(value)) for value in whole) else objects


def _is_number(array: NDArray[Any]) -> bool:
    """Return whether these are numbers that doubles hold exactly."""
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind == "b" or (kind == "f" and size <= 8) or (kind in "iu" and size <= 4) or array.size == 0:
        return kind in "fiub"
    if kind == "f":
        return bool(np.all((array.astype(np.float64) == array) | np.isnan(array)))
    if kind not in "iu":
        return False
    if array.min() >= -_EXACT and array.max() <= _EXACT:
        return True
    return all(_is_double(int(value)) for value in array.flat)


def _is_double(value: int) -> bool:
    """Return whether a double holds a whole number exactly."""
    odd = abs(value) // (value & -value) if value else 0
    return odd <= _EXACT and abs(value) < 2**1023


def _doubles(block: NDArray[Any]) -> bytes:
    doubles = np.asarray(block, dtype="<f8") + 0.0  # -0.0 becomes 0.0
    unknown = np.isnan(doubles)
    if np.any(unknown):
        doubles = np.where(unknown, np.nan, doubles)
    return bytes(np.ascontiguousarray(doubles, dtype="<f8").tobytes())


def _values(block: NDArray[Any]) -> bytes:
    if block.dtype.kind in "Mm":
        unit, step = np.datetime_data(block.dtype)
        return b"".join(_encode_time(value, unit, step) for value in block.flat)
    values, texts = np.ravel(block).tolist(), dict[str, bytes]()
    for value in values:
        if type(value) is str and value not in texts:
            texts[value] = _part(b"t", value)
    return b"".join([texts[value] if type(value) is str else _encode(value) for value in values])


def _encode(value: object) -> bytes:
    """Return a value as its tag, its length and its text.

    The tags: ``t`` text, ``n`` number, ``b`` truth value, ``0`` nothing, ``y`` bytes, ``d`` moment, ``s`` span of time,
    ``l`` list, ``o`` any other with the name of its type.
    """
    if isinstance(value, np.datetime64 | np.timedelta64):
        return _encode_time(value, *np.datetime_data(value.dtype))
    if isinstance(value, np.generic) and not isinstance(value, np.longdouble | np.clongdouble):
        value = value.item()
    return _part(*_tagged(value))


def _tagged(value: object) -> tuple[bytes, str | bytes]:
    """Return the tag of a value and its text."""
    tag, text = b"o", f"{type(value).__module__}.{type(value).__qualname__}:"
    if isinstance(value, str):
        return b"t", value
    if isinstance(value, bool):
        tag, text = b"b", str(int(value))
    elif isinstance(value, int | float):
        tag, text = b"n", _number_text(value)
    elif value is None or type(value).__name__ == "NAType":
        tag, text = b"0", ""
    elif isinstance(value, bytes | bytearray):
        return b"y", bytes(value)
    elif isinstance(value, dt.datetime) and value.tzinfo is None and not hasattr(value, "nanosecond"):
        tag, text = b"d", str((value - _EPOCH) // dt.timedelta(microseconds=1) * 10**12)
    elif isinstance(value, list | tuple | np.ndarray):
        shape = str(value.shape) if isinstance(value, np.ndarray) else f"({len(value)},)"
        return b"l", shape.encode() + b"".join(
            _encode(each) for each in (value.flat if isinstance(value, np.ndarray) else value)
        )
    else:
        text += str(value)
    return tag, text


def _number_text(value: float) -> str:
    """Return the shortest text of a number, the same for a whole number as for the double that holds it."""
    if isinstance(value, int):
        return str(int(value))
    return str(int(value)) if math.isfinite(value) and value.is_integer() else repr(float(value))


def _encode_time(value: Any, unit: str, step: int) -> bytes:
    """Return a moment or a span in attoseconds, so that its unit does not matter; months have no length in them."""
    tag = b"d" if value.dtype.kind == "M" else b"s"
    if np.isnat(value):
        return _part(tag, "NaT")
    if unit in ("Y", "M") and tag == b"d":
        value, unit, step = value.astype("datetime64[D]"), "D", 1
    ticks = int(value.astype(np.int64)) * step
    if unit in _SECONDS:
        return _part(tag, str(ticks * _SECONDS[unit] * 10**18))
    if unit in _PARTS:
        return _part(tag, str(ticks * (10**18 // _PARTS[unit])))
    return _part(tag, f"{ticks} {unit}")


def _part(tag: bytes, content: str | bytes) -> bytes:
    text = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return tag + len(text).to_bytes(8, "little") + text
