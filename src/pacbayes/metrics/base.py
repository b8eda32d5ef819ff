"""The role of a metric: what is asked of a predictor on the judged rows.

To add one: a file beside this one with a class that has the two members of :class:`Metric`, a line in ``METRICS`` of
``metrics/__init__.py``, and the words for its quantity in ``certificate/quantities.py``, which sentences and reports
read. Procedures that judge rows then take it by its name; nothing else knows which metrics there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from pacbayes._core.types import Labels

__all__ = ["Judged", "Metric", "Observation"]


@dataclass(frozen=True, slots=True)
class Judged:
    """Judged rows: what is true and what was predicted.

    Attributes
    ----------
    labels, predictions : ndarray
        Of the judged rows, in their order.
    draws : ndarray or None
        What one draw per row from a distribution around the predictor predicts, where there is such.
    """

    labels: Labels
    predictions: Labels
    draws: Labels | None = None


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
    """

    n: int
    observed: Mapping[str, int]


class Metric(Protocol):
    """What is certified."""

    @property
    def quantity(self) -> str:
        """What its number is called: a name of :data:`pacbayes.certificate.QUANTITIES`."""

    def observe(self, judged: Judged) -> Observation:
        """Count on the judged rows; the true share of "errors" among the rows it is about is what is bounded."""
