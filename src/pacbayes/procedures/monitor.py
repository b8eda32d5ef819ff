"""Losses that keep coming: a certificate over all of them so far, which holds at all times at once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, NoReturn

import numpy as np

from pacbayes._core.notes import Note
from pacbayes._core.types import FloatArray, Labels, RowsLike
from pacbayes.bounds import betting_rates
from pacbayes.certificate import Certificate, Check, Choice, Statement, issue
from pacbayes.procedures.base import Issued, Procedure, Sample
from pacbayes.summary import Summary

__all__ = ["LossMonitor", "Monitor"]

_WAITING = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor(Procedure):
    """The average loss of whatever predicted, at all times at once.

    Attributes
    ----------
    delta : float
        Allowed probability of failure, over the whole stream.
    """

    delta: float

    name: ClassVar[str] = "monitor"
    proves: ClassVar[tuple[str, ...]] = ("arithmetic", "not_losses")
    repeatable: ClassVar[bool] = False
    made: ClassVar[str] = (
        "Each prediction was made before its label was known. The number bounds the average true loss of all "
        "predictions so far, at every length of the stream at once."
    )

    def run(self, sample: Sample) -> Issued:
        """Certify losses (the labels of the sample) in their order."""
        monitor = LossMonitor(self.delta)
        monitor.extend(sample.y[sample.order].tolist())
        return Issued(monitor.certificate())

    def certify(self, summary: Summary, notes: tuple[Note, ...]) -> Certificate:
        """Certify the losses behind a summary."""
        statement = Statement(
            about="watched",
            quantity="loss",
            n=summary.n,
            observed=_observed(summary),
            bound="betting",
            rates="all_n",
            assumptions=("before_label", "average_over_time"),
        )
        choice = Choice("rate", "best of a grid", "all_rows", "union_over_rates", betting_rates()[0].size)
        return issue(self.name, [statement], delta=self.delta, choices=[choice], notes=notes)

    @classmethod
    def recheck(cls, certificate: Certificate, X: RowsLike, y: Labels, model: object) -> list[Check]:
        """Refuse: the losses of a stream are not kept."""
        del certificate, X, y, model
        raise ValueError("A certificate from watch cannot be run again from data.")


def _observed(summary: Summary) -> dict[str, int | float | FloatArray]:
    """Return the number of errors where every loss was 0 or 1, else the mean loss and its growth."""
    if summary.second == summary.risk:
        return {"errors": round(summary.risk * summary.n)}
    return {"risk": summary.risk, "log_growth": summary.log_growth}


def _differ(label: object, prediction: object) -> float:
    """Return whether two classes differ; refuse what is no class, or not of the same kind."""
    if label is None or prediction is None:
        raise ValueError("'label' and 'prediction' must be known. Got null.")
    if isinstance(prediction, float) and not prediction.is_integer() and not isinstance(label, str):
        raise ValueError(f"'prediction' must be a class, not a probability. Got {prediction!r}.")
    if isinstance(label, str) != isinstance(prediction, str):
        raise ValueError(f"'label' and 'prediction' must be of one kind. Got {label!r:.30} and {prediction!r:.30}.")
    return float(label != prediction)


class LossMonitor:
    """Losses in [0, 1], one at a time, and a certificate that holds at all times at once.

    Parameters
    ----------
    delta : float, default=0.05
        Allowed probability of failure, over the whole stream.

    Examples
    --------
    >>> from pacbayes.procedures import LossMonitor
    >>> monitor = LossMonitor()
    >>> for line in ["0", "1", '{"label": "yes", "prediction": "yes"}'] * 100:
    ...     monitor.add(monitor.loss_of(line))
    >>> certificate = monitor.certificate()
    >>> certificate.n, round(certificate.value, 4)
    (300, 0.435)
    """

    def __init__(self, delta: float = 0.05) -> None:
        self.delta = delta
        self.unreadable = 0
        self._rates, self._weights = betting_rates()
        self._waiting: list[float] = []
        self._summary: Summary | None = None

    @staticmethod
    def loss_of(line: str) -> float:
        """Return the loss that a line states: a number in [0, 1], or whether label and prediction differ."""
        try:
            given = json.loads(line)
        except (ValueError, RecursionError):
            given = None
        if isinstance(given, dict):
            if "label" not in given or "prediction" not in given:
                raise ValueError("an object must have 'label' and 'prediction'.")
            return _differ(given["label"], given["prediction"])
        if isinstance(given, bool) or not isinstance(given, int | float) or not 0.0 <= given <= 1.0:
            _refuse(line)
        return float(given)

    def __len__(self) -> int:
        return len(self._waiting) + (0 if self._summary is None else self._summary.n)

    def add(self, *losses: float) -> None:
        """Take further losses."""
        self._waiting.extend(losses)
        if len(self._waiting) >= _WAITING:
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
        notes = (Note("unreadable_lines", {"lines": self.unreadable}),) if self.unreadable else ()
        return Monitor(delta=self.delta).certify(self._summary, notes)

    def _merge(self) -> None:
        if not self._waiting:
            return
        losses: FloatArray = np.array(self._waiting)
        part = Summary.from_values(losses, rates=self._rates, weights=self._weights)
        self._summary = part if self._summary is None else self._summary + part
        self._waiting = []


def _refuse(line: str) -> NoReturn:
    raise ValueError(
        f"expected a loss in [0, 1], or an object with 'label' and 'prediction'. Got {line.strip()!r:.60}."
    )
