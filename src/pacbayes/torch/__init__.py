"""Certificates for PyTorch models, and bounds that one can train on: the extra ``torch``.

Nothing else of the library imports PyTorch. Every name is loaded when it is first asked for.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pacbayes.torch.architectures import Network, Standardization, build, convolutional, describe, fully_connected
    from pacbayes.torch.augmentation import Augmentation
    from pacbayes.torch.network_verification import verify
    from pacbayes.torch.quadrature import expected_zero_one
    from pacbayes.torch.storage import load
    from pacbayes.torch.stored_networks import StoredGaussian, StoredNetwork
    from pacbayes.torch.training import Training, train
    from pacbayes.torch.weights import WeightGaussian

__all__ = [
    "Augmentation",
    "Network",
    "Standardization",
    "StoredGaussian",
    "StoredNetwork",
    "Training",
    "WeightGaussian",
    "build",
    "convolutional",
    "describe",
    "expected_zero_one",
    "fully_connected",
    "load",
    "train",
    "verify",
]

# where each public name lives; type checkers and the site read the imports above
_HOMES = {
    "Augmentation": "pacbayes.torch.augmentation",
    "Network": "pacbayes.torch.architectures",
    "Standardization": "pacbayes.torch.architectures",
    "StoredGaussian": "pacbayes.torch.stored_networks",
    "StoredNetwork": "pacbayes.torch.stored_networks",
    "Training": "pacbayes.torch.training",
    "WeightGaussian": "pacbayes.torch.weights",
    "build": "pacbayes.torch.architectures",
    "convolutional": "pacbayes.torch.architectures",
    "describe": "pacbayes.torch.architectures",
    "expected_zero_one": "pacbayes.torch.quadrature",
    "fully_connected": "pacbayes.torch.architectures",
    "load": "pacbayes.torch.storage",
    "train": "pacbayes.torch.training",
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
