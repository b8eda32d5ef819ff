"""Any classifier with a certificate: learned on a part of the rows, judged on the rest."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from pacbayes._core.state import State
from pacbayes._core.types import Classifier, FloatArray, Labels, ProbabilityPredictor, RandomState, Rows, RowsLike
from pacbayes.estimators.wrapped import CertifiedSplit
from pacbayes.learners import CrossValidatedLogistic
from pacbayes.procedures import ClassifierLearner, Procedure, Split

__all__ = ["CertifiedClassifier"]


def _has_probabilities(model: CertifiedClassifier) -> bool:
    return hasattr(getattr(model, "estimator_", model.base_estimator()), "predict_proba")


class CertifiedClassifier(ClassifierMixin, CertifiedSplit):  # type: ignore[misc]
    """Any scikit-learn classifier or pipeline, any number of classes, with an exact limit on its true error.

    The rows are shuffled; the estimator is trained on a first part and evaluated on the rest, where the exact binomial
    limit holds. By default the size of that part is found on the way: snapshots of the estimator are trained on
    growing parts and evaluated on the rows that follow, and training stops where the limit is expected to be lowest.
    The rule looks at the rows before the stop alone, so that the limit holds exactly.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Cloned; preprocessing inside a pipeline is then learned from the learning rows alone, and so is whatever a
        search inside chooses, which costs nothing: ``CertifiedClassifier(GridSearchCV(...))``. None is
        :class:`pacbayes.CrossValidatedLogistic`, logistic regression on standardised columns, its penalty chosen by
        cross-validation; give one with ``class_weight="balanced"`` to weight classes in learning.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    split : float or "adaptive", default="adaptive"
        Share of the rows to learn from, in (0, 1); "adaptive" has it found on the way, for the cost of fits on at most
        two and a half times all rows.
    candidates : int, default=1
        How many settings you compare by their certificates on the same rows; each is given ``delta/candidates``.
    random_state : int, RandomState or None
        Of the shuffle.

    Attributes
    ----------
    certificate_ : Certificate
        About :meth:`predict`.
    estimator_ : classifier
        Fitted on the learning rows.
    classes_ : ndarray
    order_ : ndarray
        The shuffled row numbers; the first ``n_learning_`` are the learning rows.
    n_learning_ : int
    curve_ : tuple of Point
        The learning curve that the stop was chosen by: for each snapshot the rows it learned from, its errors, and on
        how many of the later learning rows. Empty if the share was fixed.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> sample = pb.datasets.make_known_risk(2000, d=3, random_state=0)
    >>> model = pb.CertifiedClassifier(HistGradientBoostingClassifier(random_state=0), random_state=0)
    >>> print(model.fit(sample.X, sample.y).certificate_.sentence())
    With probability at least 95 % over the data, the true error of `predict` is at most 0.2030.
    >>> model = pb.CertifiedClassifier(random_state=0).fit(sample.X, sample.y)
    >>> model.n_learning_, round(model.certificate_.value, 4)
    (800, 0.1776)
    """

    classes_: Labels
    estimator_: Classifier

    def __init__(
        self,
        estimator: Classifier | None = None,
        delta: float = 0.05,
        *,
        split: float | str = "adaptive",
        candidates: int = 1,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.delta = delta
        self.split = split
        self.candidates = candidates
        self.random_state = random_state

    def base_estimator(self) -> Classifier:
        """Return the unfitted classifier that learns: the one that was given, or the default."""
        return CrossValidatedLogistic() if self.estimator is None else self.estimator

    def _validate(self, X: RowsLike, y: ArrayLike | None) -> tuple[Rows, Labels]:
        rows, labels = super()._validate(X, y)
        self.classes_ = np.unique(labels)
        return rows, labels

    def _procedure(self, rows: int) -> Procedure:
        del rows
        return Split(
            learner=ClassifierLearner(self.base_estimator()),
            stop=self._stop(),
            delta=float(self.delta),
            candidates=int(self.candidates),
        )

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: RowsLike) -> FloatArray:
        """Return the fitted estimator's probabilities, if it has such; zero for classes without learning rows."""
        rows, model = self._rows(X), cast("ProbabilityPredictor", self.estimator_)
        given = np.asarray(model.predict_proba(rows))
        found: FloatArray = np.zeros((given.shape[0], self.classes_.size))
        found[:, np.searchsorted(self.classes_, model.classes_)] = given
        return found

    def fitted_numbers(self, X: RowsLike) -> dict[str, Any]:
        """Return the classes and what the fitted estimator predicts for these rows."""
        return {
            "classes_": self.classes_,
            "estimator_": State.of(self.estimator_),
            "predict": self.predict(X),
        }
