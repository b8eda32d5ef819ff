"""What certified estimators share that wrap an estimator of the user's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import isclass
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, is_classifier, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from pacbayes._core.alignment import refuse_other_order
from pacbayes._core.arguments import check_range, refuse_masked, to_floats
from pacbayes._core.foreign import collect
from pacbayes._core.prefit import refuse_early_answers, refuse_prefit
from pacbayes._core.rows import BLOCK_ROWS, distinct_labels, is_stored, labels_of, map_blocks, numbers_of, rows_of, take
from pacbayes._core.types import (
    Classifier,
    FloatArray,
    IntArray,
    Labels,
    Predictor,
    ProbabilityPredictor,
    Rows,
    RowsLike,
    Transformer,
)
from pacbayes.estimators.asked import Groups, find_groups
from pacbayes.estimators.base import CertifiedEstimator, check_candidates, check_delta, check_fraction
from pacbayes.estimators.hints import hint_at_preprocessing, is_own_refusal
from pacbayes.learners import CrossValidatedLogistic, EncodedClassifier
from pacbayes.metrics import Grouping, Questions
from pacbayes.procedures import Adaptive, FixedFraction, Point, Stop
from pacbayes.procedures.class_weights import ClassWeight, check_class_weight
from pacbayes.tables import ColumnPreprocessor, TableError, name_texts

__all__ = ["CertifiedSplit", "CertifiedWrapper", "PreparedClassifier", "PreparingClassifier", "ask_for"]


def ask_for(method: str, model: Any, rows: Rows) -> Labels:
    """Return what a fitted model answers for rows, block by block where they are elsewhere."""
    if not is_stored(rows):
        return np.asarray(getattr(model, method)(rows))
    tasks = [method] * len(list(range(0, int(rows.shape[0]), BLOCK_ROWS)))
    return np.concatenate(list(map_blocks(rows, _ask_block, tasks, model, BLOCK_ROWS)))


def _ask_block(block: Rows, method: str, model: Any) -> Any:
    return np.asarray(getattr(model, method)(block))


class CertifiedWrapper(CertifiedEstimator, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A certified estimator around any classifier or regressor; columns are its own business."""

    estimator: Any
    delta: float
    candidates: int
    _in_blocks: ClassVar[bool] = False  # whether rows are judged wherever they are, block by block
    _learns_by: ClassVar[str] = "'estimator' parameter"  # what must come unlearned, for the message
    _forgets: ClassVar[bool] = True  # whether the classes and modules of what learns must keep nothing of the rows

    def base_estimator(self) -> Any:
        """Return the unfitted estimator that learns."""
        return self.estimator

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
        kind, is_one = ("regressor", is_regressor) if self._of_numbers else ("classifier", is_classifier)
        if not (hasattr(estimator, "fit") and is_one(estimator)):
            raise ValueError(f"The 'estimator' parameter of {owner} must be a {kind}. Got {estimator!r} instead.")
        rows, labels = self._validate_rows(X, y, reset=True)
        self._check_labels(labels)
        refuse_prefit(owner, self._learns_by, estimator, labels.size)
        refuse_early_answers(owner, estimator, rows)
        return rows, labels

    def _what_learns(self) -> list[Any]:
        return [self.base_estimator(), self._make_preprocessing()] if self._forgets else []

    def _make_preprocessing(self) -> Transformer | None:
        """Return what prepares columns before the estimator sees them, if anything does."""
        return None

    def _check_labels(self, labels: Labels) -> None:
        """Refuse labels from which nothing can be learned and judged."""
        owner = type(self).__name__
        if self._of_numbers and labels.size < 2:
            raise ValueError(f"{owner} needs at least 2 rows. Got n_samples={labels.size} instead.")
        if not self._of_numbers and distinct_labels(labels).size < 2:
            raise ValueError(
                f"{owner} needs rows of at least 2 classes. Got n_samples={labels.size} with only one class instead."
            )

    def _validate_rows(self, X: RowsLike, y: ArrayLike | None, *, reset: bool) -> tuple[Rows, Labels]:
        """Check shapes and labels."""
        rows, owner = rows_of(X, in_blocks=self._in_blocks), type(self).__name__
        labels = numbers_of(owner, "y", rows, y) if self._of_numbers else labels_of(owner, rows, y)
        named = take(rows, slice(0)) if is_stored(rows) else rows
        validate_data(self, named, skip_check_array=True, reset=reset)
        return rows, labels

    def _rows(self, X: RowsLike) -> Rows:
        check_is_fitted(self, "certificate_")
        rows = rows_of(X, in_blocks=self._in_blocks)
        named = take(rows, slice(0)) if is_stored(rows) else rows
        validate_data(self, named, skip_check_array=True, reset=False)
        return rows


def _read_grouping(owner: str, given: Grouping | Groups | None, y: ArrayLike | None) -> Grouping | None:
    """Return which group each row is in, from the values of columns beside the rows."""
    if given is None or isinstance(given, Grouping):
        return given and replace(given, index=None)  # it was compared, and a model keeps no index
    values: Any = collect(given)  # an array of Dask is named by its graph
    name = getattr(values, "name", None)
    named = {name: values} if isinstance(name, str) else values
    return find_groups(owner, named, np.asarray(y).size, None)[1]


class CertifiedSplit(CertifiedWrapper):
    """A certified estimator that learns on a first part of the rows and is judged on the rest."""

    split: float | str
    groups: str | int | Sequence[str | int] | None
    estimator_: Predictor
    n_learning_: int
    curve_: tuple[Point, ...]

    def _validate(self, X: RowsLike, y: ArrayLike | None) -> tuple[Rows, Labels]:
        owner = type(self).__name__
        if not (isinstance(self.split, str) and self.split == "adaptive"):
            if isinstance(self.split, str):
                raise ValueError(
                    f"The 'split' parameter of {owner} must be 'adaptive' or a float in (0, 1). "
                    f"Got {self.split!r} instead."
                )
            check_fraction(owner, "split", self.split)
        return super()._validate(X, y)

    def _group_columns(self) -> str | int | Sequence[str | int] | None:
        """Return the columns that rows are grouped by, of X or of what was given beside it."""
        return self.groups if self.grouping_ is None else list(self.grouping_.columns)

    def _check_groups(self, asked: Questions, rows: Rows) -> None:
        """Find out before the work whether a column is not there, or groups are not of these rows."""
        owner, beside = type(self).__name__, self.grouping_
        if beside is None:
            asked.group(owner, rows)
        elif self.groups is not None or beside.places.shape != (int(rows.shape[0]),):
            raise ValueError(
                f"The 'grouping' argument of {owner}.fit must tell the group of each row ({int(rows.shape[0])}), in "
                f"place of groups=. Got {beside.places.size} rows and groups={self.groups!r:.40} instead."
            )

    def fit(
        self,
        X: RowsLike,
        y: ArrayLike | None,
        *,
        in_order: bool = False,
        grouping: Grouping | Groups | None = None,
        **fit_params: ArrayLike,
    ) -> Self:
        """Learn the predictor and issue its certificate.

        Parameters
        ----------
        X : array_like or data frame, shape (n, d)
            Rows. Where they are judged block by block, as by :class:`pacbayes.CertifiedClassifier`, also a Dask
            DataFrame or Array, whose judged rows are predicted where they are.
        y : array_like, shape (n,)
            Labels.
        in_order : bool, default=False
            Whether to take the rows as they come, the earliest first, instead of shuffling them: the first learn, the
            later judge, and the certificate is about rows like the later ones.
        grouping : array_like, mapping or data frame, optional
            In place of ``groups``: the group of each row, or several columns of such by their names, where the model
            must not see what tells the groups apart. A series is named by its own name.
        **fit_params : array_like, shape (n,)
            Further values, one per row, that the estimator's ``fit`` is given for the learning rows, such as
            ``sample_weight`` (of a pipeline ``step__sample_weight``). They play a part in learning only: the
            certificate is about rows as they come, each counted once.

        Examples
        --------
        >>> import pacbayes as pb
        >>> sample = pb.datasets.make_known_risk(2000, d=3, random_state=0)
        >>> sides = {"side": sample.X[:, 0] > 0}
        >>> model = pb.CertifiedClassifier(random_state=0).fit(sample.X[:, 1:], sample.y, grouping=sides)
        >>> [each.group for each in model.certificate_.statements]
        [None, {'side': 'False'}, {'side': 'True'}]
        """
        owner = f"{type(self).__name__}.fit"
        refuse_other_order(owner, {"X": X, "y": y, "grouping": grouping, **fit_params})
        if grouping is not None or fit_params:
            y = collect(y)  # once, since how many labels there are is asked for
        self.grouping_ = _read_grouping(owner, grouping, y)
        self.fit_params_ = _check_fit_params(owner, fit_params, y)
        return super().fit(X, y, in_order=in_order)

    def _stop(self) -> Stop:
        given = getattr(self, "max_learning_rows", None)
        most = None if given is None else int(given)
        return Adaptive(most=most) if isinstance(self.split, str) else FixedFraction(float(self.split), most)

    def predict(self, X: RowsLike) -> Labels:
        """Return the predictions that the certificate is about."""
        rows = self._rows(X)
        return ask_for("predict", self.estimator_, rows)


_LARGEST = float(np.finfo(np.float64).max)


def _check_fit_params(owner: str, given: Mapping[str, ArrayLike], y: ArrayLike | None) -> dict[str, Labels]:
    """Return what is to be given to the estimator's fit as arrays, or say which is not one value per row."""
    arrays: dict[str, Labels] = {}
    for name in sorted(given):
        found = collect(given[name])
        refuse_masked(f"The {name!r} argument of {owner}", found)
        arrays[name] = np.asarray(found)
        if arrays[name].shape != np.asarray(y).shape[:1]:
            raise ValueError(
                f"The {name!r} argument of {owner} must hold one value per row. Got shape {arrays[name].shape} instead."
            )
        if name.rpartition("__")[2] == "sample_weight":  # all of them, whichever rows are learned from
            weights = to_floats(owner, name, arrays[name])
            check_range(owner, name, weights, 0.0, _LARGEST, "be finite and not negative")
    return arrays


_NUMBERED = frozenset({"xgboost"})  # packages whose classifiers take no labels but 0, 1, ...


def _has_probabilities(model: PreparingClassifier) -> bool:
    return hasattr(getattr(model, "estimator_", model.base_estimator()), "predict_proba")


class PreparingClassifier(ClassifierMixin, CertifiedWrapper):  # type: ignore[misc]
    """A certified classifier with preprocessing and weights of classes."""

    preprocessing: Transformer | str | None
    class_weight: ClassWeight | None
    classes_: Labels
    estimator_: Any

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
        self.classes_ = distinct_labels(labels)
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

    def _certify(self, given: RowsLike, rows: Rows, labels: Labels, order: IntArray, seed: int) -> Self:
        try:
            return super()._certify(given, rows, labels, order, seed)
        except ValueError as error:
            if self.preprocessing is None and not is_own_refusal(error):  # which is of something else
                hint_at_preprocessing(error, rows)
            raise

    def _make_preprocessing(self) -> Transformer | None:
        auto = isinstance(self.preprocessing, str) and self.preprocessing == "auto"
        return ColumnPreprocessor() if auto else cast("Transformer | None", self.preprocessing)

    def _learning_only(self) -> tuple[str, ...]:
        return () if self.class_weight is None else ("class_weight",)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: RowsLike) -> FloatArray:
        """Return the fitted estimator's probabilities, if it has such; zero for classes without learning rows."""
        rows, model = self._rows(X), cast("ProbabilityPredictor", self.estimator_)
        given = ask_for("predict_proba", model, rows)
        found: FloatArray = np.zeros((given.shape[0], self.classes_.size))
        found[:, np.searchsorted(self.classes_, model.classes_)] = given
        return found


class PreparedClassifier(PreparingClassifier, CertifiedSplit):
    """A certified classifier that learns on a first part of the rows, with preprocessing and weights of classes."""

    estimator_: Classifier
