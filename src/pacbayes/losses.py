"""Losses bounded in [0, 1], by name: the only kind a bound of this library takes.

Each is a vectorised function of predictions and labels, which have to be what it is a loss of: labels in the place of
others, or probabilities in another shape, would have small losses. Users register their own with :func:`register`; the
range and the shape of what they return are checked at every call.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.alignment import refuse_other_classes
from pacbayes._core.arguments import check_range, refuse_masked, to_floats
from pacbayes._core.doubles import refuse_rounded
from pacbayes._core.exact import align_exactly, exact_array
from pacbayes._core.predictions import ROUNDED, check_probabilities
from pacbayes._core.types import FloatArray, IntArray, Labels, Predictor, ProbabilityPredictor, Rows, RowsLike

__all__ = ["Loss", "absolute", "brier", "get", "log_loss", "names", "predictor_losses", "register", "zero_one"]

_SMALLEST_PROBABILITY = 1e-3


@dataclass(frozen=True, slots=True)
class Loss:
    """A named loss.

    Attributes
    ----------
    name : str
        How it is asked for.
    function : callable
        From predictions and labels to one number per example.
    prediction : {"label", "probability", "value"}
        What predictions are: labels; the probability of the positive class or one column per class; or real numbers.
    """

    name: str
    function: Callable[..., ArrayLike]
    prediction: str = "label"

    def __call__(self, predictions: ArrayLike, labels: ArrayLike) -> FloatArray:
        """Return the loss of each example, after checking that each label has one and that it lies in [0, 1]."""
        values, wanted = np.asarray(self.function(predictions, labels), dtype=np.float64), tuple(np.shape(labels))
        if values.shape != wanted:
            raise ValueError(
                f"The loss {self.name!r} must return one value per label, in shape {wanted}. "
                f"Got shape {values.shape} instead."
            )
        outside = ~((values >= 0.0) & (values <= 1.0))
        if outside.any():
            worst = float(values[outside].flat[0])
            raise ValueError(f"The loss {self.name!r} must return values in [0, 1]. Got {worst!r} instead.")
        return values


def zero_one(predictions: ArrayLike, labels: ArrayLike) -> FloatArray:
    """Return 1 where a predicted label is wrong, else 0; predictions and labels have one shape.

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.losses.zero_one(["a", "b", "b"], ["a", "b", "a"]).tolist()
    [0.0, 0.0, 1.0]
    """
    for name, values in (("predictions", predictions), ("labels", labels)):
        refuse_masked(f"The {name!r} argument of zero_one", values)
    predicted, true = np.asarray(predictions), np.asarray(labels)
    if "f" in predicted.dtype.kind + true.dtype.kind:  # beside which whole numbers are compared as doubles
        for name, values in (("predictions", predictions), ("labels", labels)):
            refuse_rounded(f"The {name!r} argument of zero_one must hold", values)
    _check_shapes("zero_one", predicted.shape, true.shape)
    return np.asarray(predicted != true, dtype=np.float64)


def brier(probabilities: ArrayLike, labels: ArrayLike) -> FloatArray:
    """Return the Brier score scaled to [0, 1].

    ``(p - y)**2`` for probabilities of the positive class and labels 0 and 1; half the squared distance to the
    indicator of the label for one column per class and labels ``0..C-1``. Probabilities lie in [0, 1], and those of one
    row sum to 1, but for rounding to two decimals; other labels, and one column alone, are refused.

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.losses.brier([0.9, 0.4], [1, 1]).round(4).tolist()
    [0.01, 0.36]
    >>> pb.losses.brier([[0.7, 0.2, 0.1]], [0]).round(4).tolist()
    [0.07]
    """
    p, y = _checked_probabilities("brier", probabilities, labels)
    if p.shape == y.shape:
        return np.asarray((p - y) ** 2)
    indicator = np.arange(p.shape[-1]) == y[..., None]
    return np.asarray(0.5 * np.sum((p - indicator) ** 2, axis=-1))


def log_loss(probabilities: ArrayLike, labels: ArrayLike) -> FloatArray:
    """Return the logarithmic loss clipped and scaled to [0, 1]: ``log(max(p, 1/1000)) / log(1/1000)``.

    ``p`` is the probability given to the label; probabilities and labels as in :func:`brier`.

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.losses.log_loss([1.0, 0.0], [1, 1]).tolist()
    [0.0, 1.0]
    """
    p, y = _checked_probabilities("log_loss", probabilities, labels)
    if p.shape == y.shape:
        given = np.where(y == 1, p, 1.0 - p)
    else:
        given = np.take_along_axis(p, y[..., None].astype(np.int64), axis=-1)[..., 0]
    scaled = np.log(np.clip(given, _SMALLEST_PROBABILITY, 1.0)) / math.log(_SMALLEST_PROBABILITY)
    return np.asarray(np.abs(np.clip(scaled, 0.0, 1.0)))


def absolute(predictions: ArrayLike, labels: ArrayLike) -> FloatArray:
    """Return ``|prediction - label|``, for both in [0, 1].

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.losses.absolute([0.25, 0.5], [1.0, 0.0]).tolist()
    [0.75, 0.5]
    """
    predicted, true = to_floats("absolute", "predictions", predictions), to_floats("absolute", "labels", labels)
    _check_shapes("absolute", predicted.shape, true.shape)
    check_range("absolute", "predictions", predicted, 0.0, 1.0, "lie in [0, 1]")
    check_range("absolute", "labels", true, 0.0, 1.0, "lie in [0, 1]")
    return np.asarray(np.abs(predicted - true))


def _check_shapes(owner: str, predictions: tuple[int, ...], labels: tuple[int, ...]) -> None:
    if predictions != labels:
        raise ValueError(
            f"The 'predictions' argument of {owner} must have the shape of the labels, {labels}. "
            f"Got shape {predictions} instead."
        )


def _checked_probabilities(owner: str, probabilities: ArrayLike, labels: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return probabilities and labels: those of the label 1 in the shape of the labels, or a last axis of classes."""
    p, y = to_floats(owner, "probabilities", probabilities), to_floats(owner, "labels", labels)
    by_class = p.shape != y.shape
    if by_class and (p.ndim == 0 or p.shape[:-1] != y.shape or p.shape[-1] < 2):
        raise ValueError(
            f"The 'probabilities' argument of {owner} must have the shape of the labels, {y.shape}, or a column for "
            f"each of two or more classes besides. Got shape {p.shape} instead."
        )
    classes = p.shape[-1] if by_class else 2
    p = check_probabilities(f"The 'probabilities' argument of {owner}", p) if by_class else p
    check_range(owner, "probabilities", p, -ROUNDED, 1.0 + ROUNDED, "lie in [0, 1]")  # which NaN does not
    p = np.clip(p, 0.0, 1.0)
    known = (y >= 0.0) & (y < classes) & (y == np.floor(y))
    if not known.all():
        odd = float(y[~known].flat[0])
        raise ValueError(
            f"The 'labels' argument of {owner} must be whole numbers from 0 to {classes - 1}, the positions of the "
            f"classes. Got {odd:g} instead."
        )
    return p, y


_REGISTRY = {
    loss.name: loss
    for loss in (
        Loss("zero_one", zero_one),
        Loss("brier", brier, "probability"),
        Loss("log_loss", log_loss, "probability"),
        Loss("absolute", absolute, "value"),
    )
}


def register(name: str, function: Callable[..., ArrayLike], prediction: str = "label") -> Loss:
    """Register a loss of your own under a name and return it.

    Parameters
    ----------
    name : str
        A new name.
    function : callable
        From predictions and labels to numbers in [0, 1].
    prediction : {"label", "probability", "value"}, default="label"
        What the predictions are.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> capped = pb.losses.register("capped", lambda p, y: np.minimum(np.abs(p - y), 1.0), "value")
    >>> capped(np.array([3.0, 0.5]), np.array([0.0, 0.25])).tolist()
    [1.0, 0.25]
    """
    if name in _REGISTRY:
        raise ValueError(f"The 'name' argument of register must be new. Got {name!r}, which exists, instead.")
    if prediction not in ("label", "probability", "value"):
        raise ValueError(
            "The 'prediction' argument of register must be 'label', 'probability' or 'value'. "
            f"Got {prediction!r} instead."
        )
    _REGISTRY[name] = Loss(name, function, prediction)
    return _REGISTRY[name]


def get(loss: str | Loss) -> Loss:
    """Return a registered loss by name (or a :class:`Loss` unchanged).

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.losses.get("brier").prediction
    'probability'
    """
    if isinstance(loss, Loss):
        return loss
    if loss not in _REGISTRY:
        raise ValueError(f"The 'loss' argument must be one of {names()}. Got {loss!r} instead.")
    return _REGISTRY[loss]


def names() -> list[str]:
    """Return the names of all registered losses.

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.losses.names()[:4]
    ['zero_one', 'brier', 'log_loss', 'absolute']
    """
    return list(_REGISTRY)


def predictor_losses(
    owner: str, predictor: Predictor | ProbabilityPredictor, X: RowsLike | None, y: ArrayLike | None, loss: Loss
) -> FloatArray:
    """Return the loss of a predictor on each row, from its predictions or, with its ``classes_``, its probabilities.

    Parameters
    ----------
    owner : str
        Who asks, for messages.
    predictor : object with ``predict``, or ``predict_proba`` and ``classes_``
        Fitted.
    X, y : array_like
        Rows and labels.
    loss : Loss
        From :func:`get`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from pacbayes import losses
    >>> X, y = np.zeros((3, 1)), np.array([0, 0, 1])
    >>> losses.predictor_losses("me", DummyClassifier().fit(X, y), X, y, losses.get("zero_one")).tolist()
    [0.0, 0.0, 1.0]
    """
    refuse_masked(f"The 'y' argument of {owner}", y)
    labels = exact_array(y)
    if loss.prediction == "probability":
        return loss(*_given_probability(owner, cast("ProbabilityPredictor", predictor), cast("Rows", X), labels))
    predicted = cast("Predictor", predictor).predict(X)
    refuse_masked(f"What the predictor in {owner} predicts", predicted)
    predictions = exact_array(predicted)
    if predictions.shape == (labels.size, 1):
        predictions = predictions[:, 0]
    if predictions.shape != labels.shape:
        raise ValueError(
            f"The predictor in {owner} must give one prediction per row ({labels.size}). "
            f"Got shape {predictions.shape} instead."
        )
    return loss(predictions, labels)


def _given_probability(owner: str, predictor: ProbabilityPredictor, X: Rows, y: Labels) -> tuple[FloatArray, IntArray]:
    """Return probabilities and label codes, with a column of zeros for each label the predictor has not met.

    The probabilities of a predictor that knows one class alone have another such column, since they are by class.
    """
    y, known = align_exactly(y, exact_array(predictor.classes_))
    unseen = np.setdiff1d(y, known)
    given = predictor.predict_proba(X)
    refuse_masked(f"What predict_proba returns in {owner}", given)
    columns = np.asarray(given, dtype=np.float64)
    if columns.shape != (len(y), known.size):
        raise ValueError(
            f"The predictor in {owner} must give a probability per row ({len(y)}) and class ({known.size}). "
            f"Got shape {columns.shape} instead."
        )
    names = getattr(given, "columns", None)
    refuse_other_classes(f"What predict_proba returns in {owner}", "columns", names, known)
    padded = np.column_stack([columns, np.zeros((len(y), max(unseen.size, 2 - known.size)))])
    matches = y[:, None] == np.concatenate([known, unseen])
    if not matches.any(axis=1).all():
        odd = y[~matches.any(axis=1)][0]
        raise ValueError(
            f"The 'y' argument of {owner} must hold labels, of which none is missing. Got {odd!r:.40} instead."
        )
    return padded, np.argmax(matches, axis=1)
