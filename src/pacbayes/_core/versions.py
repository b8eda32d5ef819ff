"""The versions of the library and of what it computes with."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from platform import python_version

__all__ = ["current_versions"]

_PACKAGES = ("pacbayes", "numpy", "scipy", "scikit-learn")


def current_versions() -> dict[str, str]:
    """Return the version of each package that numbers depend on, and of Python."""
    return {name: _read_version(name) for name in _PACKAGES} | {"python": python_version()}


@cache  # a package's metadata is a file to parse, which would take longer than a small fit
def _read_version(name: str) -> str:
    return version(name)
