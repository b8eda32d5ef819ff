"""Losses that keep coming: an anytime certificate over all of them so far."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from pacbayes.bounds import betting_rates
from pacbayes.certificate import Certificate, Choice
from pacbayes.estimators._issue import issue, statistics_of
from pacbayes.summary import Summary

__all__ = ["LossStream"]

_AVERAGE = (
    "The number is about the average true loss of the predictors at the times they predicted; if one predictor was "
    "used throughout and the rows are independent draws from one law, it is that predictor's true loss."
)
_ASSUMPTIONS = (
    "Each prediction was fixed before its label was seen, and no line was left out because of its loss.",
    _AVERAGE,
    "The number holds for all lengths of the stream at once, so that it may be looked at and extended at will.",
)


def _differ(label: Any, prediction: Any) -> float:
    """Return whether two classes differ; refuse what is no class, or not of the same kind."""
    if label is None or prediction is None:
        raise ValueError("'label' and 'prediction' must be known. Got null.")
    if isinstance(prediction, float) and not prediction.is_integer() and not isinstance(label, str):
        raise ValueError(f"'prediction' must be a class, not a probability. Got {prediction!r}.")
    if isinstance(label, str) != isinstance(prediction, str):
        raise ValueError(f"'label' and 'prediction' must be of one kind. Got {label!r:.30} and {prediction!r:.30}.")
    return float(label != prediction)


class LossStream:
    """Losses in [0, 1], one at a time, and a certificate that holds at all times at once.

    Parameters
    ----------
    delta : float, default=0.05
        Allowed probability of failure, over the whole stream.

    Examples
    --------
    >>> from pacbayes.runs import LossStream
    >>> stream = LossStream()
    >>> for line in ["0", "1", '{"label": "yes", "prediction": "yes"}'] * 100:
    ...     stream.add(stream.loss_of(line))
    >>> certificate = stream.certificate()
    >>> certificate.n, round(certificate.value, 4)
    (300, 0.435)
    """

    def __init__(self, delta: float = 0.05) -> None:
        self.delta = delta
        self.skipped = 0
        self._rates, self._weights = betting_rates()
        self._waiting: list[float] = []
        self._summary: Summary | None = None

    @staticmethod
    def loss_of(line: str) -> float:
        """Return the loss that a line states: a number in [0, 1], or whether label and prediction differ."""
        try:
            given = json.loads(line)
        except ValueError:
            given = None
        if isinstance(given, dict):
            if "label" not in given or "prediction" not in given:
                raise ValueError("an object must have 'label' and 'prediction'.")
            return _differ(given["label"], given["prediction"])
        if isinstance(given, bool) or not isinstance(given, int | float) or not 0.0 <= given <= 1.0:
            raise ValueError(
                f"expected a loss in [0, 1], or an object with 'label' and 'prediction'. Got {line.strip()!r:.60}."
            )
        return float(given)

    def __len__(self) -> int:
        return len(self._waiting) + (0 if self._summary is None else self._summary.n)

    def add(self, *losses: float) -> None:
        """Take further losses."""
        self._waiting.extend(losses)
        if len(self._waiting) >= 4096:
            self._merge()

    def extend(self, losses: Iterable[float]) -> None:
        """Take many losses."""
        for loss in losses:
            self.add(loss)

    def certificate(self) -> Certificate:
        """Issue the certificate for the losses so far."""
        self._merge()
        if self._summary is None:
            raise ValueError("A certificate needs at least one loss. There is none yet.")
        skipped: tuple[str, ...] = ()
        if self.skipped:
            skipped = (f"{self.skipped} lines could not be read and are not counted.",)
        return issue(
            kind="online",
            bound="betting",
            statistics=statistics_of(self._summary),
            n=self._summary.n,
            delta=self.delta,
            vote_rule="none",
            loss="given",
            predictor="these predictions, on average over time,",
            choices=[Choice("rate", "best of a grid", "all rows", f"a union over {self._rates.size} rates")],
            assumptions=_ASSUMPTIONS,
            notes=skipped,
        )

    def _merge(self) -> None:
        if not self._waiting:
            return
        options: dict[str, Any] = {"rates": self._rates, "weights": self._weights}
        part = Summary.from_values(np.array(self._waiting), **options)
        self._summary = part if self._summary is None else self._summary + part
        self._waiting = []
