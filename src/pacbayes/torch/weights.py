"""Diagonal Gaussians over the weights of a network, and their divergence, which never falls below the exact one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from pacbayes._core.rounding import EPS, raised
from pacbayes._core.types import FloatArray

__all__ = ["WeightGaussian"]

# twice what the operations of a term can lose, in units of 2**-52 of its parts; see _excess
_UNITS = 8.0


@dataclass(frozen=True, slots=True, eq=False)
class WeightGaussian:
    """Independent Gaussians, one per weight, by the names that a module's ``state_dict`` has for its parameters.

    Parameters
    ----------
    means, scales : mapping of str to Tensor
        Means and standard deviations, of the shape of the parameter and of type float32. Scales are positive.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import WeightGaussian
    >>> prior = WeightGaussian({"weight": torch.zeros(2, 3)}, {"weight": torch.ones(2, 3)})
    >>> posterior = WeightGaussian({"weight": torch.full((2, 3), 0.5)}, {"weight": torch.full((2, 3), 0.5)})
    >>> round(posterior.kl(prior), 9), prior.kl(prior)
    (2.658883083, 0.0)
    """

    means: Mapping[str, torch.Tensor]
    scales: Mapping[str, torch.Tensor]

    def __post_init__(self) -> None:
        if set(self.means) != set(self.scales) or any(
            self.means[name].shape != scale.shape for name, scale in self.scales.items()
        ):
            raise ValueError("The 'scales' argument of WeightGaussian must have a tensor of the shape of each mean.")
        for name, scale in self.scales.items():
            if not bool(torch.isfinite(self.means[name]).all()):
                raise ValueError(f"The 'means' argument of WeightGaussian must be finite. Got others in {name!r}.")
            if not bool(((scale > 0.0) & torch.isfinite(scale)).all()):
                raise ValueError(
                    f"The 'scales' argument of WeightGaussian must be positive and finite. Got others in {name!r}."
                )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters, sorted."""
        return tuple(sorted(self.means))

    def kl(self, prior: WeightGaussian) -> float:
        r"""Return the divergence from a prior, rounded up; 0 where both are the same numbers.

        That is ``sum_j ((m_j - m0_j)**2/s0_j**2 + r_j**2 - 1 - 2 log(r_j))/2`` with ``r_j = s_j/s0_j``. Each term is
        enlarged by what its own operations can lose, and the terms are added exactly.
        """
        if self.names != prior.names:
            raise ValueError(
                "The 'prior' argument of WeightGaussian.kl must be about the same weights. "
                f"Got {', '.join(prior.names)} instead of {', '.join(self.names)}."
            )
        total = 0.0
        for name in self.names:
            mean, scale = _doubles(self.means[name]), _doubles(self.scales[name])
            mean0, scale0 = _doubles(prior.means[name]), _doubles(prior.scales[name])
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                shift = (mean - mean0) / scale0
                terms = raised(0.5 * shift * shift, _UNITS) * (shift != 0.0) + 0.5 * _excess(scale, scale0)
            # scales of double precision may have a ratio beyond all doubles
            total += math.fsum(terms) if np.isfinite(terms).all() else math.inf
        return float(raised(total, len(self.names) + 4.0)) if total > 0.0 else 0.0


def _doubles(tensor: torch.Tensor) -> FloatArray:
    return np.asarray(tensor.detach().cpu().numpy(), dtype=np.float64).ravel()


def _excess(scale: FloatArray, scale0: FloatArray) -> FloatArray:
    """Return ``r**2 - 1 - 2 log(r)`` with ``r = scale/scale0``, rounded up; 0 where both are equal.

    Near ``r = 1`` it is ``d (2 + d) - 2 log1p(d)`` with ``d = r - 1``: the difference of scales within a factor 2 is
    exact, so ``d`` has a relative error of ``EPS/2``, which the logarithm (slope at most 2 there) doubles. Elsewhere
    ``r`` itself has that error, which is ``EPS/2`` in its logarithm. Products, sums and a logarithm of 4 units in the
    last place add less than ``6 EPS`` of the parts.
    """
    ratio = scale / scale0
    near = (ratio > 0.5) & (ratio < 2.0)
    change = np.where(near, (scale - scale0) / scale0, 0.0)
    with np.errstate(over="ignore"):
        powers = np.where(near, change * (2.0 + change), ratio * ratio - 1.0)
        logs = 2.0 * np.where(near, np.log1p(change), np.log(ratio))
        parts = np.where(near, np.abs(change) * (2.0 + np.abs(change)), ratio * ratio + 1.0) + np.abs(logs)
    return np.where(scale == scale0, 0.0, np.maximum(powers - logs, 0.0) + _UNITS * EPS * parts)
