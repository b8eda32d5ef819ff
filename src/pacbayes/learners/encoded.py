"""Any classifier behind labels that are numbered from 0: some learners, such as XGBoost's, take no others."""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if

from pacbayes._core.types import Classifier, FloatArray, Labels, ProbabilityPredictor, RowsLike

__all__ = ["EncodedClassifier"]


def _has_probabilities(model: EncodedClassifier) -> bool:
    return hasattr(getattr(model, "estimator_", model.estimator), "predict_proba")


class EncodedClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that is shown the classes as 0, 1, ..., K - 1 in their order, and whose answers are turned back.

    Parameters
    ----------
    estimator : classifier
        Cloned before it learns.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    estimator_ : classifier
        Fitted on their numbers.

    Examples
    --------
    >>> from pacbayes.learners import EncodedClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = EncodedClassifier(GaussianNB()).fit([[0.0], [0.1], [1.0], [1.1]], ["no", "no", "yes", "yes"])
    >>> model.predict([[0.9]]).tolist(), model.estimator_.classes_.tolist()
    (['yes'], [0, 1])
    """

    classes_: Labels
    estimator_: Classifier

    def __init__(self, estimator: Classifier) -> None:
        self.estimator = estimator

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: RowsLike, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Number the labels and learn.

        Parameters
        ----------
        X : array_like or data frame, shape (n, d)
            Rows.
        y : array_like, shape (n,)
            Labels.
        sample_weight : array_like, shape (n,), optional
            Handed on, if given.
        """
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.classes_, numbers = np.unique(np.asarray(y), return_inverse=True)
        self.estimator_ = clone(self.estimator).fit(X, numbers.astype(np.int64), **given)
        return self

    def predict(self, X: RowsLike) -> Labels:
        """Return the labels of the classes that are predicted."""
        numbers = np.asarray(self.estimator_.predict(X)).reshape(-1).astype(np.int64)
        return np.asarray(self.classes_[numbers])

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: RowsLike) -> FloatArray:
        """Return the estimator's probabilities, in the order of ``classes_``."""
        return np.asarray(cast("ProbabilityPredictor", self.estimator_).predict_proba(cast("Any", X)))
