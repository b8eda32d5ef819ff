"""A certificate for any classifier: snapshots of a stream, each judged on rows it has not seen."""

from __future__ import annotations

import numbers
import pickle
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted

from pacbayes._core.exact import exact_array
from pacbayes._core.predictions import class_numbers, vote_shares
from pacbayes._core.prefit import refuse_growth
from pacbayes._core.rows import rows_of, take
from pacbayes._core.state import State
from pacbayes._core.types import Classifier, FloatArray, IntArray, Labels, Predictor, RandomState, Rows, RowsLike
from pacbayes.estimators.wrapped import CertifiedWrapper
from pacbayes.online import Every, Geometric, Schedule, Stream
from pacbayes.procedures import Online

__all__ = ["OnlineCertifiedClassifier"]

_RATIO = 1.25
_COUNTED_ANEW = ("repeated_rows", "judged_rows_learned")  # notes on rows, when there are more of them
_FIRST_SHARE = 5  # by default the first snapshot is trained on a fifth of the rows


class OnlineCertifiedClassifier(ClassifierMixin, CertifiedWrapper):  # type: ignore[misc]
    """Any scikit-learn classifier or pipeline, any number of classes, with a certificate that grows with the data.

    The rows are shuffled and taken as a stream. At the points of the schedule a snapshot of the estimator is trained
    on the rows so far; it predicts the rows up to the next point, none of which it has seen. By betting, the average
    true error of the snapshots is bounded, at all lengths of the stream at once.

    Parameters
    ----------
    estimator : classifier
        Cloned for each snapshot; preprocessing inside a pipeline is then learned from the past alone.
    delta : float, default=0.05
        Allowed probability of failure in total, in (0, 1).
    schedule : Schedule, int or None, default=None
        When to train: :class:`pacbayes.Every`, :class:`pacbayes.Geometric`, or a period. None stands for a first
        snapshot at a fifth of the rows of the first fit, then whenever there are a quarter more.
    certify_last : bool, default=False
        Whether the certificate has a second statement, about the last snapshot on the rows since it was trained. Both
        then hold together with probability at least ``1 - delta``, and with those after every update. The snapshot
        that is the last at the first fit has most of the second half of delta (:func:`certificate.last_share`).
    candidates : int, default=1
        How many settings you compare by their certificates on the same rows; each is given ``delta/candidates``.
    random_state : int, RandomState or None
        Of the shuffle.

    Attributes
    ----------
    certificate_ : Certificate
        ``value`` is about the predictor that picks a snapshot at random for each row, with probabilities
        ``weights_``; ``vote_value`` about the vote of the snapshots, which is what :meth:`predict` returns.
        With ``certify_last`` its second statement is about :meth:`predict_last`.
    snapshots_ : list of (int, classifier)
        The number of rows each was trained on, and the snapshot.
    weights_ : ndarray
        Share of the stream that each snapshot predicted.
    losses_ : ndarray
        Losses along the stream, from the first snapshot on.
    classes_ : ndarray
    order_ : ndarray
        The shuffled row numbers of the first fit; rows of later updates follow as they came.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from sklearn.naive_bayes import GaussianNB
    >>> sample = pb.datasets.make_known_risk(3000, d=3, random_state=0)
    >>> model = pb.OnlineCertifiedClassifier(GaussianNB(), random_state=0).fit(sample.X[:2000], sample.y[:2000])
    >>> before = model.certificate_.value
    >>> after = model.update(sample.X[2000:], sample.y[2000:]).certificate_
    >>> after.value < before, after.n, len(model.snapshots_)
    (True, 2600, 10)
    """

    classes_: Labels
    weights_: FloatArray
    snapshots_: list[tuple[int, Predictor]]
    stream_: Stream
    options_: dict[str, Any]

    def __init__(
        self,
        estimator: Classifier,
        delta: float = 0.05,
        *,
        schedule: Schedule | int | None = None,
        certify_last: bool = False,
        candidates: int = 1,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.delta = delta
        self.schedule = schedule
        self.certify_last = certify_last
        self.candidates = candidates
        self.random_state = random_state

    def _procedure(self, rows: int) -> Online:
        return Online(
            classifier=self.base_estimator(),
            schedule=self._resolve_schedule(rows),
            delta=float(self.delta),
            candidates=int(self.candidates),
            certify_last=bool(self.certify_last),
        )

    def _resolve_schedule(self, n: int) -> Schedule:
        if self.schedule is None:
            return Geometric(_RATIO, first=max(1, n // _FIRST_SHARE))
        given = self.schedule
        period = isinstance(given, numbers.Integral) and not isinstance(given, bool)
        schedule = Every(int(given)) if period else given  # type: ignore[arg-type]
        if not hasattr(schedule, "points") or not schedule.points(n):
            raise ValueError(
                f"The 'schedule' parameter of {type(self).__name__} must train a first snapshot within the {n} rows "
                f"of the first fit. Got {self.schedule!r} instead."
            )
        return schedule

    def _certify(self, given: RowsLike, rows: Rows, labels: Labels, order: IntArray, seed: int) -> Self:
        self.options_ = self._options()
        return super()._certify(given, rows, labels, order, seed)

    def _options(self) -> dict[str, Any]:
        """Return what a stream must go on with as it began, and the parameters of what is inside it."""
        names = ("delta", "schedule", "certify_last", "candidates")
        return {name: getattr(self, name) for name in names} | {"estimator": clone(self.base_estimator())}

    def _check_options(self) -> None:
        """Refuse options that changed since the fit, whose certificate they are part of."""
        for name, value in self._options().items():
            if not _same(value, self.options_[name]):
                raise ValueError(
                    f"The {name!r} parameter of {type(self).__name__} must stay what it was at fit "
                    f"({_shown(self.options_[name])}) for an update. Got {_shown(value)} instead."
                )

    def update(self, X: RowsLike, y: ArrayLike) -> Self:
        """Extend the stream by further rows, in the order given, and issue the certificate anew, at no cost.

        If anything fails on the way, the estimator stays as it was before the call.
        """
        check_is_fitted(self, "certificate_")
        self._check_options()
        rows, labels = self._validate_rows(X, y, reset=False)
        known = self.stream_.y.dtype
        if (known.kind in "OUS") != (labels.dtype.kind in "OUS"):
            raise ValueError(
                f"The 'y' argument of {type(self).__name__}.update must hold labels of the kind so far, {known}. "
                f"Got {labels.dtype} instead."
            )
        self._check_joined(labels)
        before = self.certificate_
        cautions = tuple(note for note in before.notes if note.code not in _COUNTED_ANEW)
        procedure = self._procedure(self.order_.size)
        joined = self.stream_.extended(rows, labels)
        with refuse_growth(self._what_learns(), len(joined.y)):
            issued = procedure.advance(joined, self.order_, cautions, before.seed)
        self._keep(issued)
        return self

    def _check_joined(self, labels: Labels) -> None:
        """Refuse labels beside which those so far would be rounded."""
        known = self.stream_.y
        joined = np.result_type(known.dtype, labels.dtype)
        with np.errstate(invalid="ignore"):
            same = all(np.array_equal(each.astype(joined).astype(each.dtype), each) for each in (known, labels))
        if not same:
            raise ValueError(
                f"The 'y' argument of {type(self).__name__}.update must hold labels of the kind so far, {known.dtype}. "
                f"Got {labels.dtype} instead."
            )

    def reissue(self, X: RowsLike, y: Labels) -> Self:
        """Return a new estimator, fitted on the first of these rows in the order of this one, updated by the rest."""
        size = self.order_.size
        if len(y) <= size:
            return super().reissue(X, y)
        rows, labels = rows_of(X), exact_array(y)
        check_consistent_length(rows, labels)  # before they are parted, as the parts have other lengths
        again = super().reissue(take(rows, slice(size)), labels[:size])
        return again.update(take(rows, slice(size, None)), labels[size:])

    def fitted_numbers(self, X: RowsLike) -> dict[str, Any]:
        """Return the shares of the snapshots, what they were trained on, how they judged, and what they predict."""
        return {
            "weights_": self.weights_,
            "snapshots_": State.of([(start, model) for start, model in self.snapshots_]),
            "losses_": self.losses_,
            "classes_": self.classes_,
            "predict": self.predict(X),
        }

    def predict(self, X: RowsLike, *, randomized: bool = False, random_state: RandomState = None) -> Labels:
        """Return the label with the largest weight among the snapshots, or that of one picked at random for each row.

        Parameters
        ----------
        X : array_like or data frame
            Rows.
        randomized : bool, default=False
            Whether to pick a snapshot at random for each row: the predictor that ``certificate_.value`` is about.
            Otherwise ``certificate_.vote_value`` applies.
        random_state : int, RandomState or None
            Of the picks.
        """
        if not randomized:
            shares = self.predict_proba(X)
            return np.asarray(self.classes_[np.argmax(shares, axis=1)])
        codes = self._codes(X)
        picks = check_random_state(random_state).choice(len(codes), size=codes.shape[1], p=self.weights_)
        return np.asarray(self.classes_[codes[picks, np.arange(codes.shape[1])]])

    def predict_proba(self, X: RowsLike) -> FloatArray:
        """Return, for each class, the probability that a snapshot picked at random predicts it."""
        codes = self._codes(X)
        return vote_shares(codes, self.weights_, codes.shape[1], self.classes_.size)

    def predict_last(self, X: RowsLike) -> Labels:
        """Return the labels of the last snapshot, which the second statement of ``certificate_`` is about."""
        return np.asarray(self.snapshots_[-1][1].predict(self._rows(X)))

    def _codes(self, X: RowsLike) -> IntArray:
        """Return the position in ``classes_`` of each snapshot's prediction, one row per snapshot."""
        rows, models = self._rows(X), [model for _, model in self.snapshots_]
        found = (
            class_numbers(type(each).__name__, each.predict(rows), self.classes_, rows.shape[0]) for each in models
        )
        return np.maximum(np.stack(list(found)), 0)


def _same(one: Any, two: Any) -> bool:
    """Whether two options are the same; estimators are compared by their parameters."""
    if type(one) is not type(two):
        return False
    if hasattr(one, "get_params") and not isinstance(one, type):
        return _same(one.get_params(deep=False), two.get_params(deep=False))
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(_same(one[name], two[name]) for name in one)
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(map(_same, one, two))
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, two))
    return one is two or repr(one) == repr(two) or _pickled(one) == _pickled(two) != b""


def _pickled(value: object) -> bytes:
    """Return a value as bytes, for types that have no words for themselves; nothing where that cannot be done."""
    try:
        return pickle.dumps(value)
    except Exception:
        return b""


def _shown(value: object) -> str:
    return " ".join(f"{value!r:.200}".split())
