"""Certificates for PyTorch models, and bounds that one can train on: the extra ``torch``.

Nothing else of the library imports PyTorch. Every name is loaded when it is first asked for.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pacbayes.torch.architectures import Network, Standardization, build, convolutional, describe, fully_connected
    from pacbayes.torch.augmentation import Augmentation
    from pacbayes.torch.betting_bounds import betting, portfolio
    from pacbayes.torch.bounds import (
        catoni,
        chernoff,
        clopper_pearson,
        maurer,
        maurer_relaxed,
        mcallester,
        progressive_chernoff,
        tolstikhin_seldin,
    )
    from pacbayes.torch.certified import CertifiedNetwork
    from pacbayes.torch.classifier import NetworkClassifier
    from pacbayes.torch.descent import PosteriorTraining
    from pacbayes.torch.divergences import categorical_kl, kl, kl_ball_max, kl_ball_min, kl_inv_lower, kl_inv_upper, phi
    from pacbayes.torch.excess_bounds import excess_kl, excess_relaxed, split_kl, unexpected_bernstein, vector_kl
    from pacbayes.torch.gaussian import GaussianNetwork
    from pacbayes.torch.given import GivenNetwork
    from pacbayes.torch.network_verification import verify
    from pacbayes.torch.quadrature import expected_zero_one
    from pacbayes.torch.recursive_bounds import recursive, recursive_portfolio
    from pacbayes.torch.references import NetworkReference
    from pacbayes.torch.storage import load
    from pacbayes.torch.stored_networks import StoredGaussian, StoredNetwork
    from pacbayes.torch.training import Training, train
    from pacbayes.torch.vote_bounds import chebyshev_cantelli, disagreement, first_order, tandem
    from pacbayes.torch.weights import WeightGaussian

__all__ = [
    "Augmentation",
    "CertifiedNetwork",
    "GaussianNetwork",
    "GivenNetwork",
    "Network",
    "NetworkClassifier",
    "NetworkReference",
    "PosteriorTraining",
    "Standardization",
    "StoredGaussian",
    "StoredNetwork",
    "Training",
    "WeightGaussian",
    "betting",
    "build",
    "categorical_kl",
    "catoni",
    "chebyshev_cantelli",
    "chernoff",
    "clopper_pearson",
    "convolutional",
    "describe",
    "disagreement",
    "excess_kl",
    "excess_relaxed",
    "expected_zero_one",
    "first_order",
    "fully_connected",
    "kl",
    "kl_ball_max",
    "kl_ball_min",
    "kl_inv_lower",
    "kl_inv_upper",
    "load",
    "maurer",
    "maurer_relaxed",
    "mcallester",
    "phi",
    "portfolio",
    "progressive_chernoff",
    "recursive",
    "recursive_portfolio",
    "split_kl",
    "tandem",
    "tolstikhin_seldin",
    "train",
    "unexpected_bernstein",
    "vector_kl",
    "verify",
]

# where each public name lives; type checkers and the site read the imports above
_HOMES = {
    "Augmentation": "pacbayes.torch.augmentation",
    "CertifiedNetwork": "pacbayes.torch.certified",
    "GaussianNetwork": "pacbayes.torch.gaussian",
    "GivenNetwork": "pacbayes.torch.given",
    "Network": "pacbayes.torch.architectures",
    "NetworkClassifier": "pacbayes.torch.classifier",
    "NetworkReference": "pacbayes.torch.references",
    "PosteriorTraining": "pacbayes.torch.descent",
    "Standardization": "pacbayes.torch.architectures",
    "StoredGaussian": "pacbayes.torch.stored_networks",
    "StoredNetwork": "pacbayes.torch.stored_networks",
    "Training": "pacbayes.torch.training",
    "WeightGaussian": "pacbayes.torch.weights",
    "betting": "pacbayes.torch.betting_bounds",
    "build": "pacbayes.torch.architectures",
    "categorical_kl": "pacbayes.torch.divergences",
    "catoni": "pacbayes.torch.bounds",
    "chebyshev_cantelli": "pacbayes.torch.vote_bounds",
    "chernoff": "pacbayes.torch.bounds",
    "clopper_pearson": "pacbayes.torch.bounds",
    "convolutional": "pacbayes.torch.architectures",
    "describe": "pacbayes.torch.architectures",
    "disagreement": "pacbayes.torch.vote_bounds",
    "excess_kl": "pacbayes.torch.excess_bounds",
    "excess_relaxed": "pacbayes.torch.excess_bounds",
    "expected_zero_one": "pacbayes.torch.quadrature",
    "first_order": "pacbayes.torch.vote_bounds",
    "fully_connected": "pacbayes.torch.architectures",
    "kl": "pacbayes.torch.divergences",
    "kl_ball_max": "pacbayes.torch.divergences",
    "kl_ball_min": "pacbayes.torch.divergences",
    "kl_inv_lower": "pacbayes.torch.divergences",
    "kl_inv_upper": "pacbayes.torch.divergences",
    "load": "pacbayes.torch.storage",
    "maurer": "pacbayes.torch.bounds",
    "maurer_relaxed": "pacbayes.torch.bounds",
    "mcallester": "pacbayes.torch.bounds",
    "phi": "pacbayes.torch.divergences",
    "portfolio": "pacbayes.torch.betting_bounds",
    "progressive_chernoff": "pacbayes.torch.bounds",
    "recursive": "pacbayes.torch.recursive_bounds",
    "recursive_portfolio": "pacbayes.torch.recursive_bounds",
    "split_kl": "pacbayes.torch.excess_bounds",
    "tandem": "pacbayes.torch.vote_bounds",
    "tolstikhin_seldin": "pacbayes.torch.bounds",
    "train": "pacbayes.torch.training",
    "unexpected_bernstein": "pacbayes.torch.excess_bounds",
    "vector_kl": "pacbayes.torch.excess_bounds",
    "verify": "pacbayes.torch.network_verification",
}

_missing = [name for name in ("torch", "safetensors") if find_spec(name) is None]
if _missing:
    raise ModuleNotFoundError(
        f"pacbayes.torch needs {' and '.join(_missing)}, which is not installed: pip install 'pacbayes[torch]'.",
        name=_missing[0],
    )


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
