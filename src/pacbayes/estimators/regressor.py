"""Any regressor with a certificate: learned on a part of the rows, judged on the rest by a bounded loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pacbayes._core.arguments import finite_double, show_number
from pacbayes._core.state import State
from pacbayes._core.types import FloatArray, Labels, RandomState, Regressor, Rows, RowsLike
from pacbayes.estimators.wrapped import CertifiedSplit
from pacbayes.metrics import LossRule, Questions, get_loss, read_group_columns
from pacbayes.procedures import Procedure, RegressorLearner, Split
from pacbayes.procedures.given import predicted_numbers

__all__ = ["CertifiedRegressor", "make_rule"]

_PENALTIES = tuple(10.0 ** (power / 2.0) for power in range(-6, 11))


def make_rule(owner: str, loss: object, scale: object, tolerance: object, *, required: bool) -> LossRule:
    """Return the loss and what it is measured by, or say what they must be.

    Parameters
    ----------
    owner : str
        Whose parameters these are, for messages.
    loss, scale, tolerance : object
        As given; None for one that is not.
    required : bool
        Whether the scale or tolerance has to be given, since there are no learning rows to take it from.
    """
    parameter = get_loss(owner, loss).parameter
    given = {"scale": scale, "tolerance": tolerance}
    value, other = given.pop(parameter), next(iter(given))
    if given[other] is not None:
        raise ValueError(
            f"The {other!r} parameter of {owner} must be None for loss={loss!r}, which takes {parameter}=."
        )
    if value is None:
        if required:
            raise ValueError(
                f"The {parameter!r} parameter of {owner} must be given for loss={loss!r}: a positive number, fixed "
                "before these rows were looked at. Got None instead."
            )
        return LossRule(str(loss))
    number = finite_double(value)
    if number is None or number <= 0.0:
        raise ValueError(
            f"The {parameter!r} parameter of {owner} must be a positive number. Got {show_number(value)} instead."
        )
    return LossRule(str(loss), number)


class CertifiedRegressor(RegressorMixin, CertifiedSplit):  # type: ignore[misc]
    """Any scikit-learn regressor or pipeline, with a limit on the true mean of a bounded loss of its predictions.

    The rows are shuffled; the estimator is trained on a first part and evaluated on the rest, as in
    :class:`pacbayes.CertifiedClassifier`. Losses have to be bounded for any limit to hold without assumptions about
    their distribution: an error is counted up to a scale, or by whether it exceeds a tolerance, and the sentence says
    so. The scale is fixed before any judged row is looked at. A prediction that is not finite has the largest loss.

    Parameters
    ----------
    estimator : regressor or None, default=None
        Cloned; preprocessing inside a pipeline is then learned from the learning rows alone, and so is whatever a
        search inside chooses, which costs nothing: ``CertifiedRegressor(GridSearchCV(...))``. None is ridge regression
        on columns of equal variance, its penalty chosen by cross-validation.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    loss : {"absolute", "squared", "within"}, default="absolute"
        ``min(|y - f|, scale)/scale``; its square; or whether ``|y - f|`` exceeds ``tolerance``. The first two are
        bounded by :func:`pacbayes.bounds.sequential`, the last by the exact binomial limit.
    scale : float or None, default=None
        The most that an absolute error counts, in the units of the labels: larger errors count as this one. With
        ``loss="squared"`` errors are counted up to it before they are squared. None takes the distance between the 5 %
        and the 95 % quantile of the labels of the first learning rows, to two digits.
    tolerance : float or None, default=None
        The largest error that is no miss, with ``loss="within"``. None takes a quarter of that distance.
    split : float or "adaptive", default="adaptive"
        Share of the rows to learn from, in (0, 1); "adaptive" has it found on the way, for the cost of fits on at most
        two and a half times all rows. Without a scale it is then taken from the rows before the first possible stop,
        two fifths of all.
    groups : str, int or sequence of them, default=None
        Columns of X, by name or position: the loss is stated for each group of rows with the same values in them, too.
    candidates : int, default=1
        How many settings you compare by their certificates on the same rows; each is given ``delta/candidates``.
    random_state : int, RandomState or None
        Of the shuffle.

    Attributes
    ----------
    certificate_ : Certificate
        About :meth:`predict`. ``certificate_.limit`` is in the units of the labels (squared, for squared errors),
        ``certificate_.value`` relative to the scale.
    estimator_ : regressor
        Fitted on the learning rows.
    scale_, tolerance_ : float
        What errors were measured by, whichever the loss has.
    order_ : ndarray
        The shuffled row numbers; the first ``n_learning_`` are the learning rows.
    n_learning_ : int
    curve_ : tuple of Point
        The learning curve that the stop was chosen by: for each snapshot the rows it learned from, the sum of its
        losses, and on how many of the later learning rows. Empty if the share was fixed.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from sklearn.datasets import make_regression
    >>> X, y = make_regression(2000, 5, noise=10.0, random_state=0)
    >>> model = pb.CertifiedRegressor(scale=50, random_state=0).fit(X, y)
    >>> print(model.certificate_.sentence())
    With probability at least 95 % over the data, the mean absolute error of `predict`, counted up to 50, is at most \
8.251.
    >>> model = pb.CertifiedRegressor(loss="within", tolerance=20, random_state=0).fit(X, y)
    >>> print(model.certificate_.sentence())
    With probability at least 95 % over the data, `predict` misses by more than 20 in at most 6.44 % of cases.
    """

    _of_numbers: ClassVar[bool] = True
    estimator_: Regressor

    _in_blocks: ClassVar[bool] = True

    def __init__(
        self,
        estimator: Regressor | None = None,
        delta: float = 0.05,
        *,
        loss: str = "absolute",
        scale: float | None = None,
        tolerance: float | None = None,
        split: float | str = "adaptive",
        groups: str | int | Sequence[str | int] | None = None,
        candidates: int = 1,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.delta = delta
        self.loss = loss
        self.scale = scale
        self.tolerance = tolerance
        self.split = split
        self.groups = groups
        self.candidates = candidates
        self.random_state = random_state

    def base_estimator(self) -> Regressor:
        """Return the unfitted regressor that learns: the one that was given, or the default."""
        if self.estimator is not None:
            return self.estimator  # type: ignore[no-any-return]
        # ridge regression centres the columns itself, and so keeps sparse rows sparse
        return make_pipeline(StandardScaler(with_mean=False), RidgeCV(alphas=_PENALTIES))  # type: ignore[no-any-return]

    def _rule(self) -> LossRule:
        return make_rule(type(self).__name__, self.loss, self.scale, self.tolerance, required=False)

    def _questions(self) -> Questions:
        return Questions((self._rule().name,), read_group_columns(type(self).__name__, self._group_columns()))

    def _validate(self, X: RowsLike, y: ArrayLike | None) -> tuple[Rows, Labels]:
        asked = self._questions()
        self._forget("scale_", "tolerance_")
        rows, labels = super()._validate(X, y)
        self._check_groups(asked, rows)
        return rows, labels

    def _procedure(self, rows: int) -> Procedure:
        rule, stop = self._rule(), self._stop()
        return Split(
            learner=RegressorLearner(self.base_estimator(), rule, first=stop.times(rows)[0]),
            stop=stop,
            delta=float(self.delta),
            candidates=int(self.candidates),
            bound=rule.loss.bound,
            questions=self._questions(),
        )

    def fitted_numbers(self, X: RowsLike) -> dict[str, Any]:
        """Return what the fitted estimator predicts for these rows, and what its errors were measured by."""
        return {
            "estimator_": State.of(self.estimator_),
            "measure": self.scale_ if hasattr(self, "scale_") else self.tolerance_,
            **self._predicted(X),
        }

    def _predicted(self, X: RowsLike) -> dict[str, FloatArray | Labels]:
        """Return predictions, and apart from them which of them are finite, since NaN does not equal itself."""
        found = predicted_numbers(type(self).__name__, self.predict(X), self._rows(X).shape[0])
        return {"predict": np.nan_to_num(found, nan=0.0), "finite": np.isfinite(found)}
