"""Generalisation certificates for machine-learning models, from the data they were trained on."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pacbayes import bounds, datasets, losses
    from pacbayes.certificate import Certificate
    from pacbayes.estimators import (
        CertificateWarning,
        CertifiedClassifier,
        CertifiedForest,
        CertifiedLogisticRegression,
        CertifiedRegressor,
        OnlineCertifiedClassifier,
        PickToLearn,
        RecursiveLogisticRegression,
        SelectiveClassifier,
        certify,
        certify_predictions,
        compare,
        compare_predictions,
    )
    from pacbayes.learners import CrossValidatedLogistic, RecursiveLogistic, RefittedLogistic
    from pacbayes.monitoring import Monitor
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
    from pacbayes.runs import load_run
    from pacbayes.summary import Summary

    __version__: str

__all__ = [
    "Certificate",
    "CertificateWarning",
    "CertifiedClassifier",
    "CertifiedForest",
    "CertifiedLogisticRegression",
    "CertifiedRegressor",
    "CrossValidatedLogistic",
    "Every",
    "Finite",
    "Gaussian",
    "Geometric",
    "LearnedReference",
    "Monitor",
    "MonteCarlo",
    "OnlineCertifiedClassifier",
    "OnlineReference",
    "PickToLearn",
    "RecursiveLogistic",
    "RecursiveLogisticRegression",
    "RefittedLogistic",
    "SelectiveClassifier",
    "StochasticReference",
    "Summary",
    "__version__",
    "bounds",
    "categorical_kl",
    "certify",
    "certify_predictions",
    "compare",
    "compare_predictions",
    "datasets",
    "fixed_reference",
    "kl",
    "kl_ball_max",
    "kl_ball_min",
    "kl_inv_lower",
    "kl_inv_upper",
    "laplace_covariance",
    "load_run",
    "log_xi",
    "losses",
    "online_reference",
    "phi",
    "zero_reference",
]

_TOOLS = frozenset({"TYPE_CHECKING", "find_spec", "import_module"})

# Where each public name comes from; it is loaded when it is first asked for, so that a command or a script that needs
# only numbers starts at once. Type checkers read the imports and `__all__` above,
# which a test compares with this table.
_SOURCES = {
    "Certificate": "certificate",
    "CertificateWarning": "estimators",
    "CertifiedClassifier": "estimators",
    "CertifiedForest": "estimators",
    "CertifiedLogisticRegression": "estimators",
    "CertifiedRegressor": "estimators",
    "CrossValidatedLogistic": "learners",
    "Every": "online",
    "Finite": "posteriors",
    "Gaussian": "posteriors",
    "Geometric": "online",
    "LearnedReference": "online",
    "Monitor": "monitoring",
    "MonteCarlo": "posteriors",
    "OnlineCertifiedClassifier": "estimators",
    "OnlineReference": "online",
    "PickToLearn": "estimators",
    "RecursiveLogistic": "learners",
    "RecursiveLogisticRegression": "estimators",
    "RefittedLogistic": "learners",
    "SelectiveClassifier": "estimators",
    "StochasticReference": "online",
    "Summary": "summary",
    "bounds": "",
    "categorical_kl": "numerics",
    "certify": "estimators",
    "certify_predictions": "estimators",
    "compare": "estimators",
    "compare_predictions": "estimators",
    "datasets": "",
    "fixed_reference": "online",
    "kl": "numerics",
    "kl_ball_max": "numerics",
    "kl_ball_min": "numerics",
    "kl_inv_lower": "numerics",
    "kl_inv_upper": "numerics",
    "laplace_covariance": "posteriors",
    "load_run": "runs",
    "log_xi": "numerics",
    "losses": "",
    "online_reference": "online",
    "phi": "numerics",
    "zero_reference": "online",
}


def __getattr__(name: str) -> object:
    """Load a public name, or a room of the package, when it is first asked for."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415

        member: object = version("pacbayes")
    elif room := _SOURCES.get(name):
        member = getattr(import_module(f"pacbayes.{room}"), name)
    elif not name.startswith("_") and find_spec(f"pacbayes.{name}") is not None:
        member = import_module(f"pacbayes.{name}")
    else:
        raise AttributeError(f"module 'pacbayes' has no attribute {name!r}")
    globals()[name] = member
    return member


def __dir__() -> list[str]:
    return sorted({name for name in globals() if name not in _TOOLS} | {*__all__})
