"""Rows and labels of whatever holds them: arrays, sparse matrices, frames of pandas and polars."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

__all__ = ["joined", "labels_of", "rows_of", "take"]


def rows_of(X: Any) -> Any:
    """Return something with a shape whose rows can be taken: a frame, a CSR matrix or an array."""
    if sp.issparse(X):
        return X.tocsr()
    if hasattr(X, "columns"):
        return X
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"Expected rows and columns, got {array.ndim} dimensions instead. Reshape your data.")
    return array


def labels_of(owner: str, X: Any, y: Any) -> Any:
    """Return one label per row, or say what is wrong with them."""
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None.")
    labels = column_or_1d(y, warn=True)
    check_consistent_length(X, labels)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError(f"The 'y' argument of {owner} must not contain NaN or infinity.")
    if labels.dtype.kind == "O" and any(label is None or label != label for label in labels):  # noqa: PLR0124  (NaN)
        raise ValueError(f"The 'y' argument of {owner} must not contain NaN or missing labels.")
    check_classification_targets(labels)
    return labels


def take(X: Any, rows: Any) -> Any:
    """Return the rows at these positions, in this order, in the same container."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def joined(first: Any, second: Any) -> Any:
    """Return the rows of both, in the container that both have."""
    if type(first) is not type(second):
        raise ValueError(
            f"Further rows must come in what the first came in, {type(first).__name__}. "
            f"Got {type(second).__name__} instead."
        )
    if sp.issparse(first):
        return sp.vstack([first, second], format="csr")
    if hasattr(first, "iloc"):
        import pandas as pd  # noqa: PLC0415  (there is one, since a frame of it was given)

        return pd.concat([first, second], ignore_index=True)
    return first.vstack(second) if hasattr(first, "vstack") else np.concatenate([first, second])
