"""Linear learning for two classes: transformed rows, penalty, weights and a Gaussian around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import check_array

from pacbayes._core.digests import digest_of_arrays
from pacbayes._core.rows import take
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
            yield part, self._transform(self.order[part])

    def _transform(self, rows: IntArray) -> Any:
        values = self.preprocessing.transform(take(self.X, rows))
        try:
            return check_array(values, accept_sparse="csr", dtype=np.float64)
        except ValueError as error:
            raise ValueError(f"The preprocessing must give finite numbers. {error}") from None

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
    fitted = clone(preprocessing).fit(take(sample.X, first), sample.y[first])
    _check_row_by_row(fitted, take(sample.X, first[:3]))
    signs = np.where(sample.y[sample.order] == classes[1], 1.0, -1.0)
    return TransformedRows(sample.X, sample.order, signs, count, fitted)


def _check_row_by_row(preprocessing: Transformer, rows: Rows) -> None:
    """Refuse preprocessing under which a row's columns depend on the rows it comes with."""
    together = _dense(preprocessing.transform(rows))
    alone = np.vstack([_dense(preprocessing.transform(take(rows, slice(k, k + 1)))) for k in range(rows.shape[0])])
    if together.shape != alone.shape or not np.allclose(together, alone, equal_nan=True):
        raise ValueError(
            "The 'preprocessing' parameter of CertifiedLogisticRegression must transform each row by itself. "
            f"Got {preprocessing!r}, whose result for a row depends on the rows it comes with."
        )


def _dense(values: Any) -> FloatArray:
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)


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

    def judge(self, sample: Sample, start: int) -> Judged:
        """Predict with the mean, and with one draw per row that follows from the seed."""
        size = self.rows.signs.size
        noise = np.random.default_rng(self.seed).standard_normal(size)
        vote, draw = np.zeros(size - start, dtype=np.int64), np.zeros(size - start, dtype=np.int64)
        for part, block in self.rows.blocks(start, size):
            spread, centre = self.gaussian.projections(block)
            here = slice(part.start - start, part.stop - start)
            vote[here], draw[here] = centre > 0.0, centre + spread * noise[part] > 0.0
        classes = self.learner.classes
        return Judged(sample.y[sample.order[start:]], classes[vote], classes[draw])
