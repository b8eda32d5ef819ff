"""Rows and labels of whatever holds them: arrays, sparse matrices, frames of pandas and polars, files read in blocks.

What is handed to an estimator is its own: no index, no attributes of a frame, and no memory shared with other rows,
through which it could learn of rows and labels that it must not see.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from pacbayes._core.arguments import refuse_masked
from pacbayes._core.coded_labels import CodedLabels
from pacbayes._core.doubles import refuse_rounded
from pacbayes._core.exact import exact_array, in_one_type
from pacbayes._core.foreign import adopt_rows, collect, is_distributed
from pacbayes._core.labels import refuse_nul
from pacbayes._core.places import PlacesAhead
from pacbayes._core.types import FloatArray, IntArray, Labels, Rows, RowsLike

__all__ = [
    "BLOCK_ROWS",
    "concatenate",
    "count_labels",
    "distinct_labels",
    "is_missing",
    "is_stored",
    "keep_rows",
    "labels_of",
    "locate_blocks",
    "map_blocks",
    "numbers_of",
    "read_blocks",
    "refuse_odd_labels",
    "refuse_text",
    "rows_of",
    "take",
]

BLOCK_ROWS = 1 << 18  # that are judged at once
_LABELS = 1 << 16  # that are looked at together
_FEW = 16  # classes that are compared with each label

Task = TypeVar("Task")
Common = TypeVar("Common")
Result = TypeVar("Result")


def rows_of(X: RowsLike, *, in_blocks: bool = False) -> Rows:
    """Return something with a shape whose rows can be taken: a frame, a CSR matrix or an array.

    Rows of a distributed collection stay where they are, if they are looked at ``in_blocks``; else they are refused.
    """
    if is_distributed(X) and in_blocks:
        return adopt_rows(X)
    if is_distributed(X):
        raise ValueError(
            f"Rows must be in memory here: pass the result of compute(). Got {type(X).__name__} of Dask, which "
            "CertifiedClassifier, CertifiedRegressor, certify and compare take."
        )
    if sp.issparse(X):
        return X.tocsr()  # type: ignore[no-any-return, union-attr]
    if hasattr(X, "columns") and hasattr(X, "dtypes"):  # an arrow table has columns, and no rows that can be taken
        return _bare(cast("Any", X).copy(deep=False)) if hasattr(X, "iloc") else cast("Rows", X)
    refuse_masked("The rows in 'X'", X)
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"Expected rows and columns, got {array.ndim} dimensions instead. {_advise(array)}")
    return array


def _advise(array: np.ndarray[Any, Any]) -> str:
    """Return what to do with rows that have no columns; scikit-learn's own checks look for the words "Reshape"."""
    if array.ndim == 1 and array.size and isinstance(array[0], str):
        return (
            "Texts go into a column of a data frame, which the pipeline names: pd.DataFrame({'text': texts}) and "
            "make_column_transformer((TfidfVectorizer(), 'text'))."
        )
    return "Reshape your data."


def labels_of(owner: str, X: Rows, y: ArrayLike | None) -> Labels:
    """Return one label per row, or say what is wrong with them."""
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None.")
    from sklearn.utils import check_consistent_length  # noqa: PLC0415  (what reads certificates alone does without)
    from sklearn.utils.multiclass import check_classification_targets  # noqa: PLC0415
    from sklearn.utils.validation import column_or_1d  # noqa: PLC0415

    if isinstance(y, CodedLabels):  # of a table, where they were looked at
        check_consistent_length(X, y)
        return cast("Labels", y)
    y = collect(y, X)
    refuse_odd_labels(owner, y)
    labels: Labels = in_one_type(owner, column_or_1d(exact_array(y), warn=True))
    check_consistent_length(X, labels)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError(f"The 'y' argument of {owner} must not contain NaN or infinity.")
    # all of millions would be sorted; the different ones tell the same
    check_classification_targets(labels if labels.size <= BLOCK_ROWS else distinct_labels(labels).repeat(2))
    return labels


def distinct_labels(labels: Labels | CodedLabels) -> Labels:
    """Return what ``numpy.unique`` does, without sorting millions of labels where few are different.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.rows import distinct_labels
    >>> distinct_labels(np.array(["yes", "no"] * 100_000)).tolist()
    ['no', 'yes']
    """
    if isinstance(labels, CodedLabels):
        return labels.classes[labels.counts() > 0]
    if labels.size <= _LABELS or labels.ndim != 1:
        return np.unique(labels)
    found = np.unique(labels[:_LABELS])
    for start in range(_LABELS, labels.size, _LABELS):
        block = labels[start : start + _LABELS]
        if found.size > _FEW or not np.logical_or.reduce([block == each for each in found]).all():
            found = np.union1d(found, block)
    return found


def count_labels(labels: Labels | CodedLabels) -> tuple[Labels, IntArray]:
    """Return the different labels, sorted, and how often each occurs.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.rows import count_labels
    >>> [each.tolist() for each in count_labels(np.array(["yes", "no"] * 100_000))]
    [['no', 'yes'], [100000, 100000]]
    """
    if isinstance(labels, CodedLabels):
        counts = labels.counts()
        return labels.classes[counts > 0], counts[counts > 0]
    if labels.size <= _LABELS or labels.ndim != 1:
        return np.unique(labels, return_counts=True)
    found = distinct_labels(labels)
    counts = np.zeros(found.size, dtype=np.int64)
    for start in range(0, labels.size, _LABELS):
        places = np.searchsorted(found, labels[start : start + _LABELS])
        counts += np.bincount(places, minlength=found.size)
    return found, counts


def numbers_of(owner: str, name: str, X: Rows | None, y: ArrayLike | None) -> FloatArray:
    """Return one finite number per row, or say what is wrong with them."""
    if y is None:
        raise ValueError(f"{owner} requires {name} to be passed, but the target {name} is None.")
    from sklearn.utils import check_consistent_length  # noqa: PLC0415
    from sklearn.utils.validation import column_or_1d  # noqa: PLC0415

    y = collect(y, X)
    refuse_odd_labels(owner, y, name)
    refuse_rounded(f"The {name!r} argument of {owner} must hold", y)
    given: Labels = column_or_1d(y, warn=True)
    if X is not None:
        check_consistent_length(X, given)
    refuse_text(f"The {name!r} argument of {owner}", given)
    numbers = np.asarray(given, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError(f"The {name!r} argument of {owner} must not contain NaN or infinity.")
    return numbers


def refuse_odd_labels(owner: str, y: ArrayLike, name: str = "y") -> None:
    """Refuse labels that are masked, missing, or text and numbers at once, before anything turns one into the other.

    So are texts with NUL in them (:func:`pacbayes._core.labels.refuse_nul`).
    """
    if np.ma.isMaskedArray(y) and np.ma.getmaskarray(y).any():
        raise ValueError(f"The {name!r} argument of {owner} must not contain masked labels.")
    given: Any = exact_array(y) if hasattr(y, "to_numpy") else y
    kind = getattr(getattr(given, "dtype", None), "kind", "O")
    if kind not in "biufUOT":
        reason = "Complex data not supported. " if kind == "c" else ""  # in scikit-learn's words
        raise ValueError(
            f"{reason}The {name!r} argument of {owner} must hold labels that are numbers, truth values or text. "
            f"Got {given.dtype} instead."
        )
    if kind not in "OT" or not isinstance(given, list | tuple | np.ndarray):
        return
    flat = given if isinstance(given, list | tuple) else np.ravel(given).tolist()
    plain = [each.item() if isinstance(each, np.generic) else each for each in flat]
    if any(is_missing(each) for each in plain):
        raise ValueError(f"The {name!r} argument of {owner} must not contain NaN or missing labels.")
    refuse_nul(f"The {name!r} argument of {owner}", plain)
    texts = {type(each) is str for each in plain}
    odd = [each for each in plain if not isinstance(each, list | tuple | np.ndarray | numbers.Real | str)]
    if len(texts) > 1 or odd or any(isinstance(each, str) and type(each) is not str for each in plain):
        kinds = ", ".join(sorted({type(each).__name__ for each in plain})[:5])
        raise ValueError(
            f"The {name!r} argument of {owner} must hold labels that are all numbers or all text. Got {kinds}."
        )


def is_missing(value: object) -> bool:
    """Return whether a value stands for one that is not known."""
    return value is None or type(value).__name__ == "NAType" or (type(value) is float and math.isnan(value))


def refuse_text(owner: str, values: RowsLike) -> None:
    """Refuse text where numbers belong, even if it reads like numbers."""
    array: Any = values if hasattr(values, "dtype") else np.asarray(values)
    kind = getattr(array.dtype, "kind", "")
    if kind in "US" or (kind == "O" and any(isinstance(each, str | bytes) for each in np.ravel(array))):
        raise ValueError(f"{owner} must hold numbers. Got text instead, even if it may read like numbers.")


def is_stored(X: Rows) -> bool:
    """Return whether rows are in a file, read block by block, and not in memory."""
    return hasattr(X, "read_blocks")


def keep_rows(X: Rows, rows: IntArray) -> None:
    """Have rows in memory that will be taken more than once, where they come from a file."""
    if is_stored(X):
        cast("Any", X).keep(rows)


def read_blocks(X: Rows, size: int | None = None) -> Iterator[Rows]:
    """Yield all rows in their order, so many at a time, in the same container; those of a file in a frame."""
    size = BLOCK_ROWS if size is None else size
    if is_stored(X):
        yield from cast("Any", X).read_blocks(size)
        return
    for start in range(0, int(X.shape[0]), size):
        yield take(X, slice(start, start + size))


def locate_blocks(X: Rows, places: IntArray) -> Iterator[tuple[IntArray, IntArray | None]]:
    """Yield for each block of rows as they lie in X which of some places are in it, and where in the block these are.

    Both depend on the places alone, and not on what holds the rows. None stands for all rows of a block in their order.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.rows import locate_blocks
    >>> found = locate_blocks(np.array([[5.0], [6.0], [7.0]]), np.array([2, 0]))
    >>> [(which.tolist(), inside.tolist()) for which, inside in found]
    [([0, 1], [2, 0])]
    """
    rows = int(X.shape[0])
    if rows <= BLOCK_ROWS:
        yield np.arange(places.size), _shorten(places, rows)
        return
    ahead = PlacesAhead(places, BLOCK_ROWS)
    for start in range(0, rows, BLOCK_ROWS):
        size = min(BLOCK_ROWS, rows - start)
        which, inside = ahead.find(start, size)
        yield which, _shorten(inside.astype(np.int32), size)


def _shorten(inside: Any, rows: int) -> IntArray | None:
    return None if inside.size == rows and np.array_equal(inside, np.arange(rows)) else inside


def map_blocks(
    X: Rows,
    function: Callable[[Rows, Task, Common], Result],
    tasks: Iterable[Task | None],
    common: Common,
    size: int | None = None,
) -> Iterator[Result | None]:
    """Yield what a function gives for each block of rows, in their order; where rows are elsewhere, it runs there.

    Parameters
    ----------
    X : rows
        Of any kind; the function gets a block in the same container, of a file in a frame. It must not change it.
    function : callable
        From the rows of a block, what is to be done with them, and what is common to all blocks.
    tasks : iterable
        What is to be done, block by block; where it is None, the block is left out and so is its result.
    common : object
        The same for all blocks, such as a model: where rows are elsewhere, it is sent once to each place.
    size : int, optional
        Rows of a block.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.rows import map_blocks
    >>> total = lambda rows, add, factor: float(rows.sum() * factor + add)
    >>> list(map_blocks(np.arange(5.0)[:, None], total, [1, None, 3], 2, size=2))
    [3.0, None, 11.0]
    """
    size = BLOCK_ROWS if size is None else size
    if hasattr(X, "map_blocks"):
        yield from cast("Any", X).map_blocks(function, tasks, common, size)
        return
    for rows, task in zip(read_blocks(X, size) if is_stored(X) else _view_blocks(X, size), tasks, strict=True):
        yield None if task is None else function(rows, task, common)


def _view_blocks(X: Rows, size: int) -> Iterator[Rows]:
    """Yield all rows in their order, so many at a time, without a copy where what holds them has such."""
    if 0 < int(X.shape[0]) <= size:
        yield X
        return
    for start in range(0, int(X.shape[0]), size):
        yield X.iloc[start : start + size] if hasattr(X, "iloc") else X[start : start + size]


def take(X: Rows, rows: slice | IntArray) -> Rows:
    """Return a copy of the rows at these positions, in this order, in the same container; of a file in a frame."""
    if is_stored(X):
        return cast("Rows", cast("Any", X).take_rows(rows))
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
