"""Whether the workers of a cluster compute as this process does: by the versions of what they compute with."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from pacbayes._core.versions import current_versions
from pacbayes.engines.errors import EngineError, one_line

__all__ = ["check_workers"]

_CHECKED: WeakSet[Any] = WeakSet()  # clients


def check_workers(client: Any) -> None:
    """Refuse workers that compute with other versions, which may predict otherwise; looked at once for each client."""
    if client in _CHECKED:
        return
    here = _find_versions()
    try:
        found = client.run(_find_versions, on_error="return")
    except OSError as error:
        raise EngineError(f"The workers of the Dask cluster do not answer ({one_line(error)}).") from None
    for address, versions in found.items():
        if not isinstance(versions, dict):
            raise EngineError(
                f"Each worker of the Dask cluster must have pacbayes installed, as it is here. The one at {address} "
                f"has not ({one_line(versions)})."
            )
        different = [name for name, version in here.items() if versions.get(name) != version]
        if different:
            name = different[0]
            raise EngineError(
                f"Each worker of the Dask cluster must have the versions that are here. The one at {address} has "
                f"{name} {versions.get(name)}, and here is {here[name]}."
            )
    _CHECKED.add(client)


def _find_versions() -> dict[str, str]:
    """Return the versions of packages, and of Python without its last part, on which no number depends."""
    found = current_versions()
    return found | {"python": found["python"].rpartition(".")[0]}
