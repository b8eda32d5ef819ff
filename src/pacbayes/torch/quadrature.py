"""The expected 0-1 loss of independent Gaussian scores, smooth and with gradients: for training alone."""

from __future__ import annotations

from functools import lru_cache

import torch
from numpy.polynomial.hermite_e import hermegauss

__all__ = ["expected_zero_one"]

_LEAST_VARIANCE = 1e-12
_FAR = 50.0  # standard deviations beyond which a probability is 0 or 1 in float64, and so are its products


def expected_zero_one(
    means: torch.Tensor, variances: torch.Tensor, labels: torch.Tensor, nodes: int = 32
) -> torch.Tensor:
    r"""Probability that the largest of independent Gaussian scores is not that of the label, by quadrature.

    Given the score ``m_y + s_y z`` of the label the others are smaller independently of each other, so that
    ``P(error) = int phi(z) (1 - prod_{c != y} Phi((m_y + s_y z - m_c)/s_c)) dz``, taken by Gauss-Hermite quadrature.
    It is smooth in means and variances and has gradients of every order. It is an approximation on neither side of the
    integral (within 1e-3 for 32 nodes if no score of the row varies more than 5 times as much as another), so it is for
    training; certificates have a quadrature of their own that is proved.

    Parameters
    ----------
    means, variances : Tensor, shape (..., K)
        Of the scores of K >= 2 classes. A variance below 1e-12 counts as 1e-12 and has no gradient.
    labels : Tensor of whole numbers, shape (...)
        The index of the true class.
    nodes : int, default=32
        Points of the quadrature. Memory is that of ``means`` times ``nodes``.

    Returns
    -------
    Tensor, shape (...)
        Of the type of ``means``; small probabilities keep their digits.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import expected_zero_one
    >>> means = torch.tensor([[2.0, 0.0], [0.0, 0.0]], dtype=torch.float64, requires_grad=True)
    >>> risk = expected_zero_one(means, torch.full((2, 2), 0.5), torch.tensor([0, 1]))
    >>> risk.detach().numpy().round(6)
    array([0.02275, 0.5    ])
    >>> risk.sum().backward()
    >>> means.grad.numpy().round(4)
    array([[-0.054 ,  0.054 ],
           [ 0.3989, -0.3989]])
    """
    if means.ndim < 1 or means.shape[-1] < 2:
        raise ValueError(
            "The 'means' argument of expected_zero_one must have at least two classes on its last axis. "
            f"Got shape {tuple(means.shape)} instead."
        )
    points, weights = (torch.as_tensor(each, dtype=means.dtype, device=means.device) for each in _hermite(nodes))
    scales = variances.to(means.dtype).clamp(min=_LEAST_VARIANCE).sqrt().expand_as(means)
    index = labels.to(torch.int64).unsqueeze(-1)
    own, own_scale = means.gather(-1, index), scales.gather(-1, index)
    score = (own + own_scale * points).unsqueeze(-1)  # (..., nodes, 1) against classes on the last axis
    ahead = (score - means.unsqueeze(-2)) / scales.unsqueeze(-2)
    smaller = torch.special.log_ndtr(ahead.clamp(-_FAR, _FAR))
    others = torch.arange(means.shape[-1], device=means.device) != index
    wrong = -torch.expm1((smaller * others.unsqueeze(-2)).sum(-1))
    return (wrong * weights).sum(-1)


@lru_cache(maxsize=16)
def _hermite(nodes: int) -> tuple[list[float], list[float]]:
    """Return points and weights for the standard normal distribution; the weights sum to 1."""
    points, weights = hermegauss(nodes)
    return points.tolist(), (weights / weights.sum()).tolist()
