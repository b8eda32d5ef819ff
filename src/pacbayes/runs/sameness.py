"""Whether two stored predictors are the same in every fitted number, compared as inert pieces."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.leeway import FITTED, Leeway, same_numbers
from pacbayes.runs.archive import Piece, walk
from pacbayes.runs.leeway import is_alike, is_ignored, leeway_for, true_type

__all__ = ["find_difference", "learning_versions"]

_REMAINDER = "sklearn.compose._column_transformer._RemainderColsList"


def find_difference(stored: Piece, again: Piece) -> str | None:
    """Return where a stored predictor differs from the one learned again, or None.

    Parameters
    ----------
    stored, again : Piece
        From :func:`pacbayes.runs.archive.read_pieces`.

    Examples
    --------
    >>> import skops.io as sio
    >>> from pacbayes.runs.archive import read_pieces
    >>> from pacbayes.runs.sameness import find_difference
    >>> one, two = ({"weights": [0.5, last]} for last in (1.0, 2.0))
    >>> find_difference(read_pieces(sio.dumps(one)), read_pieces(sio.dumps(two)))
    'weights.1'
    """
    found = _find(stored, again, FITTED, ())
    return None if found is None else ".".join(found) or "all"


def _find(one: Piece, two: Piece, leeway: Leeway, path: tuple[str, ...]) -> tuple[str, ...] | None:
    if "_remainder" in path:
        one, two = _unwrap(one), _unwrap(two)
    if (one.loader, true_type(one)) != (two.loader, true_type(two)) or not _same_value(one, two, leeway):
        return path
    for name in dict.fromkeys((*two.parts, *one.parts)):
        mine, theirs = one.parts.get(name), two.parts.get(name)
        if is_ignored(two, name, mine, theirs) or is_alike(two, name, mine, theirs):
            continue
        if mine is None or theirs is None:
            return (*path, name)
        found = _find(mine, theirs, leeway_for(two, name, leeway), (*path, name))
        if found is not None:
            return found
        if not _same_fields(mine, theirs, two, name, leeway):
            return (*path, name)
    return None


def _unwrap(piece: Piece) -> Piece:
    """Return a list of columns as a list; before 1.9 scikit-learn wrapped it to warn of its use."""
    return piece.parts.get("data", piece) if piece.type == _REMAINDER else piece


def _same_value(one: Piece, two: Piece, leeway: Leeway) -> bool:
    first, second = one.value, two.value
    if isinstance(second, np.ndarray):
        if second.dtype.names is not None:  # records are compared field by field, where their owner is known
            return isinstance(first, np.ndarray) and (first.dtype, first.shape) == (second.dtype, second.shape)
        return same_numbers(first, second, leeway)
    if isinstance(first, np.ndarray) or type(first) is not type(second):
        return False
    if isinstance(first, float):
        return same_numbers(np.array(first), np.array(second), leeway)
    return first == second


def _same_fields(one: Piece, two: Piece, owner: Piece, name: str, leeway: Leeway) -> bool:
    """Return whether records agree, each field as exactly as its owner asks."""
    first, second = one.value, two.value
    if not (isinstance(first, np.ndarray) and isinstance(second, np.ndarray)):
        return True
    return all(
        same_numbers(_field(first, each), _field(second, each), leeway_for(owner, f"{name}.{each}", leeway))
        for each in second.dtype.names or ()
    )


def _field(records: NDArray[np.generic], name: str) -> object:
    fields = cast("NDArray[np.void]", records)
    if name == "missing_go_to_left" and "left_child" in (records.dtype.names or ()):
        return np.where(fields["left_child"] < 0, 0, fields[name])  # unset in the leaves of a tree
    return fields[name]


def learning_versions(piece: Piece) -> tuple[str, ...]:
    """Return the versions of scikit-learn that the parts of a predictor say they are of."""
    found = {str(each.parts["_sklearn_version"].value) for each in walk(piece) if "_sklearn_version" in each.parts}
    return tuple(sorted(found))
