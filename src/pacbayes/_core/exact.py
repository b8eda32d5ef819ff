"""Values in arrays that hold each exactly: numpy and scikit-learn make doubles of whole numbers that are no doubles.

They do so where whole numbers are missing, where they stand beside doubles, and where no type of numpy has all of them.
Two classes or two groups beyond 2**53 would then be one, and errors between them would count as correct.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.types import BoolArray

__all__ = [
    "align_exactly",
    "equals_exactly",
    "exact_array",
    "fixed_width",
    "has_beyond",
    "in_one_type",
    "named_columns",
    "plain_objects",
]

_EXACT = 2**53  # below it every whole number is a double, and no other becomes that double
_WHOLE = {"i": np.int64, "u": np.uint64, "b": np.bool_}


def exact_array(values: Any) -> NDArray[Any]:
    """Return values in an array that holds each exactly, whatever held them: of objects where no other type does.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.exact import exact_array
    >>> exact_array([2**53 + 1, 5.0]).tolist(), exact_array([2**63 + 1, 5]).dtype.name
    ([9007199254740993, 5], 'uint64')
    >>> exact_array([2**53 + 1, None, 0.5]).tolist(), exact_array([1, 0.5]).tolist()
    ([9007199254740993, None, 0.5], [1.0, 0.5])
    """
    if (column := _only_column(values)) is not None:
        return exact_array(column).reshape(-1, 1)
    array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") and not _is_arrow(values) else values)
    own = getattr(values, "dtype", None)
    if isinstance(own, np.dtype) or array.dtype.kind not in "fO":  # what numpy itself held is as it was
        return array
    if array.dtype.kind == "O":
        return _typed(array, getattr(own, "kind", ""))
    return _undo_rounding(array, values) if (np.abs(array) >= np.float64(_EXACT)).any() else array


def has_beyond(array: NDArray[Any]) -> bool:
    """Return whether there are numbers beyond 2**53, of which doubles do not hold all.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.exact import has_beyond
    >>> has_beyond(np.array([2**53 + 1])), has_beyond(np.array([2.0**53, np.nan]))
    (True, False)
    """
    if array.dtype.kind in "iu":
        return bool(array.size) and max(abs(int(array.min())), abs(int(array.max()))) > _EXACT
    if array.dtype.kind == "f":
        return bool((np.abs(array) > np.float64(_EXACT)).any())
    listed = array.ravel().tolist() if array.dtype.kind == "O" else []
    return any(isinstance(each, numbers.Real) and abs(cast("Any", each)) > _EXACT for each in listed)


def fixed_width(array: NDArray[Any]) -> NDArray[Any]:
    """Return texts of numpy that have any width in one; anything else as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.exact import fixed_width
    >>> fixed_width(np.array([1, 2])).tolist()
    [1, 2]
    """
    return array.astype(object).astype(np.str_) if array.dtype.kind == "T" else array


def in_one_type(owner: str, labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels to learn from; numbers that only objects hold are refused, since estimators make doubles of them.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.exact import in_one_type
    >>> in_one_type("fit", np.array([2**64, 1], dtype=object))
    Traceback (most recent call last):
    ...
    ValueError: The 'y' argument of fit must hold whole numbers of one type, such as int64, where they exceed 2**53. \
Got objects such as 18446744073709551616 instead.
    """
    if labels.dtype.kind == "O" and has_beyond(labels):
        raise ValueError(
            f"The 'y' argument of {owner} must hold whole numbers of one type, such as int64, where they exceed 2**53. "
            f"Got objects such as {max(labels.tolist(), key=abs)!r:.40} instead."
        )
    return fixed_width(labels)


def plain_objects(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as objects that Python compares exactly: numbers of numpy round those beside them.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.exact import plain_objects
    >>> plain_objects(np.array([2.0**53])) == plain_objects(np.array([np.int64(2**53 + 1)], dtype=object))
    array([False])
    """
    found = np.empty(array.size, dtype=object)
    found[:] = [each.item() if isinstance(each, np.generic) else each for each in array.ravel().tolist()]
    return found.reshape(array.shape)


def align_exactly(one: NDArray[Any], two: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return two arrays so that numpy compares their values exactly: as objects, where it would make doubles of them.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.exact import align_exactly
    >>> one, two = align_exactly(np.array([2**53 + 1, 5]), np.array([2.0**53, 5.0]))
    >>> (one == two).tolist()
    [False, True]
    """
    kinds = {one.dtype.kind, two.dtype.kind}
    if not kinds <= set("iufO") or (len(kinds) == 1 and "O" not in kinds):
        return one, two
    if "O" in kinds or has_beyond(one) or has_beyond(two):
        return plain_objects(one), plain_objects(two)
    return one, two


def equals_exactly(values: NDArray[Any], wanted: object) -> BoolArray:
    """Return which values are one that is wanted.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.exact import equals_exactly
    >>> equals_exactly(np.array([2.0**53, 1.0]), 2**53 + 1).tolist()
    [False, False]
    """
    plain = wanted.item() if isinstance(wanted, np.generic) else wanted
    if isinstance(plain, int | float) and (abs(plain) >= _EXACT or values.dtype.kind == "O"):
        return np.asarray(plain_objects(values) == plain, dtype=bool)
    return np.asarray(values == wanted, dtype=bool)


def named_columns(frame: Any) -> list[tuple[Any, Any]]:
    """Return the columns of a mapping, or of a frame of pandas, polars or Arrow, each with its name.

    Examples
    --------
    >>> from pacbayes._core.exact import named_columns
    >>> named_columns({"site": ["a", "b"]})
    [('site', ['a', 'b'])]
    """
    if isinstance(frame, Mapping):
        return list(frame.items())
    if hasattr(frame, "iloc"):
        return [(name, frame.iloc[:, place]) for place, name in enumerate(frame.columns)]
    if hasattr(frame, "column_names"):  # of Arrow, whose "columns" are the values
        return [(name, frame.column(place)) for place, name in enumerate(frame.column_names)]
    return [(name, frame[name]) for name in frame.columns]


def _only_column(values: Any) -> Any:
    """Return the column of a frame that has one; None of anything else."""
    is_frame = hasattr(values, "columns") and len(getattr(values, "shape", ())) == 2
    return named_columns(values)[0][1] if is_frame and len(values.columns) == 1 else None


def _is_arrow(values: Any) -> bool:
    return hasattr(values, "to_pylist")  # its to_numpy refuses texts, truth values and what is missing


def _typed(array: NDArray[Any], kind: str) -> NDArray[Any]:
    """Return the objects of a column that has a type of its own in that type, unless values are missing."""
    is_whole = kind in _WHOLE and all(isinstance(each, int) for each in array.ravel().tolist())
    return array.astype(_WHOLE[kind]) if is_whole else array


def _undo_rounding(rounded: NDArray[Any], values: Any) -> NDArray[Any]:
    """Return what doubles were made of, unless they are what was given."""
    objects = plain_objects(np.array(_listed(values), dtype=object))
    if objects.shape != rounded.shape:
        return rounded
    pairs = zip(rounded.ravel().tolist(), objects.ravel().tolist(), strict=True)
    is_same = all(one != one or one == other for one, other in pairs)  # noqa: PLR0124  (NaN stands for what is missing)
    has_doubles = any(not isinstance(each, int) for each in objects.ravel().tolist())
    return rounded if is_same and has_doubles else _whole(objects)


def _listed(values: Any) -> Any:
    """Return values of a column before numpy makes numbers of them; pandas gives them as objects."""
    if _is_arrow(values):
        return values.to_pylist()
    if hasattr(values, "astype"):
        return np.asarray(values.astype(object))
    return values.to_list() if hasattr(values, "to_list") else values


def _whole(objects: NDArray[Any]) -> NDArray[Any]:
    """Return objects that are all whole numbers in a type of numpy that has all of them, if one does."""
    flat = objects.ravel().tolist()
    if not all(isinstance(each, int) or (type(each) is float and each.is_integer()) for each in flat):
        return objects
    whole = [int(each) for each in flat]
    for kind in (np.int64, np.uint64):
        if np.iinfo(kind).min <= min(whole) and max(whole) <= np.iinfo(kind).max:
            return np.array(whole, dtype=kind).reshape(objects.shape)
    return objects
