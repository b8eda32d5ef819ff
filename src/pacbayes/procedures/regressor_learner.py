"""Any regressor of scikit-learn's kind as a learner of a split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from pacbayes._core.answers import Answers
from pacbayes._core.predictions import NO_NUMBER, finite_numbers
from pacbayes._core.rows import take
from pacbayes._core.steadiness import ask_in_blocks, seed_of
from pacbayes._core.types import BoolArray, FloatArray, IntArray, Predictor, Regressor, Rows
from pacbayes.certificate import Choice
from pacbayes.metrics import Judged, LossRule
from pacbayes.procedures.base import Sample
from pacbayes.procedures.split import Tally

__all__ = ["LearnedRegressor", "RegressorLearner", "predict_numbers"]

_SAME = 1e-5  # of the scale: what sums in another order or in single precision may change in a prediction


def predict_numbers(
    model: Predictor,
    X: Rows,
    labels: FloatArray,
    seeds: Sequence[int],
    scale: float,
    rows: IntArray | None = None,
) -> FloatArray:
    """Return what a model predicts for rows, asked in several batches: of each row the answer farthest from its label.

    A prediction that is not finite is NaN. A model with many predictions that depend on their batch is refused. Labels
    are those of ``rows`` of X, or of all of them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from pacbayes.procedures.regressor_learner import predict_numbers
    >>> X, y = np.arange(10.0)[:, None], np.arange(10.0)
    >>> predict_numbers(LinearRegression().fit(X, y), X, y, [0], 1.0).round(4).tolist()[-2:]
    [8.0, 9.0]
    """
    within = _SAME * scale

    def errs(answers: Answers) -> BoolArray:  # more than half of the rows, and more than by rounding
        with np.errstate(over="ignore"):
            distance = np.abs(answers.farthest_from(labels) - labels)
            return np.asarray(distance > np.median(distance) + within)

    places = np.arange(labels.size) if rows is None else rows
    worst = ask_in_blocks(model, _ask_numbers, X, places, seeds, within=within, errs=errs).farthest_from(labels)
    return np.where(worst == NO_NUMBER, np.nan, worst)


def _ask_numbers(asked: Predictor, rows: Rows, part: IntArray) -> FloatArray:
    """Return predictions for some of the rows of a block."""
    return finite_numbers(type(asked).__name__, asked.predict(take(rows, part)), part.size)


@dataclass(frozen=True, slots=True)
class RegressorLearner:
    """Any regressor or pipeline of scikit-learn's kind; it is cloned before it learns.

    Attributes
    ----------
    regressor : regressor
    rule : LossRule
        The loss; where it has no scale yet, the labels of the first rows give it.
    first : int
        How many rows of the order these are: all come before the first row that may be judged.
    """

    regressor: Regressor
    rule: LossRule
    first: int

    def learn(self, sample: Sample, count: int) -> LearnedRegressor:
        """Fit on the first rows of the order."""
        rows = sample.order[:count]
        parameters = {name: values[rows] for name, values in sample.fit_parameters.items()}
        model = clone(self.regressor).fit(take(sample.X, rows), sample.y[rows], **parameters)
        scale = self.rule.measure(sample.y[sample.order[: self.first]])
        return LearnedRegressor(model, self.rule, scale, self.first)


@dataclass(frozen=True, slots=True)
class LearnedRegressor:
    """A fitted regressor, and what its errors are measured by."""

    model: Predictor
    rule: LossRule
    scale: float
    first: int
    digests: Mapping[str, str] = field(default_factory=dict)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The scale or tolerance, and the rule that gave it."""
        name = self.rule.loss.parameter
        if self.rule.given is not None:
            return (Choice(name, self.scale, "given"),)
        return (
            Choice(name, self.scale, "learning_rows"),
            Choice(f"{name}_rule", "label_spread", "given"),
            Choice(f"{name}_rows", self.first, "given"),
        )

    @property
    def fitted(self) -> dict[str, Any]:
        """What an estimator keeps."""
        return {"estimator_": self.model, f"{self.rule.loss.parameter}_": self.scale}

    @property
    def stored(self) -> dict[str, Any]:
        """The fitted regressor itself."""
        return {"predictor": self.model}

    def count_errors(self, sample: Sample, start: int, stop: int) -> int | Tally:
        """Add up the losses on rows between two positions of the order, asked once."""
        rows = sample.order[start:stop]
        if not rows.size:
            return Tally(0.0, 0.0) if self.rule.loss.is_graded else 0
        found = finite_numbers(type(self.model).__name__, self.model.predict(take(sample.X, rows)), rows.size)
        predictions = np.where(found == NO_NUMBER, np.nan, found)
        losses = self.rule.loss.values(sample.y[rows], predictions, self.scale)
        return Tally(float(losses.sum()), float((losses**2).sum())) if self.rule.loss.is_graded else int(losses.sum())

    def judge(self, sample: Sample, start: int) -> Judged:
        """Predict the rows from a position of the order on; of answers that depend on the batch the worst counts."""
        rows = sample.order[start:]
        labels = sample.y[rows]
        seeds = seed_of(sample.seed, labels)
        predictions = predict_numbers(self.model, sample.X, labels, seeds, self.scale, rows)
        assumptions = () if self.rule.given is None else ("scale_before",)
        return Judged(labels, predictions, scale=self.scale, assumptions=assumptions)
