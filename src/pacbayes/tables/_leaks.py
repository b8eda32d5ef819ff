"""Columns that tell the target by themselves, found on learning rows alone.

Whoever follows such a note and leaves the column out has made a choice by labels. Where those are of learning rows, the
certificate that follows from the same seed is as sound as any other choice that is made on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pacbayes._core.notes import Note
from pacbayes._core.rows import take
from pacbayes._core.types import IntArray, ObjectArray
from pacbayes.tables._columns import Column
from pacbayes.tables._prepare import Table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["find_leaks"]

_FEW_VALUES = 50  # of a number, which are then looked at one by one
_MOST_ROWS = 20_000
_LEAST = 20  # rows, fewer of which tell little
_GROUP = 5  # rows of a value, fewer of which have one label by chance
_ALMOST, _OF_TRIVIAL = 0.01, 0.05  # errors of almost none: this share, and this part of what any answer would give
_MOST = 8


def find_leaks(table: Table, rows: IntArray) -> tuple[Note, ...]:
    """Return notes on columns that alone predict the target perfectly or almost so.

    Parameters
    ----------
    table : Table
    rows : ndarray
        Numbers of learning rows; at most 20,000 of them are looked at.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from pacbayes.tables import find_leaks, prepare_table
    >>> frame = pd.DataFrame({"age": range(40), "job": ["cook", "clerk"] * 20, "ill": ["no", "yes"] * 20})
    >>> find_leaks(prepare_table(frame, "ill"), np.arange(30))
    (Note('copies_target', {'column': 'job'}),)
    """
    chosen = rows[:_MOST_ROWS]
    labels = np.unique(table.y[chosen], return_inverse=True)[1] if chosen.size else np.zeros(0, dtype=np.int64)
    counts = np.bincount(labels)
    if chosen.size < _LEAST or counts.size < 2:
        return ()
    trivial = 1.0 - counts.max() / counts.sum()
    frame = take(table.X, chosen)
    notes = [note for column in table.columns for note in _find(column, frame[column.name], labels, trivial)]
    more = len(notes) - _MOST
    return (*notes[:_MOST], *([Note("more_notes", {"count": more})] if more > 0 else []))


def _find(column: Column, series: pd.Series, labels: IntArray, trivial: float) -> list[Note]:
    by_value, most = column.kind == "category" or column.distinct <= _FEW_VALUES, min(_ALMOST, _OF_TRIVIAL * trivial)
    if not by_value and _least_by_threshold(series, labels) / labels.size > most:
        return []
    errors, values = _count_by_value(series, labels) if by_value else (_count_by_threshold(series, labels), 0)
    share = errors / labels.size
    if share == 0.0 and values == labels.max() + 1:
        return [Note("copies_target", {"column": column.name})]
    if share == 0.0:
        return [Note("gives_target_away", {"column": column.name})]
    if share <= most:
        return [Note("almost_gives_target_away", {"column": column.name, "percent": 100.0 * float(share)})]
    return []


def _count_by_value(series: pd.Series, labels: IntArray) -> tuple[float, int]:
    """Return the errors of the most common label of each value, and how many values there are.

    Rows of a value that hardly occurs are counted as the most common label of all does on them.
    """
    known: ObjectArray = series.to_numpy(dtype=object)
    present = np.array([value == value for value in known])  # not so of a missing number  # noqa: PLR0124
    codes = np.zeros(labels.size, dtype=np.int64)
    codes[present] = 1 + np.unique(known[present].astype(str), return_inverse=True)[1]
    used, codes = np.unique(codes, return_inverse=True)
    classes = int(labels.max()) + 1
    table = np.bincount(codes * classes + labels, minlength=used.size * classes).reshape(used.size, classes)
    common = int(table.sum(axis=0).argmax())
    right = np.where(table.sum(axis=1) >= _GROUP, table.max(axis=1), table[:, common])
    return float(labels.size - right.sum()), int(used.size)


def _least_by_threshold(series: pd.Series, labels: IntArray) -> float:
    """Return what the errors of a few thresholds are at least, which most often is enough to know.

    Along the values, a stretch with one answer has at least half as many errors as its labels have changes. Thresholds
    take away one change each; what is missing may go anywhere, and is not counted.
    """
    values = series.to_numpy(dtype=np.float64)
    order = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    along = labels[order]
    return (np.count_nonzero(along[1:] != along[:-1]) - (_count_leaves(labels) - 1)) / 2.0


def _count_leaves(labels: IntArray) -> int:
    return 2 * (int(labels.max()) + 1)


def _count_by_threshold(series: pd.Series, labels: IntArray) -> float:
    """Return the errors of a few thresholds, each side of which holds several rows."""
    from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415

    tree = DecisionTreeClassifier(max_leaf_nodes=_count_leaves(labels), min_samples_leaf=_GROUP, random_state=0)
    values = series.to_numpy(dtype=np.float64).reshape(-1, 1)
    return float(np.count_nonzero(tree.fit(values, labels).predict(values) != labels))
