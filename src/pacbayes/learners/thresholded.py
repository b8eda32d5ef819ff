"""Fitted classifiers behind a threshold: one that abstains where it is not sure, one that misses few of a class."""

from __future__ import annotations

from typing import cast

import numpy as np
from sklearn.utils.metaestimators import available_if

from pacbayes._core.types import BoolArray, Classifier, FloatArray, Labels, ProbabilityPredictor, Rows
from pacbayes.learners.scores import class_score, classes_of, confidence_of

__all__ = ["AbstainingClassifier", "ShiftedClassifier"]


def _has_probabilities(model: AbstainingClassifier | ShiftedClassifier) -> bool:
    return hasattr(model.estimator_, "predict_proba")


class _Thresholded:
    """A fitted classifier and a threshold."""

    def __init__(self, estimator: Classifier, threshold: float | None) -> None:
        self.estimator_ = estimator
        self.threshold_ = threshold
        self.classes_: Labels = classes_of(estimator)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Rows) -> FloatArray:
        """Return the classifier's own probabilities, if it has such."""
        return np.asarray(cast("ProbabilityPredictor", self.estimator_).predict_proba(X))


class AbstainingClassifier(_Thresholded):
    """A fitted classifier that gives an answer where its confidence reaches a threshold.

    Parameters
    ----------
    estimator : classifier
        Fitted.
    threshold : float or None
        The least confidence (:func:`pacbayes.learners.confidence_of`) that is answered; None answers nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.learners import AbstainingClassifier
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> AbstainingClassifier(LogisticRegression().fit(X, y), 0.8).answered(X).tolist()
    [True, False, False, True]
    """

    def answered(self, X: Rows) -> BoolArray:
        """Return for each row whether it is answered."""
        if self.threshold_ is None:
            return np.zeros(X.shape[0], dtype=bool)
        return np.asarray(confidence_of(self.estimator_, X) >= self.threshold_)

    def predict(self, X: Rows) -> Labels:
        """Return the classifier's own label for every row, answered or not."""
        return np.asarray(self.estimator_.predict(X))


class ShiftedClassifier(_Thresholded):
    """A fitted classifier that gives one class where its score reaches a threshold, and else the best of the others.

    Parameters
    ----------
    estimator : classifier
        Fitted.
    threshold : float or None
        The least score (:func:`pacbayes.learners.class_score`) that is enough; None gives the class to every row.
    positive : object
        The class.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.learners import ShiftedClassifier
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> ShiftedClassifier(LogisticRegression().fit(X, y), 0.2, 1).predict(X).tolist()
    [0, 1, 1, 1]
    """

    def __init__(self, estimator: Classifier, threshold: float | None, positive: object) -> None:
        super().__init__(estimator, threshold)
        self.positive_ = np.asarray([positive])

    def predict(self, X: Rows) -> Labels:
        """Return the class where its score reaches the threshold, and the most likely other one elsewhere."""
        positive, count = self.positive_[0], X.shape[0]
        reached = np.ones(count, dtype=bool)
        if self.threshold_ is not None:
            reached = class_score(self.estimator_, X, positive) >= self.threshold_
        others = self.classes_[self.classes_ != positive]
        if not others.size:  # nothing else was ever seen
            return np.repeat(self.positive_, count)
        rest = others[np.zeros(count, dtype=np.int64)]
        if others.size > 1:
            rest = others[np.argmax([class_score(self.estimator_, X, each) for each in others], axis=0)]
        return np.asarray(np.where(reached, positive, rest))
