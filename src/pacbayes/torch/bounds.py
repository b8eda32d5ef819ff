"""Bounds on a risk as functions of tensors: the certified values of :mod:`pacbayes.bounds`, with gradients.

Names and arguments are those of :mod:`pacbayes.bounds`, where each bound is stated; tensors, arrays and numbers
broadcast. The value is the certified one, always in float64: tensors of lower precision are converted exactly. It is on
the device of the statistics. Statistics just outside their range, as single precision leaves them, are refused:
compute them in float64, or clamp them.

There are gradients in the statistics, in ``kl`` and in ``delta``, each with the shape, type and device of its argument.
``n`` and counts are whole numbers and have none; nor have rates, weights and strengths, which are fixed before the
data. Where a bound is clipped at 1 its gradients are 0. A slope that is infinite (at a risk of 0) is replaced by the
one 2**-52 inside the range, and is at most 2**52, so no gradient is NaN or infinite. Gradients cannot be
differentiated again.
"""

from __future__ import annotations

import torch
from numpy.typing import ArrayLike

from pacbayes.torch._autograd import Given, evaluate

__all__ = [
    "catoni",
    "chernoff",
    "clopper_pearson",
    "maurer",
    "maurer_relaxed",
    "mcallester",
    "progressive_chernoff",
    "tolstikhin_seldin",
]


def chernoff(risk: Given, n: ArrayLike, delta: Given) -> torch.Tensor:
    """:func:`pacbayes.bounds.chernoff` with gradients in ``risk`` and ``delta``: for one fixed predictor.

    With ``p`` the value: ``dp/drisk = log(p(1-risk)/(risk(1-p))) p(1-p)/(p-risk)`` and
    ``dp/ddelta = -p(1-p)/((p-risk) n delta)``.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import chernoff
    >>> risk = torch.tensor(0.1, requires_grad=True)
    >>> bound = chernoff(risk, n=500, delta=0.05)
    >>> bound.backward()
    >>> round(bound.item(), 6), round(risk.grad.item(), 6)
    (0.136, 1.136875)
    """
    return evaluate("chernoff", {"risk": risk, "delta": delta}, n=n)


def clopper_pearson(errors: ArrayLike, n: ArrayLike, delta: Given) -> torch.Tensor:
    """:func:`pacbayes.bounds.clopper_pearson` with a gradient in ``delta`` alone: for one fixed predictor.

    The number of errors is a whole number, between which nothing is certified: to train on, use :func:`chernoff`, which
    is for means. ``dp/ddelta`` is -1 over the density at ``p`` of the beta distribution with parameters ``errors + 1``
    and ``n - errors``.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import clopper_pearson
    >>> delta = torch.tensor([0.01, 0.05], dtype=torch.float64, requires_grad=True)
    >>> bound = clopper_pearson(errors=50, n=500, delta=delta)
    >>> bound.sum().backward()
    >>> bound.detach().numpy().round(6), delta.grad.numpy().round(6)
    (array([0.135469, 0.124866]), array([-0.596817, -0.147452]))
    """
    return evaluate("clopper_pearson", {"delta": delta}, errors=errors, n=n)


def progressive_chernoff(reference: Given, n: ArrayLike, delta: Given) -> torch.Tensor:
    """:func:`pacbayes.bounds.progressive_chernoff` with gradients in ``reference`` and ``delta``.

    They are those of :func:`chernoff`.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import progressive_chernoff
    >>> reference = torch.tensor(0.1, requires_grad=True)
    >>> progressive_chernoff(reference, n=500, delta=0.05).backward()
    >>> round(reference.grad.item(), 6)
    1.136875
    """
    return evaluate("progressive_chernoff", {"reference": reference, "delta": delta}, n=n)


def maurer(risk: Given, kl: Given, n: ArrayLike, delta: Given, constant: str = "exact") -> torch.Tensor:
    """:func:`pacbayes.bounds.maurer`, the kl bound, with gradients in ``risk``, ``kl`` and ``delta``.

    The value ``p`` solves ``kl(risk||p) = (kl + log(xi/delta))/n``, hence ``dp/dkl = p(1-p)/((p-risk) n)`` and
    ``dp/drisk = log(p(1-risk)/(risk(1-p))) p(1-p)/(p-risk)``.

    Parameters
    ----------
    risk, kl : Tensor or array_like
        Empirical risk in [0, 1] and divergence of the posterior.
    n : array_like of int
        Number of examples.
    delta : Tensor or array_like
        Allowed probability of failure, in (0, 1).
    constant : {"exact", "published"}, default="exact"
        As in :func:`pacbayes.bounds.maurer`.

    Returns
    -------
    Tensor of float64
        The certified bound.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import maurer
    >>> risk, kl = torch.tensor([0.05, 0.1], requires_grad=True), torch.tensor(10.0, requires_grad=True)
    >>> bound = maurer(risk, kl, n=1000, delta=0.05)
    >>> bound.sum().backward()
    >>> bound.detach().numpy().round(6), risk.grad.numpy().round(4), round(kl.grad.item(), 6)
    (array([0.099974, 0.163511]), array([1.3449, 1.2165], dtype=float32), 0.003954)
    """
    return evaluate("maurer", {"risk": risk, "kl": kl, "delta": delta}, n=n, constant=constant)


def mcallester(risk: Given, kl: Given, n: ArrayLike, delta: Given, constant: str = "published") -> torch.Tensor:
    """:func:`pacbayes.bounds.mcallester`, the square-root bound, with gradients in ``risk``, ``kl`` and ``delta``.

    Of ``risk + sqrt(b/2)`` with the budget ``b = (kl + log(2 sqrt(n)/delta))/n``: 1 in ``risk`` and
    ``1/(4 n sqrt(b/2))`` in ``kl``.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import mcallester
    >>> kl = torch.tensor(10.0, requires_grad=True)
    >>> mcallester(0.05, kl, n=1000, delta=0.05).backward()
    >>> round(kl.grad.item(), 6)
    0.0027
    """
    return evaluate("mcallester", {"risk": risk, "kl": kl, "delta": delta}, n=n, constant=constant)


def maurer_relaxed(risk: Given, kl: Given, n: ArrayLike, delta: Given, constant: str = "exact") -> torch.Tensor:
    """:func:`pacbayes.bounds.maurer_relaxed` with gradients in ``risk``, ``kl`` and ``delta``.

    Of ``risk + sqrt(2 risk b) + 2 b`` with the budget ``b`` of :func:`maurer`.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import maurer_relaxed
    >>> risk = torch.tensor(0.05, requires_grad=True)
    >>> maurer_relaxed(risk, 10.0, n=1000, delta=0.05).backward()
    >>> round(risk.grad.item(), 4)
    1.4086
    """
    return evaluate("maurer_relaxed", {"risk": risk, "kl": kl, "delta": delta}, n=n, constant=constant)


def catoni(
    risk: Given,
    kl: Given,
    n: ArrayLike,
    delta: Given,
    rates: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> torch.Tensor:
    """:func:`pacbayes.bounds.catoni` with gradients in ``risk``, ``kl`` and ``delta``, at the best rate of the grid.

    Of ``(1 - exp(-C risk - b))/(1 - exp(-C))``: ``exp(-C risk - b)/(1 - exp(-C))`` times ``C`` in ``risk`` and times
    ``1/n`` in ``kl``.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import catoni
    >>> risk = torch.tensor(0.05, requires_grad=True)
    >>> catoni(risk, 10.0, n=1000, delta=0.05, rates=0.7).backward()
    >>> round(risk.grad.item(), 4)
    1.3253
    """
    return evaluate("catoni", {"risk": risk, "kl": kl, "delta": delta}, n=n, rates=rates, weights=weights)


def tolstikhin_seldin(risk: Given, variance: Given, kl: Given, n: ArrayLike, delta: Given) -> torch.Tensor:
    """:func:`pacbayes.bounds.tolstikhin_seldin` with gradients in ``risk``, ``variance``, ``kl`` and ``delta``.

    Of the case that applies; the sizes of its grids jump with ``delta``, and the gradient is that between jumps.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import tolstikhin_seldin
    >>> variance = torch.tensor(0.01, requires_grad=True)
    >>> tolstikhin_seldin(0.05, variance, 1.0, n=10_000, delta=0.05).backward()
    >>> round(variance.grad.item(), 4)
    0.2445
    """
    statistics = {"risk": risk, "variance": variance, "kl": kl, "delta": delta}
    return evaluate("tolstikhin_seldin", statistics, n=n)
