"""Losses of predicted numbers, bounded by a scale that is fixed before the judged rows are looked at.

Labels and predictions are doubles. A loss is never below its exact value for them: a quotient is rounded up, and
whether an error exceeds a tolerance is decided without rounding. A prediction that is not finite has the loss 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from pacbayes._core.rounding import raised, two_sum
from pacbayes._core.types import FloatArray
from pacbayes.metrics.base import Judged, Observation

__all__ = ["LOSSES", "AbsoluteError", "Loss", "LossRule", "Miss", "SquaredError", "get_loss", "label_spread"]

_LOW, _HIGH = 0.05, 0.95
_DIGITS = 2  # of a scale that is taken from labels, so that its sentence can be read
_QUARTER = 0.25  # of the spread: a tolerance


class Loss(Protocol):
    """A loss of predicted numbers: a metric that has values between 0 and 1 on each row."""

    parameter: ClassVar[str]
    needs_probabilities: ClassVar[bool]  # of classes: False

    @property
    def quantity(self) -> str:
        """What its number is called."""

    @property
    def label(self) -> str | None:
        """None: it is not about one class."""

    @property
    def bound(self) -> str:
        """The bound that is made for it."""

    @property
    def is_graded(self) -> bool:
        """Whether it takes values between 0 and 1."""

    def values(self, labels: FloatArray, predictions: FloatArray, scale: float) -> FloatArray:
        """Return the loss on each row."""

    def observe(self, judged: Judged) -> Observation:
        """Count or list the losses on the judged rows."""


def _ratio(labels: FloatArray, predictions: FloatArray, scale: float) -> FloatArray:
    """Return ``min(|y - f|, scale)/scale``, rounded up; 1 where a prediction is not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        distance = np.abs(labels - predictions)
        ratio = np.where(distance > 0.0, raised(distance / scale, 2.0), distance)  # two operations of half a unit each
    return np.where(np.isfinite(predictions), np.minimum(ratio, 1.0), 1.0)


class AbsoluteError:
    """The absolute error, counted up to a scale: ``min(|y - f|, scale)/scale``.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import AbsoluteError
    >>> AbsoluteError().values(np.zeros(3), np.array([0.0, 2.5, np.nan]), 5.0).round(4).tolist()
    [0.0, 0.5, 1.0]
    """

    quantity = "absolute_error"
    needs_probabilities: ClassVar[bool] = False
    bound = "sequential"
    is_graded = True
    parameter: ClassVar[str] = "scale"
    label: str | None = None

    def values(self, labels: FloatArray, predictions: FloatArray, scale: float) -> FloatArray:
        """Return the loss on each row."""
        return _ratio(labels, predictions, scale)

    def observe(self, judged: Judged) -> Observation:
        """List the losses in the order of the judged rows."""
        return _list_losses(self, judged)


class SquaredError:
    """The squared error, each error counted up to a scale: ``min(|y - f|, scale)**2/scale**2``.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import SquaredError
    >>> SquaredError().values(np.zeros(3), np.array([0.0, 2.5, -7.0]), 5.0).round(4).tolist()
    [0.0, 0.25, 1.0]
    """

    quantity = "squared_error"
    needs_probabilities: ClassVar[bool] = False
    bound = "sequential"
    is_graded = True
    parameter: ClassVar[str] = "scale"
    label: str | None = None

    def values(self, labels: FloatArray, predictions: FloatArray, scale: float) -> FloatArray:
        """Return the loss on each row."""
        ratio = _ratio(labels, predictions, scale)
        return np.where(ratio > 0.0, np.minimum(raised(ratio**2, 1.0), 1.0), ratio)

    def observe(self, judged: Judged) -> Observation:
        """List the losses in the order of the judged rows."""
        return _list_losses(self, judged)


class Miss:
    """A miss: 1 where ``|y - f|`` exceeds a tolerance, else 0.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import Miss
    >>> Miss().values(np.zeros(3), np.array([1.9, -2.0, 2.1]), 2.0).tolist()
    [0.0, 0.0, 1.0]
    """

    quantity = "miss"
    needs_probabilities: ClassVar[bool] = False
    bound = "clopper_pearson"
    is_graded = False
    parameter: ClassVar[str] = "tolerance"
    label: str | None = None

    def values(self, labels: FloatArray, predictions: FloatArray, scale: float) -> FloatArray:
        """Return 1 for each row that is missed; a difference that was rounded to the tolerance is told from it."""
        with np.errstate(over="ignore", invalid="ignore"):
            found, rest = two_sum(labels, -predictions)
            beyond = (np.abs(found) == scale) & (np.sign(found) * rest > 0.0)
            hit = (np.abs(found) <= scale) & ~beyond
        return np.asarray(~hit, dtype=np.float64)

    def observe(self, judged: Judged) -> Observation:
        """Count the rows that are missed."""
        missed = self.values(judged.labels, judged.predictions, judged.measure)
        return Observation(missed.size, {"errors": int(missed.sum())}, scale=judged.measure)


def _list_losses(loss: Loss, judged: Judged) -> Observation:
    values = loss.values(judged.labels, judged.predictions, judged.measure)
    return Observation(values.size, {}, losses=values, scale=judged.measure)


LOSSES: dict[str, type[AbsoluteError | SquaredError | Miss]] = {
    "absolute": AbsoluteError,
    "squared": SquaredError,
    "within": Miss,
}


def get_loss(owner: str, name: object) -> Loss:
    """Return a loss of predicted numbers by its name, or say which there are.

    Examples
    --------
    >>> from pacbayes.metrics import get_loss
    >>> get_loss("me", "within").quantity
    'miss'
    """
    if not isinstance(name, str) or name not in LOSSES:
        raise ValueError(
            f"The 'loss' parameter of {owner} must be one of {', '.join(map(repr, LOSSES))}. Got {name!r:.60} instead."
        )
    return LOSSES[name]()


def label_spread(labels: FloatArray) -> float:
    """Return the distance between the 5 % and the 95 % quantile of labels, to two significant digits.

    Where that is zero it is the distance between the least and the largest, then the largest size, then 1.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import label_spread
    >>> label_spread(np.arange(101.0)), label_spread(np.array([3.0, 3.0])), label_spread(np.zeros(5))
    (90.0, 3.0, 1.0)
    """
    with np.errstate(over="ignore", invalid="ignore"):  # beyond the largest double the next of the sizes is taken
        low, high = (float(each) for each in np.quantile(labels, (_LOW, _HIGH)))
    sizes = (high - low, float(labels.max()) - float(labels.min()), float(np.abs(labels).max()), 1.0)
    return next(each for each in map(_rounded, sizes) if each > 0.0)


def _rounded(size: float) -> float:
    """Return a size to two significant digits; the largest double for one beyond."""
    shown = float(f"{size:.{_DIGITS - 1}e}")
    return shown if math.isfinite(shown) else float(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True)
class LossRule:
    """Which loss, and its scale or tolerance: given, or to be taken from labels of learning rows.

    Attributes
    ----------
    name : {"absolute", "squared", "within"}
    given : float or None
        The scale or tolerance; None for the spread of labels, a quarter of it for a tolerance.
    """

    name: str
    given: float | None = None

    @property
    def loss(self) -> Loss:
        """The loss itself."""
        return LOSSES[self.name]()

    @property
    def fixed(self) -> float:
        """The scale or tolerance that was given, where there are no learning rows to take it from."""
        if self.given is None:
            raise ValueError(f"The loss {self.name!r} needs a {self.loss.parameter}. Got none instead.")
        return self.given

    def measure(self, labels: FloatArray) -> float:
        """Return the scale or tolerance; labels are looked at only where none was given.

        Examples
        --------
        >>> import numpy as np
        >>> from pacbayes.metrics import LossRule
        >>> LossRule("absolute", 5.0).measure(np.zeros(2)), LossRule("within").measure(np.arange(101.0))
        (5.0, 22.5)
        """
        if self.given is not None:
            return self.given
        spread = label_spread(labels)
        return spread * _QUARTER if self.loss.parameter == "tolerance" else spread
