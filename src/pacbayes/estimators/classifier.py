"""Any classifier with a certificate: learned on a part of the rows, judged on the rest."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.metaestimators import available_if

from pacbayes._core.state import State
from pacbayes._core.types import Classifier, FloatArray, Labels, ProbabilityPredictor, RandomState, Rows, RowsLike
from pacbayes.estimators.base import check_fraction
from pacbayes.estimators.wrapped import CertifiedWrapper
from pacbayes.procedures import ClassifierLearner, Procedure, Split

__all__ = ["CertifiedClassifier"]


def _has_probabilities(model: CertifiedClassifier) -> bool:
    return hasattr(getattr(model, "estimator_", model.estimator), "predict_proba")


class CertifiedClassifier(CertifiedWrapper):
    """Any scikit-learn classifier or pipeline, any number of classes, with an exact limit on its true error.

    The rows are shuffled; the estimator is trained on a first part and evaluated on the rest, where the exact binomial
    limit holds.

    Parameters
    ----------
    estimator : classifier
        Cloned; preprocessing inside a pipeline is then learned from the learning rows alone.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    split : float, default=0.5
        Share of the rows to learn from, in (0, 1).
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

    Examples
    --------
    >>> import pacbayes as pb
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> sample = pb.datasets.make_known_risk(2000, d=3, random_state=0)
    >>> model = pb.CertifiedClassifier(HistGradientBoostingClassifier(random_state=0), random_state=0)
    >>> print(model.fit(sample.X, sample.y).certificate_.sentence())
    With probability at least 95 % over the data, the true error of `predict` is at most 0.1939.
    """

    classes_: Labels
    estimator_: Classifier

    def __init__(
        self,
        estimator: Classifier,
        delta: float = 0.05,
        *,
        split: float = 0.5,
        candidates: int = 1,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.delta = delta
        self.split = split
        self.candidates = candidates
        self.random_state = random_state

    def _validate(self, X: RowsLike, y: ArrayLike | None) -> tuple[Rows, Labels]:
        check_fraction(type(self).__name__, "split", self.split)
        rows, labels = super()._validate(X, y)
        self.classes_ = np.unique(labels)
        return rows, labels

    def _procedure(self, rows: int) -> Procedure:
        del rows
        return Split(
            learner=ClassifierLearner(self.estimator),
            fraction=float(self.split),
            delta=float(self.delta),
            candidates=int(self.candidates),
        )

    def predict(self, X: RowsLike) -> Labels:
        """Return the labels that the certificate is about."""
        return np.asarray(self.estimator_.predict(self._rows(X)))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: RowsLike) -> FloatArray:
        """Return the fitted estimator's probabilities, if it has such."""
        return np.asarray(cast("ProbabilityPredictor", self.estimator_).predict_proba(self._rows(X)))

    def fitted_numbers(self, X: RowsLike) -> dict[str, Any]:
        """Return the classes and what the fitted estimator predicts for these rows."""
        return {
            "classes_": self.classes_,
            "estimator_": State.of(self.estimator_),
            "predict": self.predict(X),
        }
