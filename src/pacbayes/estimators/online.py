"""A certificate for any classifier: snapshots of a stream, each judged on rows it has not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from pacbayes.bounds import betting_rates
from pacbayes.bounds._arguments import single
from pacbayes.certificate import Certificate, Choice, data_digest, digest_of_arrays
from pacbayes.estimators._cautions import caution, repeated_rows
from pacbayes.estimators._html import WithCertificate
from pacbayes.estimators._issue import IID, NOTHING_BEFORE, checked_candidates, issue, statistics_of
from pacbayes.estimators._rows import rows_of, take
from pacbayes.numerics._arrays import FloatArray
from pacbayes.online import Every, Geometric
from pacbayes.online._snapshots import losses_of, refitted
from pacbayes.summary import Summary

__all__ = ["OnlineCertifiedClassifier"]

_RATIO = 1.25
_FIRST_SHARE = 5  # by default the first snapshot is trained on a fifth of the rows
_ANYTIME = "The number holds for all lengths of the stream at once, so that it may be looked at and extended at will."


class OnlineCertifiedClassifier(WithCertificate, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
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
        Whether to issue ``last_certificate_`` too, for the last snapshot, on the rows since it was trained. Both
        are then given half of delta.
    candidates : int, default=1
        How many settings you compare by their certificates on the same rows; each is given ``delta/candidates``.
    random_state : int, RandomState or None
        Of the shuffle.

    Attributes
    ----------
    certificate_ : Certificate
        ``value`` is about the predictor that picks a snapshot at random for each row, with probabilities
        ``weights_``; ``vote_value`` about the vote of the snapshots, which is what :meth:`predict` returns.
    last_certificate_ : Certificate
        About :meth:`predict_last`; only with ``certify_last``.
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

    def __init__(
        self,
        estimator: Any,
        delta: float = 0.05,
        *,
        schedule: Any = None,
        certify_last: bool = False,
        candidates: int = 1,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.delta = delta
        self.schedule = schedule
        self.certify_last = certify_last
        self.candidates = candidates
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    def fit(self, X: Any, y: Any) -> OnlineCertifiedClassifier:  # noqa: N803
        """Run the stream over these rows, in random order, and issue the certificate."""
        owner = type(self).__name__
        single(owner, "delta", self.delta)
        checked_candidates(owner, self.candidates)
        given = X
        X, y = self._validated(X, y, reset=True)  # noqa: N806
        notes = caution(owner, given, y)
        if np.unique(y).size < 2:
            raise ValueError(f"{owner} needs samples of at least 2 classes. Got only one class instead.")
        return self._run(X, y, check_random_state(self.random_state).permutation(y.size), tuple(notes))

    def _run(self, X: Any, y: Any, order: Any, notes: tuple[str, ...]) -> OnlineCertifiedClassifier:  # noqa: N803
        """Everything after the shuffle, which is a function of data, parameters and order alone."""
        self.order_, self._notes = order, notes
        self._stream_X, self._stream_y = take(X, order), y[order]
        self._schedule = self._resolved_schedule(y.size)
        self.snapshots_: list[tuple[int, Any]] = []
        self.losses_ = np.zeros(0)
        if hasattr(self, "last_certificate_"):
            del self.last_certificate_
        return self._advanced()

    def update(self, X: Any, y: Any) -> OnlineCertifiedClassifier:  # noqa: N803
        """Extend the stream by further rows, in the order given, and issue the certificate anew, at no cost."""
        check_is_fitted(self, "certificate_")
        X, y = self._validated(X, y, reset=False)  # noqa: N806
        self._stream_X, self._stream_y = _joined(self._stream_X, X), np.concatenate([self._stream_y, y])
        return self._advanced()

    def _validated(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:  # noqa: N803
        """Check shapes and labels; columns are the estimator's own business."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        rows, labels = rows_of(X), column_or_1d(y, warn=True)
        validate_data(self, rows, skip_check_array=True, reset=reset)
        check_classification_targets(labels)
        if len(rows.shape) != 2 or labels.shape != (rows.shape[0],):
            raise ValueError(
                f"The 'y' argument of {type(self).__name__} must have one label per row of a table. "
                f"Got shapes {rows.shape} and {labels.shape} instead."
            )
        if reset and labels.size < 2:
            raise ValueError(f"{type(self).__name__} needs at least 2 rows. Got n_samples={labels.size} instead.")
        return rows, labels

    def _resolved_schedule(self, n: int) -> Any:
        if self.schedule is None:
            return Geometric(_RATIO, first=max(1, n // _FIRST_SHARE))
        schedule = Every(int(self.schedule)) if isinstance(self.schedule, int | np.integer) else self.schedule
        if not hasattr(schedule, "points") or not schedule.points(n):
            raise ValueError(
                f"The 'schedule' parameter of {type(self).__name__} must train a first snapshot within the {n} rows "
                f"of the first fit. Got {self.schedule!r} instead."
            )
        return schedule

    def _advanced(self) -> OnlineCertifiedClassifier:
        """Train and judge snapshots up to the end of the stream, then issue certificates."""
        n = self._stream_y.size
        points = self._schedule.points(n)
        judged, losses = points[0] + self.losses_.size, [self.losses_]
        for start, stop in zip(points, [*points[1:], n], strict=True):
            if stop <= judged:
                continue
            if not self.snapshots_ or self.snapshots_[-1][0] < start:
                model = refitted(clone(self.estimator), None, self._stream_X, self._stream_y, start)
                self.snapshots_.append((start, model))
            part = slice(judged, stop)
            losses.append(
                losses_of(self.snapshots_[-1][1], take(self._stream_X, part), self._stream_y[part], "zero_one")
            )
            judged = stop
        self.losses_ = np.concatenate(losses)
        edges = np.array([*(start for start, _ in self.snapshots_), n])
        self.weights_ = np.diff(edges) / (n - edges[0])
        self.classes_ = np.unique(self._stream_y)
        self._issue()
        return self

    def _issue(self) -> None:
        self.certificate_: Certificate = self._certificate(
            self.losses_,
            self.delta / 2.0 if self.certify_last else self.delta,
            vote_rule="twice",
            predictor="a snapshot picked at random per row",
        )
        if self.certify_last:
            count, size = len(self.snapshots_), self._stream_y.size - self.snapshots_[-1][0]
            share = self.delta / 2.0 / (count * (count + 1))
            self.last_certificate_: Certificate = self._certificate(
                self.losses_[-size:],
                share,
                vote_rule="none",
                predictor="the last snapshot, which `predict_last` returns,",
                union=Choice("snapshot", f"the last of {count}", "the schedule", f"delta/(2 {count} ({count} + 1))"),
            )

    def _certificate(
        self, losses: FloatArray, delta: float, *, union: Choice | None = None, **words: Any
    ) -> Certificate:
        rates, weights = betting_rates()
        repeated = repeated_rows(self._stream_X, self._stream_y)
        copies = f"{repeated} of {self._stream_y.size} rows repeat an earlier one; copies made by hand are not i.i.d."
        return issue(
            kind="online",
            bound="betting",
            statistics=statistics_of(Summary.from_values(losses, rates=rates, weights=weights)),
            n=losses.size,
            delta=delta,
            candidates=self.candidates,
            choices=[
                Choice("schedule", repr(self._schedule), "given"),
                Choice("rate", "best of a grid", "all rows", f"a union over {rates.size} rates, inside the bound"),
                *([union] if union else []),
            ],
            assumptions=(IID, NOTHING_BEFORE, _ANYTIME),
            notes=(*self._notes, copies) if repeated else self._notes,
            digests={
                "data": data_digest(self._stream_X, self._stream_y),
                "order": digest_of_arrays(order=self.order_),
            },
            **words,
        )

    def predict(self, X: Any, *, randomized: bool = False, random_state: Any = None) -> Any:  # noqa: N803
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
            return self.classes_[np.argmax(shares, axis=1)]
        codes = self._codes(X)
        picks = check_random_state(random_state).choice(len(codes), size=codes.shape[1], p=self.weights_)
        return self.classes_[codes[picks, np.arange(codes.shape[1])]]

    def predict_proba(self, X: Any) -> FloatArray:  # noqa: N803
        """Return, for each class, the probability that a snapshot picked at random predicts it."""
        codes = self._codes(X)
        shares = np.zeros((codes.shape[1], self.classes_.size))
        for row, weight in zip(codes, self.weights_, strict=True):
            shares[np.arange(row.size), row] += weight
        return shares

    def predict_last(self, X: Any) -> Any:  # noqa: N803
        """Return the labels of the last snapshot, which ``last_certificate_`` is about."""
        return self.snapshots_[-1][1].predict(self._rows(X))

    def _rows(self, X: Any) -> Any:  # noqa: N803
        check_is_fitted(self, "certificate_")
        rows = rows_of(X)
        validate_data(self, rows, skip_check_array=True, reset=False)
        return rows

    def _codes(self, X: Any) -> Any:  # noqa: N803
        """Return the position in ``classes_`` of each snapshot's prediction, one row per snapshot."""
        rows = self._rows(X)
        return np.stack([np.searchsorted(self.classes_, model.predict(rows)) for _, model in self.snapshots_])


def _joined(first: Any, second: Any) -> Any:
    if sp.issparse(first):
        return sp.vstack([first, second], format="csr")
    if hasattr(first, "iloc"):
        import pandas as pd  # noqa: PLC0415  (there is one, since a frame of it was given)

        return pd.concat([first, second], ignore_index=True)
    return first.vstack(second) if hasattr(first, "vstack") else np.concatenate([first, second])
