"""Recursive PAC-Bayes as a function of tensors, with gradients: see `torch/bounds.py`."""

from __future__ import annotations

import torch
from numpy.typing import ArrayLike

from pacbayes.torch._autograd import Given, evaluate

__all__ = ["recursive", "recursive_portfolio"]


def recursive(
    first_risk: Given,
    step_risk: Given,
    step_worse: Given,
    step_better: Given,
    step_kl: Given,
    step_n: ArrayLike,
    kl: Given,
    n: ArrayLike,
    delta: Given,
    gamma: ArrayLike = 0.5,
    delta_mc: ArrayLike | None = None,
    draws: ArrayLike | None = None,
    constant: str = "exact",
) -> torch.Tensor:
    """:func:`pacbayes.bounds.recursive` with gradients in all frequencies, both divergences and ``delta``.

    Of the sum of excesses, each times the strengths of the steps after it.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import recursive
    >>> kl = torch.tensor([9.0, 7.0], requires_grad=True)
    >>> steps = {"step_risk": [0.07, 0.06], "step_worse": [0.02, 0.01], "step_better": [0.03, 0.02]}
    >>> bound = recursive(0.08, **steps, step_kl=kl, step_n=[3000, 2000], kl=30.0, n=4000, delta=0.05)
    >>> bound.backward()
    >>> kl.grad.numpy().round(5)
    array([0.00048, 0.00112], dtype=float32)
    """
    shares = {"first_risk": first_risk, "step_risk": step_risk, "step_worse": step_worse, "step_better": step_better}
    statistics = shares | {"step_kl": step_kl, "kl": kl, "delta": delta}
    others = {"step_n": step_n, "n": n, "gamma": gamma, "delta_mc": delta_mc, "draws": draws, "constant": constant}
    return evaluate("recursive", statistics, **others)


def recursive_portfolio(
    first_risk: Given,
    step_risk: Given,
    step_worse: Given,
    step_better: Given,
    step_kl: Given,
    step_n: ArrayLike,
    kl: Given,
    n: ArrayLike,
    delta: Given,
    rates: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> torch.Tensor:
    """:func:`pacbayes.bounds.recursive_portfolio` with gradients in all frequencies, both divergences and ``delta``.

    By implicit differentiation of each step's mixture, one after another.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import recursive_portfolio
    >>> kl = torch.tensor([9.0, 7.0], requires_grad=True)
    >>> steps = {"step_risk": [0.07, 0.06], "step_worse": [0.02, 0.01], "step_better": [0.03, 0.02]}
    >>> bound = recursive_portfolio(0.08, **steps, step_kl=kl, step_n=[3000, 2000], kl=30.0, n=4000, delta=0.05)
    >>> bound.backward()
    >>> kl.grad.numpy().round(5)
    array([2.00e-05, 1.25e-03], dtype=float32)
    """
    shares = {"first_risk": first_risk, "step_risk": step_risk, "step_worse": step_worse, "step_better": step_better}
    statistics = shares | {"step_kl": step_kl, "kl": kl, "delta": delta}
    return evaluate("recursive_portfolio", statistics, step_n=step_n, n=n, rates=rates, weights=weights)
