"""What helps where rows without preprocessing are refused: scikit-learn says what is wrong, not what helps."""

from __future__ import annotations

from collections.abc import Iterable
from traceback import walk_tb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.rows import is_missing, is_stored
from pacbayes._core.types import RowsLike
from pacbayes.tables import name_texts

__all__ = ["COLUMNS", "hint_at_preprocessing", "is_own_refusal"]

COLUMNS = "preprocessing=pacbayes.tables.ColumnPreprocessor()"  # of estimators that have no "auto"
_PACKAGE = __name__.partition(".")[0]


def is_own_refusal(error: BaseException) -> bool:
    """Return whether an error was raised by this package itself, and not by a learner or by what it calls.

    Examples
    --------
    >>> from pacbayes.estimators.hints import is_own_refusal
    >>> from pacbayes.learners import class_score
    >>> from sklearn.utils import check_array
    >>> for refuse in (lambda: class_score("nobody", [[0.0]], 1), lambda: check_array([["text"]], dtype=float)):
    ...     try:
    ...         refuse()
    ...     except ValueError as error:
    ...         print(is_own_refusal(error))
    True
    False
    """
    frames = list(walk_tb(error.__traceback__))
    module = frames[-1][0].f_globals.get("__name__", "") if frames else ""
    return str(module).partition(".")[0] == _PACKAGE


def hint_at_preprocessing(error: ValueError, rows: RowsLike, option: str = "preprocessing='auto'") -> None:
    """Add to a refusal of rows with text or missing values which option takes them; what was said stays as it is.

    Examples
    --------
    >>> from pacbayes.estimators.hints import hint_at_preprocessing
    >>> error = ValueError("Input contains NaN.")
    >>> hint_at_preprocessing(error, [[1.0], [float("nan")]])
    >>> print(error)
    Input contains NaN.
    Pass preprocessing='auto', which sets missing numbers to the mean and marks them.
    """
    hint = _find_hint(rows, option)
    if hint and len(error.args) == 1:
        error.args = (f"{error}\n{hint}",)


def _find_hint(rows: Any, option: str) -> str:
    """Return what to pass for rows with text or missing values; nothing for others, and for those in files."""
    if texts := name_texts(rows):
        return f"Pass {option}, which takes the column {texts[0]!r:.60} as categories."
    array = None if is_stored(rows) or hasattr(rows, "tocsr") else _to_array(rows)
    if array is None or array.ndim != 2:
        return ""
    if array.dtype.kind in "US" or any(isinstance(each, str | bytes) for each in _objects(array)):
        return f"Pass a data frame and {option}, which takes columns of text as categories."
    missing = np.isnan(array).any() if array.dtype.kind == "f" else any(map(is_missing, _objects(array)))
    return f"Pass {option}, which sets missing numbers to the mean and marks them." if missing else ""


def _to_array(rows: Any) -> NDArray[Any] | None:
    try:
        return np.asarray(rows)
    except (ValueError, TypeError):  # rows of different lengths, which have been refused for that
        return None


def _objects(array: NDArray[Any]) -> Iterable[object]:
    return array.flat if array.dtype == np.object_ else ()
