"""Losses that keep coming: a certificate over all of them so far, which holds at all times at once."""

from __future__ import annotations

import hashlib
import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from numbers import Real
from typing import ClassVar

import numpy as np

from pacbayes._core.arguments import single_number
from pacbayes._core.notes import Note
from pacbayes._core.types import FloatArray, Labels, RowsLike
from pacbayes.bounds import betting_rates
from pacbayes.certificate import Certificate, Check, Choice, Statement, issue
from pacbayes.procedures.base import Issued, Procedure, Sample
from pacbayes.procedures.loss_lines import decode_line, loss_in
from pacbayes.summary import Summary

__all__ = ["LossMonitor", "Watch"]

_NUMBERS = (float, Real, np.bool_)  # doubles first, which are most: there is one for every line
_BLOCK = 4096  # losses are added up in blocks of this size, whenever a certificate is asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch(Procedure):
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
        "Each prediction was made before its label was known. The number is a limit on the average true loss of all "
        "predictions so far, at every length of the stream at once."
    )

    def run(self, sample: Sample) -> Issued:
        """Certify losses (the labels of the sample) in their order."""
        monitor = LossMonitor(self.delta)
        monitor.extend(sample.y[sample.order].tolist())
        return Issued(monitor.certificate())

    def certify(self, summary: Summary, notes: tuple[Note, ...]) -> Certificate:
        """Certify the losses behind a summary."""
        return self.certify_observed(summary.n, _observed(summary), notes)

    def certify_observed(
        self, n: int, observed: Mapping[str, int | float | FloatArray], notes: tuple[Note, ...]
    ) -> Certificate:
        """Certify so many losses by what a statement records of them."""
        statement = Statement(
            about="watched",
            quantity="loss",
            n=n,
            observed=observed,
            bound="betting",
            rates="all_n",
            assumptions=("before_label", "average_over_time"),
        )
        choice = Choice("rate", "grid", "all_rows", "mixture_of_rates", betting_rates()[0].size)
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


def _count_errors(before: int | None, losses: Sequence[float]) -> int | None:
    """Return the number of errors with some further losses; None if one of them is neither 0 nor 1.

    All sums are then of whole numbers, and exact: the mean square equals the mean, and their number is the count.
    """
    if before is None or not losses:
        return before
    values = np.asarray(losses)
    wrong = int(np.count_nonzero(values == 1.0))
    return before + wrong if wrong + int(np.count_nonzero(values == 0.0)) == values.size else None


class LossMonitor:
    """Losses in [0, 1], one at a time, and a certificate that holds at all times at once.

    The certificate depends on the losses and their order alone: not on when it was looked at, nor on whether the
    monitor was stored with :meth:`to_dict` meanwhile.

    Parameters
    ----------
    delta : float, default=0.05
        Allowed probability of failure, over the whole stream; it cannot be changed once losses come in.

    Examples
    --------
    >>> from pacbayes.procedures import LossMonitor
    >>> monitor = LossMonitor()
    >>> for line in ["0", "1", '{"label": "yes", "prediction": "yes"}'] * 100:
    ...     monitor.add(monitor.loss_of(line))
    >>> certificate = monitor.certificate()
    >>> certificate.n, round(certificate.value, 4)
    (300, 0.4273)
    >>> LossMonitor.from_dict(monitor.to_dict()).certificate().value == certificate.value
    True
    """

    def __init__(self, delta: float = 0.05) -> None:
        self._delta = single_number("LossMonitor", "delta", delta)
        self._unreadable = 0
        self._rates, self._weights = _grid()
        self._waiting = array("d")  # a quarter of the memory of a list: there may be many streams
        self._summary: Summary | None = None  # of all whole blocks
        self._errors: int | None = 0  # in whole blocks, as long as every loss in them is known to be 0 or 1

    @property
    def delta(self) -> float:
        """The allowed probability of failure."""
        return self._delta

    @property
    def unreadable(self) -> int:
        """How many of the losses stand for something that could not be read."""
        return self._unreadable

    @staticmethod
    def loss_of(line: str | bytes) -> float:
        """Return the loss that a line states: a number in [0, 1], or whether label and prediction differ."""
        return loss_in(decode_line(line), line)

    def __len__(self) -> int:
        return len(self._waiting) + (0 if self._summary is None else self._summary.n)

    def add(self, *losses: float) -> None:
        """Take further losses; one outside [0, 1] is refused, and none of them taken."""
        for loss in losses:
            if not isinstance(loss, _NUMBERS) or not 0.0 <= loss <= 1.0:
                raise ValueError(f"A loss must be a number in [0, 1]. Got {loss!r:.60} instead.")
        self._waiting.extend(losses)
        self._add_up()

    @classmethod
    def add_together(cls, monitors: Sequence[LossMonitor], losses: FloatArray, sizes: Sequence[int]) -> None:
        """Take further losses of several streams: those of the first monitor, then those of the second, and so on."""
        _refuse_others(losses)
        content, end = np.ascontiguousarray(losses, dtype=np.float64).tobytes(), 0
        for each, size in zip(monitors, sizes, strict=True):
            start, end = end, end + 8 * size
            each._waiting.frombytes(content[start:end])  # noqa: SLF001
            if len(each._waiting) >= _BLOCK:  # noqa: SLF001
                each._add_up()  # noqa: SLF001

    def _add_up(self) -> None:
        """Add whole blocks to the summary."""
        while len(self._waiting) >= _BLOCK:
            self._errors = _count_errors(self._errors, self._waiting[:_BLOCK])
            self._summary = self._with(self._waiting[:_BLOCK])
            self._waiting = self._waiting[_BLOCK:]

    def add_unreadable(self) -> None:
        """Count something that could not be read as wrong: to leave it out by what it says would break the bound."""
        self.add(1.0)
        self._unreadable += 1

    def extend(self, losses: Iterable[float]) -> None:
        """Take many losses."""
        for loss in losses:
            self.add(loss)

    def certificate(self, notes: tuple[Note, ...] = ()) -> Certificate:
        """Issue the certificate for the losses so far, with further notes on where they come from."""
        if not len(self):
            raise ValueError("A certificate needs at least one loss. There is none yet.")
        if self.unreadable:
            notes = (Note("lines_counted_as_wrong", {"lines": self.unreadable}), *notes)
        errors = _count_errors(self._errors, self._waiting)
        if errors is not None:
            return Watch(delta=self.delta).certify_observed(len(self), {"errors": errors}, notes)
        summary = self._with(self._waiting) if self._waiting else self._summary
        return Watch(delta=self.delta).certify(summary, notes)  # type: ignore[arg-type]

    def _with(self, losses: Sequence[float]) -> Summary:
        """Return the summary of all whole blocks and of some further losses."""
        part = Summary.from_values(np.array(losses), rates=self._rates, weights=self._weights)
        return part if self._summary is None else self._summary + part

    def to_dict(self) -> dict[str, object]:
        """Return all that is needed to go on elsewhere, as plain values in full precision."""
        totals = None if self._summary is None else self._summary.totals
        return {
            "delta": self._delta.hex(),
            "rates": self._digest(),
            "n": 0 if self._summary is None else self._summary.n,
            "high": [] if totals is None else [value.hex() for value in totals.high.tolist()],
            "low": [] if totals is None else [value.hex() for value in totals.low.tolist()],
            "waiting": [float(loss).hex() for loss in self._waiting],
            "unreadable": self._unreadable,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, object]) -> LossMonitor:
        """Go on from what :meth:`to_dict` returned; anything else is refused with a ValueError."""
        (delta,) = _read_floats([record.get("delta")])
        made = cls(delta)
        if set(record) != set(made.to_dict()) or record["rates"] != made._digest():
            raise ValueError("The losses so far were added up by another version of pacbayes.")
        n, unreadable = _read_count(record["n"]), _read_count(record["unreadable"])
        made._waiting = array("d", _read_floats(record["waiting"]))
        if n:
            like = made._with([0.0])
            high, low = np.array(_read_floats(record["high"])), np.array(_read_floats(record["low"]))
            if high.shape != like.totals.high.shape or low.shape != high.shape:
                raise ValueError(_NOT_A_MONITOR)
            made._summary = replace(like, n=n, totals=replace(like.totals, high=high, low=low))
            made._errors = None  # what the totals say is left to them
        sound = all(0.0 <= loss <= 1.0 for loss in made._waiting) and len(made._waiting) < _BLOCK
        if not sound or n % _BLOCK or unreadable > len(made):
            raise ValueError(_NOT_A_MONITOR)
        made._unreadable = unreadable
        return made

    def _digest(self) -> str:
        """Name the grid that the growth was added up for."""
        return hashlib.sha256(self._rates.tobytes() + self._weights.tobytes()).hexdigest()


@lru_cache(maxsize=1)
def _grid() -> tuple[FloatArray, FloatArray]:
    """Return the grid of rates, made once: there may be many streams."""
    return betting_rates()


def _refuse_others(losses: FloatArray) -> None:
    if losses.size and not (losses.min() >= 0.0 and losses.max() <= 1.0):
        raise ValueError("Losses must lie in [0, 1]. Got others instead.")


_NOT_A_MONITOR = "The losses so far must be those that a monitor stored. Got something else instead."


def _read_floats(values: object) -> list[float]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(_NOT_A_MONITOR)
    try:
        numbers = [float.fromhex(value) for value in values]
    except (ValueError, OverflowError):
        raise ValueError(_NOT_A_MONITOR) from None
    if not all(map(math.isfinite, numbers)):
        raise ValueError(_NOT_A_MONITOR)
    return numbers


def _read_count(value: object) -> int:
    if type(value) is not int or not 0 <= value <= 2**53:
        raise ValueError(_NOT_A_MONITOR)
    return value
