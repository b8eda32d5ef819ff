"""Predictable references: an estimator is shown the past alone, so no example can leak into its own reference."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state

from pacbayes._core.arguments import refuse_masked
from pacbayes._core.exact import align_exactly, exact_array
from pacbayes._core.prefit import refuse_growth, refuse_prefit
from pacbayes._core.rows import rows_of, take
from pacbayes._core.types import Classifier, FloatArray, Labels, RandomState, Rows, RowsLike
from pacbayes.learners import RefittedLogistic
from pacbayes.online._run import Run
from pacbayes.online._snapshots import ReferenceEstimator
from pacbayes.online.reference import OnlineReference
from pacbayes.online.schedules import Every, Schedule

__all__ = ["online_reference"]

# Parameters of LogisticRegression that do not change its minimiser, but how (and how closely) it is found.
_FREE = ("C", "solver", "tol", "max_iter", "warm_start", "n_jobs", "verbose", "random_state")


def online_reference(
    estimator: ReferenceEstimator,
    X: RowsLike,
    y: ArrayLike,
    *,
    schedule: Schedule | int | None = None,
    loss: str = "zero_one",
    classes: ArrayLike | None = None,
    burn_in: int = 0,
    shuffle: bool = True,
    random_state: RandomState = None,
    chains: int = 1,
    n_jobs: int | None = None,
    keep: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
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
        A folder in which progress is kept without pickle, so that a killed run continues where it was, bit for bit.
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
    data, labels = _checked_rows(X, y)
    if burn_in < 0 or chains < 1:
        raise ValueError(
            "The 'burn_in' and 'chains' arguments of online_reference must be at least 0 and 1. "
            f"Got {burn_in!r} and {chains!r} instead."
        )
    refuse_prefit("online_reference", "'estimator' argument", estimator, labels.size)
    order = check_random_state(random_state).permutation(labels.size) if shuffle else np.arange(labels.size)
    data, labels = take(data, order), labels[order]
    plan, declared = _checked_schedule(schedule), _checked_classes(labels, classes)
    run = Run(_solver_of(estimator, declared), plan, loss, declared, chains, n_jobs, keep, checkpoint, progress)
    with refuse_growth(estimator, labels.size):
        values, points, snapshots = run(data, labels)
    if debug:
        _check_no_peeking(run, data, labels, values, points)
    values[:burn_in] = 0.0
    return OnlineReference(values, order, points, snapshots=snapshots)


def _checked_rows(X: RowsLike, y: ArrayLike) -> tuple[Rows, Labels]:
    refuse_masked("The 'y' argument of online_reference", y)
    shape, labels = np.shape(X), exact_array(y)
    if len(shape) != 2:
        raise ValueError(f"The 'X' argument of online_reference must have rows and columns. Got shape {shape} instead.")
    if labels.shape != (shape[0],) or labels.size == 0:
        raise ValueError(
            f"The 'y' argument of online_reference must have one label per row of X ({shape[0]}). "
            f"Got shape {labels.shape} instead."
        )
    return rows_of(X), labels


def _checked_schedule(schedule: Schedule | int | None) -> Schedule:
    if schedule is None or isinstance(schedule, int | np.integer):
        return Every() if schedule is None else Every(int(schedule))
    if not hasattr(schedule, "points"):
        raise ValueError(
            "The 'schedule' argument of online_reference must be Every(period), Geometric(ratio) or a period. "
            f"Got {schedule!r} instead."
        )
    return schedule


def _checked_classes(labels: Labels, classes: ArrayLike | None) -> Labels:
    declared = np.unique(labels) if classes is None else exact_array(classes)
    undeclared = ~np.isin(*align_exactly(labels, declared))
    if undeclared.any():
        raise ValueError(
            f"The 'y' argument of online_reference must hold only {declared.tolist()}. "
            f"Got {labels[undeclared][0]!r} instead."
        )
    return declared


def _solver_of(estimator: ReferenceEstimator, classes: Labels) -> ReferenceEstimator:
    """Return the refitting solver of the same minimiser in place of scikit-learn's plain logistic regression."""
    plain = {name: value for name, value in LogisticRegression().get_params().items() if name not in _FREE}
    if type(estimator) is not LogisticRegression or classes.size != 2:
        return estimator
    given = cast("Classifier", estimator).get_params()
    # liblinear penalises the intercept
    if given["solver"] == "liblinear" or any(given[name] != value for name, value in plain.items()):
        return estimator
    return RefittedLogistic(C=float(given["C"]))


def _check_no_peeking(run: Run, X: Rows, y: Labels, values: FloatArray, points: list[int]) -> None:
    """Run again with the future reversed, and refuse an estimator whose past depends on it."""
    if not points:
        return
    cut = points[len(points) // 2]
    rows = np.concatenate([np.arange(cut), np.arange(cut, y.size)[::-1]])
    again, _, _ = replace(run, checkpoint=None, progress=False)(take(X, rows), y[rows])
    if not np.array_equal(again[:cut], values[:cut]):
        first = int(np.argmax(again[:cut] != values[:cut]))
        raise ValueError(
            f"The estimator peeks: the loss of example {first} changes when examples from {cut} on are reordered. It "
            "must depend on what it is fitted on alone (and on a fixed random_state)."
        )
