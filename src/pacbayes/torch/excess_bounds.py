"""Bounds on an excess or on a sum of error types as functions of tensors, with gradients: see `torch/bounds.py`."""

from __future__ import annotations

import torch
from numpy.typing import ArrayLike

from pacbayes.torch._autograd import Given, evaluate

__all__ = ["excess_kl", "excess_relaxed", "split_kl", "unexpected_bernstein", "vector_kl"]


def unexpected_bernstein(
    excess: Given, second: Given, kl: Given, n: ArrayLike, delta: Given, rates: ArrayLike | None = None
) -> torch.Tensor:
    """:func:`pacbayes.bounds.unexpected_bernstein` with gradients in ``excess``, ``second``, ``kl`` and ``delta``.

    Of ``excess + c second + (kl + log(K/delta))/(n rate)`` at the best rate. The default grid depends on ``delta`` by
    its size, which jumps; the gradient is that between jumps.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import unexpected_bernstein
    >>> second = torch.tensor(0.03, requires_grad=True)
    >>> unexpected_bernstein(0.01, second, kl=10.0, n=1000, delta=0.05).backward()
    >>> round(second.grad.item(), 6)
    0.386294
    """
    statistics = {"excess": excess, "second": second, "kl": kl, "delta": delta}
    return evaluate("unexpected_bernstein", statistics, n=n, rates=rates)


def vector_kl(frequencies: Given, values: Given, kl: Given, n: ArrayLike, delta: Given) -> torch.Tensor:
    """:func:`pacbayes.bounds.vector_kl` with gradients in ``frequencies``, ``values``, ``kl`` and ``delta``.

    The gradient in ``values`` is the distribution in the KL ball that attains the bound. That in ``frequencies`` is of
    the function of ``frequencies/sum(frequencies)``.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import vector_kl
    >>> values = torch.tensor([0.0, 1.0, 5.0], requires_grad=True)
    >>> vector_kl([0.9, 0.06, 0.04], values, kl=10.0, n=1000, delta=0.05).backward()
    >>> values.grad.numpy().round(4)
    array([0.8452, 0.0638, 0.0909], dtype=float32)
    """
    statistics = {"frequencies": frequencies, "values": values, "kl": kl, "delta": delta}
    return evaluate("vector_kl", statistics, n=n)


def excess_kl(
    plus: Given, minus: Given, kl: Given, n: ArrayLike, delta: Given, constant: str = "exact"
) -> torch.Tensor:
    """:func:`pacbayes.bounds.excess_kl` with gradients in ``plus``, ``minus``, ``kl`` and ``delta``.

    They are those of :func:`phi`, by the envelope theorem.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import excess_kl
    >>> minus = torch.tensor(0.01, requires_grad=True)
    >>> excess_kl(0.02, minus, kl=10.0, n=1000, delta=0.05).backward()
    >>> round(minus.grad.item(), 4)
    -0.7352
    """
    statistics = {"plus": plus, "minus": minus, "kl": kl, "delta": delta}
    return evaluate("excess_kl", statistics, n=n, constant=constant)


def excess_relaxed(
    plus: Given, minus: Given, kl: Given, n: ArrayLike, delta: Given, constant: str = "exact"
) -> torch.Tensor:
    """:func:`pacbayes.bounds.excess_relaxed` with gradients in ``plus``, ``minus``, ``kl`` and ``delta``.

    Of ``plus - minus + 2 sqrt(b (plus + minus)) + 2 b`` with the budget ``b`` of :func:`excess_kl`.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import excess_relaxed
    >>> plus = torch.tensor(0.02, requires_grad=True)
    >>> excess_relaxed(plus, 0.01, kl=10.0, n=1000, delta=0.05).backward()
    >>> round(plus.grad.item(), 4)
    1.8153
    """
    statistics = {"plus": plus, "minus": minus, "kl": kl, "delta": delta}
    return evaluate("excess_relaxed", statistics, n=n, constant=constant)


def split_kl(
    plus: Given, minus: Given, kl: Given, n: ArrayLike, delta: Given, constant: str = "published"
) -> torch.Tensor:
    """:func:`pacbayes.bounds.split_kl` with gradients in ``plus``, ``minus``, ``kl`` and ``delta``.

    Of the difference of :func:`kl_inv_upper` and :func:`kl_inv_lower`.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import split_kl
    >>> minus = torch.tensor(0.01, requires_grad=True)
    >>> split_kl(0.02, minus, kl=10.0, n=1000, delta=0.05).backward()
    >>> round(minus.grad.item(), 4)
    -0.1933
    """
    statistics = {"plus": plus, "minus": minus, "kl": kl, "delta": delta}
    return evaluate("split_kl", statistics, n=n, constant=constant)
