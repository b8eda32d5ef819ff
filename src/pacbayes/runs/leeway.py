"""Which differences between versions of scikit-learn mean nothing; ``_core/leeway`` says how far numbers may differ."""

from __future__ import annotations

from typing import Final

import numpy as np

from pacbayes._core.leeway import EXACT, NEIGHBOURS, SCALER, Leeway, leeway_of, same_numbers
from pacbayes.runs.archive import Piece

__all__ = ["is_alike", "is_ignored", "leeway_for", "true_type"]


_COLUMNS = "sklearn.compose._column_transformer.ColumnTransformer"
_BOOSTING = "sklearn.ensemble._hist_gradient_boosting"
_LOGISTIC = "sklearn.linear_model._logistic.LogisticRegression"
_SVC = "sklearn.svm._classes.SVC"
_LOSSES = ("sklearn._loss.loss.HalfBinomialLoss", "sklearn._loss.loss.HalfMultinomialLoss")

# What says nothing about the predictor: threads of the machine, and how often a tree of neighbours was asked.
_IGNORED = {
    (f"{_BOOSTING}.binning._BinMapper", "n_threads"),
    *((name, str(item)) for name in NEIGHBOURS for item in (7, 9, 10)),
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
    scale = owner.parts.get("scale_")
    return leeway_of(owner.type, name, outer, None if scale is None else scale.value)


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
    if (owner.type, name) == (SCALER, "n_samples_seen_") and one is not None and two is not None:
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
    return same and same_numbers(own.value, classes.value, EXACT)


def _is_count(piece: Piece) -> bool:
    """Return whether a piece is a single number of numpy, as whole number or fraction."""
    kind, value = piece.parts.get("type"), piece.value
    if piece.loader != "NdArrayNode" or kind is None or kind.value != "numpy" or not isinstance(value, np.ndarray):
        return False
    return value.shape == () and (piece.type, value.dtype.name) in {
        ("numpy.int64", "int64"),
        ("numpy.float64", "float64"),
    }
