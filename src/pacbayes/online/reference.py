"""The result of an online run: losses, how they came about, and what can be said of them at any time."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike

from pacbayes import losses as loss_functions
from pacbayes._core.arguments import check_range, to_floats
from pacbayes._core.rounding import EPS
from pacbayes._core.types import FloatArray, IntArray, Predictor, RowsLike, SummaryOptions
from pacbayes.bounds import betting, betting_rates
from pacbayes.losses import predictor_losses
from pacbayes.summary import Summary

__all__ = ["OnlineReference", "fixed_reference", "zero_reference"]

_BLOCK = 4096


@dataclass(frozen=True, slots=True, eq=False)
class OnlineReference:
    """Losses of a reference, one per example *in the order used*.

    Attributes
    ----------
    losses : ndarray, shape (n,)
        In [0, 1]; zero during the burn-in.
    order : ndarray, shape (n,)
        Row numbers in the order in which they were seen: ``losses[k]`` belongs to row ``order[k]``.
    points : list of int
        Prefix lengths after which a snapshot was trained.
    kind : {"none", "fixed", "predictable"}
        What a bound may assume of it.
    snapshots : list
        ``(prefix length, estimator)`` of those kept.
    """

    losses: FloatArray
    order: IntArray
    points: list[int]
    kind: str = "predictable"
    snapshots: list[tuple[int, Any]] = field(default_factory=list)

    @property
    def boundaries(self) -> list[tuple[int, int]]:
        """Stretches ``(start, stop)`` of examples, each predicted by one snapshot (the first, if any, by none)."""
        edges = [0, *self.points, len(self.losses)]
        return [(a, b) for a, b in pairwise(edges) if b > a]

    def by_row(self) -> FloatArray:
        """Return the losses in the order of the rows of X."""
        result = np.empty_like(self.losses)
        result[self.order] = self.losses
        return result

    def summary(self, expected: ArrayLike, **options: Unpack[SummaryOptions]) -> Summary:
        """Summarise a posterior's expected 0-1 losses (one per row of X) de-biased by this reference."""
        rows = to_floats("OnlineReference.summary", "expected", expected)
        if rows.shape != self.losses.shape:
            raise ValueError(
                f"The 'expected' argument of OnlineReference.summary must have one entry per row ({len(self.losses)}), "
                f"the loss averaged over the posterior. Got shape {rows.shape} instead."
            )
        if self.kind == "none":
            return Summary.from_losses(rows, **options)
        return Summary.from_losses(rows[self.order], self.losses, reference_kind=self.kind, **options)

    def bound(self, delta: float) -> FloatArray:
        """Upper bounds on the average true loss up to each prefix, all valid at once with probability ``1 - delta``.

        By betting with one grid of rates for all n. Entry ``k`` is about the first ``k + 1`` examples, of which those
        before the first refit and in the burn-in count with a loss of zero: this is the reference as it was used, not
        its last snapshot.

        Examples
        --------
        >>> import numpy as np
        >>> import pacbayes as pb
        >>> reference = pb.zero_reference(1000)
        >>> reference.bound(0.05).shape, bool(reference.bound(0.05)[-1] < 0.01)
        ((1000,), True)
        """
        rates, weights = betting_rates()
        result, carried = np.empty(len(self.losses)), np.zeros(rates.size)
        for start in range(0, len(self.losses), _BLOCK):
            block = slice(start, start + _BLOCK)
            totals = carried + np.cumsum(np.log1p(-self.losses[block, None] * rates), axis=0)
            sizes = np.arange(start + 1, start + 1 + len(totals))
            # a running sum of n terms of one sign is correct to n EPS of itself; it is moved down by that
            growth = totals * (1.0 + sizes[:, None] * EPS) / sizes[:, None]
            result[block] = betting(np.maximum(growth, np.log1p(-rates)), rates, 0.0, sizes, delta, weights)
            carried = totals[-1]
        return result


def zero_reference(n: int) -> OnlineReference:
    """Return the reference that is zero everywhere, with which a de-biased bound is a plain one.

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.zero_reference(3).losses.tolist()
    [0.0, 0.0, 0.0]
    """
    return OnlineReference(np.zeros(n), np.arange(n), [], "none")


def fixed_reference(
    predictor: Predictor | ArrayLike, X: RowsLike | None, y: ArrayLike | None, loss: str = "zero_one"
) -> OnlineReference:
    """Return the losses of a predictor that was trained elsewhere, on none of these rows.

    Parameters
    ----------
    predictor : object with ``predict``, or array_like of losses
        Chosen before these rows were seen; that is for the caller to know.
    X, y : array_like
        Rows and labels.
    loss : str, default="zero_one"
        A registered loss; losses of probabilities need ``predict_proba`` and ``classes_``.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> pb.fixed_reference(np.array([0.0, 1.0]), None, None).kind
    'fixed'
    """
    if hasattr(predictor, "predict"):
        values = predictor_losses("fixed_reference", cast("Predictor", predictor), X, y, loss_functions.get(loss))
    else:
        values = to_floats("fixed_reference", "predictor", predictor)
        check_range("fixed_reference", "predictor", values, 0.0, 1.0, "lie in [0, 1]")
    return OnlineReference(values, np.arange(len(values)), [], "fixed")
