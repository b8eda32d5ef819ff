"""Rows and labels of whatever holds them: arrays, sparse matrices, frames of pandas and polars.

What is handed to an estimator is its own: no index, no attributes of a frame, and no memory shared with other rows,
through which it could learn of rows and labels that it must not see.
"""

from __future__ import annotations

import math
import numbers
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from pacbayes._core.types import FloatArray, IntArray, Labels, Rows, RowsLike

__all__ = ["concatenate", "labels_of", "numbers_of", "refuse_text", "rows_of", "take"]

_EXACT = 2**53  # whole numbers up to here are doubles


def rows_of(X: RowsLike) -> Rows:
    """Return something with a shape whose rows can be taken: a frame, a CSR matrix or an array."""
    if sp.issparse(X):
        return X.tocsr()  # type: ignore[no-any-return, union-attr]
    if hasattr(X, "columns") and hasattr(X, "dtypes"):  # an arrow table has columns, and no rows that can be taken
        return _bare(cast("Any", X).copy(deep=False)) if hasattr(X, "iloc") else cast("Rows", X)
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"Expected rows and columns, got {array.ndim} dimensions instead. Reshape your data.")
    return array


def labels_of(owner: str, X: Rows, y: ArrayLike | None) -> Labels:
    """Return one label per row, or say what is wrong with them."""
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None.")
    _refuse_odd_labels(owner, y)
    labels: Labels = column_or_1d(y, warn=True)
    check_consistent_length(X, labels)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError(f"The 'y' argument of {owner} must not contain NaN or infinity.")
    check_classification_targets(labels)
    return labels


def numbers_of(owner: str, name: str, X: Rows | None, y: ArrayLike | None) -> FloatArray:
    """Return one finite number per row, or say what is wrong with them."""
    if y is None:
        raise ValueError(f"{owner} requires {name} to be passed, but the target {name} is None.")
    _refuse_odd_labels(owner, y, name)
    given: Labels = column_or_1d(y, warn=True)
    if X is not None:
        check_consistent_length(X, given)
    refuse_text(f"The {name!r} argument of {owner}", given)
    if given.dtype.kind in "iu" and given.size and max(abs(int(given.min())), abs(int(given.max()))) > _EXACT:
        raise ValueError(f"The {name!r} argument of {owner} must hold numbers up to 2**53. Got larger ones instead.")
    numbers = np.asarray(given, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError(f"The {name!r} argument of {owner} must not contain NaN or infinity.")
    return numbers


def _refuse_odd_labels(owner: str, y: ArrayLike, name: str = "y") -> None:
    """Refuse labels that are masked, missing, or text and numbers at once, before anything turns one into the other."""
    if np.ma.isMaskedArray(y) and np.ma.getmaskarray(y).any():
        raise ValueError(f"The {name!r} argument of {owner} must not contain masked labels.")
    given: Any = y.to_numpy() if hasattr(y, "to_numpy") else y
    kind = getattr(getattr(given, "dtype", None), "kind", "O")
    if kind not in "biufUOT":
        reason = "Complex data not supported. " if kind == "c" else ""  # in scikit-learn's words
        raise ValueError(
            f"{reason}The {name!r} argument of {owner} must hold labels that are numbers, truth values or text. "
            f"Got {given.dtype} instead."
        )
    if kind != "O" or not isinstance(given, list | tuple | np.ndarray):
        return
    flat = given if isinstance(given, list | tuple) else np.ravel(given).tolist()
    plain = [each.item() if isinstance(each, np.generic) else each for each in flat]
    if any(each is None or (type(each) is float and math.isnan(each)) for each in plain):
        raise ValueError(f"The {name!r} argument of {owner} must not contain NaN or missing labels.")
    texts = {type(each) is str for each in plain}
    odd = [each for each in plain if not isinstance(each, list | tuple | np.ndarray | numbers.Real | str)]
    if len(texts) > 1 or odd or any(isinstance(each, str) and type(each) is not str for each in plain):
        kinds = ", ".join(sorted({type(each).__name__ for each in plain})[:5])
        raise ValueError(
            f"The {name!r} argument of {owner} must hold labels that are all numbers or all text. Got {kinds}."
        )


def refuse_text(owner: str, values: RowsLike) -> None:
    """Refuse text where numbers belong, even if it reads like numbers."""
    array: Any = values if hasattr(values, "dtype") else np.asarray(values)
    kind = getattr(array.dtype, "kind", "")
    if kind in "US" or (kind == "O" and any(isinstance(each, str | bytes) for each in np.ravel(array))):
        raise ValueError(f"{owner} must hold numbers. Got text instead, even if it may read like numbers.")


def take(X: Rows, rows: slice | IntArray) -> Rows:
    """Return a copy of the rows at these positions, in this order, in the same container."""
    if hasattr(X, "iloc"):
        part = X.iloc[rows]
        return _bare(part.copy() if isinstance(rows, slice) else part)
    part = X[rows]
    return np.array(part) if isinstance(part, np.ndarray) and part.base is not None else part


def _bare(frame: Any) -> Rows:
    """Return a frame that was made here without its index and attributes, which are no columns."""
    frame.index = range(len(frame))
    frame.attrs = {}
    return frame  # type: ignore[no-any-return]


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
