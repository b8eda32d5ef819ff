"""What certified estimators share that wrap a classifier of the user's."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from pacbayes._core.prefit import refuse_early_answers, refuse_prefit
from pacbayes._core.rows import labels_of, rows_of
from pacbayes._core.types import Classifier, Labels, Rows, RowsLike
from pacbayes.estimators.base import CertifiedEstimator, check_candidates, check_delta

__all__ = ["CertifiedWrapper"]


class CertifiedWrapper(CertifiedEstimator, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A certified estimator around any classifier; columns are the classifier's own business."""

    estimator: Classifier | None
    delta: float
    candidates: int

    def base_estimator(self) -> Classifier:
        """Return the unfitted classifier that learns."""
        return cast("Classifier", self.estimator)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.base_estimator())
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    def _validate(self, X: RowsLike, y: ArrayLike | None) -> tuple[Rows, Labels]:
        owner = type(self).__name__
        check_delta(owner, self.delta)
        check_candidates(owner, self.candidates)
        estimator = self.base_estimator()
        if not is_classifier(estimator):
            raise ValueError(f"The 'estimator' parameter of {owner} must be a classifier. Got {estimator!r} instead.")
        rows, labels = self._validate_rows(X, y, reset=True)
        if labels.size < 2 or np.unique(labels).size < 2:
            raise ValueError(
                f"{owner} needs rows of at least 2 classes. Got n_samples={labels.size} with only one class instead."
            )
        refuse_prefit(owner, "'estimator' parameter", estimator, labels.size)
        refuse_early_answers(owner, estimator, rows)
        return rows, labels

    def _validate_rows(self, X: RowsLike, y: ArrayLike | None, *, reset: bool) -> tuple[Rows, Labels]:
        """Check shapes and labels."""
        rows = rows_of(X)
        labels = labels_of(type(self).__name__, rows, y)
        validate_data(self, rows, skip_check_array=True, reset=reset)
        return rows, labels

    def _rows(self, X: RowsLike) -> Rows:
        check_is_fitted(self, "certificate_")
        rows = rows_of(X)
        validate_data(self, rows, skip_check_array=True, reset=False)
        return rows
