"""Bounds on a majority vote as functions of tensors, with gradients: see `torch/bounds.py`."""

from __future__ import annotations

import torch
from numpy.typing import ArrayLike

from pacbayes.torch._autograd import Given, evaluate

__all__ = ["chebyshev_cantelli", "disagreement", "first_order", "tandem"]


def first_order(gibbs: Given, kl: Given, n: ArrayLike, delta: Given, constant: str = "exact") -> torch.Tensor:
    """:func:`pacbayes.bounds.first_order` with gradients in ``gibbs``, ``kl`` and ``delta``.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import first_order
    >>> gibbs = torch.tensor(0.05, requires_grad=True)
    >>> first_order(gibbs, kl=10.0, n=1000, delta=0.05).backward()
    >>> round(gibbs.grad.item(), 6)
    2.689711
    """
    return evaluate("first_order", {"gibbs": gibbs, "kl": kl, "delta": delta}, n=n, constant=constant)


def tandem(tandem: Given, kl: Given, n: ArrayLike, delta: Given, constant: str = "exact") -> torch.Tensor:
    """:func:`pacbayes.bounds.tandem` with gradients in ``tandem``, ``kl`` and ``delta``.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import tandem
    >>> kl = torch.tensor(5.0, requires_grad=True)
    >>> tandem(0.01, kl, n=1000, delta=0.05).backward()
    >>> round(kl.grad.item(), 6)
    0.010229
    """
    return evaluate("tandem", {"tandem": tandem, "kl": kl, "delta": delta}, n=n, constant=constant)


def disagreement(
    gibbs: Given,
    disagreement: Given,
    kl: Given,
    n: ArrayLike,
    n_pairs: ArrayLike,
    delta: Given,
    constant: str = "exact",
) -> torch.Tensor:
    """:func:`pacbayes.bounds.disagreement` with gradients in ``gibbs``, ``disagreement``, ``kl`` and ``delta``.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import disagreement
    >>> apart = torch.tensor(0.06, requires_grad=True)
    >>> disagreement(0.05, apart, kl=5.0, n=1000, n_pairs=1000, delta=0.05).backward()
    >>> round(apart.grad.item(), 6)
    -1.286052
    """
    statistics = {"gibbs": gibbs, "disagreement": disagreement, "kl": kl, "delta": delta}
    return evaluate("disagreement", statistics, n=n, n_pairs=n_pairs, constant=constant)


def chebyshev_cantelli(
    gibbs: Given,
    tandem: Given,
    kl: Given,
    n: ArrayLike,
    n_pairs: ArrayLike,
    delta: Given,
    constant: str = "exact",
) -> torch.Tensor:
    """:func:`pacbayes.bounds.chebyshev_cantelli` with gradients in ``gibbs``, ``tandem``, ``kl`` and ``delta``.

    They are those at the best ``mu``, by the envelope theorem.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import chebyshev_cantelli
    >>> both = torch.tensor(0.05, requires_grad=True)
    >>> chebyshev_cantelli(0.2, both, kl=1.0, n=10000, n_pairs=5000, delta=0.05).backward()
    >>> round(both.grad.item(), 6)
    6.490856
    """
    statistics = {"gibbs": gibbs, "tandem": tandem, "kl": kl, "delta": delta}
    return evaluate("chebyshev_cantelli", statistics, n=n, n_pairs=n_pairs, constant=constant)
