"""The target: one label per row, at least two classes, each of which occurs more than once."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import numpy as np

from pacbayes._core.types import IntArray, Labels
from pacbayes.tables._columns import holds_numbers, holds_times
from pacbayes.tables._error import TableError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_labels", "to_labels"]

_MOST_CLASSES = 100


def read_labels(series: pd.Series, target: str, positive: str | None) -> Labels:
    """Return the labels of a column, with ``positive`` set against all others, or say why they are not classes."""
    unknown = int(series.isna().sum())
    if unknown:
        raise TableError(f"The target {target!r} must be known in every row. It is missing in {unknown}.")
    if holds_times(series):
        raise TableError(f"The target {target!r} holds times, not classes.")
    labels = to_labels(series)
    classes, counts = np.unique(labels, return_counts=True)
    texts = [str(label) for label in classes]
    if positive is not None and positive not in texts:
        near = difflib.get_close_matches(positive, texts, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(texts[:8])}."
        raise TableError(f"No row has the label {positive!r} in {target!r}. {hint}")
    if classes.size < 2:
        raise TableError(f"The target {target!r} must have at least two classes. All rows have {texts[0]!r:.60}.")
    if positive is not None and classes.size > 2:
        labels = np.where(np.array([str(each) for each in labels]) == positive, positive, f"not {positive}")
        classes, counts = np.unique(labels, return_counts=True)
    _check_classes(series, target, classes, counts)
    return labels


def to_labels(series: pd.Series) -> Labels:
    """Return whole numbers where all values are such, and text otherwise."""
    if holds_numbers(series) and series.dtype.kind != "b":
        values = series.to_numpy(dtype=np.float64)
        if np.isfinite(values).all() and np.array_equal(values, np.round(values)) and np.abs(values).max() < 2**53:
            return np.asarray(values.astype(np.int64))
    return np.array([str(value) for value in series])


def _check_classes(series: pd.Series, target: str, classes: Labels, counts: IntArray) -> None:
    many, rows = classes.size, len(series)
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
