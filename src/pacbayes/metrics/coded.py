"""Judged rows as numbers of classes: a few bytes each, and taken apart when a metric looks at them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.answers import Answers
from pacbayes._core.predictions import wrong_labels
from pacbayes._core.rows import BLOCK_ROWS
from pacbayes._core.types import BoolArray, IntArray, Labels
from pacbayes.metrics.base import Judged, Metric, Observation

__all__ = ["CodedJudged", "observe_parts"]


@dataclass(frozen=True, slots=True)
class CodedJudged:
    """What :class:`Judged` holds of predicted classes, for as many rows as there may be.

    Attributes
    ----------
    classes : ndarray
        The classes that there are, sorted.
    truth, found : ndarray of int
        Positions of the labels and of the predictions among them; -1 for a prediction that is none of them.
    unsteady : ndarray of bool
        As of :class:`Judged`.
    probabilities : Answers or None
        As of :class:`Judged`.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import CodedJudged, Error, observe_parts
    >>> truth, found = np.array([0, 1, 1]), np.array([0, 0, -1])
    >>> judged = CodedJudged(np.array(["no", "yes"]), truth, found, unsteady=np.zeros(3, dtype=bool))
    >>> judged.whole().predictions.tolist(), observe_parts(Error(), judged).observed
    (['no', 'no', 'no'], {'errors': 2})
    """

    classes: Labels
    truth: NDArray[np.signedinteger[Any]]
    found: NDArray[np.signedinteger[Any]]
    unsteady: BoolArray
    probabilities: Answers | None = None
    assumptions: tuple[str, ...] = ()

    def take(self, rows: IntArray) -> CodedJudged:
        """Return some of the rows, in the order of their positions."""
        return replace(
            self,
            truth=self.truth[rows],
            found=self.found[rows],
            unsteady=self.unsteady[rows],
            probabilities=None if self.probabilities is None else self.probabilities.take(rows),
        )

    def whole(self) -> Judged:
        """Return labels and predictions themselves."""
        labels = np.asarray(self.classes[self.truth])
        return Judged(
            labels,
            wrong_labels(self.found.astype(np.int64), labels, self.classes),
            classes=self.classes,
            unsteady=self.unsteady,
            unknown=self.found < 0,
            probabilities=self.probabilities,
            assumptions=self.assumptions,
        )

    def parts(self) -> Iterator[Judged]:
        """Yield the rows in their order, so many at a time; where there are none, none once."""
        size = self.truth.size
        if size <= BLOCK_ROWS:
            yield self.whole()
            return
        for start in range(0, size, BLOCK_ROWS):
            yield self.take(np.arange(start, min(start + BLOCK_ROWS, size))).whole()


def observe_parts(metric: Metric, judged: Judged | CodedJudged) -> Observation:
    """Return what a metric observes on judged rows; of many, what it observes on parts of them, added up."""
    if isinstance(judged, Judged):
        return metric.observe(judged)
    first, *others = (metric.observe(part) for part in judged.parts())
    for each in others:
        first = first + each
    return first
