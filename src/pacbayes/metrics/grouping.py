"""Rows in groups: by the values of one or several columns."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from pacbayes._core.alignment import find_index, refuse_other_order
from pacbayes._core.digests import digest_of_arrays
from pacbayes._core.labels import label_text
from pacbayes._core.types import IntArray, Labels, Rows
from pacbayes.metrics.group_codes import code_values, hold_column

__all__ = ["GroupColumns", "Grouping", "group_again", "group_rows", "group_values", "read_group_columns"]

GroupColumns = str | int | Sequence[str | int]
_MOST = 0.5  # of the rows: more groups than that are no groups
_FEW = 50
_JOINT = 2**53
_SMALL = 2**16
_MANY = 500  # up to so many, however few rows each has
_ROWS_EACH = 20  # of more groups, on average: about as many as a limit below one half needs at a delta of 1e-6
MOST_GROUPS = 10_000  # a statement each, which everybody who verifies reads


@dataclass(frozen=True, slots=True)
class Grouping:
    """Which group each row is in.

    Attributes
    ----------
    names : tuple of mapping
        The groups: a value by column, the columns in alphabetical order.
    places : ndarray
        The position of each row's group among them.
    index : index or None
        Of the pandas columns it was made of, to compare with that of the rows; no part of what is certified.
    """

    names: tuple[Mapping[str, str], ...]
    places: IntArray
    index: Any = field(default=None, compare=False, repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that rows are grouped by."""
        return tuple(self.names[0]) if self.names else ()

    @property
    def digest(self) -> str:
        """SHA-256 of the groups and of which one each row is in."""
        texts = [json.dumps(dict(each), ensure_ascii=False) for each in self.names]
        return digest_of_arrays(names=np.array(texts), groups=self.places)

    def take(self, rows: IntArray) -> Grouping:
        """Return the groups of some rows; only those that occur among them."""
        found, places = _distinct(self.places[rows], len(self.names))
        return Grouping(tuple(self.names[each] for each in found.tolist()), places)

    def rows_of(self) -> list[IntArray]:
        """Return the positions of the rows of each group, ascending."""
        small = self.places.astype(np.uint16) if len(self.names) <= _SMALL else self.places  # sorted by radix
        order = np.argsort(small, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.places, minlength=len(self.names)))[:-1])


def read_group_columns(owner: str, groups: GroupColumns | None) -> tuple[str | int, ...]:
    """Return the columns that rows are to be grouped by, or say what they must be.

    Examples
    --------
    >>> from pacbayes.metrics import read_group_columns
    >>> read_group_columns("me", "sex"), read_group_columns("me", ["sex", "race"]), read_group_columns("me", None)
    (('sex',), ('sex', 'race'), ())
    """
    if groups is None:
        return ()
    given = tuple(groups) if isinstance(groups, Iterable) and not isinstance(groups, str) else (groups,)
    if not given or any(isinstance(each, bool) or not isinstance(each, str | int | np.integer) for each in given):
        raise ValueError(f"The 'groups' of {owner} must name columns. {_got(groups)}")
    if len(set(given)) != len(given):
        raise ValueError(f"The 'groups' of {owner} must name each column once. {_got(groups)}")
    return given


def _got(groups: GroupColumns) -> str:
    """Return what was given for columns; an array may hold values, as the groups of scikit-learn's splitters do."""
    if not hasattr(groups, "dtype"):
        return f"Got {groups!r:.60} instead."
    return f"Got an array of {np.asarray(groups).size} values; pass values beside the rows as fit(X, y, grouping=...)."


def group_rows(owner: str, X: Rows, columns: Sequence[str | int]) -> Grouping:
    """Group rows by the values of columns of a frame, by name, or of an array, by position.

    A position may be given of a frame, too, unless the same number is the name of another column.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import group_rows
    >>> found = group_rows("me", np.array([[0.0, 7.0], [1.0, 7.0], [0.0, 7.0]]), [0])
    >>> found.names, found.places.tolist()
    (({'column 0': '0'}, {'column 0': '1'}), [0, 1, 0])
    """
    return group_values(owner, {_name(each): _column(owner, X, each) for each in columns})


def group_again(owner: str, X: Rows, names: Sequence[str]) -> Grouping:
    """Group rows by the columns that a certificate names, by name or by position, or ask for their values.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics.grouping import group_again
    >>> group_again("me", np.array([[0.0, 7.0], [1.0, 7.0]]), ["column 1"]).names
    ({'column 1': '7'},)
    """
    frame: Any = X
    named = {str(each) for each in frame.columns} if hasattr(X, "columns") else set()
    numbered = {_name(k): k for k in range(int(X.shape[1]))}
    missing = next((each for each in names if each not in named and each not in numbered), None)
    if missing is not None:
        raise ValueError(
            f"The 'groups' argument of {owner} must be the group of each row, by name where they had names: "
            f"the certificate is by {missing!r:.60}, which is no column of X. Got none."
        )
    return group_rows(owner, X, [each if each in named else numbered[each] for each in names])


def group_values(owner: str, columns: Mapping[str, Labels]) -> Grouping:
    """Group rows by the values of named columns; crossed, if there are several.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import group_values
    >>> group_values("me", {"sex": np.array(["f", "m", "f"]), "old": np.array([True, True, False])}).names
    ({'old': 'False', 'sex': 'f'}, {'old': 'True', 'sex': 'f'}, {'old': 'True', 'sex': 'm'})
    """
    refuse_other_order(owner, columns)
    index = next((each for each in map(find_index, columns.values()) if each is not None), None)
    names = sorted(columns)
    coded = [code_values(columns[name]) for name in names]
    texts, rows = [texts for texts, _ in coded], coded[0][1].size
    sizes = [len(each) for each in texts]
    if math.prod(sizes) > _JOINT:
        raise ValueError(f"The 'groups' of {owner} must be columns with few values. Got {sizes} values.")
    if len(coded) == 1:
        distinct, places = np.arange(sizes[0]), coded[0][1]
    else:
        distinct, places = _distinct(np.ravel_multi_index([each for _, each in coded], sizes), math.prod(sizes))
    _refuse_many(owner, len(distinct), rows)
    codes = np.transpose(np.unravel_index(distinct, sizes)).tolist()
    found = [{name: texts[k][code] for k, (name, code) in enumerate(zip(names, row, strict=True))} for row in codes]
    return Grouping(tuple(found), places, index)


def _refuse_many(owner: str, groups: int, rows: int) -> None:
    """Refuse more groups than rows can tell anything about, and more than a certificate states."""
    if groups > MOST_GROUPS:
        raise ValueError(f"The 'groups' of {owner} must be at most {MOST_GROUPS}. Got {groups} groups of {rows} rows.")
    if groups > min(max(_FEW, _MOST * rows), max(_MANY, rows / _ROWS_EACH)):
        raise ValueError(
            f"The 'groups' of {owner} must be columns with few values. Got {groups} groups of {rows} "
            "rows; put values into ranges first. If several rows belong to one patient or customer, see 'Several rows "
            "belong to one patient' in the guide: they are not independent, whatever they are grouped by."
        )


def _distinct(codes: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Return which of so many codes occur, ascending, and the position of each code among them.

    What :func:`numpy.unique` returns; counted and not sorted, unless there may be far more codes than occur.
    """
    if size > max(_SMALL, 4 * codes.size):
        found, places = np.unique(codes, return_inverse=True)
        return found, np.asarray(places).reshape(-1)
    counts = np.bincount(codes, minlength=size)
    found = np.flatnonzero(counts)
    return found, (np.cumsum(counts > 0) - 1)[codes]


def _name(column: str | int) -> str:
    return column if isinstance(column, str) else f"column {int(column)}"


def _refuse_number_of_two(owner: str, column: str | int, names: Sequence[object]) -> None:
    """Refuse a number that is the position of one column and names another, as it is or as certificates call it."""
    if isinstance(column, str):
        return
    called = {str(int(column)), _name(column)}
    other = next((each for k, each in enumerate(names) if k != column and label_text(each) in called), None)
    if other is not None and 0 <= column < len(names):
        raise ValueError(
            f"The 'groups' of {owner} must tell one column from the others. Got {column!r}, which is the position of "
            f"{names[column]!r:.40} and the name of another column; give the name as text, {str(names[column])!r:.40} "
            f"or {str(other)!r:.40}."
        )


def _column(owner: str, X: Rows, column: str | int) -> Labels:
    frame: Any = X
    if hasattr(X, "columns"):
        names = [str(each) for each in frame.columns]
        _refuse_number_of_two(owner, column, list(frame.columns))
        wanted = column if isinstance(column, str) else (names[column] if 0 <= column < len(names) else "")
        if wanted not in names:
            raise ValueError(f"The 'groups' of {owner} must name columns of X. {column!r} is none of its columns.")
        if (same := names.count(wanted)) > 1:
            raise ValueError(f"The 'groups' of {owner} must name one column each. {same} are called {wanted!r:.60}.")
        found = frame[frame.columns[names.index(wanted)]]
        held = hold_column(found)
        is_category = hasattr(found, "cat") and hasattr(found, "astype")  # of pandas; every column of polars has "cat"
        return np.asarray(found.astype(object)) if is_category and isinstance(held, np.ndarray) else held
    if isinstance(column, str) or not 0 <= column < int(X.shape[1]):
        raise ValueError(
            f"The 'groups' of {owner} must be positions of columns where X has no names. Got {column!r} for "
            f"{int(X.shape[1])} columns."
        )
    part = frame[:, int(column)]
    found = np.asarray(part.toarray()).ravel() if sp.issparse(part) else np.asarray(part)
    if found.dtype.kind == "f" and (np.abs(found) >= _JOINT).any():  # what of, only those who made the array know
        raise ValueError(
            f"The 'groups' of {owner} must be below 2**53 in rows that are doubles, which may stand for several whole "
            f"numbers. Got larger ones in column {column}; pass the groups beside the rows."
        )
    return found
