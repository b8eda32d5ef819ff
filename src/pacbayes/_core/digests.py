"""Digests of data: SHA-256 over a canonical form that does not depend on the container.

An array is hashed as a line of text ``name:kind:shape`` and its values, row by row: numbers and truth values as
little-endian doubles (with one zero and one NaN), everything else as UTF-8 text, each with its length in bytes as
eight little-endian bytes before it. A frame of numbers is hashed as the array it holds, any other frame column by
column, each under its name; a sparse matrix as its row pointers, column numbers and values after duplicates are summed
and zeros dropped.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

__all__ = ["data_digest", "digest_of_arrays"]

_ROWS = 8192


def data_digest(X: Any, y: Any) -> str:
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
    """
    hasher = hashlib.sha256(b"pacbayes data 1\n")
    if hasattr(X, "tocsr"):
        _add_sparse(hasher, X)
    elif hasattr(X, "columns") and _as_array(X).dtype.kind not in "fiub":
        for name in X.columns:
            _add(hasher, f"column {name}", X[name])
    else:
        _add(hasher, "X", X)
    _add(hasher, "y", y)
    return hasher.hexdigest()


def digest_of_arrays(**arrays: Any) -> str:
    """Return the SHA-256 of named arrays: an order, the weights of a model."""
    hasher = hashlib.sha256(b"pacbayes arrays 1\n")
    for name, values in arrays.items():
        _add(hasher, name, values)
    return hasher.hexdigest()


def _add_sparse(hasher: Any, X: Any) -> None:
    matrix = X.tocsr().copy()
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    hasher.update(f"sparse:{matrix.shape}\n".encode())
    for name in ("indptr", "indices", "data"):
        _add(hasher, name, getattr(matrix, name))


def _add(hasher: Any, name: str, values: Any) -> None:
    array = _as_array(values)
    numeric = array.dtype.kind in "fiub"
    hasher.update(f"{name}:{'number' if numeric else 'text'}:{array.shape}\n".encode())
    for start in range(0, max(1, len(array)) if array.ndim else 1, _ROWS):
        block = array[start : start + _ROWS] if array.ndim else array
        hasher.update(_numbers(block) if numeric else _texts(block))


def _as_array(values: Any) -> Any:
    return values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)


def _numbers(block: Any) -> bytes:
    doubles = np.asarray(block, dtype="<f8") + 0.0  # -0.0 becomes 0.0
    unknown = np.isnan(doubles)
    if np.any(unknown):
        doubles = np.where(unknown, np.nan, doubles)
    return bytes(np.ascontiguousarray(doubles, dtype="<f8").tobytes())


def _texts(block: Any) -> bytes:
    parts = []
    for value in np.ravel(block):
        text = str(value).encode("utf-8", "surrogatepass")
        parts.append(len(text).to_bytes(8, "little") + text)
    return b"".join(parts)
