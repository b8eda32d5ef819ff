"""The role of a metric: what is asked of a predictor on the judged rows.

To add one: a file beside this one with a class that has the two members of :class:`Metric`, a line in ``METRICS`` of
``metrics/__init__.py``, and the words for its quantity in ``certificate/quantities.py``, which sentences and reports
read. Procedures that judge rows then take it by its name; nothing else knows which metrics there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from pacbayes._core.types import FloatArray, Labels

__all__ = ["Judged", "Metric", "Observation"]


@dataclass(frozen=True, slots=True)
class Judged:
    """Judged rows: what is true and what was predicted.

    Attributes
    ----------
    labels, predictions : ndarray
        Of the judged rows, in their order.
    scale : float or None
        Of predictions that are numbers: what their errors are measured by, fixed before these rows were looked at.
    assumptions : tuple of str
        What has to be assumed besides what every procedure does: codes of :mod:`pacbayes.certificate.assumptions`.
    """

    labels: Labels
    predictions: Labels
    scale: float | None = None
    assumptions: tuple[str, ...] = ()

    @property
    def measure(self) -> float:
        """The scale, which predictions that are numbers must have."""
        if self.scale is None:
            raise ValueError("A loss of predicted numbers needs a scale. Got none instead.")
        return self.scale


@dataclass(frozen=True, slots=True)
class Observation:
    """What a metric observed: on how many rows, and which counts.

    Attributes
    ----------
    n : int
        The rows that it is about: all judged rows, or those of one class. A procedure refuses a metric that is about
        none of them. Whether a row counts is decided from that row alone, or the binomial limit would not hold.
    observed : mapping
        Counts, as :class:`pacbayes.certificate.Statement` records them. "errors" is the count that is bounded.
    losses : ndarray or None
        In place of a count: losses between 0 and 1, in the order of the judged rows, whose mean is bounded.
    scale : float or None
        What errors were measured by.
    """

    n: int
    observed: Mapping[str, int]
    losses: FloatArray | None = None
    scale: float | None = None


class Metric(Protocol):
    """What is certified."""

    @property
    def quantity(self) -> str:
        """What its number is called: a name of :data:`pacbayes.certificate.QUANTITIES`."""

    def observe(self, judged: Judged) -> Observation:
        """Count on the judged rows; the true share of "errors" among the rows it is about is what is bounded."""
