"""Any classifier that says when it does not know, with a certified limit on its error where it answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import finite_double
from pacbayes._core.labels import label_text
from pacbayes._core.state import State
from pacbayes._core.types import (
    BoolArray,
    Classifier,
    FloatArray,
    Labels,
    ObjectArray,
    RandomState,
    Rows,
    RowsLike,
    Transformer,
)
from pacbayes.estimators.base import check_fraction
from pacbayes.estimators.wrapped import PreparedClassifier
from pacbayes.learners import AbstainingClassifier, ShiftedClassifier, can_score
from pacbayes.procedures import Abstention, Aim, ClassifierLearner, FewMisses, Procedure, Selective
from pacbayes.procedures.class_weights import ClassWeight

__all__ = ["SelectiveClassifier"]

_DEFAULT = 0.05


class SelectiveClassifier(PreparedClassifier):
    """Any classifier that answers where it is sure, such that its error among answered rows is certified.

    The rows are shuffled; the estimator is trained on a first part. On these rows, by cross-validation, a sequence of
    thresholds on its confidence is fixed, which starts where the tests can be expected to end best and ends where all
    rows are answered. On the other rows the hypothesis "the error among answered rows is above ``max_error``" is tested
    threshold by threshold, from the most confident on, by the exact binomial tail given how many are answered. As long
    as it is rejected at level delta, more rows are answered; the last threshold that passed is kept.

    No union over thresholds is needed: a false statement needs the first threshold at which the hypothesis is true to
    be rejected, and that is rejected with probability at most delta. If no threshold passes, nothing is certified, and
    no row is answered.

    With ``max_fnr`` and ``positive`` every row is answered, and the threshold is the one on the score of that class: it
    starts at 0, where the class is given to every row and none is missed, and rises as long as the hypothesis "the
    false-negative rate is above ``max_fnr``" is rejected on the judged rows of the class.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Cloned; it needs ``predict_proba`` or ``decision_function``. None is :class:`pacbayes.CrossValidatedLogistic`.
    max_error : float or None, default=None
        The error among answered rows to certify, in (0, 1), chosen before the rows are looked at; 0.05 if neither it
        nor ``max_fnr`` is given.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    max_fnr : float or None, default=None
        In place of ``max_error``: the false-negative rate of the class ``positive`` to certify, in (0, 1).
    positive : label or None, default=None
        The class of ``max_fnr``, as a label or its text.
    split : float or "adaptive", default="adaptive"
        As for :class:`pacbayes.CertifiedClassifier`.
    share_beside : float, default=0.1
        Part of delta for what is stated besides, in [0, 1): how many rows are answered at least, or with ``max_fnr``
        the false-positive rate at most. It holds at all thresholds at once, each with an even part of this. The tests
        have the rest of delta, which costs few answered rows; with 0 they have all of it, and nothing is stated
        besides.
    preprocessing, class_weight, candidates, random_state
        As for :class:`pacbayes.CertifiedClassifier`.

    Attributes
    ----------
    certificate_ : Certificate
        About :meth:`predict_or_abstain`; with ``max_fnr`` about :meth:`predict`.
    threshold_ : float or None
        The least confidence that is answered, or score that is enough for ``positive``; None if nothing was certified.
    estimator_ : classifier
        Fitted on the learning rows; with ``preprocessing`` a pipeline of both.
    classes_, order_, n_learning_, curve_
        As for :class:`pacbayes.CertifiedClassifier`.

    Examples
    --------
    >>> import pacbayes as pb
    >>> sample = pb.datasets.make_known_risk(4000, d=3, random_state=0)
    >>> model = pb.SelectiveClassifier(max_error=0.05, random_state=0).fit(sample.X, sample.y)
    >>> for each in model.certificate_.statements:
    ...     print(each.name, each.side, round(each.value, 4))
    selective-error upper 0.05
    coverage lower 0.4182
    >>> model.predict_or_abstain(sample.X[:6]).tolist()
    [1, 0, None, None, None, 1]
    >>> careful = pb.SelectiveClassifier(max_fnr=0.05, positive=1, random_state=0).fit(sample.X, sample.y)
    >>> [(each.name, round(each.value, 4)) for each in careful.certificate_.statements]
    [('fnr:1', 0.05), ('fpr:1', 0.4831)]
    """

    threshold_: float | None
    predictor_: AbstainingClassifier | ShiftedClassifier

    def __init__(
        self,
        estimator: Classifier | None = None,
        max_error: float | None = None,
        delta: float = 0.05,
        *,
        max_fnr: float | None = None,
        positive: object = None,
        split: float | str = "adaptive",
        share_beside: float = 0.1,
        preprocessing: Transformer | str | None = None,
        class_weight: ClassWeight | None = None,
        candidates: int = 1,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.max_error = max_error
        self.delta = delta
        self.max_fnr = max_fnr
        self.positive = positive
        self.split = split
        self.share_beside = share_beside
        self.preprocessing = preprocessing
        self.class_weight = class_weight
        self.candidates = candidates
        self.random_state = random_state

    def _validate(self, X: RowsLike, y: ArrayLike | None) -> tuple[Rows, Labels]:
        owner = type(self).__name__
        if self.grouping_ is not None:
            raise ValueError(f"The 'grouping' argument of {owner}.fit must be None: its threshold is for all rows.")
        for name in ("max_error", "max_fnr"):
            if getattr(self, name) is not None:
                check_fraction(owner, name, getattr(self, name))
        if self.max_error is not None and self.max_fnr is not None:
            raise ValueError(f"{owner} takes 'max_error' or 'max_fnr'. Got both.")
        if (self.max_fnr is None) != (self.positive is None):
            raise ValueError(f"The 'max_fnr' and 'positive' parameters of {owner} go together. Got one of them.")
        if finite_double(self.share_beside) != 0.0:
            check_fraction(owner, "share_beside", self.share_beside)
        rows, labels = super()._validate(X, y)
        inner = self.base_estimator()
        if not can_score(inner):
            raise ValueError(
                f"The 'estimator' parameter of {owner} must have predict_proba or decision_function. "
                f"Got {inner!r:.60} instead."
            )
        self._aim()  # a class that there is not is found out before the work
        return rows, labels

    def _aim(self) -> Aim:
        if self.max_fnr is None:
            return Abstention(_DEFAULT if self.max_error is None else float(self.max_error))
        texts = [label_text(each) for each in self.classes_]
        wanted = label_text(self.positive)
        if wanted not in texts:
            shown = ", ".join(texts[:8]) + (" ..." if len(texts) > 8 else "")
            raise ValueError(
                f"The 'positive' parameter of {type(self).__name__} must be a class. Got {wanted!r:.60}; the classes "
                f"are {shown}."
            )
        return FewMisses(float(self.max_fnr), self.classes_[texts.index(wanted)])

    def _procedure(self, rows: int) -> Procedure:
        del rows
        return Selective(
            learner=ClassifierLearner(self.base_estimator(), self._make_preprocessing(), self.class_weight),
            stop=self._stop(),
            aim=self._aim(),
            delta=float(self.delta),
            beside=float(self.share_beside),
            candidates=int(self.candidates),
        )

    def predict(self, X: RowsLike) -> Labels:
        """Return a label for every row, answered or not; with ``max_fnr`` the one that the certificate is about."""
        rows = self._rows(X)
        return self.predictor_.predict(rows)

    def answered(self, X: RowsLike) -> BoolArray:
        """Return for each row whether the certificate is about its label: whether the model is sure enough."""
        rows = self._rows(X)
        if isinstance(self.predictor_, AbstainingClassifier):
            return self.predictor_.answered(rows)
        return np.ones(rows.shape[0], dtype=bool)

    def predict_or_abstain(self, X: RowsLike) -> ObjectArray:
        """Return the labels of answered rows, and None for the others, as an array of objects."""
        found: ObjectArray = np.asarray(self.predict(X)).astype(object)
        found[~self.answered(X)] = None
        return found

    def scores(self, X: RowsLike) -> FloatArray:
        """Return what the threshold is on: the confidence in each row's label, or with ``max_fnr`` in ``positive``."""
        return self._aim().score(self.estimator_, self._rows(X))

    def fitted_numbers(self, X: RowsLike) -> dict[str, Any]:
        """Return the classes, the threshold, and what is predicted and answered for these rows."""
        return {
            "classes_": self.classes_,
            "estimator_": State.of(self.estimator_),
            "predictor_": State.of(self.predictor_),  # which answers, by an estimator of its own
            "threshold_": -1.0 if self.threshold_ is None else self.threshold_,
            "predict": self.predict(X),
            "answered": self.answered(X),
        }
