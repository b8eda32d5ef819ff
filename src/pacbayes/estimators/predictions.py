"""The baseline every user knows: a certificate from examples that played no part in training."""

from __future__ import annotations

from numpy.typing import ArrayLike

from pacbayes._core.arguments import single
from pacbayes.certificate import Certificate
from pacbayes.estimators.base import check_candidates
from pacbayes.procedures.given import Given, check_losses, zero_one_losses

__all__ = ["certify_predictions"]


def certify_predictions(
    y_true: ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    delta: float = 0.05,
    *,
    losses: ArrayLike | None = None,
    candidates: int = 1,
) -> Certificate:
    """Certificate for one fixed predictor from examples that it has not seen.

    Labels and predictions, or losses that are all 0 or 1, are bounded by the exact binomial limit
    (:func:`pacbayes.bounds.clopper_pearson`); losses with values between by :func:`pacbayes.bounds.sequential`, in
    an order that is drawn with a fixed seed, so that it does not matter how the examples are sorted.

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
    >>> print(pb.certify_predictions(y_true, y_pred).sentence())
    With probability at least 95 % over the data, the true error of the predictor that made these predictions is \
at most 0.2523.
    >>> round(pb.certify_predictions(losses=[0.1, 0.3, 0.2] * 100, delta=0.05).value, 4)
    0.2119
    """
    owner = "certify_predictions"
    procedure = Given(delta=float(single(owner, "delta", delta)), candidates=check_candidates(owner, candidates))
    if losses is not None and y_true is None and y_pred is None:
        return procedure.certify(check_losses(owner, losses), about="given_losses")
    if losses is not None or y_true is None or y_pred is None:
        raise ValueError(
            f"{owner} takes either 'y_true' and 'y_pred', or 'losses'. Got both, neither or one of a pair."
        )
    values = check_losses(owner, zero_one_losses(owner, y_true, y_pred))
    return procedure.certify(values, about="given_predictions")
