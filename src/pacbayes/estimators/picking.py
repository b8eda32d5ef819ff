"""Pick-to-learn around any classifier: it learns from the rows that it picks, and is certified by how few these are."""

from __future__ import annotations

import numbers
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from pacbayes._core.state import State
from pacbayes._core.types import (
    Classifier,
    FloatArray,
    IntArray,
    Labels,
    ProbabilityPredictor,
    RandomState,
    Rows,
    RowsLike,
)
from pacbayes.estimators.base import check_fraction
from pacbayes.estimators.wrapped import CertifiedWrapper
from pacbayes.learners import CrossValidatedLogistic, can_score
from pacbayes.procedures import PICKING_BOUNDS, Picked, Picking, Procedure

__all__ = ["PickToLearn"]


def _has_probabilities(model: PickToLearn) -> bool:
    return hasattr(getattr(model, "estimator_", model.base_estimator()), "predict_proba")


class PickToLearn(ClassifierMixin, CertifiedWrapper):  # type: ignore[misc]
    """Any scikit-learn classifier with a decision score, learning from the rows that it picks itself.

    A first model learns from a share of the rows. Then, round by round, the rows that the model is most wrong on are
    picked and it is fitted again, on the first rows and those picked. The fewer rows are picked, and the fewer of the
    others are wrong in the end, the smaller is the bound: no row is set aside to be judged only.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Cloned; it needs ``decision_function`` or ``predict_proba``. It is fitted on picked rows alone, so that
        preprocessing belongs into a pipeline. Random states that are left open are set, the same in each round. None
        is :class:`pacbayes.CrossValidatedLogistic`; :class:`pacbayes.RefittedLogistic` is the quickest, as it continues
        from its last solution.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    bound : {"pick_to_learn", "compression"}, default="pick_to_learn"
        To be chosen before the rows are looked at. "pick_to_learn" (:func:`pacbayes.bounds.pick_to_learn`) holds for
        one rule, here of picking the worst rows first. "compression" (:func:`pacbayes.bounds.compression_binomial`)
        holds for all sets of rows at once, and is larger unless few rows are picked.
    prior_fraction : float, default=0.3
        Share of the rows, in [0, 1), that teaches the first model and plays no part in the bound. With 0 there is
        no first model, and the first row is picked at random.
    rounds : int or None, default=40
        Most rounds of picking. None goes on until no row is wrong.
    growth : float, default=0.25
        A round picks at most this share of the rows picked before it, and at least one.
    early_stopping : bool, default=True
        Whether the round with the smallest bound is kept. For "compression" that costs nothing; for "pick_to_learn"
        each of the rounds has an even share of delta, so that ``rounds`` must be a number. Without it the last round is
        kept.
    candidates : int, default=1
        How many settings you compare by their certificates on the same rows; each is given ``delta/candidates``.
    progress : bool, default=False
        Whether to show each round on stderr.
    random_state : int, RandomState or None
        Of the shuffle, and of what the estimator draws.

    Attributes
    ----------
    certificate_ : Certificate
        About :meth:`predict`.
    estimator_ : classifier
        Fitted on the first rows and those picked.
    picked_ : ndarray
        Row numbers in the order in which they were picked.
    path_ : tuple of Picked
        For each round how many rows were picked, and the errors on the rows that were not.
    classes_ : ndarray
    order_ : ndarray
        The shuffled row numbers; the first ``n_learning_`` teach the first model.
    n_learning_ : int

    References
    ----------
    Paccagnan, Campi and Garatti, "The pick-to-learn algorithm", 2023.

    Examples
    --------
    >>> import pacbayes as pb
    >>> sample = pb.datasets.make_known_risk(2000, d=3, random_state=0)
    >>> model = pb.PickToLearn(pb.RefittedLogistic(), random_state=0).fit(sample.X, sample.y)
    >>> print(model.certificate_.sentence())
    With probability at least 95 % over the data, the true error of `predict` is at most 21.29 %.
    >>> model.certificate_.statements[0].observed
    {'size': 2, 'errors': 231, 'looks': 41}
    """

    classes_: Labels
    estimator_: Classifier
    picked_: IntArray
    path_: tuple[Picked, ...]
    n_learning_: int

    def __init__(
        self,
        estimator: Classifier | None = None,
        delta: float = 0.05,
        *,
        bound: str = "pick_to_learn",
        prior_fraction: float = 0.3,
        rounds: int | None = 40,
        growth: float = 0.25,
        early_stopping: bool = True,
        candidates: int = 1,
        progress: bool = False,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.delta = delta
        self.bound = bound
        self.prior_fraction = prior_fraction
        self.rounds = rounds
        self.growth = growth
        self.early_stopping = early_stopping
        self.candidates = candidates
        self.progress = progress
        self.random_state = random_state

    def base_estimator(self) -> Classifier:
        """Return the unfitted classifier that learns: the one that was given, or the default."""
        return CrossValidatedLogistic() if self.estimator is None else cast("Classifier", self.estimator)

    def _validate(self, X: RowsLike, y: ArrayLike | None) -> tuple[Rows, Labels]:
        owner = type(self).__name__
        self._check_rule(owner)
        rows, labels = super()._validate(X, y)
        inner = self.base_estimator()
        if not can_score(inner):
            raise ValueError(
                f"The 'estimator' parameter of {owner} must have decision_function or predict_proba. "
                f"Got {inner!r:.60} instead."
            )
        self.classes_ = np.unique(labels)
        return rows, labels

    def _check_rule(self, owner: str) -> None:
        if not isinstance(self.bound, str) or self.bound not in PICKING_BOUNDS:
            raise ValueError(
                f"The 'bound' parameter of {owner} must be one of {', '.join(PICKING_BOUNDS)}. "
                f"Got {self.bound!r:.60} instead."
            )
        if self.prior_fraction != 0:
            check_fraction(owner, "prior_fraction", self.prior_fraction)
        whole = isinstance(self.rounds, numbers.Integral) and not isinstance(self.rounds, bool)
        if self.rounds is not None and not (whole and 0 <= int(self.rounds) <= 10_000):
            raise ValueError(
                f"The 'rounds' parameter of {owner} must be a whole number from 0 to 10000, or None. "
                f"Got {self.rounds!r} instead."
            )
        if self.rounds == 0 and self.prior_fraction == 0:
            raise ValueError(f"The 'rounds' parameter of {owner} must be at least 1 without prior rows. Got 0 instead.")
        real = isinstance(self.growth, numbers.Real) and not isinstance(self.growth, bool)
        if not (real and 0.0 <= float(self.growth) <= 1e6):
            raise ValueError(
                f"The 'growth' parameter of {owner} must be a number between 0 and 1e6. Got {self.growth!r} instead."
            )
        if not isinstance(self.early_stopping, bool | np.bool_):
            raise ValueError(  # noqa: TRY004
                f"The 'early_stopping' parameter of {owner} must be True or False. Got {self.early_stopping!r} instead."
            )
        if self.early_stopping and self.rounds is None and self.bound == "pick_to_learn":
            raise ValueError(
                f"The 'rounds' parameter of {owner} must be a number where early stopping is to share delta among "
                "them. Got None; pass early_stopping=False, or bound='compression'."
            )

    def _procedure(self, rows: int) -> Procedure:
        del rows
        return Picking(
            learner=self.base_estimator(),
            delta=float(self.delta),
            first=float(self.prior_fraction),
            rounds=None if self.rounds is None else int(self.rounds),
            growth=float(self.growth),
            early_stopping=bool(self.early_stopping),
            bound=self.bound,
            candidates=int(self.candidates),
            progress=bool(self.progress),
        )

    def predict(self, X: RowsLike) -> Labels:
        """Return the predictions that the certificate is about."""
        rows = self._rows(X)
        return np.asarray(self.estimator_.predict(rows))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: RowsLike) -> FloatArray:
        """Return the fitted estimator's probabilities, if it has such; zero for classes that it was not taught."""
        rows, model = self._rows(X), cast("ProbabilityPredictor", self.estimator_)
        given = np.asarray(model.predict_proba(rows))
        found: FloatArray = np.zeros((given.shape[0], self.classes_.size))
        found[:, np.searchsorted(self.classes_, model.classes_)] = given
        return found

    def fitted_numbers(self, X: RowsLike) -> dict[str, Any]:
        """Return the classes, the rows that were picked, the fitted estimator, and what it predicts for these rows."""
        return {
            "classes_": self.classes_,
            "picked_": self.picked_,
            "estimator_": State.of(self.estimator_),
            "predict": self.predict(X),
        }
