"""Relative entropies and their inverses as functions of tensors, with gradients: see `torch/bounds.py`."""

from __future__ import annotations

import torch

from pacbayes.torch._autograd import Given, evaluate

__all__ = ["categorical_kl", "kl", "kl_ball_max", "kl_ball_min", "kl_inv_lower", "kl_inv_upper", "phi"]


def kl(q: Given, p: Given) -> torch.Tensor:
    """:func:`pacbayes.kl`, the relative entropy of two coins, with gradients in both.

    ``log(q(1-p)/(p(1-q)))`` in ``q`` and ``(p-q)/(p(1-p))`` in ``p``.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import kl
    >>> p = torch.tensor(0.2, requires_grad=True)
    >>> divergence = kl(0.1, p)
    >>> divergence.backward()
    >>> round(divergence.item(), 6), round(p.grad.item(), 6)
    (0.03669, 0.625)
    """
    return evaluate("kl", {"q": q, "p": p})


def categorical_kl(u: Given, v: Given) -> torch.Tensor:
    """:func:`pacbayes.categorical_kl`, the relative entropy on the atoms of the last axis, with gradients in both.

    They are of the function of ``u/sum(u)`` and ``v/sum(v)``: ``log(u_a/v_a) - kl`` and ``1 - u_a/v_a``.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import categorical_kl
    >>> u = torch.tensor([0.2, 0.3, 0.5], requires_grad=True)
    >>> categorical_kl(u, [0.3, 0.3, 0.4]).backward()
    >>> u.grad.numpy().round(4)
    array([-0.4359, -0.0305,  0.1927], dtype=float32)
    """
    return evaluate("categorical_kl", {"u": u, "v": v})


def kl_inv_upper(q: Given, budget: Given) -> torch.Tensor:
    """:func:`pacbayes.kl_inv_upper`, certified from above, with gradients in ``q`` and ``budget``.

    The value ``p`` solves ``kl(q||p) = budget``, hence ``dp/dbudget = p(1-p)/(p-q)`` and
    ``dp/dq = log(p(1-q)/(q(1-p))) dp/dbudget``. At ``q = 0`` the latter is infinite, and at a budget of 0 the former
    is; there they are taken at 2**-52.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import kl_inv_upper
    >>> q = torch.tensor([0.0, 0.1], requires_grad=True)
    >>> bound = kl_inv_upper(q, 0.05)
    >>> bound.sum().backward()
    >>> bound.detach().numpy().round(6), q.grad.numpy().round(4)
    (array([0.048771, 0.220079]), array([31.46  ,  1.3323], dtype=float32))
    """
    return evaluate("kl_inv_upper", {"q": q, "budget": budget})


def kl_inv_lower(q: Given, budget: Given) -> torch.Tensor:
    """:func:`pacbayes.kl_inv_lower`, certified from below, with gradients in ``q`` and ``budget``.

    As for :func:`kl_inv_upper`, with the root below ``q``.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import kl_inv_lower
    >>> q = torch.tensor(0.1, requires_grad=True)
    >>> kl_inv_lower(q, 0.05).backward()
    >>> round(q.grad.item(), 4)
    0.5449
    """
    return evaluate("kl_inv_lower", {"q": q, "budget": budget})


def kl_ball_max(weights: Given, values: Given, budget: Given) -> torch.Tensor:
    """:func:`pacbayes.kl_ball_max`, the largest mean in a KL ball, with gradients in all arguments.

    With the minimiser ``t`` of its dual and the value ``h``: ``t - h`` in ``budget``, the maximising distribution
    ``r_a = (t - h) u_a/(t - v_a)`` in ``values``, and ``-(t - h) (log(t - v_a) - sum_b u_b log(t - v_b))`` in
    ``weights``, which is of the function of ``weights/sum(weights)``.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import kl_ball_max
    >>> values = torch.tensor([3.0, 1.0], requires_grad=True)
    >>> kl_ball_max([0.2, 0.8], values, 0.05).backward()
    >>> values.grad.numpy().round(4)
    array([0.3435, 0.6565], dtype=float32)
    """
    return evaluate("kl_ball_max", {"weights": weights, "values": values, "budget": budget})


def kl_ball_min(weights: Given, values: Given, budget: Given) -> torch.Tensor:
    """:func:`pacbayes.kl_ball_min`, the smallest mean in a KL ball, with gradients in all arguments.

    It is ``-kl_ball_max(weights, -values, budget)``.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import kl_ball_min
    >>> budget = torch.tensor(0.05, requires_grad=True)
    >>> kl_ball_min([0.2, 0.1, 0.7], [1.0, -1.0, 0.0], budget).backward()
    >>> round(budget.grad.item(), 4)
    -1.8409
    """
    return evaluate("kl_ball_min", {"weights": weights, "values": values, "budget": budget})


def phi(plus: Given, minus: Given, budget: Given) -> torch.Tensor:
    """:func:`pacbayes.phi`, the largest excess in a KL ball, with gradients in all arguments.

    Those of :func:`kl_ball_max` along ``(plus, minus, 1 - plus - minus)``.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import phi
    >>> plus = torch.tensor(0.2, requires_grad=True)
    >>> phi(plus, 0.1, 0.05).backward()
    >>> round(plus.grad.item(), 4)
    1.1823
    """
    return evaluate("phi", {"plus": plus, "minus": minus, "budget": budget})
