"""References beyond a plain predictor: losses averaged over a posterior, and learned predictions of a loss."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import Ridge

from pacbayes._core.types import Classifier, FloatArray, Labels, Matrix, Regressor, RowsLike
from pacbayes.learners import RefittedLogistic
from pacbayes.posteriors import Gaussian

__all__ = ["LearnedReference", "StochasticReference"]


class StochasticReference(BaseEstimator):  # type: ignore[misc]
    """A linear estimator whose 0-1 loss is averaged over a Gaussian around its weights.

    Exactly for two classes; over draws for more, which is a reference like any other, as the draws do not depend on
    the example.

    Parameters
    ----------
    estimator : linear classifier, optional
        With ``coef_`` and ``intercept_`` after fitting; :class:`RefittedLogistic` by default.
    variance : float, default=0.1
        Of the isotropic Gaussian.
    draws : int, default=100
        How many, for more than two classes.
    random_state : int, default=0
        Of the draws.

    Examples
    --------
    >>> import pacbayes as pb
    >>> sample = pb.datasets.make_known_risk(400, random_state=0)
    >>> model = pb.StochasticReference(variance=0.1)
    >>> reference = pb.online_reference(model, sample.X, sample.y, schedule=pb.Every(100), random_state=0)
    >>> bool(((reference.losses > 0) & (reference.losses < 1)).any())
    True
    """

    def __init__(
        self, estimator: Classifier | None = None, variance: float = 0.1, *, draws: int = 100, random_state: int = 0
    ) -> None:
        self.estimator = estimator
        self.variance = variance
        self.draws = draws
        self.random_state = random_state

    def fit(self, X: RowsLike, y: ArrayLike) -> StochasticReference:
        """Fit the estimator and centre the Gaussian there."""
        if not hasattr(self, "estimator_"):
            self.estimator_ = RefittedLogistic() if self.estimator is None else clone(self.estimator)
        self.estimator_.fit(X, y)
        self.classes_ = self.estimator_.classes_
        mean = np.column_stack([self.estimator_.coef_, self.estimator_.intercept_])
        self.posterior_ = Gaussian(mean[0] if len(mean) == 1 else mean, self.variance, intercept=True)
        return self

    def reference_losses(self, X: RowsLike, y: ArrayLike) -> FloatArray:
        """Return the expected 0-1 losses; a label that was not met in the past is always an error."""
        labels = np.asarray(y)
        if self.posterior_.mean.ndim == 1:
            known = np.isin(labels, self.classes_)
            stand_in = np.where(known, labels, self.classes_[0])
            return np.where(known, self.posterior_.zero_one(X, stand_in, classes=self.classes_), 1.0)
        weights = self.posterior_.sample(self.draws, np.random.default_rng(self.random_state))
        predictions = self.classes_[np.argmax(self.posterior_.scores(weights, X), axis=-1)]
        return np.asarray((predictions != labels).mean(axis=0))


class LearnedReference(BaseEstimator):  # type: ignore[misc]
    """A model of the past that predicts the loss of the next example from its features *and its label*.

    On the past, the estimator is fitted on the first half and its losses on the second are the targets of a regressor
    that sees features, label and the estimator's margin. What it says for a new example, clipped to [0, 1], is the
    reference.

    Parameters
    ----------
    estimator : classifier for two classes, optional
        :class:`RefittedLogistic` by default.
    regressor : regressor, optional
        Ridge regression by default.

    Examples
    --------
    >>> import pacbayes as pb
    >>> sample = pb.datasets.make_known_risk(600, random_state=0)
    >>> options = {"schedule": pb.Every(200), "random_state": 0}
    >>> reference = pb.online_reference(pb.LearnedReference(), sample.X, sample.y, **options)
    >>> float(reference.losses.max()) <= 1.0
    True
    """

    def __init__(self, estimator: Classifier | None = None, regressor: Regressor | None = None) -> None:
        self.estimator = estimator
        self.regressor = regressor

    def fit(self, X: Matrix, y: Labels) -> LearnedReference:
        """Learn from the past which examples are hard."""
        self.estimator_ = RefittedLogistic() if self.estimator is None else clone(self.estimator)
        self.regressor_ = Ridge() if self.regressor is None else clone(self.regressor)
        self.classes_ = np.unique(y)
        half = len(y) // 2
        one_sided = len(np.unique(y[:half])) < len(self.classes_)
        self.estimator_.fit(X if one_sided else X[:half], y if one_sided else y[:half])
        rows = slice(0, len(y)) if one_sided else slice(half, len(y))
        wrong = (self.estimator_.predict(X[rows]) != y[rows]).astype(np.float64)
        self.regressor_.fit(self._features(X[rows], y[rows]), wrong)
        return self

    def _features(self, X: Matrix, y: Labels) -> FloatArray:
        dense = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
        label = (np.asarray(y) == self.classes_[-1]).astype(np.float64)
        margin = np.asarray(self.estimator_.decision_function(X)) * (2.0 * label - 1.0)
        return np.column_stack([dense, label, margin, np.tanh(margin)])

    def reference_losses(self, X: Matrix, y: Labels) -> FloatArray:
        """Return the predicted losses, clipped to [0, 1]."""
        return np.asarray(np.clip(self.regressor_.predict(self._features(X, y)), 0.0, 1.0))
