"""Linear predictors for two classes: rows behind preprocessing, a stored form, and the digest of Gaussians."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from pacbayes._core.answers import Answers
from pacbayes._core.digests import digest_of_arrays
from pacbayes._core.labels import as_matrix
from pacbayes._core.prefit import refuse_prefit
from pacbayes._core.rows import refuse_text, take
from pacbayes._core.steadiness import ask_row_by_row, seed_of
from pacbayes._core.types import FloatArray, IntArray, Labels, Rows, Transformer
from pacbayes.posteriors import Gaussian
from pacbayes.procedures.base import Sample

__all__ = ["LinearForm", "TransformedRows", "gaussian_digest", "learn_preprocessing"]

_BLOCK = 8192


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
            return as_matrix(values)
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


def learn_preprocessing(
    owner: str, sample: Sample, count: int, preprocessing: Transformer, classes: Labels
) -> TransformedRows:
    """Fit preprocessing on the first rows of the order alone, and put all rows behind it; ``owner`` is for messages."""
    first = sample.order[:count]
    refuse_prefit(owner, "'preprocessing' parameter", preprocessing, len(sample.y))
    fitted = clone(preprocessing).fit(take(sample.X, first), sample.y[first])
    signs = np.where(sample.y[sample.order] == classes[1], 1.0, -1.0)
    return TransformedRows(sample.X, sample.order, signs, count, fitted)


def gaussian_digest(classes: Labels, prior: Gaussian, posterior: Gaussian, draw: FloatArray | None = None) -> str:
    """Return the SHA-256 of everything fitted behind the preprocessing, with the draw that is kept if there is one."""
    kept = {} if draw is None else {"draw": draw}
    return digest_of_arrays(
        classes=classes,
        prior_mean=prior.mean,
        prior_covariance=prior.covariance,
        mean=posterior.mean,
        covariance=posterior.covariance,
        **kept,
    )
