"""Posteriors: distributions over predictors with exact expectations where they exist, and divergences from a prior."""

from pacbayes.posteriors.categorical import expected_zero_one
from pacbayes.posteriors.family import FamilyLosses, GaussianFamily
from pacbayes.posteriors.finite import Finite
from pacbayes.posteriors.gaussian import Gaussian
from pacbayes.posteriors.laplace import laplace_covariance
from pacbayes.posteriors.monte_carlo import MonteCarlo

__all__ = [
    "FamilyLosses",
    "Finite",
    "Gaussian",
    "GaussianFamily",
    "MonteCarlo",
    "expected_zero_one",
    "laplace_covariance",
]
