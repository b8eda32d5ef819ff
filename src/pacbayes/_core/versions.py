"""The versions of the library and of what it computes with."""

from __future__ import annotations

from importlib.metadata import version
from platform import python_version

__all__ = ["current_versions"]

_PACKAGES = ("pacbayes", "numpy", "scipy", "scikit-learn")


def current_versions() -> dict[str, str]:
    """Return the version of each package that numbers depend on, and of Python."""
    return {name: version(name) for name in _PACKAGES} | {"python": python_version()}
