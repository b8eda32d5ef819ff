"""The one stream loop: snapshots trained on the past, each judging the rows up to the next, none of which it has seen.

Online references and online certificates both run through :func:`run_stream`, which shows an estimator nothing but the
rows before a point of the schedule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from pacbayes._core.predictions import class_numbers
from pacbayes._core.rows import concatenate, take
from pacbayes._core.steadiness import ask_row_by_row, sample_size, seed_of
from pacbayes._core.types import Classifier, FloatArray, IntArray, Labels, Predictor, Rows
from pacbayes.online._snapshots import fit_snapshot
from pacbayes.online.schedules import Schedule

__all__ = ["Stream", "Stretch", "cut_stream", "run_stream"]

Model = TypeVar("Model")


class Stretch(NamedTuple):
    """Rows ``start`` to ``stop``, judged by the snapshot that was trained on the rows before ``point``."""

    point: int
    start: int
    stop: int


def cut_stream(points: Sequence[int], n: int, judged: int = 0) -> list[Stretch]:
    """Return the stretches of ``n`` rows between the points, less what was judged: the rows before ``judged``.

    Examples
    --------
    >>> from pacbayes.online.stream import cut_stream
    >>> [tuple(stretch) for stretch in cut_stream([100, 200], 350, judged=150)]
    [(100, 150, 200), (200, 200, 350)]
    """
    return [Stretch(a, max(a, judged), b) for a, b in pairwise([*points, n]) if b > judged]


def run_stream(
    X: Rows,
    y: Labels,
    stretches: Sequence[Stretch],
    train: Callable[[int, Model | None, Rows, Labels], Model],
    judge: Callable[[Model, Rows, Labels], FloatArray],
    previous: Model | None = None,
) -> Iterator[tuple[Stretch, Model, FloatArray]]:
    """Yield each stretch with its snapshot and the snapshot's losses.

    ``train`` is given the point, the previous snapshot and the rows before the point, so that no row can leak into the
    snapshot that judges it; ``judge`` is given the snapshot and the rows of the stretch. All are copies, so that
    nothing leads from them to the rest of the stream.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.online.stream import cut_stream, run_stream
    >>> X, y = np.zeros((5, 1)), np.array([0, 1, 1, 0, 1])
    >>> train = lambda point, previous, X, y: np.bincount(y).argmax()  # the most frequent label so far
    >>> judge = lambda label, X, y: (y != label).astype(float)
    >>> [values.tolist() for _, _, values in run_stream(X, y, cut_stream([1, 3], 5), train, judge)]
    [[1.0, 1.0], [1.0, 0.0]]
    """
    for stretch in stretches:
        past, ahead = slice(0, stretch.point), slice(stretch.start, stretch.stop)
        model = train(stretch.point, previous, take(X, past), y[past].copy())
        yield stretch, model, judge(model, take(X, ahead), y[ahead].copy())
        previous = model


@dataclass(frozen=True, slots=True)
class Stream:
    """Rows in the order in which they came, and the snapshots judged along them.

    Extending or judging a stream makes a new one, so that a failure on the way changes nothing.

    Attributes
    ----------
    X, y : rows and labels
    schedule : Schedule
        Its points for more rows must begin with its points for fewer.
    snapshots : tuple of (int, classifier)
        The number of rows each was trained on, and the snapshot.
    counts : tuple of int
        How many rows each has judged.
    losses : ndarray
        0-1 losses of the snapshots' predictions, from the first snapshot on. A row that is predicted differently alone
        or in another batch counts as an error.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.online import Stream
    >>> from sklearn.naive_bayes import GaussianNB
    >>> sample = pb.datasets.make_known_risk(500, random_state=0)
    >>> stream = Stream(sample.X[:350], sample.y[:350], pb.Every(100)).judged(GaussianNB())
    >>> stream.counts, stream.losses.size
    ((100, 100, 50), 250)
    >>> stream.extended(sample.X[350:], sample.y[350:]).judged(GaussianNB()).counts
    (100, 100, 100, 100)
    """

    X: Rows
    y: Labels
    schedule: Schedule
    snapshots: tuple[tuple[int, Predictor], ...] = ()
    counts: tuple[int, ...] = ()
    losses: FloatArray = field(default_factory=lambda: np.zeros(0))

    @property
    def weights(self) -> FloatArray:
        """The share of the judged rows that each snapshot judged."""
        return np.asarray(self.counts, dtype=np.float64) / sum(self.counts)

    def extended(self, X: Rows, y: Labels) -> Stream:
        """Return the stream with further rows at its end, which no snapshot has judged yet."""
        return replace(self, X=concatenate(self.X, X), y=np.concatenate([self.y, y]))

    def judged(self, estimator: Classifier, seed: int = 0) -> Stream:
        """Return the stream with snapshots trained and judged up to its end, each from a fresh clone.

        The seed is that of the batches in which predictions are compared.
        """
        points, known = self._points(), dict(self.snapshots)
        counts, losses = dict(zip(known, self.counts, strict=True)), [self.losses]

        def train(point: int, _: Predictor | None, X: Rows, y: Labels) -> Predictor:
            return known[point] if point in known else fit_snapshot(estimator, None, X, y)

        def judge(model: Predictor, X: Rows, y: Labels) -> FloatArray:
            return _errors(model, X, y, seed)

        stretches = cut_stream(points, self.y.size, judged=points[0] + self.losses.size)
        for stretch, model, values in run_stream(self.X, self.y, stretches, train, judge):
            known[stretch.point] = model
            counts[stretch.point] = counts.get(stretch.point, 0) + values.size
            losses.append(values)
        snapshots = tuple(known.items())
        return replace(self, snapshots=snapshots, counts=tuple(counts.values()), losses=np.concatenate(losses))

    def _points(self) -> list[int]:
        """Return the schedule's points; refuse one that would rewrite the past."""
        points, used = list(self.schedule.points(self.y.size)), [start for start, _ in self.snapshots]
        if not points or points[: len(used)] != used or sorted(set(points)) != points or points[-1] >= self.y.size:
            raise ValueError(
                "The schedule must give increasing points below the number of rows, and for more rows begin with those "
                f"it gave for fewer ({used}). Got {points[:10]} for {self.y.size} rows instead."
            )
        return points


def _errors(model: Predictor, X: Rows, y: Labels, seed: int) -> FloatArray:
    """Return the 0-1 losses of ``predict``, which is what a certificate is about, whatever else the model offers."""
    classes, truth = np.unique(y, return_inverse=True)

    def ask(asked: Predictor, rows: IntArray) -> IntArray:
        return class_numbers(type(asked).__name__, asked.predict(take(X, rows)), classes, rows.size)

    answers = ask_row_by_row(model, ask, y.size, seed_of(seed, y), sample_size(y.size), truth=truth)
    return np.asarray(answers.wrong_where_different(truth) != truth, dtype=np.float64)
