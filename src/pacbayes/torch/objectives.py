"""What a posterior is trained on: bounds as functions of an empirical risk and a divergence, by name."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
import torch

from pacbayes.bounds import betting_rates
from pacbayes.torch.betting_bounds import betting
from pacbayes.torch.bounds import maurer

__all__ = ["OBJECTIVES", "Lambda", "Maurer", "Objective", "Portfolio", "Quadratic"]


class Objective(ABC):
    """A function of risk and divergence to minimise, for one number of rows and one delta.

    Parameters
    ----------
    n : int
        Rows that the risk is a mean over.
    delta : float
        Allowed probability of failure.
    rate : float, optional
        At which the certificate bets, where that was chosen on the learning rows.
    """

    name: ClassVar[str]

    def __init__(self, n: int, delta: float, rate: float | None = None) -> None:
        self.n, self.delta, self.rate = n, delta, rate

    @abstractmethod
    def value(self, risk: torch.Tensor, kl: torch.Tensor) -> torch.Tensor:
        """Return the objective with gradients."""

    def adjust(self, risk: float, kl: float) -> None:
        """Set what the objective has for parameters of its own, given where training stands; most have none."""
        del risk, kl

    def _cost(self, kl: torch.Tensor) -> torch.Tensor:
        """Return ``KL + log(2 sqrt(n)/delta)``, with the constant as published."""
        return kl + math.log(2.0 * math.sqrt(self.n) / self.delta)


class Portfolio(Objective):
    """The certificate's own: a mixture of bets at the library's rates without a reference, or one predicted rate.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch.objectives import Portfolio
    >>> risk = torch.tensor(0.05, dtype=torch.float64)
    >>> round(float(Portfolio(1000, 0.05).value(risk, torch.tensor(10.0, dtype=torch.float64))), 6)
    0.098033
    """

    name = "portfolio"

    def __init__(self, n: int, delta: float, rate: float | None = None) -> None:
        super().__init__(n, delta, rate)
        rates, weights = betting_rates(n=n, delta=delta) if rate is None else (np.array([rate]), np.ones(1))
        self._rates, self._weights = torch.as_tensor(rates), torch.as_tensor(weights)

    def value(self, risk: torch.Tensor, kl: torch.Tensor) -> torch.Tensor:
        """Return the betting bound on a 0-1 loss with this risk."""
        growth = risk.clamp(0.0, 1.0) * torch.log1p(-self._rates)
        return betting(growth, self._rates, kl, self.n, self.delta, self._weights)


class Maurer(Objective):
    """The bound by the inverse of kl, with the exact constant."""

    name = "maurer"

    def value(self, risk: torch.Tensor, kl: torch.Tensor) -> torch.Tensor:
        """Return Maurer's bound."""
        return maurer(risk.clamp(0.0, 1.0), kl, self.n, self.delta)


class Quadratic(Objective):
    """``(sqrt(risk + K) + sqrt(K))**2`` with ``K = (KL + log(2 sqrt(n)/delta))/(2 n)``, as published.

    References
    ----------
    Perez-Ortiz, Rivasplata, Shawe-Taylor and Szepesvari, "Tighter risk certificates for neural networks", 2021.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch.objectives import Quadratic
    >>> round(float(Quadratic(1000, 0.05).value(torch.tensor(0.05), torch.tensor(10.0))), 4)
    0.112
    """

    name = "quadratic"

    def value(self, risk: torch.Tensor, kl: torch.Tensor) -> torch.Tensor:
        """Return the objective."""
        share = self._cost(kl) / (2.0 * self.n)
        return (torch.sqrt(risk + share) + torch.sqrt(share)) ** 2


class Lambda(Objective):
    """``risk/(1 - lam/2) + (KL + log(2 sqrt(n)/delta))/(n lam (1 - lam/2))``, minimised in lam in (0, 2) by turns.

    For a given risk and divergence the best is ``lam = 2/(1 + sqrt(1 + 2 n risk/(KL + log(2 sqrt(n)/delta))))``.

    References
    ----------
    Thiemann, Igel, Wintenberger and Seldin, "A strongly quasiconvex PAC-Bayesian bound", 2017, for the bound.
    Perez-Ortiz, Rivasplata, Shawe-Taylor and Szepesvari, 2021, for training a network on it.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch.objectives import Lambda
    >>> objective = Lambda(1000, 0.05)
    >>> objective.adjust(0.05, 10.0)
    >>> round(objective.lam, 4), round(float(objective.value(torch.tensor(0.05), torch.tensor(10.0))), 4)
    (0.5534, 0.112)
    """

    name = "lambda"

    def __init__(self, n: int, delta: float, rate: float | None = None) -> None:
        super().__init__(n, delta, rate)
        self.lam = 1.0

    def value(self, risk: torch.Tensor, kl: torch.Tensor) -> torch.Tensor:
        """Return the objective at the present lam."""
        rest = 1.0 - self.lam / 2.0
        return risk / rest + self._cost(kl) / (self.n * self.lam * rest)

    def adjust(self, risk: float, kl: float) -> None:
        """Set lam to the best for this risk and divergence."""
        cost = kl + math.log(2.0 * math.sqrt(self.n) / self.delta)
        self.lam = 2.0 / (1.0 + math.sqrt(1.0 + 2.0 * self.n * risk / cost))


OBJECTIVES: dict[str, type[Objective]] = {each.name: each for each in (Portfolio, Maurer, Quadratic, Lambda)}
