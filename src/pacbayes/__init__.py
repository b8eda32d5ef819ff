"""Generalisation certificates for machine-learning models, from the data they were trained on."""

from importlib.metadata import version

from pacbayes import bounds
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

__all__ = [
    "__version__",
    "bounds",
    "categorical_kl",
    "kl",
    "kl_ball_max",
    "kl_ball_min",
    "kl_inv_lower",
    "kl_inv_upper",
    "log_xi",
    "phi",
]

__version__ = version("pacbayes")
