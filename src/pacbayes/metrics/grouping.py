"""Rows in groups: by the values of one or several columns."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from pacbayes._core.digests import digest_of_arrays
from pacbayes._core.labels import label_text
from pacbayes._core.types import IntArray, Labels, Rows

__all__ = ["GroupColumns", "Grouping", "group_rows", "group_values", "read_group_columns"]

GroupColumns = str | int | Sequence[str | int]
_MOST = 0.5  # of the rows: more groups than that are no groups
_FEW = 50
_JOINT = 2**53
_MANY = 500  # of that many, hardly any has rows enough for a limit


@dataclass(frozen=True, slots=True)
class Grouping:
    """Which group each row is in.

    Attributes
    ----------
    names : tuple of mapping
        The groups: a value by column, the columns in alphabetical order.
    places : ndarray
        The position of each row's group among them.
    """

    names: tuple[Mapping[str, str], ...]
    places: IntArray

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
        found, places = np.unique(self.places[rows], return_inverse=True)
        return Grouping(tuple(self.names[each] for each in found), places)

    def rows_of(self) -> list[IntArray]:
        """Return the positions of the rows of each group, ascending."""
        order = np.argsort(self.places, kind="stable")
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
    given = (groups,) if isinstance(groups, str | int) else tuple(groups)
    if not given or any(isinstance(each, bool) or not isinstance(each, str | int | np.integer) for each in given):
        raise ValueError(f"The 'groups' of {owner} must name columns. Got {groups!r:.60} instead.")
    if len(set(given)) != len(given):
        raise ValueError(f"The 'groups' of {owner} must name each column once. Got {groups!r:.60} instead.")
    return given


def group_rows(owner: str, X: Rows, columns: Sequence[str | int]) -> Grouping:
    """Group rows by the values of columns of a frame, by name, or of an array, by position.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import group_rows
    >>> found = group_rows("me", np.array([[0.0, 7.0], [1.0, 7.0], [0.0, 7.0]]), [0])
    >>> found.names, found.places.tolist()
    (({'column 0': '0'}, {'column 0': '1'}), [0, 1, 0])
    """
    return group_values(owner, {_name(each): _column(owner, X, each) for each in columns})


def group_values(owner: str, columns: Mapping[str, Labels]) -> Grouping:
    """Group rows by the values of named columns; crossed, if there are several.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import group_values
    >>> group_values("me", {"sex": np.array(["f", "m", "f"]), "old": np.array([True, True, False])}).names
    ({'old': 'False', 'sex': 'f'}, {'old': 'True', 'sex': 'f'}, {'old': 'True', 'sex': 'm'})
    """
    names = sorted(columns)
    coded = [_codes(columns[name]) for name in names]
    texts, rows = [texts for texts, _ in coded], coded[0][1].size
    sizes = [len(each) for each in texts]
    if math.prod(sizes) > _JOINT:
        raise ValueError(f"The 'groups' of {owner} must be columns with few values. Got {sizes} values.")
    joint = np.ravel_multi_index([places for _, places in coded], sizes)
    distinct, places = np.unique(joint, return_inverse=True)
    if len(distinct) > min(max(_FEW, _MOST * rows), _MANY):
        raise ValueError(
            f"The 'groups' of {owner} must be columns with few values. Got {len(distinct)} groups of {rows} "
            "rows; put values into ranges first."
        )
    codes = np.transpose(np.unravel_index(distinct, sizes)).tolist()
    found = [{name: texts[k][code] for k, (name, code) in enumerate(zip(names, row, strict=True))} for row in codes]
    return Grouping(tuple(found), np.asarray(places).reshape(-1))


def _codes(values: Any) -> tuple[list[str], IntArray]:
    """Return the distinct values as text, sorted, and the position of each value among them."""
    if hasattr(values, "categories"):  # of pandas: texts by their numbers
        sorted_texts, again = np.unique(np.asarray(values.categories, dtype=str), return_inverse=True)
        return sorted_texts.tolist(), again[values.codes]
    array = np.asarray(values)
    if array.dtype.kind in "biufU":
        distinct, places = np.unique(array, return_inverse=True)
        texts = np.array([label_text(each) for each in distinct.tolist()])
        sorted_texts, again = np.unique(texts, return_inverse=True)
        return sorted_texts.tolist(), again[places]
    sorted_texts, places = np.unique(np.array([label_text(each) for each in array.tolist()]), return_inverse=True)
    return sorted_texts.tolist(), places


def _name(column: str | int) -> str:
    return column if isinstance(column, str) else f"column {int(column)}"


def _column(owner: str, X: Rows, column: str | int) -> Labels:
    frame: Any = X
    if hasattr(X, "columns"):
        names = [str(each) for each in frame.columns]
        wanted = column if isinstance(column, str) else (names[column] if 0 <= column < len(names) else "")
        if wanted not in names:
            raise ValueError(f"The 'groups' of {owner} must name columns of X. {column!r} is none of its columns.")
        found = frame[frame.columns[names.index(wanted)]]
        return np.asarray(found.astype(object)) if hasattr(found, "cat") else np.asarray(found)
    if isinstance(column, str) or not 0 <= column < int(X.shape[1]):
        raise ValueError(
            f"The 'groups' of {owner} must be positions of columns where X has no names. Got {column!r} for "
            f"{int(X.shape[1])} columns."
        )
    part = frame[:, int(column)]
    return np.asarray(part.toarray()).ravel() if sp.issparse(part) else np.asarray(part)
