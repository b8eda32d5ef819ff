"""What metrics observe in each group: of counts in one pass over the rows, however many groups there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from pacbayes._core.types import IntArray
from pacbayes.metrics.base import Judged, Metric, Observation
from pacbayes.metrics.coded import CodedJudged, observe_parts
from pacbayes.metrics.grouping import Grouping

__all__ = ["observe_groups"]

_PART = 1 << 16  # rows that are counted at once
_LARGEST = 1 << 22  # of the table of counts: 32 MiB
_RANGE, _EXACT = 1 << 12, 1 << 53  # of classes that are whole numbers


def observe_groups(
    metrics: Sequence[Metric], judged: Judged | CodedJudged, grouping: Grouping
) -> Iterator[list[Observation]]:
    """Yield what each metric observes in each group, group by group.

    Whether a row counts depends on its class, its prediction and its steadiness alone, so that rows which share these
    are counted together: a table of groups times outcomes is filled in one pass, and each metric is asked once about
    every outcome. Losses between 0 and 1 are listed group by group, in the order of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import CodedJudged, Error, Grouping
    >>> from pacbayes.metrics.by_group import observe_groups
    >>> judged = CodedJudged(np.array([0, 1]), np.array([0, 1, 1]), np.array([0, 0, 1]), np.zeros(3, dtype=bool))
    >>> grouping = Grouping(({"side": "left"}, {"side": "right"}), np.array([0, 0, 1]))
    >>> [(each.n, each.observed) for (each,) in observe_groups([Error()], judged, grouping)]
    [(2, {'errors': 1}), (1, {'errors': 0})]
    """
    outcomes = _count_outcomes(judged, grouping)
    counted = [None if outcomes is None else _observe_outcomes(each, *outcomes) for each in metrics]
    rest = [None] * len(grouping.names) if all(counted) else grouping.rows_of()
    for place, rows in enumerate(rest):
        part = None if rows is None else judged.take(rows)
        yield [
            observe_parts(metric, part) if known is None and part is not None else known[place]  # type: ignore[index]
            for metric, known in zip(metrics, counted, strict=True)
        ]


def _count_outcomes(judged: Judged | CodedJudged, grouping: Grouping) -> tuple[Judged, IntArray] | None:
    """Return an example of each outcome, and how often it occurs in each group; None where they cannot be numbered."""
    if isinstance(judged, Judged) and judged.scale is not None:
        return None
    classes = judged.classes if isinstance(judged, CodedJudged) else judged.known_classes
    kinds, groups = classes.size, len(grouping.names)
    size = kinds * (kinds + 1) * 2
    if not groups or groups * size > max(min(_LARGEST, 16 * grouping.places.size), 1 << 16):
        return None
    table = np.zeros(groups * size, dtype=np.int64)
    code = _code_by_position if isinstance(judged, CodedJudged) else _coder_of(judged)
    step = max(_PART, table.size)  # adding up tables must not take longer than filling them
    for start in range(0, grouping.places.size, step):
        part = slice(start, start + step)
        pairs = None if code is None else code(judged, part)
        if pairs is None:
            return None
        doubted = 0 if judged.unsteady is None else judged.unsteady[part]
        table += np.bincount(grouping.places[part] * size + pairs * 2 + doubted, minlength=table.size)
    counts = table.reshape(groups, size)
    occurring = np.flatnonzero(counts.any(axis=0))
    truth, found = np.divmod(occurring // 2, kinds + 1)
    example = CodedJudged(classes, truth, found - 1, occurring % 2 == 1, assumptions=judged.assumptions)
    return example.whole(), counts[:, occurring]


def _code_by_position(judged: Any, part: slice) -> IntArray:
    truth, found = judged.truth[part].astype(np.int64), judged.found[part].astype(np.int64)
    return np.asarray(truth * (judged.classes.size + 1) + (found + 1))


def _coder_of(judged: Judged) -> Callable[[Any, slice], IntArray | None] | None:
    """Return what numbers pairs of label and prediction where these are whole numbers in a small range; None if not.

    What is predicted must be one of the classes: any other prediction has no number.
    """
    classes, kinds = judged.known_classes, {each.dtype.kind for each in (judged.labels, judged.predictions)}
    if not classes.size or not kinds | {classes.dtype.kind} <= set("biu"):
        return None
    low, high = int(classes[0]), int(classes[-1])
    if high - low >= _RANGE or not -_EXACT < low <= high < _EXACT:
        return None
    numbers = np.full(high - low + 1, -1)
    numbers[classes.astype(np.int64) - low] = np.arange(classes.size)

    def code(rows: Any, part: slice) -> IntArray | None:
        sides = [each[part] for each in (rows.labels, rows.predictions)]
        if any(int(each.min()) < low or int(each.max()) > high for each in sides):
            return None
        truth, found = (numbers[each.astype(np.int64) - low] for each in sides)
        if min(truth.min(), found.min()) < 0:
            return None
        if rows.unknown is not None:
            found[rows.unknown[part]] = -1
        return np.asarray(truth * (classes.size + 1) + (found + 1))

    return code


def _observe_outcomes(metric: Metric, examples: Judged, counts: IntArray) -> list[Observation] | None:
    """Return what a metric observes in each group; None if it is about more than what rows of an outcome share."""
    if metric.needs_probabilities:
        return None
    seen = [metric.observe(examples.take(np.array([place]))) for place in range(counts.shape[1])]
    if any(each.losses is not None for each in seen):
        return None
    sizes, doubted = (
        (counts @ np.array(each, dtype=np.int64)).tolist()
        for each in ([each.n for each in seen], [each.doubted for each in seen])
    )
    names = list(seen[0].observed)
    sums: dict[str, Any] = {
        name: (counts @ np.array([each.observed[name] for each in seen], dtype=np.int64)).tolist() for name in names
    }
    return [
        Observation(n, {name: sums[name][place] for name in names}, scale=seen[0].scale, doubted=doubted[place])
        for place, n in enumerate(sizes)
    ]
