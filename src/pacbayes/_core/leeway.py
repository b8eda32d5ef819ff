"""How far numbers of one fit may differ between versions of numerical libraries: one rule for memory and for folders.

A relative 1e-6 of each number tells the last digits of other libraries from changes, with these exceptions.
Rows of an array of several rows are places along columns, or may be: stored rows, centres, means of classes. What
counts there is the distance to other rows, so a number may differ by 1e-6 of its own size or of its column's spread,
whichever is smaller (a relative 1e-6 of a time stamp is half an hour), and by 1e-9 of that spread where it is nearly
zero. Known places along a column agree to a relative 1e-9, and means in units of the column's spread. Leaves of trees
and shares of votes are added up whatever the row is, so what cancels may differ by 1e-6 of the largest. Sums round in
terms of their largest part: 1e-13 of the largest number of a column is 450 roundings.
Whatever is not a fraction, such as counts, indices and labels, is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from pacbayes._core.types import FloatArray

__all__ = ["ADDED", "EXACT", "FITTED", "NEIGHBOURS", "SCALER", "Leeway", "leeway_of", "same_numbers"]

_SUMS = 1e-13


@dataclass(frozen=True, slots=True)
class Leeway:
    """How far two fractions may differ.

    Attributes
    ----------
    relative : float
        Relative to the number, and where it is a place to the spread of its column, whichever is smaller.
    of_largest, of_spread : float
        Relative to the largest of its column, and to the spread of that; an array of one row is one column.
    floor : float or ndarray
        In any case.
    is_place : bool
        Whether rows of an array are taken for places along its columns.
    """

    relative: float
    of_largest: float = 0.0
    of_spread: float = 0.0
    floor: FloatArray | float = 0.0
    is_place: bool = False


EXACT: Final = Leeway(0.0)
FITTED: Final = Leeway(1e-6, of_largest=_SUMS, of_spread=1e-9, is_place=True)
ADDED: Final = Leeway(1e-6, of_largest=1e-6)
_PLACE, _WEIGHT = Leeway(1e-9, is_place=True), Leeway(1e-6, of_largest=_SUMS, of_spread=1e-9)
_SPREAD, _ROUNDING = 1e-9, 1e-12
SCALER: Final = "sklearn.preprocessing._data.StandardScaler"
NEIGHBOURS: Final = ("sklearn.neighbors._kd_tree.KDTree", "sklearn.neighbors._ball_tree.BallTree")
_TREE = "sklearn.tree._tree.Tree"
_BOOSTING = "sklearn.ensemble._hist_gradient_boosting"
_WEIGHTS = {"coef_", "_coef_", "coefs_", "dual_coef_", "_dual_coef_"}  # multiplied, whatever their neighbours are

_LEEWAY = {
    (SCALER, "scale_"): _PLACE,
    (SCALER, "var_"): _PLACE,
    (_TREE, "nodes.threshold"): _PLACE,
    (_TREE, "nodes.impurity"): ADDED,
    (_TREE, "values"): ADDED,
    (f"{_BOOSTING}.binning._BinMapper", "bin_thresholds_"): _PLACE,
    (f"{_BOOSTING}.predictor.TreePredictor", "nodes.num_threshold"): _PLACE,
    (f"{_BOOSTING}.predictor.TreePredictor", "nodes.value"): ADDED,
    (f"{_BOOSTING}.predictor.TreePredictor", "nodes.gain"): ADDED,
    ("sklearn.neighbors._classification.KNeighborsClassifier", "_fit_X"): _PLACE,
    ("sklearn.neighbors._classification.RadiusNeighborsClassifier", "_fit_X"): _PLACE,
    ("sklearn.svm._classes.SVC", "support_vectors_"): _PLACE,
    ("sklearn.svm._classes.NuSVC", "support_vectors_"): _PLACE,
    **{(name, str(item)): _PLACE for name in NEIGHBOURS for item in (0, 3)},
}


def leeway_of(kind: str, name: str, outer: Leeway, scale: object = None) -> Leeway:
    """Return how far the numbers of an attribute may differ.

    Parameters
    ----------
    kind, name : str
        The full name of the type that has the attribute, and the attribute's; of records with the field's.
    outer : Leeway
        That of whatever the object is part of.
    scale : ndarray, optional
        The attribute ``scale_`` of the same object, as learned again.

    Examples
    --------
    >>> from pacbayes._core.leeway import FITTED, leeway_of
    >>> leeway_of("sklearn.tree._tree.Tree", "nodes.threshold", FITTED).relative
    1e-09
    """
    if (kind, name) == (SCALER, "mean_"):
        spread = scale if isinstance(scale, np.ndarray) else np.zeros(1)
        return Leeway(_ROUNDING, floor=_SPREAD * np.abs(np.asarray(spread, dtype=np.float64)))
    return _LEEWAY.get((kind, name), _WEIGHT if name in _WEIGHTS else outer)


def same_numbers(one: object, two: object, leeway: Leeway) -> bool:
    """Return whether two arrays have type and shape in common, and their numbers up to the leeway.

    Parameters
    ----------
    one, two : ndarray
        The second as learned again: its columns say what is large.
    leeway : Leeway

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.leeway import FITTED, same_numbers
    >>> [same_numbers(np.array([1.0 + step]), np.array([1.0]), FITTED) for step in (1e-9, 1e-4)]
    [True, False]
    """
    if not (isinstance(one, np.ndarray) and isinstance(two, np.ndarray)):
        return False
    if (one.dtype, one.shape) != (two.dtype, two.shape):
        return False
    if one.dtype.kind not in "fc":
        return bool(np.array_equal(one, two))
    with np.errstate(all="ignore"):
        close = np.isfinite(two) & (np.abs(one - two) <= _allowed(two, leeway))
        return bool(np.all(close | (one == two) | (np.isnan(one) & np.isnan(two))))


def _allowed(array: FloatArray, leeway: Leeway) -> FloatArray:
    """Return how far each number may differ."""
    size = np.where(np.isfinite(array), np.abs(array), 0.0)
    several = array.ndim > 1 and array.size > array.shape[-1]
    axes = tuple(range(array.ndim - 1)) if several else None
    largest = size.max(axis=axes, initial=0.0)
    own: FloatArray = leeway.relative * size
    spread = np.zeros_like(largest)
    if several and array.dtype.kind == "f":
        known = np.isfinite(array)
        high = np.where(known, array, -np.inf).max(axis=axes, initial=-np.inf)
        spread = np.maximum(high - np.where(known, array, np.inf).min(axis=axes, initial=np.inf), 0.0)
        own = leeway.relative * np.minimum(size, spread) if leeway.is_place else own
    allowed: FloatArray = own + leeway.of_largest * largest + leeway.of_spread * spread + leeway.floor
    return allowed
