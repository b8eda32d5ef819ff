"""Certificates for models that exist, from examples that played no part in training."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import single
from pacbayes._core.rows import labels_of, rows_of
from pacbayes._core.types import Predictor, RowsLike
from pacbayes.certificate import Certificate
from pacbayes.estimators.base import check_candidates
from pacbayes.procedures.given import Given, check_losses, refuse_fractions, zero_one_losses

__all__ = ["certify", "certify_predictions"]


def certify(model: Predictor, X: RowsLike, y: ArrayLike, delta: float = 0.05, *, candidates: int = 1) -> Certificate:
    """Certificate for a fitted classifier from rows that played no part in training or choosing it.

    The model predicts the rows in several batches, and some of them alone; a row whose prediction depends on its
    batch counts as an error, and a model with many of them is refused. The true error is bounded by the exact
    binomial limit (:func:`pacbayes.bounds.clopper_pearson`).

    Parameters
    ----------
    model : classifier
        Fitted; anything with ``predict``.
    X : array_like or data frame, shape (n, d)
        Rows that it has not seen.
    y : array_like, shape (n,)
        Their labels, of the kind that it predicts.
    delta : float, default=0.05
        Allowed probability of failure, in (0, 1).
    candidates : int, default=1
        How many models are compared on these same rows; each gets its share of delta.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> import pacbayes as pb
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GaussianNB().fit(X[:300], y[:300])
    >>> print(pb.certify(model, X[300:], y[300:]).sentence())
    With probability at least 95 % over the data, the true error of `predict` is at most 0.0577.
    """
    owner = "certify"
    if not hasattr(model, "predict"):
        raise ValueError(f"The 'model' argument of {owner} must be a fitted classifier. Got {model!r:.60} instead.")
    procedure = Given(delta=float(single(owner, "delta", delta)), candidates=check_candidates(owner, candidates))
    refuse_fractions(owner, "y", np.asarray(y))
    rows = rows_of(X)
    labels = labels_of(owner, rows, y)
    if labels.size == 0:
        raise ValueError(f"{owner} needs at least one row. Got none.")
    return procedure.certify_model(model, rows, labels)


def certify_predictions(
    y_true: ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    delta: float = 0.05,
    *,
    losses: ArrayLike | None = None,
    candidates: int = 1,
) -> Certificate:
    """Certificate for one fixed predictor from examples that it has not seen.

    Labels and predictions are classes: whole numbers, truth values or text. For regression pass ``losses``.
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
