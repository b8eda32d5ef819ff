"""Labels and predictions that are given: checked, and so that they compare by value, exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.exact import align_exactly, exact_array, fixed_width, has_beyond
from pacbayes._core.labels import label_text
from pacbayes._core.notes import Note
from pacbayes._core.rows import refuse_odd_labels
from pacbayes._core.types import BoolArray, FloatArray, Labels

__all__ = ["find_unknown", "note_unknown", "pair_labels", "refuse_fractions", "zero_one_losses"]


def refuse_fractions(owner: str, name: str, values: Labels) -> None:
    """Refuse numbers that are no classes: the 0-1 loss would count every rounding error as an error."""
    if values.dtype.kind == "O":  # numbers of which no type holds all
        values = np.array([each for each in values.tolist() if isinstance(each, float)], dtype=np.float64)
    if values.dtype.kind != "f":
        return
    if not np.isfinite(values).all():
        raise ValueError(f"The {name!r} argument of {owner} must not contain NaN or infinity.")
    odd = values[values != np.round(values)]
    if odd.size:
        raise ValueError(
            f"The {name!r} argument of {owner} must hold classes. Got numbers with fractions such as {odd[0]:.6g} "
            "instead; for regression pass loss='absolute' or 'squared' with scale=, loss='within' with tolerance=, "
            "or losses= in [0, 1]."
        )


def zero_one_losses(owner: str, y_true: ArrayLike, y_pred: ArrayLike) -> FloatArray:
    """Return whether each prediction differs from its label, or say what is wrong with them."""
    labels, predictions = pair_labels(owner, y_true, y_pred)
    return np.asarray(labels != predictions, dtype=np.float64)


def pair_labels(owner: str, y_true: ArrayLike, y_pred: ArrayLike) -> tuple[Labels, Labels]:
    """Return labels and predictions as arrays whose values numpy compares exactly, or say what is wrong with them.

    Examples
    --------
    >>> from pacbayes.procedures.given_labels import pair_labels
    >>> [each.tolist() for each in pair_labels("me", [True, False], [1, 0])]
    [[True, False], [1, 0]]
    """
    labels, predictions = _as_labels(owner, "y_true", y_true), _as_labels(owner, "y_pred", y_pred)
    if labels.shape != predictions.shape or labels.ndim != 1:
        raise ValueError(
            f"The 'y_pred' argument of {owner} must have one prediction per label, in one dimension. "
            f"Got shapes {labels.shape} and {predictions.shape} instead."
        )
    if labels.size == 0:
        raise ValueError(f"{owner} needs at least one example. Got none.")
    if _holds_text(labels) != _holds_text(predictions):
        raise ValueError(
            f"The 'y_pred' argument of {owner} must hold labels of the kind in 'y_true'. "
            f"Got {predictions.dtype} and {labels.dtype} instead."
        )
    for name, array in (("y_true", labels), ("y_pred", predictions)):
        refuse_fractions(owner, name, array)
    _refuse_rounding(owner, labels, predictions)
    return align_exactly(labels, predictions)


def _as_labels(owner: str, name: str, values: ArrayLike) -> Labels:
    refuse_odd_labels(owner, values, name)
    return fixed_width(exact_array(values))


def _holds_text(array: Labels) -> bool:
    """Return whether labels are text; all of them are if the first is."""
    return array.dtype.kind == "U" or (array.dtype.kind == "O" and isinstance(array.flat[0], str))


def _refuse_rounding(owner: str, labels: Labels, predictions: Labels) -> None:
    """Refuse large numbers of two types: one side would be rounded before they are compared."""
    kinds = {labels.dtype.kind, predictions.dtype.kind}
    if len(kinds) == 1 or not kinds <= set("iuf"):  # truth values are small, and objects compare exactly
        return
    if has_beyond(labels) or has_beyond(predictions):
        raise ValueError(
            f"The 'y_pred' argument of {owner} must be of the type of 'y_true' where numbers exceed 2**53. "
            f"Got {predictions.dtype} and {labels.dtype} instead."
        )


def find_unknown(labels: Labels, predictions: Labels) -> BoolArray:
    """Return which predictions are no label that occurs: nobody can tell whether they are wrong, or written otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.procedures.given_labels import find_unknown
    >>> find_unknown(np.array(["cat", "dog"]), np.array(["Cat", "dog"])).tolist()
    [True, False]
    """
    if "O" in (labels.dtype.kind, predictions.dtype.kind):
        known = set(labels.tolist())
        return np.array([each not in known for each in predictions.tolist()], dtype=bool)
    return np.asarray(~np.isin(predictions, np.unique(labels)))


def note_unknown(unknown: BoolArray, predictions: Labels) -> tuple[Note, ...]:
    """Return the note on predictions that are no label that occurs, if there are such."""
    count = int(np.count_nonzero(unknown))
    if not count:
        return ()
    return (Note("unknown_predictions", {"count": count, "example": label_text(predictions[unknown.argmax()])}),)
