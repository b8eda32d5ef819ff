"""Generalisation certificates for machine-learning models, from the data they were trained on."""

from importlib.metadata import version

from pacbayes import bounds, datasets, losses
from pacbayes.numerics import (
    categorical_kl,
    kl,
    kl_ball_max,
    kl_ball_min,
    kl_inv_lower,
    kl_inv_upper,
    log_xi,
    phi,
)
from pacbayes.posteriors import Finite, Gaussian, MonteCarlo, laplace_covariance
from pacbayes.summary import Summary

__all__ = [
    "Finite",
    "Gaussian",
    "MonteCarlo",
    "Summary",
    "__version__",
    "bounds",
    "categorical_kl",
    "datasets",
    "kl",
    "kl_ball_max",
    "kl_ball_min",
    "kl_inv_lower",
    "kl_inv_upper",
    "laplace_covariance",
    "log_xi",
    "losses",
    "phi",
]

__version__ = version("pacbayes")
