"""How far fitted numbers may differ, and which differences between versions of scikit-learn mean nothing.

Numbers of the same fit under other numerical libraries differ in their last digits. A relative 1e-6 tells these from
changes, with three exceptions. Places along a column (means, thresholds, stored rows) decide on which side a row
lies, so they agree to 1e-9, and means in units of the column's spread: a relative 1e-6 of a time stamp is hours.
Leaves of trees are added up whatever the row is, so what cancels may differ by 1e-6 of the largest.
Whatever is not a fraction, such as counts, indices and labels, is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from pacbayes._core.types import FloatArray
from pacbayes.runs.archive import Piece

__all__ = ["Leeway", "is_alike", "is_ignored", "leeway_for", "same_numbers", "true_type"]


@dataclass(frozen=True, slots=True)
class Leeway:
    """How far two fractions may differ: relative to the number, to the largest of its array, and absolutely."""

    relative: float
    of_largest: float = 0.0
    floor: FloatArray | float = 0.0


FITTED: Final = Leeway(1e-6)
_PLACE, _LEAF = Leeway(1e-9), Leeway(1e-6, of_largest=1e-6)
_SPREAD, _ROUNDING = 1e-9, 1e-12
_SCALER = "sklearn.preprocessing._data.StandardScaler"
_COLUMNS = "sklearn.compose._column_transformer.ColumnTransformer"
_TREE = "sklearn.tree._tree.Tree"
_BOOSTING = "sklearn.ensemble._hist_gradient_boosting"
_LOGISTIC = "sklearn.linear_model._logistic.LogisticRegression"
_SVC = "sklearn.svm._classes.SVC"
_NEIGHBOURS = ("sklearn.neighbors._kd_tree.KDTree", "sklearn.neighbors._ball_tree.BallTree")
_LOSSES = ("sklearn._loss.loss.HalfBinomialLoss", "sklearn._loss.loss.HalfMultinomialLoss")

_LEEWAY = {
    (_SCALER, "scale_"): _PLACE,
    (_SCALER, "var_"): _PLACE,
    (_TREE, "nodes.threshold"): _PLACE,
    (_TREE, "nodes.impurity"): _LEAF,
    (_TREE, "values"): _LEAF,
    (f"{_BOOSTING}.binning._BinMapper", "bin_thresholds_"): _PLACE,
    (f"{_BOOSTING}.predictor.TreePredictor", "nodes.num_threshold"): _PLACE,
    (f"{_BOOSTING}.predictor.TreePredictor", "nodes.value"): _LEAF,
    (f"{_BOOSTING}.predictor.TreePredictor", "nodes.gain"): _LEAF,
    ("sklearn.neighbors._classification.KNeighborsClassifier", "_fit_X"): _PLACE,
    ("sklearn.neighbors._classification.RadiusNeighborsClassifier", "_fit_X"): _PLACE,
    (_SVC, "support_vectors_"): _PLACE,
    ("sklearn.svm._classes.NuSVC", "support_vectors_"): _PLACE,
    **{(name, str(item)): _PLACE for name in _NEIGHBOURS for item in (0, 3)},
}

# What says nothing about the predictor: threads of the machine, and how often a tree of neighbours was asked.
_IGNORED = {
    (f"{_BOOSTING}.binning._BinMapper", "n_threads"),
    *((name, str(item)) for name in _NEIGHBOURS for item in (7, 9, 10)),
}

# Values that mean the same in scikit-learn 1.6 to 1.9; where None of Python stands for null, ABSENT is no entry at all.
_ABSENT: Final = "\0absent"
_ALIKE: dict[tuple[str, str], tuple[bool | float | str | None, ...]] = {
    (_COLUMNS, "force_int_remainder_cols"): (_ABSENT, True, False, "deprecated"),
    (_LOGISTIC, "multi_class"): (_ABSENT, "deprecated", "auto"),
    (_LOGISTIC, "penalty"): ("deprecated", "l2"),
    (_LOGISTIC, "l1_ratio"): (None, 0.0),
    (_SVC, "probability"): (False, "deprecated"),
    (_SVC, "_effective_probability"): (_ABSENT, False),
    ("sklearn.ensemble._forest.RandomForestClassifier", "_sample_weight"): (_ABSENT, None),
    ("sklearn.ensemble._forest.ExtraTreesClassifier", "_sample_weight"): (_ABSENT, None),
    **{(name, part): (_ABSENT, None) for name in _LOSSES for part in ("xp", "device")},
}
_VERSION = "_sklearn_version"
_ENCODER = (f"{_BOOSTING}.gradient_boosting.HistGradientBoostingClassifier", "_label_encoder")


def true_type(piece: Piece) -> str:
    """Return the name of a type; before 1.7 the module of compiled losses called itself ``_loss``."""
    return piece.type.replace("_loss.", "sklearn._loss._loss.", 1) if piece.type.startswith("_loss.") else piece.type


def leeway_for(owner: Piece, name: str, outer: Leeway) -> Leeway:
    """Return how far the numbers of an attribute may differ, given the object as learned again."""
    if (owner.type, name) != (_SCALER, "mean_"):
        return _LEEWAY.get((owner.type, name), outer)
    scale = owner.parts.get("scale_")
    spread = scale.value if scale is not None and isinstance(scale.value, np.ndarray) else np.zeros(1)
    return Leeway(_ROUNDING, floor=_SPREAD * np.abs(np.asarray(spread, dtype=np.float64)))


def is_ignored(owner: Piece, name: str, one: Piece | None, two: Piece | None) -> bool:
    """Return whether an attribute says nothing about the predictor, and both have such a plain value."""
    if (owner.type, name) in _IGNORED:
        return all(_is_json(each, int) for each in (one, two))
    if name == _VERSION and owner.type.startswith("sklearn."):
        return all(_is_json(each, str) for each in (one, two))
    return False


def is_alike(owner: Piece, name: str, one: Piece | None, two: Piece | None) -> bool:
    """Return whether an attribute differs between versions of scikit-learn alone; None where one has no such."""
    known = _ALIKE.get((owner.type, name))
    if known is not None:
        return all(any(_is_value(each, value) for value in known) for each in (one, two))
    if (owner.type, name) == _ENCODER and (one is None or two is None):
        return _encodes(one or two, owner.parts.get("classes_"))
    if (owner.type, name) == (_SCALER, "n_samples_seen_") and one is not None and two is not None:
        return _is_count(one) and _is_count(two) and bool(one.value == two.value)
    return False


def _is_json(piece: Piece | None, kind: type) -> bool:
    if piece is None or (piece.loader, piece.type) != ("JsonNode", "builtins.str"):
        return False
    return type(piece.value) is kind


def _is_value(piece: Piece | None, value: bool | float | str | None) -> bool:
    if piece is None:
        return value == _ABSENT
    return _is_json(piece, type(value)) and piece.value == value


def _encodes(encoder: Piece | None, classes: Piece | None) -> bool:
    """Return whether an encoder of labels, which later versions keep, holds the classes and nothing else."""
    if encoder is None or classes is None or encoder.type != "sklearn.preprocessing._label.LabelEncoder":
        return False
    own = encoder.parts.get("classes_")
    if own is None or set(encoder.parts) != {"classes_", _VERSION}:
        return False
    if encoder.loader != "ObjectNode DictNode" or not _is_json(encoder.parts[_VERSION], str):
        return False
    same = (own.loader, own.type) == (classes.loader, classes.type) == ("NdArrayNode", "numpy.ndarray")
    return same and same_numbers(own.value, classes.value, Leeway(0.0))


def _is_count(piece: Piece) -> bool:
    """Return whether a piece is a single number of numpy, as whole number or fraction."""
    kind, value = piece.parts.get("type"), piece.value
    if piece.loader != "NdArrayNode" or kind is None or kind.value != "numpy" or not isinstance(value, np.ndarray):
        return False
    return value.shape == () and (piece.type, value.dtype.name) in {
        ("numpy.int64", "int64"),
        ("numpy.float64", "float64"),
    }


def same_numbers(one: object, two: object, leeway: Leeway) -> bool:
    """Return whether two arrays have type and shape in common, and their numbers up to the leeway.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.runs.leeway import FITTED, same_numbers
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
        size = np.abs(two)
        finite = size[np.isfinite(size)]
        largest = float(finite.max()) if finite.size else 0.0
        allowed = leeway.relative * size + leeway.of_largest * largest + leeway.floor
        close = np.isfinite(size) & (np.abs(one - two) <= allowed)
        return bool(np.all(close | (one == two) | (np.isnan(one) & np.isnan(two))))
