"""Predictions as numbers of classes, whatever array, list or column a predictor returns them in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pacbayes._core.doubles import refuse_rounded
from pacbayes._core.exact import exact_array
from pacbayes._core.types import BoolArray, FloatArray, IntArray, Labels

__all__ = [
    "NO_NUMBER",
    "ROUNDED",
    "check_probabilities",
    "class_numbers",
    "classes_with",
    "finite_numbers",
    "known_classes",
    "knows_all",
    "vote_shares",
    "wrong_labels",
]

# stands for a prediction that is not finite: two of them are the same answer, as two NaN are not
NO_NUMBER = float(np.finfo(np.float64).max)
_PLAIN = (str, bytes, bool, int, float)
_NUMBERS = (bool, int, float)
ROUNDED = 1e-6  # what rounding in single precision may add to a probability
_ADDED, _MOST_ADDED = 0.005, 0.05  # how far from 1 they may add up, where each was rounded to two decimals; at most


def class_numbers(predictor: str, predictions: Any, classes: Labels, n: int) -> IntArray:
    """Return the position of each prediction among the classes, -1 for what is none of them, or say what is wrong.

    Values are compared as plain numbers and texts, exactly, so that no type of a prediction can call itself equal to a
    label.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.predictions import class_numbers
    >>> class_numbers("A model", [1.0, True, 7, 0], np.array([0, 1]), 4).tolist()
    [1, 1, -1, 0]
    """
    array = _as_column(predictor, predictions, n)
    same = array.dtype == classes.dtype and array.dtype.kind in "biu"
    if same or (array.dtype.kind == classes.dtype.kind == "U"):  # arrays of nothing but numbers of a type, or text
        found = np.searchsorted(classes, array).clip(max=classes.size - 1)
        return np.where(classes[found] == array, found, -1).astype(np.int64)
    table = {value: position for position, value in enumerate(classes.tolist())}
    values = [_plain(predictor, value) for value in array.tolist()]
    texts = {isinstance(value, str | bytes) for value in table}
    if values and texts.isdisjoint({isinstance(value, str | bytes) for value in values}):
        raise ValueError(
            f"{predictor} must predict labels of the kind in 'y' ({_kind(next(iter(table)))}). "
            f"Got {_kind(values[0])} instead."
        )
    return np.array([table.get(value, -1) for value in values], dtype=np.int64)


def classes_with(owner: str, others: Any, classes: Labels) -> Labels:
    """Return classes and others that are none of them, sorted, or say why these are no labels of the same kind.

    Values are compared as :func:`class_numbers` does. Where the types differ each keeps its own, so that no class is
    rounded and each is written as before.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.predictions import classes_with
    >>> classes_with("A model", [0, 1, 2], np.array([False, True])).tolist()
    [False, True, 2]
    """
    given = _as_column(owner, others, len(others))
    added = given[class_numbers(owner, given, classes, given.size) < 0]
    if not added.size:
        return classes
    if added.dtype.kind == classes.dtype.kind:
        return np.unique(np.concatenate([classes, added]))
    if {added.dtype.kind, classes.dtype.kind} <= set("iuf"):
        with np.errstate(invalid="ignore"):
            alike = added.astype(classes.dtype)
        if alike.tolist() == added.tolist():  # as Python compares them: numpy would make doubles of both
            return np.unique(np.concatenate([classes, alike]))
    return np.unique(np.array([*classes.tolist(), *(_plain(owner, each) for each in added.tolist())], dtype=object))


def known_classes(model: object, classes: Labels) -> Labels:
    """Return the classes among labels and those that a model has besides, sorted: its ``classes_`` of the same kind.

    A class that no row is of may still be predicted, have a probability, and come in new rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from pacbayes._core.predictions import known_classes
    >>> known_classes(DummyClassifier().fit(np.zeros((3, 1)), [0, 1, 2]), np.array([1, 7])).tolist()
    [0, 1, 2, 7]
    """
    try:
        return classes_with(type(model).__name__, getattr(model, "classes_", ()), classes)
    except (TypeError, ValueError):  # of several outputs, or of another kind: the predictions have to tell
        return classes


def knows_all(model: object, classes: Labels) -> bool:
    """Return whether a model says by its ``classes_`` that it writes each of some classes as they are written there.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from pacbayes._core.predictions import knows_all
    >>> model = DummyClassifier().fit(np.zeros((3, 1)), [0, 1, 2])
    >>> [knows_all(model, np.array(each)) for each in ([0, 2], [1, 3])]
    [True, False]
    """
    name, own = type(model).__name__, getattr(model, "classes_", ())
    try:
        return bool(len(own)) and bool(
            (class_numbers(name, classes, np.unique(exact_array(own)), classes.size) >= 0).all()
        )
    except (TypeError, ValueError):  # of several outputs, or of another kind
        return False


def check_probabilities(what: str, given: FloatArray) -> FloatArray:
    """Return probabilities, those of the classes along the last axis, or say why they are none.

    A row with NaN is NaN in all classes: it has no probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.predictions import check_probabilities
    >>> check_probabilities("What is given", np.array([[0.5, 0.5], [0.7, np.nan]])).tolist()
    [[0.5, 0.5], [nan, nan]]
    >>> check_probabilities("What is given", np.array([[50.0, 50.0]]))
    Traceback (most recent call last):
    ...
    ValueError: What is given must be probabilities, which lie in [0, 1] and add up to 1 over the classes. Got 50, 50.
    """
    with np.errstate(invalid="ignore"):  # infinities of both signs
        sums = np.asarray(given.sum(axis=-1))
    odd = _is_outside(given).any(axis=-1) | (np.abs(sums - 1.0) > min(_ADDED * given.shape[-1], _MOST_ADDED) + 1e-9)
    if odd.any():
        first = given[odd][0]
        shown = ", ".join(f"{each:.6g}" for each in first[:6]) + (" ..." if first.size > 6 else "")
        added = "" if _is_outside(first).any() else f", which add up to {first.sum():.6g}"
        raise ValueError(
            f"{what} must be probabilities, which lie in [0, 1] and add up to 1 over the classes. Got {shown}{added}."
        )
    return np.where(np.isnan(sums)[..., None], np.nan, given)


def _is_outside(given: FloatArray) -> BoolArray:
    return np.asarray((given < -ROUNDED) | (given > 1.0 + ROUNDED))


def finite_numbers(predictor: str, predictions: Any, n: int, verb: str = "predict") -> FloatArray:
    """Return predictions that are numbers as doubles, ``NO_NUMBER`` for NaN and infinity, or say what is wrong.

    Examples
    --------
    >>> from pacbayes._core.predictions import NO_NUMBER, finite_numbers
    >>> found = finite_numbers("A model", [[1.5], [float("nan")]], 2)
    >>> found.tolist() == [1.5, NO_NUMBER]
    True
    """
    array = _as_column(predictor, predictions, n, f"{verb} one number")
    refuse_rounded(f"{predictor} must {verb}", predictions if isinstance(predictions, list | tuple) else array)
    if array.dtype.kind == "O" and all(type(each) in _NUMBERS for each in map(_item, array.tolist())):
        array = np.array([_item(each) for each in array.tolist()], dtype=np.float64)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{predictor} must {verb} numbers. Got {array.dtype} instead.")
    numbers = array.astype(np.float64)
    return np.where(np.isfinite(numbers), numbers, NO_NUMBER)


def _item(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def wrong_labels(numbers: IntArray, labels: Labels, classes: Labels) -> Labels:
    """Return the predicted labels; where a prediction is no class at all, a label that is not the row's.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.predictions import wrong_labels
    >>> wrong_labels(np.array([0, -1]), np.array([5, 7]), np.array([5, 7])).tolist()
    [5, 5]
    >>> wrong_labels(np.array([0, -1]), np.array([5, 5]), np.array([5])).tolist()
    [5, 0]
    """
    if classes.size == 1:
        return np.append(classes, _other_than(classes[0]))[np.where(numbers >= 0, 0, 1)]
    own = np.searchsorted(classes, labels)
    return np.asarray(classes[np.where(numbers >= 0, numbers, (own + 1) % classes.size)])


def _other_than(label: Any) -> Labels:
    """Return another label of the same kind, which every type of number holds."""
    if isinstance(label, str):
        return np.array([f"other than {label}"])
    return np.array([label == 0], dtype=np.asarray(label).dtype)


def vote_shares(predictions: Iterable[IntArray], weights: FloatArray, n: int, classes: int) -> FloatArray:
    """Return the weight that each class gets in each row: from positions of classes, by predictor, and weights.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.predictions import vote_shares
    >>> vote_shares([np.array([0, 1]), np.array([1, 1])], np.array([0.75, 0.25]), 2, 2).tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    """
    shares = np.zeros((n, classes))
    for row, weight in zip(predictions, weights, strict=True):
        shares[np.arange(n), row] += weight
    return shares


def _as_column(predictor: str, predictions: Any, n: int, does: str = "predict one label") -> Labels:
    """Return one prediction per row in a plain array."""
    if np.ma.isMaskedArray(predictions) and np.ma.getmaskarray(predictions).any():
        raise ValueError(f"{predictor} must {does} per row. Got masked predictions.")
    try:
        array = np.array(exact_array(predictions), subok=False)
    except ValueError as error:
        raise ValueError(f"{predictor} must {does} per row. {_line(error)}") from None
    if array.dtype.kind == "U" and isinstance(predictions, list | tuple):  # numpy made text of numbers, and dropped NUL
        array = np.array(predictions, dtype=object)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (n,):
        raise ValueError(f"{predictor} must {does} per row ({n}). Got shape {array.shape} instead.")
    return array


def _plain(predictor: str, value: Any) -> Any:
    """Return a value that compares as what it is; of other types only Python's own numbers and texts."""
    plain = value.item() if isinstance(value, np.generic) else value
    if type(plain) in _PLAIN:
        return plain
    raise ValueError(f"{predictor} must predict labels that are numbers or text. Got {type(value).__name__} instead.")


def _kind(value: object) -> str:
    return "text" if isinstance(value, str | bytes) else "numbers"


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
