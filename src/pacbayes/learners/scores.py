"""How sure a fitted classifier is of its answers, and of one class, as numbers between 0 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from pacbayes._core.alignment import refuse_other_classes
from pacbayes._core.arguments import refuse_masked
from pacbayes._core.types import FloatArray, Labels, Rows
from pacbayes.learners.delegates import find_pairing

__all__ = ["class_score", "classes_of", "confidence_of", "margin_of"]

_TWO = 2  # classes, for which a decision function may give one value for each row


def confidence_of(model: Any, rows: Rows) -> FloatArray:
    """Return how sure a classifier is of its answer to each row: the largest probability, or the margin.

    Without probabilities it is the distance ``d`` between the two largest values of ``decision_function`` (of two
    classes its absolute value) as ``d/(1 + d)``. What is not a number counts as 0.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.learners.scores import confidence_of
    >>> from sklearn.linear_model import LogisticRegression, RidgeClassifier
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> [confidence_of(model.fit(X, y), X[2:]).round(2).tolist() for model in (LogisticRegression(), RidgeClassifier())]
    [[0.73, 0.88], [0.35, 0.52]]
    """
    if hasattr(model, "predict_proba"):
        return _numbers(_read_scores(model, "predict_proba", rows).max(axis=1))
    given = _read_scores(model, "decision_function", rows)
    if given.ndim == 1:
        margin = np.abs(given)
    else:
        top = np.sort(given, axis=1)[:, -2:]
        margin = top[:, 1] - top[:, 0]
    return _numbers(margin / (1.0 + margin))


def class_score(model: Any, rows: Rows, label: object) -> FloatArray:
    """Return how sure a classifier is that each row is of one class: its probability, or its decision value.

    Without probabilities it is the value ``d`` of ``decision_function`` towards the class as ``(1 + d/(1 + |d|))/2``.
    It is 0 for a class that the model does not know.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.learners.scores import class_score
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array(["no", "no", "yes", "yes"])
    >>> class_score(LogisticRegression().fit(X, y), X, "yes").round(2).tolist()
    [0.12, 0.27, 0.73, 0.88]
    """
    classes = classes_of(model)
    place = np.flatnonzero(classes == label)
    if not place.size:
        return np.zeros(rows.shape[0])
    if hasattr(model, "predict_proba"):
        return _numbers(_read_scores(model, "predict_proba", rows)[:, place[0]])
    given = _read_scores(model, "decision_function", rows)
    value = given[:, place[0]] if given.ndim > 1 else (given if place[0] else -given)
    return _numbers(0.5 * (1.0 + value / (1.0 + np.abs(value))))


def margin_of(model: Any, rows: Rows, labels: Labels) -> FloatArray:
    """Return by how much a classifier prefers the label of each row to the best other one; the worst are the lowest.

    It is a difference of values of ``decision_function``, or of probabilities where there is none. For a label that
    the model does not know, and for what is not a number, it is minus infinity.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.learners.scores import margin_of
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> margin_of(GaussianNB().fit(X, y), np.array([[-0.1], [-0.1], [3.0]]), np.array([0, 1, 2])).round(2).tolist()
    [0.54, -0.54, -inf]
    """
    method = "decision_function" if hasattr(model, "decision_function") else "predict_proba"
    given = _read_scores(model, method, rows)
    scores = np.column_stack([-given, given]) if given.ndim == 1 else given
    known = classes_of(model)
    own = np.asarray(labels)[:, None] == known
    mine = np.max(np.where(own, scores, -np.inf), axis=1)
    best = np.max(np.where(own, -np.inf, scores), axis=1, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        margin = np.where(np.isneginf(mine), -np.inf, mine - best)
    return np.nan_to_num(margin, nan=-np.inf, posinf=np.inf, neginf=-np.inf)


def classes_of(model: Any) -> Labels:
    """Return the classes of a fitted classifier, or say that it has none.

    Examples
    --------
    >>> from pacbayes.learners.scores import classes_of
    >>> classes_of(object())
    Traceback (most recent call last):
    ...
    ValueError: To score a class, a classifier needs classes_. object has none.
    """
    classes = _classes_of(model)
    if classes is None:
        raise ValueError(f"To score a class, a classifier needs classes_. {type(model).__name__} has none.")
    return classes


def _classes_of(model: Any) -> Labels | None:
    known = getattr(model, "classes_", None)
    return None if known is None else np.asarray(known)


def _read_scores(model: Any, method: str, rows: Rows) -> FloatArray:
    """Return what a classifier gives for rows and classes, checked; of two classes a decision value for each row."""
    if not hasattr(model, method):
        raise ValueError(
            f"To answer by how sure it is, a classifier needs predict_proba or decision_function. "
            f"{type(model).__name__} has neither."
        )
    returned, known, count = getattr(model, method)(rows), _classes_of(model), int(rows.shape[0])
    what = f"What {method} of {type(model).__name__} returns"
    refuse_masked(what, returned)
    given = _as_numbers(returned)
    classes = (given.shape[-1] if given is not None and given.ndim else 1) if known is None else known.size
    if method == "decision_function" and (pairing := find_pairing(model)) is not None:
        raise ValueError(
            f'To score more than two classes, {type(pairing).__name__} must have decision_function_shape="ovr". '
            'Got "ovo" instead, which scores pairs of them.'
        )
    decides = method == "decision_function" and (known is None or classes == _TWO)
    if given is not None and decides and given.shape in {(count,), (count, 1)}:
        return given.reshape(count)
    if given is None or given.shape != (count, classes) or not classes:
        got = f"{type(returned).__name__} without real numbers" if given is None else f"shape {given.shape}"
        raise ValueError(
            f"{what} must be a score for each of {count} rows and each of its {classes} classes, of shape "
            f"({count}, {classes}). Got {got} instead."
        )
    if known is not None:
        refuse_other_classes(what, "columns", getattr(returned, "columns", None), known)
    return given


def _as_numbers(returned: Any) -> FloatArray | None:
    """Return real numbers as doubles, or nothing."""
    try:
        given = np.asarray(returned)
        return given.astype(np.float64) if given.dtype.kind in "fiubO" else None
    except (TypeError, ValueError, RuntimeError):  # the last by tensors that still have a gradient
        return None


def _numbers(scores: FloatArray) -> FloatArray:
    return np.clip(np.nan_to_num(scores, nan=0.0), 0.0, 1.0)
