"""Digests of data: SHA-256 over a canonical form that does not depend on the container.

An array is hashed as its name, a line ``kind:shape`` and its values, row by row. Numbers and truth values that doubles
hold exactly are of the kind ``number``: little-endian doubles, with one zero and one NaN. Everything else is of the
kind ``value``: each value as a tag of one byte that says what it is (see ``encode``), the length of what follows in
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

import hashlib
import numbers
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pacbayes._core.encoding import encode, encode_doubles, encode_values
from pacbayes._core.rows import map_blocks

if TYPE_CHECKING:
    from hashlib import _Hash

    from pacbayes._core.types import RowsLike

__all__ = ["DIGEST_ROWS", "data_digest", "digest_of_arrays", "find_exact"]

_Column: TypeAlias = tuple[object, NDArray[Any], bool]  # a name, values, and whether doubles hold them exactly

DIGEST_ROWS = 1 << 16  # of a block that is hashed by itself
_ROWS = 8192
_EXACT = 2**53  # up to which doubles hold all whole numbers


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
    """Add rows that are read block by block, wherever they are: as the array or the frame of all of them.

    ``X.exact`` says of all rows whether doubles hold them exactly: of an array, or of each column of a frame.
    """
    rows, columns = X.shape
    exact: bool | tuple[bool, ...] = X.exact
    if isinstance(exact, tuple) and not all(exact):
        hasher.update(_columns_line(columns, rows))
    else:
        hasher.update(encode("X") + f"{'number' if exact else 'value'}:{X.shape}\n".encode())
    if rows <= DIGEST_ROWS:
        for block in X.read_blocks(DIGEST_ROWS):
            _update(hasher, block, exact)
        return
    tasks = [True] * -(-rows // DIGEST_ROWS)
    for digest in map_blocks(X, _digest_block, tasks, exact, DIGEST_ROWS):
        hasher.update(digest or b"")


def _digest_block(block: Any, task: bool, exact: bool | tuple[bool, ...]) -> bytes:
    """Return the SHA-256 of a block by itself."""
    del task
    own = hashlib.sha256()
    _update(own, block, exact)
    return own.digest()


def _update(hasher: _Hash, block: Any, exact: bool | tuple[bool, ...]) -> None:
    """Add the values of a block: of an array or a frame of numbers as one, of any other frame column by column."""
    if not isinstance(exact, tuple) or all(exact):
        _add_values(hasher, _as_array(block), exact=bool(exact))
        return
    columns = zip(_columns_of(block), exact, strict=True)
    _update_columns(hasher, [(name, _part_array(values, exact=own), own) for (name, values), own in columns])


def _part_array(values: Any, *, exact: bool) -> NDArray[Any]:
    """Return a part of a column, as it is where other parts decide that doubles do not hold all of it."""
    whole = not isinstance(values.dtype, np.dtype) and getattr(values.dtype, "kind", "O") in "iu"
    return _objects(values.to_list()) if whole and not exact else _as_array(values)


def find_exact(block: Any) -> bool | tuple[bool, ...]:
    """Return whether doubles hold a block exactly: of an array, or of each column of a frame.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.digests import find_exact
    >>> find_exact(np.array([[1, 2]])), find_exact(np.array([[2**53 + 1, 2]]))
    (True, False)
    """
    if hasattr(block, "columns"):
        return tuple(_is_number(_as_array(values)) for _, values in _columns_of(block))
    return _is_number(_as_array(block))


def _columns_line(columns: int, rows: int) -> bytes:
    """Return how many columns follow, and where blocks are hashed by themselves of how many rows."""
    return f"columns:{columns}\n".encode() if rows <= DIGEST_ROWS else f"columns:{columns} rows:{rows}\n".encode()


def _add_columns(hasher: _Hash, columns: Sequence[_Column], rows: int) -> None:
    """Add the columns of one block of a frame of so many rows."""
    own = hasher if rows <= DIGEST_ROWS else hashlib.sha256()
    _update_columns(own, columns)
    if own is not hasher:
        hasher.update(own.digest())


def _update_columns(hasher: _Hash, columns: Sequence[_Column]) -> None:
    for name, array, exact in columns:
        hasher.update(encode(name) + f"{'number' if exact else 'value'}:{array.shape}\n".encode())
        _add_values(hasher, array, exact=exact)


def _add(hasher: _Hash, name: object, values: Any) -> None:
    coded = hasattr(values, "codes") and hasattr(values, "classes")  # labels, each of which occurs
    array = values if coded else _as_array(values)
    exact, rows = _is_number(values.classes if coded else array), len(array) if array.ndim else 1
    hasher.update(encode(name) + f"{'number' if exact else 'value'}:{array.shape}\n".encode())
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
        hasher.update(encode_doubles(block) if exact else encode_values(block))


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
