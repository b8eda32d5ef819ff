"""Linear learning for two classes: transformed rows, penalty, weights and a Gaussian around them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import check_array

from pacbayes._core.digests import digest_of_arrays
from pacbayes._core.prefit import refuse_prefit
from pacbayes._core.rows import refuse_text, take
from pacbayes._core.steadiness import Answers, ask_row_by_row, seed_of
from pacbayes._core.types import FloatArray, IntArray, Labels, Rows, Transformer
from pacbayes.certificate import Choice
from pacbayes.metrics import Judged
from pacbayes.posteriors import Gaussian
from pacbayes.procedures import prior as learning
from pacbayes.procedures.base import Sample

__all__ = ["LinearForm", "LinearLearner", "TransformedRows", "gaussian_digest", "learn_preprocessing"]

_BLOCK = 8192
# Of the posterior, relative to its shape: where nothing is gained by width, draws should hardly differ from the vote.
_SCALE = 2.0**-10


@dataclass(frozen=True, slots=True)
class LinearForm:
    """A linear predictor over transformed rows: the second class where ``w.x`` plus the intercept is positive."""

    preprocessing: Transformer
    weights: FloatArray
    intercept: float


@dataclass(frozen=True, slots=True)
class TransformedRows:
    """The rows in their order behind preprocessing that was learned on the first of them."""

    X: Rows
    order: IntArray
    signs: FloatArray
    count: int
    preprocessing: Transformer

    def blocks(self, start: int, stop: int) -> Iterator[tuple[slice, Any]]:
        """Yield stretches of transformed rows."""
        for low in range(start, stop, _BLOCK):
            part = slice(low, min(low + _BLOCK, stop))
            yield part, self.transform(self.preprocessing, self.order[part])

    def transform(self, preprocessing: Transformer, rows: IntArray) -> Any:
        """Transform the rows of these numbers."""
        values = preprocessing.transform(take(self.X, rows))
        refuse_text("What preprocessing gives", values)
        try:
            return check_array(values, accept_sparse="csr", dtype=np.float64)
        except ValueError as error:
            raise ValueError(f"The preprocessing must give finite numbers. {error}") from None

    def ask(self, answer: Callable[[IntArray, Any], Any], start: int, seed: int, **options: Any) -> Answers:
        """Ask about the rows from a position on, in different batches; ``answer`` is given positions and their rows.

        A row's columns may differ in their last digits, and not in what is made of them.
        """

        def ask(preprocessing: Transformer, part: IntArray) -> Any:
            places = [start + part[low : low + _BLOCK] for low in range(0, part.size, _BLOCK)]
            return np.concatenate([answer(each, self.transform(preprocessing, self.order[each])) for each in places])

        seeds = seed_of(seed, self.signs[start:])
        return ask_row_by_row(self.preprocessing, ask, self.signs.size - start, seeds, verb="transform", **options)

    def matrix(self, stop: int) -> Any:
        """Return the first rows as one matrix, filled block by block so that only one copy is made."""
        result: FloatArray | None = None
        parts = []
        for part, block in self.blocks(0, stop):
            if sp.issparse(block):
                parts.append(block)
                continue
            if result is None:
                result = np.empty((stop, block.shape[1]))
            result[part] = block
        return sp.vstack(parts, format="csr") if parts else result


def learn_preprocessing(sample: Sample, count: int, preprocessing: Transformer, classes: Labels) -> TransformedRows:
    """Fit preprocessing on the first rows of the order alone, and put all rows behind it."""
    first = sample.order[:count]
    refuse_prefit("CertifiedLogisticRegression", "'preprocessing' parameter", preprocessing, len(sample.y))
    fitted = clone(preprocessing).fit(take(sample.X, first), sample.y[first])
    signs = np.where(sample.y[sample.order] == classes[1], 1.0, -1.0)
    return TransformedRows(sample.X, sample.order, signs, count, fitted)


def gaussian_digest(classes: Labels, prior: Gaussian, posterior: Gaussian) -> str:
    """Return the SHA-256 of everything fitted behind the preprocessing."""
    return digest_of_arrays(
        classes=classes,
        prior_mean=prior.mean,
        prior_covariance=prior.covariance,
        mean=posterior.mean,
        covariance=posterior.covariance,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearLearner:
    """Penalised logistic regression for two classes, with a narrow Gaussian around its weights.

    Attributes
    ----------
    classes : ndarray
        The two labels.
    preprocessing : transformer
        Unfitted; it learns from the learning rows alone.
    alpha : float or None
        The penalty; None has it chosen by cross-validation on the learning rows.
    shape : {"laplace", "isotropic"}
        Of the Gaussian.
    """

    classes: Labels
    preprocessing: Transformer
    alpha: float | None = None
    shape: str = "laplace"

    def learn(self, sample: Sample, count: int) -> LearnedLinear:
        """Learn preprocessing, penalty, weights and shape from the first rows."""
        rows = learn_preprocessing(sample, count, self.preprocessing, self.classes)
        X, signs = rows.matrix(count), rows.signs[:count]
        alpha = self.alpha
        if alpha is None:
            held = learning.cross_validate(X, signs, learning.ALPHAS, None)
            alpha = float(learning.ALPHAS[int(np.argmin(held.errors()))])
        around = learning.shaped(X, signs, learning.Solver().fit(X, signs, alpha), alpha, self.shape)
        return LearnedLinear(self, rows, alpha, around.scaled(_SCALE), sample.seed)


@dataclass(frozen=True, slots=True)
class LearnedLinear:
    """The fitted predictor: the Gaussian's mean votes, its draws hardly differ from it."""

    learner: LinearLearner
    rows: TransformedRows
    alpha: float
    gaussian: Gaussian
    seed: int

    @property
    def choices(self) -> list[Choice]:
        """What was chosen on the learning rows."""
        return [
            Choice("preprocessing", type(self.rows.preprocessing).__name__, "learning_rows"),
            Choice("alpha", self.alpha, "learning_rows" if self.learner.alpha is None else "given"),
            Choice("prior_shape", self.learner.shape, "given"),
            Choice("prior_scale", _SCALE, "given"),
            Choice("seed_of_draws", self.seed, "given"),
        ]

    @property
    def digests(self) -> dict[str, str]:
        """The SHA-256 of the fitted numbers."""
        return {"model": gaussian_digest(self.learner.classes, self.gaussian, self.gaussian)}

    @property
    def fitted(self) -> dict[str, Any]:
        """What an estimator keeps."""
        return {
            "preprocessing_": self.rows.preprocessing,
            "alpha_": self.alpha,
            "prior_": self.gaussian,
            "posterior_": self.gaussian,
            "reference_": None,
        }

    @property
    def stored(self) -> Mapping[str, Any]:
        """The predictor as plain numbers."""
        mean = self.gaussian.mean
        return {"linear": LinearForm(self.rows.preprocessing, mean[:-1], float(mean[-1]))}

    def count_errors(self, sample: Sample, start: int, stop: int) -> int:
        """Count the errors of the mean on rows between two positions of the order."""
        del sample  # the rows are those it learned with
        scores = [(part, self.gaussian.projections(block)[1]) for part, block in self.rows.blocks(start, stop)]
        return sum(int(np.count_nonzero((centre > 0.0) != (self.rows.signs[part] > 0.0))) for part, centre in scores)

    def judge(self, sample: Sample, start: int) -> Judged:
        """Predict with the mean, and with one draw per row that follows from the seed."""
        noise = np.random.default_rng(self.seed).standard_normal(self.rows.signs.size)

        def answer(places: IntArray, block: Any) -> IntArray:
            spread, centre = self.gaussian.projections(block)
            return np.column_stack([centre > 0.0, centre + spread * noise[places] > 0.0]).astype(np.int64)

        truth = (self.rows.signs[start:] > 0.0).astype(np.int64)
        found = self.rows.ask(answer, start, self.seed, truth=truth).wrong_where_different(truth)
        classes = self.learner.classes
        return Judged(sample.y[sample.order[start:]], classes[found[:, 0]], classes[found[:, 1]])
