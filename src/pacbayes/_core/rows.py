"""Rows and labels of whatever holds them: arrays, sparse matrices, frames of pandas and polars."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from pacbayes._core.types import IntArray, Labels, Rows, RowsLike

__all__ = ["concatenate", "labels_of", "rows_of", "take"]


def rows_of(X: RowsLike) -> Rows:
    """Return something with a shape whose rows can be taken: a frame, a CSR matrix or an array."""
    if sp.issparse(X):
        return X.tocsr()  # type: ignore[no-any-return, union-attr]
    if hasattr(X, "columns") and hasattr(X, "dtypes"):  # an arrow table has columns, and no rows that can be taken
        return X  # type: ignore[return-value]
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"Expected rows and columns, got {array.ndim} dimensions instead. Reshape your data.")
    return array


def labels_of(owner: str, X: Rows, y: ArrayLike | None) -> Labels:
    """Return one label per row, or say what is wrong with them."""
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None.")
    labels: Labels = column_or_1d(y, warn=True)
    check_consistent_length(X, labels)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError(f"The 'y' argument of {owner} must not contain NaN or infinity.")
    if labels.dtype.kind == "O" and any(label is None or label != label for label in labels):  # noqa: PLR0124  (NaN)
        raise ValueError(f"The 'y' argument of {owner} must not contain NaN or missing labels.")
    check_classification_targets(labels)
    return labels


def take(X: Rows, rows: slice | IntArray) -> Rows:
    """Return the rows at these positions, in this order, in the same container."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]  # type: ignore[no-any-return]


def concatenate(first: Rows, second: Rows) -> Rows:
    """Return the rows of both, in the container that both have."""
    if type(first) is not type(second):
        raise ValueError(
            f"Further rows must come in what the first came in, {type(first).__name__}. "
            f"Got {type(second).__name__} instead."
        )
    if sp.issparse(first):
        return sp.vstack([first, second], format="csr")  # type: ignore[no-any-return]
    if hasattr(first, "iloc"):
        import pandas as pd  # noqa: PLC0415  (there is one, since a frame of it was given)

        return pd.concat([first, second], ignore_index=True)  # type: ignore[no-any-return]
    return first.vstack(second) if hasattr(first, "vstack") else np.concatenate([first, second])
