"""Posteriors on finitely many predictors: ensembles and hypothesis grids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack, cast

import numpy as np
from numpy.typing import ArrayLike

from pacbayes import losses as loss_functions
from pacbayes._core.arguments import check_range, to_floats
from pacbayes._core.types import FloatArray, Predictor, ProbabilityPredictor, ReferenceLosses, RowsLike, SummaryOptions
from pacbayes.losses import predictor_losses
from pacbayes.numerics import categorical_kl
from pacbayes.summary import Summary

__all__ = ["Finite"]


class Finite:
    """A distribution over predictors that are listed, or over the rows of a matrix of losses.

    Parameters
    ----------
    weights : array_like, shape (H,)
        Posterior probabilities, summing to 1 within 1e-9.
    predictors : sequence of objects, optional
        Each with ``predict`` (and ``predict_proba`` and ``classes_`` for losses of probabilities), in the labels of
        ``y``. The trees inside scikit-learn's forests predict numbers ``0, 1, ...`` in place of labels; encode ``y``
        accordingly.
    losses : array_like, shape (H, n), optional
        In place of predictors: the loss of each on each example, in [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> posterior = pb.Finite([0.5, 0.5, 0.0], losses=[[0, 1, 0], [0, 0, 0], [1, 1, 1]])
    >>> round(posterior.kl(), 6)  # from the even prior
    0.405465
    >>> round(posterior.summary().risk, 6)
    0.166667
    """

    def __init__(
        self,
        weights: ArrayLike,
        predictors: Sequence[Predictor | ProbabilityPredictor] | None = None,
        *,
        losses: ArrayLike | None = None,
    ) -> None:
        self.weights = _probabilities("weights", weights)
        if (predictors is None) == (losses is None):
            raise ValueError("Finite takes either 'predictors' or 'losses'. Got both or neither instead.")
        self.predictors = None if predictors is None else list(predictors)
        self._losses = None if losses is None else to_floats("Finite", "losses", losses)
        count = len(self.predictors) if self._losses is None else len(self._losses)  # type: ignore[arg-type]
        if count != self.weights.size:
            raise ValueError(
                f"The 'weights' argument of Finite must have one entry per predictor ({count}). "
                f"Got {self.weights.size} instead."
            )
        if self._losses is not None:
            check_range("Finite", "losses", self._losses, 0.0, 1.0, "lie in [0, 1]")

    def kl(self, prior: ArrayLike | None = None) -> float:
        """Divergence ``sum_h rho_h log(rho_h/pi_h)`` from a prior, even by default; infinite where that has no mass."""
        even = np.full(self.weights.size, 1.0 / self.weights.size)
        return float(categorical_kl(self.weights, even if prior is None else _probabilities("prior", prior)))

    def losses(self, X: RowsLike | None = None, y: ArrayLike | None = None, loss: str = "zero_one") -> FloatArray:
        """Return the loss of each predictor (rows) on each example (columns)."""
        if self._losses is not None:
            return self._losses
        assert self.predictors is not None  # noqa: S101  (the constructor saw to it)
        function = loss_functions.get(loss)
        return np.stack([predictor_losses("Finite", p, X, y, function) for p in self.predictors])

    def summary(
        self,
        X: RowsLike | None = None,
        y: ArrayLike | None = None,
        *,
        loss: str = "zero_one",
        reference: ArrayLike | ReferenceLosses | None = None,
        reference_kind: str | None = None,
        **options: Unpack[SummaryOptions],
    ) -> Summary:
        """Summarise exactly; options as in :meth:`Summary.from_losses`."""
        given = cast("ArrayLike | None", reference)  # which Summary asks for its rows, if it knows them
        return Summary.from_mixture(
            self.losses(X, y, loss), self.weights, given, reference_kind=reference_kind, **options
        )


def _probabilities(name: str, values: ArrayLike) -> FloatArray:
    array = to_floats("Finite", name, values)
    check_range("Finite", name, array, 0.0, 1.0, "lie in [0, 1]")
    if array.ndim != 1 or abs(array.sum() - 1.0) > 1e-9:
        raise ValueError(f"The {name!r} argument of Finite must sum to 1. Got {float(array.sum())!r} instead.")
    return np.asarray(array / array.sum())
