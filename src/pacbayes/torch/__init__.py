"""Certificates for PyTorch models, and bounds that one can train on: the extra ``torch``.

Nothing else of the library imports PyTorch. Every name is loaded when it is first asked for.
"""

from importlib import import_module
from importlib.util import find_spec

__all__ = ["StoredGaussian", "StoredNetwork", "load", "verify"]

# where each public name lives
_HOMES: dict[str, str] = {
    "StoredGaussian": "pacbayes.torch.stored_networks",
    "StoredNetwork": "pacbayes.torch.stored_networks",
    "load": "pacbayes.torch.storage",
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
