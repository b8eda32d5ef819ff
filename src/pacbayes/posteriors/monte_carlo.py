"""Any loss of any Gaussian over linear weights, by draws whose error is accounted for."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax

from pacbayes import losses as loss_functions
from pacbayes._core.arguments import refuse_masked, single, single_number
from pacbayes._core.exact import align_exactly, exact_array
from pacbayes._core.labels import checked_matrix, two_classes
from pacbayes._core.types import (
    FloatArray,
    IntArray,
    Labels,
    Matrix,
    RandomState,
    ReferenceLosses,
    RowsLike,
    SummaryOptions,
)
from pacbayes.posteriors.gaussian import Gaussian
from pacbayes.summary import Summary

__all__ = ["MonteCarlo"]

_CELLS = 4_000_000  # scores held at a time


class MonteCarlo:
    """Draws from a posterior, with the probability that their correction fails.

    Every statistic of the resulting :class:`Summary` is a one-sided limit: the plain mean over draws would be on the
    wrong side about half the time. ``delta`` is shared by all statistics and becomes part of the delta of any bound.

    To choose among several posteriors by their summaries, give each its share of delta, or draw afresh for the one
    chosen.

    Parameters
    ----------
    posterior : Gaussian
        With one row of weights for two classes, one row per class for more.
    draws : int, default=1000
        Number of independent draws.
    delta : float, default=0.01
        Probability that the correction may fail, in (0, 1).
    random_state : int, RandomState, Generator or None
        Where the draws come from.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(300, 2)), rng.integers(0, 3, 300)
    >>> posterior = pb.Gaussian(rng.normal(size=(3, 2)), 0.1)
    >>> summary = pb.MonteCarlo(posterior, draws=500, delta=0.01, random_state=0).summary(X, y)
    >>> summary.spent, summary.risk <= summary.bound("maurer", kl=2.0, delta=0.05)
    (0.01, True)
    """

    def __init__(
        self,
        posterior: Gaussian,
        draws: int = 1000,
        delta: float = 0.01,
        random_state: RandomState | np.random.Generator = None,
    ) -> None:
        self.posterior = posterior
        self.draws = int(single("MonteCarlo", "draws", draws))
        self.delta = single_number("MonteCarlo", "delta", delta)
        self.random_state = random_state

    def summary(
        self,
        X: RowsLike,
        y: ArrayLike,
        *,
        loss: str = "zero_one",
        classes: ArrayLike | None = None,
        reference: ArrayLike | ReferenceLosses | None = None,
        reference_kind: str | None = None,
        **options: Unpack[SummaryOptions],
    ) -> Summary:
        """Summarise the losses of the draws on these examples.

        Parameters
        ----------
        X, y : array_like
            Examples; labels of any values.
        loss : str, default="zero_one"
            A registered loss of labels or probabilities.
        classes : array_like, optional
            All labels in the order of the posterior's rows; by default those found in ``y``, sorted.
        reference : array_like or OnlineReference, optional
            Loss of the reference on each example.
        reference_kind, **options
            As in :meth:`Summary.from_losses`.
        """
        function = loss_functions.get(loss)
        if function.prediction == "value":
            raise ValueError(
                f"MonteCarlo.summary takes losses of labels or probabilities. Got {function.name!r} instead."
            )
        refuse_masked("The 'y' argument of MonteCarlo.summary", y)
        labels, matrix = exact_array(y), checked_matrix("MonteCarlo.summary", X, self._columns)
        if labels.shape != (matrix.shape[0],):
            raise ValueError(
                f"The 'y' argument of MonteCarlo.summary must have one label per row of X ({matrix.shape[0]}). "
                f"Got shape {labels.shape} instead."
            )
        known = self._classes(labels, classes)
        codes = np.searchsorted(known, labels) if classes is None else _codes(known, labels)
        kind, values = _losses_by_row(reference, reference_kind)
        weights = self.posterior.sample(self.draws, self.random_state)
        rows = max(1, _CELLS // (self.draws * max(1, known.size)))
        parts = []
        for start in range(0, labels.size, rows):
            block = slice(start, start + rows)
            losses = self._losses(weights, matrix[block], codes[block], function)
            part = None if values is None else values[block]
            parts.append(Summary.from_draws(losses, self.delta, part, reference_kind=kind, **options))
        if not parts:
            raise ValueError("The 'X' argument of MonteCarlo.summary must hold at least one row. Got none instead.")
        return reduce(add, parts)

    @property
    def _columns(self) -> int:
        return int(self.posterior.mean.shape[-1] - self.posterior.intercept)

    def _classes(self, labels: Labels, classes: ArrayLike | None) -> Labels:
        if self.posterior.mean.ndim == 1:
            return two_classes("MonteCarlo.summary", labels, classes)
        known = np.unique(labels) if classes is None else exact_array(classes)
        if known.size != self.posterior.mean.shape[0]:
            raise ValueError(
                f"The 'y' argument of MonteCarlo.summary must have {self.posterior.mean.shape[0]} distinct labels, one "
                f"per row of the posterior's weights, or 'classes' must name them. Got {known.size} instead."
            )
        return known

    def _losses(self, weights: FloatArray, X: Matrix, codes: IntArray, function: loss_functions.Loss) -> FloatArray:
        scores = self.posterior.scores(weights, X)
        two = self.posterior.mean.ndim == 1
        if function.prediction == "label":
            predictions: Labels = (scores > 0.0).astype(np.int64) if two else np.argmax(scores, axis=-1)
        else:
            predictions = expit(scores) if two else softmax(scores, axis=-1)
        return function(predictions, np.broadcast_to(codes, scores.shape[:2]))


def _losses_by_row(
    reference: ArrayLike | ReferenceLosses | None, kind: str | None
) -> tuple[str | None, NDArray[np.generic] | None]:
    """Return what a bound may assume of the reference, and its losses in the order of the rows, if it has any."""
    if isinstance(reference, ReferenceLosses):
        return reference.kind, None if reference.kind == "none" else reference.by_row()
    return kind, None if reference is None else np.asarray(reference)


def _codes(known: Labels, labels: Labels) -> IntArray:
    own, others = align_exactly(labels, known)
    matches = own[:, None] == others
    if not matches.any(axis=1).all():
        odd = labels[~matches.any(axis=1)][0]
        raise ValueError(
            f"The 'y' argument of MonteCarlo.summary must hold only {known.tolist()}. Got {odd!r} instead."
        )
    return np.asarray(matches.argmax(axis=1))
