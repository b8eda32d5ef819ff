"""The mean cost: what each kind of error costs, relative to the largest cost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.alignment import find_index, refuse_other_classes
from pacbayes._core.arguments import finite_double, refuse_masked, show_number
from pacbayes._core.labels import label_text
from pacbayes._core.rounding import raised
from pacbayes._core.types import FloatArray, Labels
from pacbayes.metrics.base import Judged, Observation

__all__ = ["Cost", "CostTable", "read_costs"]

Costs = Mapping[tuple[object, object], float] | ArrayLike


@dataclass(frozen=True, slots=True)
class CostTable:
    """What it costs to take a row of one class for another.

    Attributes
    ----------
    entries : tuple of (true class, predicted class, cost)
        Classes as text; what is not among them costs nothing if it is right, and the largest cost otherwise.

    Examples
    --------
    >>> from pacbayes.metrics import CostTable
    >>> table = CostTable((("ill", "well", 5.0), ("well", "ill", 1.0)))
    >>> table.largest, CostTable.from_text(table.to_text()) == table
    (5.0, True)
    """

    entries: tuple[tuple[str, str, float], ...]

    @property
    def largest(self) -> float:
        """The largest cost, by which all are divided."""
        return max(cost for _, _, cost in self.entries)

    def to_text(self) -> str:
        """Return the table as a certificate records it."""
        table: dict[str, dict[str, float]] = {}
        for true, predicted, cost in self.entries:
            table.setdefault(true, {})[predicted] = cost
        return json.dumps(table, ensure_ascii=False)

    @classmethod
    def from_text(cls, text: str) -> CostTable:
        """Read what :meth:`to_text` gave."""
        table = json.loads(text)
        return cls(tuple((true, to, float(cost)) for true, row in table.items() for to, cost in row.items()))

    def matrix(self, classes: Labels) -> FloatArray:
        """Return the costs by true class and predicted class; the last column is for predictions of no class."""
        known = {(true, predicted): cost for true, predicted, cost in self.entries}
        texts = [label_text(each) for each in classes]
        found = np.full((len(texts), len(texts) + 1), self.largest)
        for row, true in enumerate(texts):
            for column, predicted in enumerate(texts):
                found[row, column] = known.get((true, predicted), 0.0 if true == predicted else self.largest)
        return found


def read_costs(owner: str, costs: Costs, classes: Labels) -> CostTable:
    """Return the table of costs, or say what is wrong with them.

    Parameters
    ----------
    owner : str
        For messages.
    costs : mapping or array_like
        Costs by pairs of true and predicted class, of all pairs of different classes; or a square of them, rows by
        true class, in the order of the sorted classes, which a frame that names classes has to have, too.
    classes : ndarray
        The classes that there are, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import read_costs
    >>> read_costs("me", [[0, 1], [5, 0]], np.array([False, True])).entries
    (('False', 'True', 1.0), ('True', 'False', 5.0))
    """
    texts = [label_text(each) for each in classes]
    if isinstance(costs, Mapping):
        given = _by_pair(owner, costs)
    else:
        square = _square(owner, costs, classes)
        given = {(true, to): square[i, j] for i, true in enumerate(texts) for j, to in enumerate(texts)}
    unknown = [pair for pair in given if not set(pair) <= set(texts)]
    missing = [(true, to) for true in texts for to in texts if true != to and (true, to) not in given]
    if unknown or missing:
        words = f"{unknown[0]} is none" if unknown else f"{missing[0]} is missing"
        raise ValueError(
            f"The 'cost' of {owner} must have a cost for each pair of a true and another class of "
            f"{', '.join(texts[:6])}. {words}."
        )
    entries = tuple(_entry(owner, pair, cost) for pair, cost in given.items() if pair[0] != pair[1] or cost)
    if not any(cost for _, _, cost in entries):
        raise ValueError(f"The 'cost' of {owner} must have a cost above 0. Got none.")
    return CostTable(entries)


def _by_pair(owner: str, costs: Mapping[tuple[object, object], float]) -> dict[tuple[str, ...], float]:
    found: dict[tuple[str, ...], float] = {}
    for pair, cost in costs.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ValueError(f"The 'cost' of {owner} must be by pairs of two classes. Got {pair!r:.60} instead.")
        texts = tuple(map(label_text, pair))
        if texts in found:
            raise ValueError(f"The 'cost' of {owner} must have one cost for each pair. Got {texts} twice.")
        found[texts] = cost
    return found


def _square(owner: str, costs: ArrayLike, classes: Labels) -> FloatArray:
    what = f"The 'cost' of {owner}"
    refuse_masked(what, costs)
    try:
        square = np.asarray(costs, dtype=np.float64)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{what} must hold finite numbers of at least 0. {str(error)[:80].capitalize()}.") from None
    if square.shape != (len(classes), len(classes)):
        raise ValueError(f"{what} must be a square with a row per class ({len(classes)}). Got {square.shape}.")
    refuse_other_classes(what, "rows", find_index(costs), classes)
    refuse_other_classes(what, "columns", getattr(costs, "columns", None), classes)
    return square


def _entry(owner: str, pair: tuple[str, ...], cost: object) -> tuple[str, str, float]:
    number = finite_double(cost)
    if number is None or number < 0.0:
        raise ValueError(
            f"The 'cost' of {owner} must hold finite numbers of at least 0. Got {show_number(cost)} for {pair}."
        )
    return pair[0], pair[1], number


@dataclass(frozen=True, slots=True)
class Cost:
    """The mean cost, relative to the largest.

    Attributes
    ----------
    table : CostTable

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import Cost, CostTable, Judged
    >>> metric = Cost(CostTable((("1", "0", 5.0), ("0", "1", 1.0))))
    >>> metric.observe(Judged(np.array([0, 1, 1]), np.array([1, 0, 1]))).losses.round(4).tolist()
    [0.2, 1.0, 0.0]
    """

    table: CostTable
    quantity: ClassVar[str] = "cost"
    needs_probabilities: ClassVar[bool] = False
    label: ClassVar[str | None] = None

    def observe(self, judged: Judged) -> Observation:
        """List the costs in the order of the judged rows, each divided by the largest and rounded up."""
        classes, matrix = judged.known_classes, self.table.matrix(judged.known_classes)
        places = np.searchsorted(classes, judged.predictions).clip(max=classes.size - 1)
        known = classes[places] == judged.predictions
        if judged.unknown is not None:
            known &= ~judged.unknown
        predicted = np.where(known, places, classes.size)
        true = np.searchsorted(classes, judged.labels)
        costs = np.where(judged.doubted, matrix.max(axis=1)[true], matrix[true, predicted])
        shares = costs / self.table.largest
        losses = np.where(costs > 0.0, np.minimum(raised(shares, 1.0), 1.0), 0.0)
        return Observation(losses.size, {}, losses=losses, scale=self.table.largest)
