"""Rows of whatever holds them: arrays, sparse matrices, frames of pandas and polars."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["rows_of", "take"]


def rows_of(X: Any) -> Any:  # noqa: N803
    """Return something with a shape whose rows can be taken: a frame, a CSR matrix or an array."""
    if sp.issparse(X):
        return X.tocsr()
    if hasattr(X, "columns"):
        return X
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"Expected rows and columns, got {array.ndim} dimensions instead. Reshape your data.")
    return array


def take(X: Any, rows: Any) -> Any:  # noqa: N803
    """Return the rows at these positions, in this order, in the same container."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
