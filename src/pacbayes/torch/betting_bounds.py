"""The betting bound and the portfolio as functions of tensors, with gradients: see `torch/bounds.py`."""

from __future__ import annotations

import torch
from numpy.typing import ArrayLike

from pacbayes.torch._autograd import Given, evaluate

__all__ = ["betting", "portfolio"]


def betting(
    log_growth: Given, rates: ArrayLike, kl: Given, n: ArrayLike, delta: Given, weights: ArrayLike | None = None
) -> torch.Tensor:
    """:func:`pacbayes.bounds.betting` with gradients in ``log_growth``, ``kl`` and ``delta``.

    The value ``m`` solves ``log sum_k w_k exp(n (G_k - log(1 - lam_k m))) = kl + log(1/delta)``. With the shares
    ``p_k`` of the terms of that sum and ``s = sum_k p_k lam_k/(1 - lam_k m)``: ``dm/dG_k = -p_k/s`` and
    ``dm/dkl = 1/(n s)``.

    Parameters
    ----------
    log_growth : Tensor or array_like, shape (..., K)
        Means of ``log(1 - rate x)``, one per rate on the last axis; no such axis if ``rates`` is a number.
    rates : array_like, shape (K,) or a number
        In (0, 1), fixed before the data (:func:`pacbayes.bounds.betting_rates`).
    kl : Tensor or array_like
        Divergence of the posterior.
    n : array_like of int
        Number of examples.
    delta : Tensor or array_like
        Allowed probability of failure, in (0, 1).
    weights : array_like, shape (K,), optional
        Of the rates; even by default.

    Returns
    -------
    Tensor of float64
        The certified bound.

    Examples
    --------
    >>> import torch
    >>> import pacbayes as pb
    >>> from pacbayes.torch import betting
    >>> rates, weights = pb.bounds.betting_rates(n=1000)
    >>> risk = torch.tensor(0.05, dtype=torch.float64, requires_grad=True)
    >>> log_growth = risk * torch.log1p(-torch.tensor(rates))  # of a 0-1 loss
    >>> bound = betting(log_growth, rates, kl=10.0, n=1000, delta=0.05, weights=weights)
    >>> bound.backward()
    >>> round(bound.item(), 6), round(risk.grad.item(), 4)
    (0.098033, 1.366)
    """
    statistics = {"log_growth": log_growth, "kl": kl, "delta": delta}
    return evaluate("betting", statistics, rates=rates, n=n, weights=weights)


def portfolio(
    growths: Given,
    strengths: ArrayLike,
    reference_log_growth: Given,
    rates: ArrayLike,
    kl: Given,
    n: ArrayLike,
    delta: Given,
    weights: ArrayLike | None = None,
    strength_weights: ArrayLike | None = None,
    share: float = 0.8,
    *,
    several: bool = False,
) -> torch.Tensor:
    """:func:`pacbayes.bounds.portfolio`, gradients in ``growths``, ``reference_log_growth``, ``kl`` and ``delta``.

    The value ``R`` is where ``min_b log F(R, b) = log(1/delta)``. By the envelope theorem ``b`` stays where it is; with
    the shares ``p`` and ``q`` of the terms of ``F`` there that hold growths and reference growths, and ``s`` the
    derivative of ``log F`` in ``R`` over ``n``: ``-p/s`` and ``-q/s`` in these, ``sum(p)/(n s)`` in ``kl`` and
    ``-1/(delta n s)`` in ``delta``.

    Parameters
    ----------
    growths : Tensor or array_like, shape (..., J, K)
        Means of ``log(1 - rate (loss - strength reference))``.
    strengths : array_like, shape (J,)
        In [0, 1].
    reference_log_growth : Tensor or array_like, shape (..., K)
        Means of ``log(1 - rate reference)``.
    rates, kl, n, delta, weights
        As in :func:`betting`.
    strength_weights, share, several
        As in :func:`pacbayes.bounds.portfolio`.

    Returns
    -------
    Tensor of float64
        The certified bound.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> import pacbayes as pb
    >>> from pacbayes.torch import portfolio
    >>> losses = np.repeat([1.0, 1.0, 0.0, 0.0], [10, 90, 10, 890])
    >>> reference = np.repeat([0.0, 1.0, 1.0, 0.0], [10, 90, 10, 890])
    >>> summary = pb.Summary.from_losses(losses, reference, reference_kind="predictable")
    >>> growths = torch.tensor(summary.growths, requires_grad=True)
    >>> others = summary.strengths, summary.reference_log_growth, summary.rates
    >>> bound = portfolio(growths, *others, kl=10.0, n=1000, delta=0.05, weights=summary.weights)
    >>> bound.backward()
    >>> round(bound.item(), 6), growths.grad.shape == growths.shape
    (0.157294, True)
    """
    statistics = {"growths": growths, "reference_log_growth": reference_log_growth, "kl": kl, "delta": delta}
    return evaluate(
        "portfolio",
        statistics,
        strengths=strengths,
        rates=rates,
        n=n,
        weights=weights,
        strength_weights=strength_weights,
        share=share,
        several=several,
    )
