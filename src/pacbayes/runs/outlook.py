"""What can be certified with so many rows: limits to expect at observed shares of errors, before there are any."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from pacbayes import bounds
from pacbayes.certificate import QUANTITIES, rows_for_half
from pacbayes.metrics import METRICS
from pacbayes.metrics.asked import Asked
from pacbayes.procedures import Adaptive
from pacbayes.procedures.split import learning_count

__all__ = ["Outlook", "PlannedStatement", "plan_rows"]

RISKS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)


@dataclass(frozen=True, slots=True)
class PlannedStatement:
    """A statement to expect.

    Attributes
    ----------
    metric : str
    family : {"all", "difference", "group"}
        Of all rows, of the largest difference between groups, or of each group.
    side : {"upper", "lower", "both"}
    n : int
        The judged rows that it is about.
    share : float
        Of delta.
    limits : tuple of float
        One for each share of errors that may be observed, the same in all parts; of losses between 0 and 1, such as
        costs, as if all of them were 0 or 1.
    rows_needed : int or None
        How many rows there must be in all, learning rows included, for it to say more than one half where no error is
        observed; None if there are enough.
    """

    metric: str
    family: str
    side: str
    n: int
    share: float
    limits: tuple[float, ...]
    rows_needed: int | None


@dataclass(frozen=True, slots=True)
class Outlook:
    """What can be certified if so many rows are learned from.

    Attributes
    ----------
    learning, judged : int
        Rows.
    risks : tuple of float
        Shares of errors that may be observed.
    statements : tuple of PlannedStatement
    """

    learning: int
    judged: int
    risks: tuple[float, ...]
    statements: tuple[PlannedStatement, ...]


def plan_rows(
    rows: int,
    *,
    risks: Sequence[float] = RISKS,
    learning_fraction: float | None = None,
    delta: float = 0.05,
    asked: Asked | None = None,
    groups: int = 1,
    class_share: float | None = None,
) -> list[Outlook]:
    """Return what can be certified with so many rows, for each number of learning rows that there may be.

    Parameters
    ----------
    rows : int
        Labelled rows, of which some are learned from.
    risks : sequence of float
        Shares of errors that may be observed on judged rows.
    learning_fraction : float, optional
        Share of the rows to learn from; by default it is found on the way, and both the least and the most are told.
    delta : float, default=0.05
        Allowed probability of failure.
    asked : Asked, optional
        Metrics and their weights, and whether differences are stated; the error by default.
    groups : int, default=1
        How many groups of rows there are, taken to be equally large; 1 if rows are not grouped.
    class_share : float, optional
        Share of the rows that are of the class that a metric is about (for precision: taken for it).

    Examples
    --------
    >>> from pacbayes.runs import plan_rows
    >>> [(each.learning, each.judged, round(each.statements[0].limits[0], 4)) for each in plan_rows(7000, risks=[0.1])]
    [(2800, 4200, 0.1079), (5600, 1400, 0.1142)]
    """
    planned = _Plan(rows, tuple(risks), delta, Asked() if asked is None else asked, groups, class_share)
    if learning_fraction is not None and not 0.0 < learning_fraction < 1.0:
        raise ValueError(f"--learning-fraction must lie strictly between 0 and 1. Got {learning_fraction} instead.")
    if learning_fraction is not None:
        return [planned.outlook(partial(learning_count, learning_fraction))]
    found = (planned.outlook(learned) for learned in (_first_stop, _last_stop))
    return list({each.learning: each for each in found}.values())


def _first_stop(rows: int) -> int:
    return Adaptive().times(rows)[0]


def _last_stop(rows: int) -> int:
    return Adaptive().times(rows)[-1]


@dataclass(frozen=True, slots=True)
class _Plan:
    rows: int
    risks: tuple[float, ...]
    delta: float
    asked: Asked
    groups: int
    class_share: float | None

    @property
    def weights(self) -> tuple[float, ...]:
        """How much of delta each metric has, relative to the others."""
        return self.asked.weights or (1.0,) * len(self.asked.metrics)

    def __post_init__(self) -> None:
        shares = [share for share in (self.class_share,) if share is not None]
        of_class = next((name for name in self.asked.metrics if self._is_of_class(name)), None)
        complaints = {
            f"--rows must be a whole number of at least 2. Got {self.rows} instead.": self.rows < 2,
            f"--delta must lie between 0 and 1, such as 0.05. Got {self.delta:g} instead.": not 0.0 < self.delta < 1.0,
            f"--groups must be a whole number of at least 1. Got {self.groups} instead.": self.groups < 1,
            "--risk must lie between 0 and 1.": not all(0.0 <= each <= 1.0 for each in self.risks),
            "--class-share must lie strictly between 0 and 1.": not all(0.0 < share < 1.0 for share in shares),
            f"--metric {of_class} is about a class: give --class-share, how many of the rows are of it.": (
                of_class is not None and not shares
            ),
            "--difference is between groups: give --groups, too.": self.asked.differences and self.groups < 2,
        }
        for words, wrong in complaints.items():
            if wrong:
                raise ValueError(words)

    @staticmethod
    def _is_of_class(name: str) -> bool:
        quantity = QUANTITIES[_quantity(name)]
        return quantity.has_label or quantity.is_counted_by_class

    def outlook(self, learned: Callable[[int], int]) -> Outlook:
        """Return what to expect, where so many of any number of rows are learned from."""
        judged, total = self.rows - learned(self.rows), sum(self.weights)
        grouped = self.groups > 1
        families = ["all", *(["difference"] if self.asked.differences else []), *(["group"] if grouped else [])]
        made = []
        for name, weight in zip(self.asked.metrics, self.weights, strict=True):
            for family in families:
                share = weight / total / len(families) / (self.groups if family == "group" else 1)
                made.append(self._statement(name, family, share, learned))
        return Outlook(self.rows - judged, judged, self.risks, tuple(made))

    def _statement(self, name: str, family: str, share: float, learned: Callable[[int], int]) -> PlannedStatement:
        quantity, own = QUANTITIES[_quantity(name)], self.delta * share
        each = self._counts(name, family, self.rows - learned(self.rows))
        limits = tuple(self._limit(name, family, each, own, risk) for risk in self.risks)
        if quantity.side == "lower" and family != "difference":
            limits = tuple(1.0 - limit for limit in limits)
        side = "both" if family == "difference" else quantity.side
        count = sum(each) * (self.groups if family == "difference" else 1)
        needed = self._needed(name, family, own, learned)
        return PlannedStatement(name, family, side, count, share, limits, needed)

    def _parts(self, name: str) -> tuple[float, ...]:
        """Return which part of the rows a metric is about, or each of its parts."""
        share = 1.0 if self.class_share is None else self.class_share
        quantity = _quantity(name)
        if QUANTITIES[quantity].is_counted_by_class:
            return share, 1.0 - share
        if not QUANTITIES[quantity].has_label:
            return (1.0,)
        return (1.0 - share,) if QUANTITIES[quantity].rows == "others" else (share,)

    def _limit(self, name: str, family: str, rows: Sequence[int], delta: float, risk: float) -> float:
        """Return the limit if the share ``risk`` of the rows are errors, in each part alike."""
        if min(rows) < 1:
            return 1.0
        if QUANTITIES[_quantity(name)].is_graded:
            return bounds.from_numbers("betting", {"risk": risk, "n": rows[0], "delta": delta})  # as if all were 0 or 1
        own = delta / len(rows) / (2 * self.groups if family == "difference" else 1)
        # whole errors, and rather one too many: 5 % of 12 rows are one, not none
        counts = [(math.ceil(Fraction(repr(float(risk))) * n), n) for n in rows]
        high = [bounds.clopper_pearson(float(errors), float(n), own) for errors, n in counts]
        if family != "difference":
            return sum(high) / len(high)
        low = [1.0 - bounds.clopper_pearson(float(n - errors), float(n), own) for errors, n in counts]
        return min(high[0] - low[0], 1.0)

    def _counts(self, name: str, family: str, judged: int) -> list[int]:
        """Return how many of the judged rows each part has."""
        return [int(judged * part / (1 if family == "all" else self.groups)) for part in self._parts(name)]

    def _needed(self, name: str, family: str, own: float, learned: Callable[[int], int]) -> int | None:
        """Return how many rows in all give each part as many as it needs, with so many of them learned from."""
        least = rows_for_half(own / len(self._parts(name)) / (2 * self.groups if family == "difference" else 1))

        def suffices(rows: int) -> bool:
            return min(self._counts(name, family, rows - learned(rows))) >= least

        if suffices(self.rows):
            return None
        low, high = self.rows, 2 * self.rows
        while not suffices(high):
            low, high = high, 2 * high
        while high - low > 1:  # the first does not suffice, and the last does
            middle = (low + high) // 2
            low, high = (low, middle) if suffices(middle) else (middle, high)
        return high


def _quantity(name: str) -> str:
    kind = METRICS[name.partition(":")[0]].quantity
    return kind if isinstance(kind, str) else name
