"""The baseline every user knows: a certificate from examples that played no part in training."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_range, single, to_floats
from pacbayes.bounds import betting_rates
from pacbayes.certificate import Certificate, Choice, digest_of_arrays
from pacbayes.estimators._issue import IID, checked_candidates, issue, statistics_of
from pacbayes.summary import Summary

__all__ = ["holdout_certificate"]

_UNSEEN = (
    "The predictor was fixed before these examples were looked at: they played no part in training or choosing it."
)

_BINARY = "The loss takes the values 0 and 1 alone."


def holdout_certificate(
    y_true: ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    delta: float = 0.05,
    *,
    losses: ArrayLike | None = None,
    candidates: int = 1,
) -> Certificate:
    """Certificate for one fixed predictor from held-out examples.

    Labels and predictions, or losses that are all 0 or 1, are bounded by the exact binomial limit
    (:func:`pacbayes.bounds.clopper_pearson`); losses with values between by :func:`pacbayes.bounds.betting`.

    Parameters
    ----------
    y_true, y_pred : array_like, shape (n,)
        Labels and predictions on examples that played no part in training.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    losses : array_like, shape (n,), optional
        In place of labels and predictions: the loss on each example, in [0, 1].
    candidates : int, default=1
        How many predictors are compared on these same examples; each gets its share of delta.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> import pacbayes as pb
    >>> y_true, y_pred = [0, 1, 1, 0, 1] * 40, [0, 1, 1, 0, 0] * 40
    >>> print(pb.holdout_certificate(y_true, y_pred).sentence())
    With probability at least 95 % over the data, the true error of the predictor that made these predictions is \
at most 0.2523.
    >>> round(pb.holdout_certificate(losses=[0.1, 0.3, 0.2] * 100, delta=0.05).value, 4)
    0.2185
    """
    owner = "holdout_certificate"
    failure = float(single(owner, "delta", delta))
    if (losses is None) == (y_true is None) or (y_true is None) != (y_pred is None):
        raise ValueError(
            f"{owner} takes either 'y_true' and 'y_pred', or 'losses'. Got both, neither or one of a pair."
        )
    values = _zero_one_losses(owner, y_true, y_pred) if losses is None else to_floats(owner, "losses", losses)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"{owner} needs one loss per example and at least one. Got shape {values.shape} instead.")
    check_range(owner, "losses", values, 0.0, 1.0, "lie in [0, 1]")
    binary = bool(np.all((values == 0.0) | (values == 1.0)))
    statistics = _counts(values) if binary else _growth(values, failure)
    return issue(
        kind="holdout",
        bound="clopper_pearson" if binary else "betting",
        statistics=statistics,
        n=values.size,
        delta=failure,
        candidates=checked_candidates(owner, candidates),
        vote_rule="none",
        loss="zero_one" if binary else "given",
        predictor="the predictor that made these predictions" if losses is None else "the predictor with these losses",
        choices=[Choice("bound", "clopper_pearson" if binary else "betting", "the values that losses can take")],
        assumptions=(IID, _UNSEEN, _BINARY) if binary else (IID, _UNSEEN),
        digests={"data": digest_of_arrays(losses=values)},
    )


def _zero_one_losses(owner: str, y_true: Any, y_pred: Any) -> Any:
    labels, predictions = np.asarray(y_true), np.asarray(y_pred)
    if labels.shape != predictions.shape or labels.ndim != 1:
        raise ValueError(
            f"The 'y_pred' argument of {owner} must have one prediction per label, in one dimension. "
            f"Got shapes {labels.shape} and {predictions.shape} instead."
        )
    if (labels.dtype.kind in "OUS") != (predictions.dtype.kind in "OUS"):
        raise ValueError(
            f"The 'y_pred' argument of {owner} must hold labels of the kind in 'y_true'. "
            f"Got {predictions.dtype} and {labels.dtype} instead."
        )
    for name, array in (("y_true", labels), ("y_pred", predictions)):
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"The {name!r} argument of {owner} must not contain NaN or infinity.")
    return (labels != predictions).astype(np.float64)


def _counts(losses: Any) -> dict[str, Any]:
    return {"errors": int(losses.sum()), "risk": float(losses.mean()), "reference_kind": "none"}


def _growth(losses: Any, delta: float) -> dict[str, Any]:
    rates, weights = betting_rates(n=losses.size, delta=delta)
    return statistics_of(Summary.from_values(losses, rates=rates, weights=weights))
