"""The loop that drives references: an estimator is shown the past alone, so no example can leak into its own."""

from __future__ import annotations

import sys
import time
import warnings
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from pacbayes._core.types import FloatArray
from pacbayes.online._checkpoint import Checkpoint, digest_of
from pacbayes.online._snapshots import losses_of, refitted
from pacbayes.online.logistic import RefittedLogistic
from pacbayes.online.reference import OnlineReference
from pacbayes.online.schedules import Every, Schedule

__all__ = ["online_reference"]

# Parameters of LogisticRegression that do not change its minimiser, but how (and how closely) it is found.
_FREE = ("C", "solver", "tol", "max_iter", "warm_start", "n_jobs", "verbose", "random_state")


def online_reference(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    schedule: Schedule | int | None = None,
    loss: str = "zero_one",
    classes: Any = None,
    burn_in: int = 0,
    shuffle: bool = True,
    random_state: Any = None,
    chains: int = 1,
    n_jobs: int | None = None,
    keep: int = 0,
    checkpoint: Any = None,
    progress: bool = False,
    debug: bool = False,
    sample_weight: None = None,
) -> OnlineReference:
    """Losses of an estimator that, for each example, was trained on earlier examples alone.

    Parameters
    ----------
    estimator : object with ``fit`` and ``predict``
        Any scikit-learn classifier or pipeline, whose preprocessing is then refitted on the past only. One with
        ``warm_start=True`` continues from its last fit; plain two-class ``LogisticRegression`` is solved by
        :class:`RefittedLogistic`, which has the same minimiser; one with ``partial_fit`` is updated in place under
        ``Every(1)``. A method ``reference_losses(X, y)`` may say itself what the losses in [0, 1] are (see
        :class:`StochasticReference` and :class:`LearnedReference`).
    X, y : array_like
        Rows and labels, any number of classes.
    schedule : Schedule or int, default=Every(150)
        When to refit; a number stands for :class:`Every`.
    loss : str, default="zero_one"
        A registered loss; losses of probabilities need ``predict_proba``.
    classes : array_like, optional
        The possible labels, which count as known beforehand; by default those found in ``y``.
    burn_in : int, default=0
        The first examples whose loss is set to zero, besides those before the first refit.
    shuffle : bool, default=True
        Whether to put the rows in random order first. Without, the order must already be random for i.i.d. bounds to
        hold.
    random_state : int, RandomState or None
        Of the shuffle.
    chains : int, default=1
        Number of stretches of refits that are run apart from each other, each starting cold. It is part of the run: the
        result depends on it, and not on ``n_jobs`` or joblib's backend.
    n_jobs : int, optional
        Processes over chains, through joblib.
    keep : int, default=0
        How many of the latest snapshots to keep.
    checkpoint : path, optional
        A folder in which progress is kept, so that a killed run continues where it was, bit for bit.
    progress : bool, default=False
        Print progress and time left on stderr.
    debug : bool, default=False
        Run a second time with the future in another order, and refuse an estimator whose past changes with it.
    sample_weight : None
        Refused: a weighted loss is not the loss that the bounds are about.

    Returns
    -------
    OnlineReference

    Examples
    --------
    >>> import pacbayes as pb
    >>> sample = pb.datasets.make_known_risk(600, random_state=0)
    >>> options = {"schedule": pb.Every(100), "random_state": 0}
    >>> reference = pb.online_reference(pb.RefittedLogistic(), sample.X, sample.y, **options)
    >>> reference.points, float(reference.losses[:100].sum())
    ([100, 200, 300, 400, 500], 0.0)
    """
    if sample_weight is not None:
        raise ValueError("online_reference refuses sample weights: the bounds are about the unweighted loss.")
    labels, data = np.asarray(y), _rows_of(X)
    if len(data.shape) != 2:
        raise ValueError(
            f"The 'X' argument of online_reference must have rows and columns. Got shape {data.shape} instead."
        )
    if labels.shape != (data.shape[0],) or labels.size == 0:
        raise ValueError(
            f"The 'y' argument of online_reference must have one label per row of X ({data.shape[0]}). "
            f"Got shape {labels.shape} instead."
        )
    if burn_in < 0 or chains < 1:
        raise ValueError(
            "The 'burn_in' and 'chains' arguments of online_reference must be at least 0 and 1. "
            f"Got {burn_in!r} and {chains!r} instead."
        )
    order = check_random_state(random_state).permutation(labels.size) if shuffle else np.arange(labels.size)
    data, labels = data[order], labels[order]
    plan = _checked_schedule(schedule)
    declared = np.unique(labels) if classes is None else np.asarray(classes)
    if not np.isin(labels, declared).all():
        odd = labels[~np.isin(labels, declared)][0]
        raise ValueError(
            f"The 'y' argument of online_reference must hold only {declared.tolist()}. Got {odd!r} instead."
        )
    run = _Run(_fast(estimator, declared), plan, loss, declared, chains, n_jobs, keep, checkpoint, progress)
    values, points, snapshots = run(data, labels)
    if debug:
        _check_no_peeking(run, data, labels, values, points)
    values[:burn_in] = 0.0
    return OnlineReference(values, order, points, snapshots=snapshots)


def _checked_schedule(schedule: Any) -> Schedule:
    if schedule is None or isinstance(schedule, int | np.integer):
        return Every() if schedule is None else Every(int(schedule))
    if not hasattr(schedule, "points"):
        raise ValueError(
            "The 'schedule' argument of online_reference must be Every(period), Geometric(ratio) or a period. "
            f"Got {schedule!r} instead."
        )
    return schedule  # type: ignore[no-any-return]


def _fast(estimator: Any, classes: Any) -> Any:
    """Return the refitting solver of the same minimiser in place of scikit-learn's plain logistic regression."""
    if type(estimator) is not LogisticRegression or classes.size != 2 or estimator.solver == "liblinear":
        return estimator  # liblinear penalises the intercept
    plain = {name: value for name, value in LogisticRegression().get_params().items() if name not in _FREE}
    if any(estimator.get_params()[name] != value for name, value in plain.items()):
        return estimator
    return RefittedLogistic(C=float(estimator.C))


@dataclass(frozen=True, slots=True)
class _Run:
    """Everything about a run but its data, so that it can be repeated on other data."""

    estimator: Any
    schedule: Schedule
    loss: str
    classes: Any
    chains: int
    n_jobs: int | None
    keep: int
    checkpoint: Any
    progress: bool

    def __call__(self, X: Any, y: Any) -> tuple[FloatArray, list[int], list[tuple[int, Any]]]:
        if isinstance(self.schedule, Every) and self.schedule.period == 1 and hasattr(self.estimator, "partial_fit"):
            if self.keep or self.checkpoint is not None:
                raise ValueError(
                    "online_reference keeps no snapshots and no checkpoint of an estimator that it updates in place: "
                    "leave out 'keep' and 'checkpoint', or refit less often than after every example."
                )
            return _every_example(self.estimator, X, y, self.loss, self.classes), list(range(1, y.size)), []
        points = self.schedule.points(y.size)
        if not points:
            warnings.warn(f"The schedule never refits within {y.size} examples, so every loss is zero.", stacklevel=3)
        digest = (
            ""
            if self.checkpoint is None
            else digest_of(X, y, points, self.chains, self.loss, self.keep, self.estimator)
        )
        parts = np.array_split(np.arange(len(points)), min(self.chains, max(1, len(points))))
        jobs = [
            delayed(_chain)(self, X, y, points, part, Checkpoint(self.checkpoint, k, digest))
            for k, part in enumerate(parts)
        ]
        values, snapshots = np.zeros(y.size), []
        for part, (losses, kept) in zip(parts, Parallel(n_jobs=self.n_jobs)(jobs), strict=True):
            if len(part):
                start = points[part[0]]
                values[start : start + len(losses)] = losses
                snapshots.extend(kept)
        return values, points, snapshots[-self.keep :] if self.keep else []


def _every_example(estimator: Any, X: Any, y: Any, loss: str, classes: Any) -> FloatArray:
    """Predict each example, then learn from it in place; the loss of the first, on which nothing is known, is zero."""
    model = clone(estimator)
    if hasattr(model, "progressive_losses") and loss == "zero_one":
        values = np.asarray(model.progressive_losses(X, y, classes=classes), dtype=np.float64)
        values[0] = 0.0
        return values
    values = np.zeros(y.size)
    for index in range(y.size):
        row = slice(index, index + 1)
        if index:
            values[row] = losses_of(model, X[row], y[row], loss)
        model.partial_fit(X[row], y[row], classes=classes)
    return values


def _check_no_peeking(run: _Run, X: Any, y: Any, values: FloatArray, points: list[int]) -> None:
    """Run again with the future reversed, and refuse an estimator whose past depends on it."""
    if not points:
        return
    cut = points[len(points) // 2]
    rows = np.concatenate([np.arange(cut), np.arange(cut, y.size)[::-1]])
    again, _, _ = replace(run, checkpoint=None, progress=False)(X[rows], y[rows])
    if not np.array_equal(again[:cut], values[:cut]):
        first = int(np.argmax(again[:cut] != values[:cut]))
        raise ValueError(
            f"The estimator peeks: the loss of example {first} changes when examples from {cut} on are reordered. It "
            "must depend on what it is fitted on alone (and on a fixed random_state)."
        )


def _rows_of(X: Any) -> Any:
    """Return something that can be indexed by rows: a CSR matrix, or an array."""
    if hasattr(X, "tocsr"):
        return X.tocsr()
    if hasattr(X, "iloc"):
        return _Frame(X)
    return np.asarray(X)


class _Frame:
    """A data frame indexed by position, so that column names reach the estimator."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.shape = frame.shape

    def __getitem__(self, rows: Any) -> Any:
        taken = self._frame.iloc[rows]
        return taken if isinstance(rows, slice) else _Frame(taken)


def _chain(
    run: _Run,
    X: Any,
    y: Any,
    points: list[int],
    part: Any,
    checkpoint: Checkpoint,
) -> tuple[FloatArray, list[tuple[int, Any]]]:
    """Run the refits of one chain; return the losses from its first point on, and the snapshots kept."""
    done, model, losses, kept = checkpoint.load() or (0, clone(run.estimator, safe=False), np.zeros(0), [])
    begun = time.monotonic()
    with threadpool_limits(1):  # many small fits are far slower on several threads
        for index in part[done:]:
            start = points[index]
            stop = points[index + 1] if index + 1 < len(points) else len(y)
            model = refitted(run.estimator, model, X, y, start)
            losses = np.append(losses, losses_of(model, X[start:stop], y[start:stop], run.loss))
            done += 1
            if run.keep:
                kept = [*kept, (start, deepcopy(model))][-run.keep :]
            checkpoint.save((done, model, losses, kept))
            if run.progress:
                _report(done, len(part), begun)
    return losses, kept


def _report(done: int, total: int, begun: float) -> None:
    left = (time.monotonic() - begun) / done * (total - done)
    end = "\n" if done == total else "\r"
    sys.stderr.write(f"online reference: {done}/{total} refits, about {left:.0f} s left{end}")
    sys.stderr.flush()
