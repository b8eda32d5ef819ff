"""What certified classifiers share that wrap one of the user's: preprocessing, class weights, probabilities."""

from __future__ import annotations

from inspect import isclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from pacbayes._core.prefit import refuse_prefit
from pacbayes._core.types import (
    Classifier,
    FloatArray,
    Labels,
    ProbabilityPredictor,
    Rows,
    RowsLike,
    Transformer,
)
from pacbayes.estimators.wrapped import CertifiedSplit
from pacbayes.learners import CrossValidatedLogistic, EncodedClassifier
from pacbayes.procedures.class_weights import ClassWeight, check_class_weight
from pacbayes.tables import ColumnPreprocessor, TableError, name_texts

__all__ = ["PreparedClassifier"]

_NUMBERED = frozenset({"xgboost"})  # packages whose classifiers take no labels but 0, 1, ...


def _has_probabilities(model: PreparedClassifier) -> bool:
    return hasattr(getattr(model, "estimator_", model.base_estimator()), "predict_proba")


class PreparedClassifier(ClassifierMixin, CertifiedSplit):  # type: ignore[misc]
    """A certified classifier that learns on a first part of the rows, with preprocessing and weights of classes."""

    preprocessing: Transformer | str | None
    class_weight: ClassWeight | None
    classes_: Labels
    estimator_: Classifier

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if isinstance(self._make_preprocessing(), ColumnPreprocessor):
            tags.input_tags.allow_nan = True
        return tags

    def base_estimator(self) -> Classifier:
        """Return the unfitted classifier that learns: the one that was given, or the default."""
        if self.estimator is None:
            return CrossValidatedLogistic()
        is_numbered = type(self.estimator).__module__.partition(".")[0] in _NUMBERED
        return EncodedClassifier(self.estimator) if is_numbered else self.estimator

    def _validate(self, X: RowsLike, y: ArrayLike | None) -> tuple[Rows, Labels]:
        owner = type(self).__name__
        rows, labels = super()._validate(X, y)
        self.classes_ = np.unique(labels)
        self._check_preprocessing(owner, rows, labels.size)
        if self.class_weight is not None:
            check_class_weight(owner, self.class_weight, self.base_estimator(), self.classes_)
        return rows, labels

    def _check_preprocessing(self, owner: str, rows: Rows, count: int) -> None:
        """Refuse what is no transformer or has learned already, and texts that nothing turns into numbers."""
        steps, texts = self._make_preprocessing(), name_texts(rows)
        if not (steps is None or (hasattr(steps, "fit") and hasattr(steps, "transform") and not isclass(steps))):
            raise ValueError(
                f"The 'preprocessing' parameter of {owner} must be a transformer, 'auto' or None. "
                f"Got {self.preprocessing!r:.60} instead."
            )
        if steps is not None:
            refuse_prefit(owner, "'preprocessing' parameter", steps, count)
        elif self.estimator is None and texts:
            raise TableError(
                f"The column {texts[0]!r} holds no numbers, which {owner} without an estimator cannot learn from. "
                "Pass preprocessing='auto'."
            )

    def _make_preprocessing(self) -> Transformer | None:
        auto = isinstance(self.preprocessing, str) and self.preprocessing == "auto"
        return ColumnPreprocessor() if auto else cast("Transformer | None", self.preprocessing)

    def _learning_only(self) -> tuple[str, ...]:
        return () if self.class_weight is None else ("class_weight",)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: RowsLike) -> FloatArray:
        """Return the fitted estimator's probabilities, if it has such; zero for classes without learning rows."""
        rows, model = self._rows(X), cast("ProbabilityPredictor", self.estimator_)
        given = np.asarray(model.predict_proba(rows))
        found: FloatArray = np.zeros((given.shape[0], self.classes_.size))
        found[:, np.searchsorted(self.classes_, model.classes_)] = given
        return found
