"""A forest that learns from all rows, with a certificate on its vote from the rows that each tree has not seen."""

from __future__ import annotations

import numbers
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.tree import DecisionTreeClassifier

from pacbayes._core.state import State
from pacbayes._core.types import Classifier, IntArray, Labels, Predictor, RandomState, Rows, RowsLike, Transformer
from pacbayes.estimators.base import check_fraction
from pacbayes.estimators.wrapped import PreparingClassifier
from pacbayes.learners import WeightedVote
from pacbayes.procedures import VOTE_BOUNDS, ClassifierLearner, OutOfBag, Procedure

__all__ = ["CertifiedForest"]

_MOST = 10_000  # of trees: the pairs of them are counted one by one
_CHOICES = {"bound": VOTE_BOUNDS, "weights": ("optimised", "even")}


class CertifiedForest(PreparingClassifier):
    """A random forest, or a vote of any classifiers, that learns from **all** rows, with a limit on its true error.

    Each tree learns from a sample of the rows, drawn without looking at them, and is judged on the rows that the sample
    leaves out. Each row is a learning row of some trees and a judged row of others. The weights of the trees in the
    vote are those with the smallest bound, which holds for all weights at once. :meth:`predict` is deterministic: the
    class with the largest weight.

    The certificate starts from how often trees err, or two of them together, and a vote can be far better than that: it
    is often two to four times the error that the forest will have. Where a tight limit is the aim,
    ``CertifiedClassifier(RandomForestClassifier())`` gives one with a part of the rows.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What votes; cloned, each with random numbers of its own. None is a decision tree that looks at the square root
        of the number of columns at each node, which makes a random forest.
    n_estimators : int, default=100
        How many vote, between 2 and 10,000.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    bound : {"tandem", "first_order", "chebyshev_cantelli", "disagreement"}, default="tandem"
        The bound on the vote, chosen before the rows are looked at; the last is for two classes. "first_order" may give
        a smaller number, by weights that make the vote one of a few trees.
    max_samples : float, default=0.4
        Share of the rows in each sample, in (0, 1), or 1 with ``bootstrap``.
    bootstrap : bool, default=False
        Whether samples are drawn with replacement. Without it, all leave out the same number of rows, and a sample of
        half of the rows gives about the tree that one of all rows with replacement gives.
    weights : {"optimised", "even"}, default="optimised"
        Of the voters.
    preprocessing : transformer, "auto" or None, default=None
        As for :class:`pacbayes.CertifiedClassifier`; each voter learns its own from its sample.
    candidates : int, default=1
        How many settings you compare by their certificates on the same rows; each is given ``delta/candidates``.
    random_state : int, RandomState or None
        Of the samples and of the voters.

    Attributes
    ----------
    certificate_ : Certificate
        About :meth:`predict`.
    estimator_ : WeightedVote
        The vote.
    estimators_ : list of classifiers
        Those who vote.
    weights_ : ndarray of int
        Their weights.
    oob_error_ : float
        Share of rows on which at least half of the weight of those that have not learned from them errs.
    classes_ : ndarray
    order_ : ndarray

    Examples
    --------
    >>> import pacbayes as pb
    >>> sample = pb.datasets.make_known_risk(2000, d=3, separation=2.0, random_state=0)
    >>> model = pb.CertifiedForest(n_estimators=20, random_state=0).fit(sample.X, sample.y)
    >>> round(model.certificate_.value, 4), round(model.oob_error_, 4)
    (0.1918, 0.027)
    >>> model.certificate_.statements[0].n, int((model.weights_ > 0).sum())
    (694, 20)
    """

    class_weight = None  # which the estimator may have itself
    estimator_: WeightedVote
    weights_: IntArray
    oob_error_: float

    def __init__(
        self,
        estimator: Classifier | None = None,
        n_estimators: int = 100,
        delta: float = 0.05,
        *,
        bound: str = "tandem",
        max_samples: float = 0.4,
        bootstrap: bool = False,
        weights: str = "optimised",
        preprocessing: Transformer | str | None = None,
        candidates: int = 1,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.delta = delta
        self.bound = bound
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.weights = weights
        self.preprocessing = preprocessing
        self.candidates = candidates
        self.random_state = random_state

    def base_estimator(self) -> Classifier:
        """Return the unfitted classifier that votes: the one that was given, or the tree of a random forest."""
        if self.estimator is None:
            tree: Classifier = DecisionTreeClassifier(max_features="sqrt")
            return tree
        return super().base_estimator()

    @property
    def estimators_(self) -> list[Predictor]:
        """Those who vote."""
        return self.estimator_.voters_

    def fit(self, X: RowsLike, y: ArrayLike | None, *, in_order: bool = False) -> Self:
        """Learn the voters and issue the certificate of their vote.

        Parameters
        ----------
        X : array_like or data frame, shape (n, d)
            Rows.
        y : array_like, shape (n,)
            Labels.
        in_order : bool, default=False
            Must be False: rows are sampled at random, and none is later than another.
        """
        if in_order:
            raise ValueError(
                f"{type(self).__name__} samples rows at random, so that they cannot be taken in their order. "
                "Use CertifiedClassifier, which learns from the first and is judged on the later ones."
            )
        return super().fit(X, y)

    def _validate(self, X: RowsLike, y: ArrayLike | None) -> tuple[Rows, Labels]:
        owner = type(self).__name__
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known:
                raise ValueError(
                    f"The {name!r} parameter of {owner} must be one of {', '.join(map(repr, known))}. "
                    f"Got {getattr(self, name)!r:.60} instead."
                )
        self._check_numbers(owner)
        rows, labels = super()._validate(X, y)
        if self.bound == "disagreement" and self.classes_.size != 2:
            raise ValueError(
                f"The 'bound' parameter of {owner} may be 'disagreement' for two classes only. "
                f"Got {self.classes_.size} classes; use 'tandem'."
            )
        return rows, labels

    def _check_numbers(self, owner: str) -> None:
        count, share = self.n_estimators, self.max_samples
        if isinstance(count, bool) or not isinstance(count, numbers.Integral) or not 2 <= count <= _MOST:
            raise ValueError(
                f"The 'n_estimators' parameter of {owner} must be a whole number between 2 and {_MOST}. "
                f"Got {count!r} instead."
            )
        if self.bootstrap not in (True, False):
            raise ValueError(
                f"The 'bootstrap' parameter of {owner} must be True or False. Got {self.bootstrap!r:.60} instead."
            )
        whole = isinstance(share, numbers.Real) and not isinstance(share, bool) and share == 1
        if not (self.bootstrap and whole):
            check_fraction(owner, "max_samples", share)

    def _procedure(self, rows: int) -> Procedure:
        del rows
        return OutOfBag(
            learner=ClassifierLearner(self.base_estimator(), self._make_preprocessing()),
            voters=int(self.n_estimators),
            fraction=float(self.max_samples),
            replacement=bool(self.bootstrap),
            delta=float(self.delta),
            candidates=int(self.candidates),
            bound=self.bound,
            optimised=self.weights == "optimised",
        )

    def predict(self, X: RowsLike) -> Labels:
        """Return the class with the largest weight, which the certificate is about."""
        rows = self._rows(X)
        return self.estimator_.predict(rows)

    def fitted_numbers(self, X: RowsLike) -> dict[str, Any]:
        """Return the classes, the voters with their weights, and what they predict for these rows."""
        return {
            "classes_": self.classes_,
            "estimators_": State.of(self.estimators_),
            "weights_": self.weights_ / self.weights_.sum(),
            "oob_error_": self.oob_error_,
            "predict": self.predict(X),
        }
