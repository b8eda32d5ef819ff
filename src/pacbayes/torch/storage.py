"""Networks saved and loaded: a folder with a certificate, weights as safetensors, and plain data."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pacbayes.certificate import Certificate, Check, compare
from pacbayes.torch.network_folder import KINDS, NETWORK, WEIGHTS, NetworkRecord, read_pair, write_folder
from pacbayes.torch.stored_module import ModuleLike, make_module, read_weights
from pacbayes.torch.stored_networks import StoredGaussian, StoredNetwork

if TYPE_CHECKING:
    import torch

__all__ = ["Contents", "load", "open_network", "read_contents", "save_network"]


@dataclass(frozen=True, slots=True)
class Contents:
    """What a folder holds, read and compared, and not yet made into a network.

    Attributes
    ----------
    certificate : Certificate
    record : NetworkRecord
    weights : bytes
    checks : tuple of Check
        Whether the certificate holds by itself, and whether everything belongs together.
    """

    certificate: Certificate
    record: NetworkRecord
    weights: bytes
    checks: tuple[Check, ...]


def save_network(
    folder: str | Path,
    certificate: Certificate,
    weights: bytes,
    about: Mapping[str, Any],
    *,
    force: bool = False,
) -> list[Path]:
    """Write a network with its certificate as a folder, atomically, and return the files.

    Parameters
    ----------
    folder : path
    certificate : Certificate
        About these weights: its digest "network" is theirs.
    weights : bytes
        Safetensors.
    about : mapping
        Fields of :class:`pacbayes.torch.network_folder.NetworkRecord`.
    force : bool, default=False
        Whether a network that is there may be replaced.
    """
    if certificate.digests.get("network") != hashlib.sha256(weights).hexdigest():
        raise ValueError("The network has changed since its certificate was issued. Fit it again before saving it.")
    return write_folder(Path(folder), certificate, about, {WEIGHTS: weights}, force=force)


def read_contents(folder: str | Path, module: ModuleLike | None = None) -> Contents:
    """Read a folder, with checks of what belongs together; sizes are checked before anything is made."""
    place = Path(folder)
    certificate, record = read_pair(place)
    weights = read_weights(place, record, module)
    found = hashlib.sha256(weights).hexdigest()
    checks = (
        *certificate.verify().checks,
        compare("belongs", certificate.digest, record.certificate),
        compare("file", record.files[WEIGHTS], found),
        compare("network", certificate.digests.get("network"), found),
        compare("network_form", certificate.digests.get("network_form"), record.form),
        compare("procedure", certificate.procedure, KINDS[record.kind]),
    )
    return Contents(certificate, record, weights, checks)


def open_network(
    contents: Contents, module: ModuleLike | None = None, *, device: torch.device | str = "cpu"
) -> StoredNetwork | StoredGaussian:
    """Make the network of a folder, strictly: names, shapes and types of all tensors are those of the module."""
    made = make_module(contents.record, module)
    kind: type[StoredNetwork | StoredGaussian] = StoredGaussian if contents.record.kind == "gaussian" else StoredNetwork
    network = kind.from_bytes(contents.certificate, contents.record, made, contents.weights, device)
    if network.network_digest != hashlib.sha256(contents.weights).hexdigest():  # two layers may share their weights
        raise ValueError(f"{WEIGHTS} is not as the module writes it: some weights are shared, or it was written again.")
    return network


def load(
    folder: str | Path, module: ModuleLike | None = None, *, device: torch.device | str = "cpu"
) -> StoredNetwork | StoredGaussian:
    """Load a network that :meth:`CertifiedNetwork.save` or :meth:`GaussianNetwork.save` wrote.

    Nothing in the folder is unpickled, and nothing that it names is imported. The certificate must hold by itself, and
    the weights must be those that it was issued for; whether the data give its numbers is checked by
    :func:`pacbayes.torch.verify`.

    Parameters
    ----------
    folder : path
    module : Module or callable, optional
        A module of the same architecture, which is copied, or a function that returns one: for an architecture of your
        own. Networks of :func:`fully_connected` and :func:`convolutional` need none.
    device : device or str, default="cpu"

    Returns
    -------
    StoredNetwork or StoredGaussian
        With ``predict``, ``certificate_`` and ``classes_``.

    Examples
    --------
    >>> import tempfile
    >>> from functools import partial
    >>> from sklearn.datasets import load_digits
    >>> from pacbayes.torch import CertifiedNetwork, Training, fully_connected, load
    >>> X, y = load_digits(return_X_y=True)
    >>> factory = partial(fully_connected, 64, 32, 10)
    >>> model = CertifiedNetwork(factory, training=Training(epochs=5), split=0.5, random_state=0).fit(X / 16, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = model.save(folder)
    ...     network = load(folder)
    >>> bool((network.predict(X / 16) == model.predict(X / 16)).all())
    True
    >>> network.certificate_ == model.certificate_
    True
    """
    contents = read_contents(folder, module)
    failed = next((each.code for each in contents.checks if not each.held), None)
    if failed == "belongs":
        raise ValueError(f"The certificate in {str(folder)!r} belongs to another network than the one there.")
    if failed in ("file", "network"):
        raise ValueError(f"The weights in {str(folder)!r} are not those that its certificate was issued for.")
    if failed == "network_form":
        raise ValueError(f"Classes, shape or architecture in {str(folder)!r} are not those of its certificate.")
    if failed == "procedure":
        raise ValueError(f"The certificate in {str(folder)!r} is not about a network of the kind in {NETWORK}.")
    if failed is not None:
        raise ValueError(f"The certificate in {str(folder)!r} does not hold: see pacbayes verify.")
    return open_network(contents, module, device=device)
