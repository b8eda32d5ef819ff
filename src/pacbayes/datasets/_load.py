"""From a raw file to features and labels, in one of two encodings."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, overload

import numpy as np
from sklearn.utils import Bunch

from pacbayes._core.types import FloatArray, IntArray
from pacbayes.datasets._files import DataFileError, raw_file
from pacbayes.datasets._specifications import SPECIFICATIONS, Column, Specification

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["load", "names"]

_ENCODINGS = ("sound", "published")
_MISSING = "?"


def names() -> list[str]:
    """Return the names of the data sets, smallest first.

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.datasets.names()
    ['haberman', 'breast-cancer', 'tictactoe', 'banknote', 'kr-vs-kp', 'spambase', 'mushroom', 'adult']
    """
    return list(SPECIFICATIONS)


class Feature(NamedTuple):
    """One feature of the encoded data."""

    name: str
    values: FloatArray
    dtype: str


@overload
def load(name: str, encoding: str = ..., *, as_frame: bool = ..., return_X_y: Literal[False] = ...) -> Bunch: ...


@overload
def load(
    name: str, encoding: str = ..., *, as_frame: Literal[False] = ..., return_X_y: Literal[True]
) -> tuple[FloatArray, IntArray]: ...


@overload
def load(
    name: str, encoding: str = ..., *, as_frame: Literal[True], return_X_y: Literal[True]
) -> tuple[pd.DataFrame, IntArray]: ...


def load(
    name: str, encoding: str = "sound", *, as_frame: bool = False, return_X_y: bool = False
) -> Bunch | tuple[FloatArray | pd.DataFrame, IntArray]:
    """Load one of the paper's eight UCI data sets.

    The raw file is looked for in the folder ``PACBAYES_DATA`` (or the user's cache), fetched from the UCI archive if
    it is not there, and checked against its SHA-256.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    encoding : {"sound", "published"}, default="sound"
        "sound": declared categories as 0-1 indicators and numbers as they are; nothing is learned from the rows.
        "published":
        as the paper's runs had it, every feature scaled to [-1, 1] with the minimum and maximum of *all* rows, which no
        certificate should rest on (errata E9 and E11).
    as_frame : bool, default=False
        Return a pandas frame with names and dtypes in place of an array.
    return_X_y : bool, default=False
        Return ``(X, y)`` in place of a bunch.

    Returns
    -------
    Bunch
        ``data`` (n, d), ``target`` (0 or 1, 1 for the positive label), ``feature_names``, ``target_names``, ``name``.

    Raises
    ------
    DataFileError
        If the file is missing or corrupt; the message says where it was looked for and how to get it.

    Examples
    --------
    >>> import pacbayes as pb
    >>> X, y = pb.datasets.load("tictactoe", return_X_y=True)  # doctest: +SKIP
    >>> X.shape  # doctest: +SKIP
    (958, 27)
    """
    if name not in SPECIFICATIONS:
        raise ValueError(f"The 'name' argument of load must be one of {names()}. Got {name!r} instead.")
    if encoding not in _ENCODINGS:
        raise ValueError(f"The 'encoding' argument of load must be one of {_ENCODINGS}. Got {encoding!r} instead.")
    specification = SPECIFICATIONS[name]
    features, labels = _encode(specification, encoding)
    data = np.column_stack([feature.values for feature in features])
    if encoding == "published":
        data = _scale_by_all_rows(data)
    table = _frame(data, features, encoding) if as_frame else data
    if return_X_y:
        return table, labels
    return Bunch(
        data=table,
        target=labels,
        feature_names=[feature.name for feature in features],
        target_names=list(specification.labels),
        name=name,
        encoding=encoding,
    )


def _rows(specification: Specification) -> list[list[str]]:
    """Read the file; blank lines are passed over, and rows with missing values where the set drops them."""
    path = raw_file(specification)
    width = len(specification.columns)
    with path.open(newline="", encoding="ascii") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if any(row)]
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            raise DataFileError(f"Row {number} of {path} must have {width} fields. Got {len(row)} instead.")
    return [row for row in rows if _MISSING not in row] if specification.drop_missing else rows


def _encode(specification: Specification, encoding: str) -> tuple[list[Feature], IntArray]:
    """Return the features and the labels of a raw file."""
    columns = dict(zip(specification.columns, zip(*_rows(specification), strict=True), strict=True))
    features = [
        feature
        for column, texts in columns.items()
        if column.used and column.name != specification.label
        for feature in _features(specification, column, texts, encoding)
    ]
    (texts,) = (texts for column, texts in columns.items() if column.name == specification.label)
    return features, _labels(specification, texts)


def _labels(specification: Specification, texts: Sequence[str]) -> IntArray:
    odd = set(texts) - set(specification.labels)
    if odd:
        raise DataFileError(
            f"The label of data set {specification.name!r} must be one of {specification.labels}. "
            f"Got {odd.pop()!r} instead."
        )
    return np.array([text == specification.positive for text in texts], dtype=np.int64)


def _features(specification: Specification, column: Column, texts: Sequence[str], encoding: str) -> list[Feature]:
    """Return each feature that a column becomes."""
    if column.categories:
        odd = set(texts) - set(column.categories)
        if odd:
            raise DataFileError(
                f"Column {column.name!r} of data set {specification.name!r} must hold {column.categories}. "
                f"Got {odd.pop()!r} instead."
            )
        array = np.array(texts)
        return [Feature(f"{column.name}={c}", (array == c).astype(np.float64), "uint8") for c in column.categories]
    if encoding == "published" and column.ordered_as_text:
        place = {text: float(index) for index, text in enumerate(column.ordered_as_text)}
        return [Feature(column.name, np.array([place[text] for text in texts]), "float64")]
    stand_in = column.missing_sound
    numbers = [stand_in if text == _MISSING and stand_in is not None else float(text) for text in texts]
    return [Feature(column.name, np.array(numbers, dtype=np.float64), "float64")]


def _scale_by_all_rows(data: FloatArray) -> FloatArray:
    low, high = data.min(axis=0), data.max(axis=0)
    return np.asarray(2.0 * (data - low) / np.where(high > low, high - low, 1.0) - 1.0)


def _frame(data: FloatArray, features: Sequence[Feature], encoding: str) -> pd.DataFrame:
    try:
        import pandas as pd  # noqa: PLC0415  (an optional dependency)
    except ImportError:
        raise ImportError("load(as_frame=True) needs pandas: install pacbayes[data].") from None
    frame = pd.DataFrame(data, columns=[feature.name for feature in features])
    return frame.astype({feature.name: feature.dtype for feature in features}) if encoding == "sound" else frame
