"""Generalisation certificates for machine-learning models, from the data they were trained on."""

from importlib.metadata import version

from pacbayes import bounds, datasets, losses
from pacbayes.certificate import Certificate
from pacbayes.estimators import (
    CertificateWarning,
    CertifiedLogisticRegression,
    OnlineCertifiedClassifier,
    holdout_certificate,
)
from pacbayes.learners import RecursiveLogistic, RefittedLogistic
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
from pacbayes.online import (
    Every,
    Geometric,
    LearnedReference,
    OnlineReference,
    StochasticReference,
    fixed_reference,
    online_reference,
    zero_reference,
)
from pacbayes.posteriors import Finite, Gaussian, MonteCarlo, laplace_covariance
from pacbayes.summary import Summary

__all__ = [
    "Certificate",
    "CertificateWarning",
    "CertifiedLogisticRegression",
    "Every",
    "Finite",
    "Gaussian",
    "Geometric",
    "LearnedReference",
    "MonteCarlo",
    "OnlineCertifiedClassifier",
    "OnlineReference",
    "RecursiveLogistic",
    "RefittedLogistic",
    "StochasticReference",
    "Summary",
    "__version__",
    "bounds",
    "categorical_kl",
    "datasets",
    "fixed_reference",
    "holdout_certificate",
    "kl",
    "kl_ball_max",
    "kl_ball_min",
    "kl_inv_lower",
    "kl_inv_upper",
    "laplace_covariance",
    "log_xi",
    "losses",
    "online_reference",
    "phi",
    "zero_reference",
]

__version__ = version("pacbayes")
