"""Any classifier with a certificate: learned on a part of the rows, judged on the rest."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from pacbayes._core.arguments import single_number
from pacbayes._core.state import State
from pacbayes._core.steadiness import seed_of
from pacbayes._core.types import (
    Classifier,
    IntArray,
    Labels,
    RandomState,
    Rows,
    RowsLike,
    Transformer,
)
from pacbayes.certificate import Certificate
from pacbayes.estimators.wrapped import PreparedClassifier
from pacbayes.metrics import Questions, read_questions
from pacbayes.procedures import ClassifierLearner, Pair, Procedure, Split, Transfer, hash_rows, transfer_delta
from pacbayes.procedures.class_weights import ClassWeight

__all__ = ["CertifiedClassifier"]


class CertifiedClassifier(PreparedClassifier):
    """Any scikit-learn classifier or pipeline, any number of classes, with an exact limit on its true error.

    The rows are shuffled; the estimator is trained on a first part and evaluated on the rest, where the exact binomial
    limit holds. By default the size of that part is found on the way: snapshots of the estimator are trained on
    growing parts and evaluated on the rows that follow, and training stops where the limit is expected to be lowest.
    The rule looks at the rows before the stop alone, so that the limit holds exactly.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Cloned; preprocessing inside a pipeline is then learned from the learning rows alone, and so is whatever a
        search inside chooses, which costs nothing: ``CertifiedClassifier(GridSearchCV(...))``. XGBoost's,
        which take no labels but 0, 1, ..., are shown numbers and their answers turned back; other such learners, and
        those inside a pipeline, go into :class:`pacbayes.learners.EncodedClassifier`. None is
        :class:`pacbayes.CrossValidatedLogistic`, logistic regression on standardised columns, its penalty chosen by
        cross-validation.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    split : float or "adaptive", default="adaptive"
        Share of the rows to learn from, in (0, 1); "adaptive" has it found on the way, for the cost of fits on at most
        two and a half times all rows.
    preprocessing : transformer, "auto" or None, default=None
        What is learned from the learning rows and applied before the estimator. "auto" is what the command line does
        with tables (:class:`pacbayes.tables.ColumnPreprocessor`): numbers of a frame are scaled, texts and categories
        become columns of their own, missing values are filled and marked, and categories that come later are treated
        like rare ones. None hands the columns over as they are, which a pipeline that names columns, or a learner with
        a way of its own with categories and missing values, relies on; hence it is the default.
    class_weight : mapping, "balanced" or None, default=None
        Weights of the classes in learning: set as the estimator's own ``class_weight`` (of a pipeline the last step's,
        of a search that of the estimator inside), or given to its ``fit`` as sample weights, which "balanced" counts
        on the learning rows. Labels that a mapping leaves out weigh 1. The certificate counts each judged row once.
    metrics : str, sequence of str or mapping, default=("error",)
        What is certified: "error", "balanced-error", "recall:CLASS", "fnr:CLASS", "fpr:CLASS", "specificity:CLASS",
        "precision:CLASS", "cost", and of probabilities "brier" and "log-loss" (counted up to 7). All of them hold
        together; each has an even part of delta, or one by its weight in a mapping. The first gives the headline.
    groups : str, int or sequence of them, default=None
        Columns of X, by name or position: each metric is stated for each group of rows with the same values in them,
        too.
    differences : bool, default=False
        Whether to state, for each rate, the largest difference between any two groups.
    cost : mapping or array_like, default=None
        For the metric "cost": costs by pairs of true and predicted class, or a square of them, a row per true class, in
        the order of the sorted classes; a frame that names classes in another order is refused.
    candidates : int, default=1
        How many settings you compare by their certificates on the same rows; each is given ``delta/candidates``.
    max_learning_rows : int or None, default=None
        How many rows are learned from at most; all others are judged. Of millions of rows a part teaches a model
        almost as much, in less time and memory.
    refit : bool, default=False
        Whether to train the estimator also on all rows, once the certificate is issued, and to keep it as
        ``refitted_``. **That model is not certified**: it has seen the judged rows. :meth:`predict` remains the
        certified model. :meth:`transfer` certifies the other one on fresh rows without labels.
    random_state : int, RandomState or None
        Of the shuffle.

    Attributes
    ----------
    certificate_ : Certificate
        About :meth:`predict`.
    estimator_ : classifier
        Fitted on the learning rows; with ``preprocessing`` a pipeline of both.
    refitted_ : classifier
        With ``refit=True``: fitted on all rows, and not certified.
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
    With probability at least 95 % over the data, the true error of `predict` is at most 20.30 %.
    >>> model = pb.CertifiedClassifier(random_state=0).fit(sample.X, sample.y)
    >>> model.n_learning_, round(model.certificate_.value, 4)
    (800, 0.1776)

    More than the error, for all rows and by group:

    >>> model = pb.CertifiedClassifier(metrics=("error", "recall:1"), random_state=0)
    >>> certificate = model.fit(sample.X, sample.y).certificate_
    >>> [(each.name, each.side, each.n, round(each.value, 4)) for each in certificate.statements]
    [('error', 'upper', 1200, 0.1811), ('recall:1', 'lower', 615, 0.7885)]

    Columns of text and missing values:

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"job": ["cook", "clerk", None, "judge"] * 100, "age": [31.0, None, 50.0, 44.0] * 100})
    >>> model = pb.CertifiedClassifier(preprocessing="auto", random_state=0).fit(frame, frame["job"] == "cook")
    >>> model.predict(pd.DataFrame({"job": ["cook", "king"], "age": [None, 50.0]})).tolist()
    [True, False]
    """

    refitted_: Classifier
    _in_blocks: ClassVar[bool] = True

    def __init__(
        self,
        estimator: Classifier | None = None,
        delta: float = 0.05,
        *,
        split: float | str = "adaptive",
        preprocessing: Transformer | str | None = None,
        class_weight: ClassWeight | None = None,
        metrics: str | Sequence[str] | Mapping[str, float] = ("error",),
        groups: str | int | Sequence[str | int] | None = None,
        differences: bool = False,
        cost: Mapping[tuple[Any, Any], float] | ArrayLike | None = None,
        candidates: int = 1,
        max_learning_rows: int | None = None,
        refit: bool = False,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.delta = delta
        self.split = split
        self.preprocessing = preprocessing
        self.class_weight = class_weight
        self.metrics = metrics
        self.groups = groups
        self.differences = differences
        self.cost = cost
        self.candidates = candidates
        self.max_learning_rows = max_learning_rows
        self.refit = refit
        self.random_state = random_state

    def _validate(self, X: RowsLike, y: ArrayLike | None) -> tuple[Rows, Labels]:
        owner = type(self).__name__
        self._forget("refitted_", "row_hashes_")
        if not isinstance(self.refit, bool | np.bool_):
            raise ValueError(  # noqa: TRY004
                f"The 'refit' parameter of {owner} must be True or False. Got {self.refit!r} instead."
            )
        most = self.max_learning_rows
        whole = isinstance(most, numbers.Integral) and not isinstance(most, bool)
        if most is not None and not (whole and most >= 1):
            raise ValueError(
                f"The 'max_learning_rows' parameter of {owner} must be None or a whole number of at least 1. "
                f"Got {most!r} instead."
            )
        rows, labels = super()._validate(X, y)
        self._check_groups(self._questions(), rows)
        return rows, labels

    def _questions(self) -> Questions:
        return read_questions(
            type(self).__name__,
            self.metrics,
            self._group_columns(),
            differences=self.differences,
            cost=self.cost,
            classes=self.classes_,
        )

    def _procedure(self, rows: int) -> Procedure:
        del rows
        asked, steps = self._questions(), self._make_preprocessing()
        return Split(
            learner=ClassifierLearner(self.base_estimator(), steps, self.class_weight, asked.needs_probabilities),
            questions=asked,
            stop=self._stop(),
            delta=float(self.delta),
            candidates=int(self.candidates),
            refit=bool(self.refit),
        )

    def _certify(self, given: RowsLike, rows: Rows, labels: Labels, order: IntArray, seed: int) -> Self:
        super()._certify(given, rows, labels, order, seed)
        if self.refit:
            self.row_hashes_ = hash_rows(rows)
        return self

    def transfer(self, X_unlabelled: RowsLike, delta: float | None = None) -> Certificate:
        """Issue a certificate for ``refitted_``, the model trained on all rows, from fresh rows without labels.

        Where two models agree, both are right or both are wrong. So the error of the refitted model is at most that of
        the certified one, and the probability that they disagree, which is bounded by Clopper-Pearson on the unlabelled
        rows. A row that either of them answers differently in another batch counts as a disagreement.

        Parameters
        ----------
        X_unlabelled : array_like or data frame, shape (m, d)
            Further draws from the distribution of the rows of ``fit``, which played no part in any fit or choice.
        delta : float, optional
            What the bound on the disagreement adds to the probability of failure, in (0, 1); a fifth of the
            certificate's delta by default. The new certificate's delta is the sum of both, and its sentence says so.

        Returns
        -------
        Certificate
            About ``refitted_.predict``; its value is the sum of both bounds. It holds together with ``certificate_``.

        Examples
        --------
        >>> import pacbayes as pb
        >>> sample = pb.datasets.make_known_risk(3000, d=3, random_state=0)
        >>> model = pb.CertifiedClassifier(refit=True, random_state=0).fit(sample.X[:2000], sample.y[:2000])
        >>> certificate = model.transfer(sample.X[2000:])
        >>> certificate.delta, round(certificate.value, 4), certificate.statements[0].observed
        (0.06, 0.2393, {'disagreements': 48})
        """
        rows = self._rows(X_unlabelled)
        if not hasattr(self, "refitted_"):
            raise ValueError(
                f"transfer needs a model that was refitted on all rows: fit {type(self).__name__} with refit=True."
            )
        added = transfer_delta(self.certificate_) if delta is None else single_number("transfer", "delta", delta)
        return Transfer(source=self.certificate_, delta=added).certify_models(self.models(), rows)

    def models(self) -> Pair:
        """Return the certified model and the refitted one, with what is needed to count their disagreements."""
        check_is_fitted(self, "refitted_")
        return Pair(
            certified=self.estimator_,
            other=self.refitted_,
            classes=self.classes_,
            seed=seed_of(self.seed_, self.order_),
            seen=self.row_hashes_,
        )

    def fitted_numbers(self, X: RowsLike) -> dict[str, Any]:
        """Return the classes, what the fitted estimator predicts for these rows, and the refitted one if there is."""
        return {
            "classes_": self.classes_,
            "estimator_": State.of(self.estimator_),
            "predict": self.predict(X),
            **({"refitted_": State.of(self.refitted_)} if hasattr(self, "refitted_") else {}),
        }
