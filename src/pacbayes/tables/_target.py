"""The target: one label per row, at least two classes, each of which occurs more than once."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.coded_labels import CodedLabels, code_type
from pacbayes._core.labels import refuse_nul
from pacbayes._core.types import IntArray, Labels
from pacbayes.tables._columns import fold_truths, holds_numbers, holds_times
from pacbayes.tables._error import TableError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_coded_labels", "read_labels", "refuse_unknown", "to_labels"]

_MOST_CLASSES = 100


def refuse_unknown(unknown: int, target: str) -> None:
    """Refuse a target that is missing in some rows."""
    if unknown:
        raise TableError(
            f"The target {target!r} must be known in every row. It is missing in {unknown}: remove these rows, or "
            "spell a class otherwise that is called NA, None, null or the like, words that are read as missing."
        )


def read_labels(series: pd.Series, target: str, positive: str | None) -> Labels:
    """Return the labels of a column, with ``positive`` set against all others, or say why they are not classes."""
    return _read(series, target, positive, None)[0]


def read_coded_labels(
    series: pd.Series, target: str, positive: str | None, codes: NDArray[np.signedinteger[Any]]
) -> CodedLabels:
    """Return what :func:`read_labels` does of a column that holds each value once, and of where rows have which."""
    labels, classes = _read(series, target, positive, codes)
    places = np.searchsorted(classes, labels).astype(code_type(classes.size))
    return CodedLabels(places[codes], classes)


def _read(
    series: pd.Series, target: str, positive: str | None, codes: NDArray[np.signedinteger[Any]] | None
) -> tuple[Labels, Labels]:
    """Return the label of each value of a column, and the classes, sorted."""
    refuse_unknown(int(series.isna().sum()), target)
    rows = len(series) if codes is None else codes.size
    if holds_times(series):
        raise TableError(f"The target {target!r} holds times, not classes.")
    labels = to_labels(series, target)
    classes, counts = _count(labels, codes)
    texts = [str(label) for label in classes]
    if positive is not None and positive not in texts:
        near = difflib.get_close_matches(positive, texts, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(texts[:8])}."
        raise TableError(f"No row has the label {positive!r} in {target!r}. {hint}")
    if classes.size < 2:
        raise TableError(f"The target {target!r} must have at least two classes. All rows have {texts[0]!r:.60}.")
    if positive is not None and classes.size > 2:
        labels = np.where(np.array([str(each) for each in labels]) == positive, positive, f"not {positive}")
        classes, counts = _count(labels, codes)
    _check_classes(series, target, classes, counts, rows)
    return labels, classes


def _count(labels: Labels, codes: NDArray[np.signedinteger[Any]] | None) -> tuple[Labels, IntArray]:
    """Return the classes and how many rows each has."""
    if codes is None:
        return np.unique(labels, return_counts=True)
    classes, places = np.unique(labels, return_inverse=True)
    counts = CodedLabels(codes, labels).counts()
    return classes, np.bincount(places, weights=counts, minlength=classes.size).astype(np.int64)


def to_labels(series: pd.Series, target: str) -> Labels:
    """Return whole numbers where all values of a target are such, and text otherwise."""
    if holds_numbers(series) and series.dtype.kind != "b":
        values = series.to_numpy(dtype=np.float64)
        if np.isfinite(values).all() and np.array_equal(values, np.round(values)) and np.abs(values).max() < 2**53:
            return np.asarray(values.astype(np.int64))
    texts = [str(value) for value in series.to_numpy(dtype=object)]
    refuse_nul(f"The target {target!r}", texts, TableError)
    return np.array(fold_truths(np.array(texts, dtype=object)).tolist())


def _check_classes(series: pd.Series, target: str, classes: Labels, counts: IntArray, rows: int) -> None:
    many = classes.size
    if many > _MOST_CLASSES or many > rows // 2:
        looks = (
            "a measured number, which asks for regression" if holds_numbers(series) else "an identifier or free text"
        )
        raise TableError(
            f"The target {target!r} has {many} different values in {rows} rows: it looks like {looks}. "
            f"Certificates here are about classes, at most {_MOST_CLASSES}; --positive LABEL sets one against the "
            "rest; regressors are certified in Python, by pb.CertifiedRegressor."
        )
    if counts.min() < 2:
        rare = str(classes[int(counts.argmin())])
        raise TableError(f"Each class of {target!r} must occur at least twice. {rare!r:.60} occurs once.")
