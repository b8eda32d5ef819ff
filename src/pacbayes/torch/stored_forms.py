"""Fitted networks as what a folder holds: bytes of weights, and plain data about everything else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors.numpy import save as write_arrays
from sklearn.utils.validation import check_is_fitted

from pacbayes.certificate import Certificate
from pacbayes.torch.architectures import describe
from pacbayes.torch.network_folder import ORDER
from pacbayes.torch.storage import save_network
from pacbayes.torch.training import Training

if TYPE_CHECKING:
    from torch import nn

    from pacbayes._core.types import IntArray, Labels

__all__ = ["StorableNetwork", "plain_training"]


class StorableNetwork:
    """An estimator of a network that can be saved as a folder."""

    certificate_: Certificate
    classes_: Labels
    input_shape_: tuple[int, ...]
    order_: IntArray
    seed_: int

    def save(self, folder: str | Path, *, force: bool = False) -> list[Path]:
        """Save the network with its certificate as a folder, atomically.

        The folder holds certificate.json, the weights in network.safetensors, and network.json with the classes, the
        options of learning and, for a network of :func:`fully_connected` or :func:`convolutional`, its architecture.
        :func:`pacbayes.torch.load` reads it, :func:`pacbayes.torch.verify` and ``pacbayes verify`` check it. Nothing in
        it is code.

        Parameters
        ----------
        folder : path
            One that is not there yet, or is empty.
        force : bool, default=False
            Whether to replace a network that is there.

        Returns
        -------
        list of Path
            The files.
        """
        check_is_fitted(self, "certificate_")
        module, weights, about = self._stored_form()
        common = {
            "classes": tuple(np.asarray(self.classes_).tolist()),
            "input_shape": tuple(map(int, self.input_shape_)),
            "seed": int(self.seed_),
            "architecture": describe(module),
        }
        certificate = self.certificate_
        drawn_again = certificate.seed is not None or certificate.in_order
        order = {"order": np.ascontiguousarray(self.order_, dtype=np.int64)}
        further = {} if drawn_again else {ORDER: bytes(write_arrays(order))}
        return save_network(folder, certificate, weights, {**common, **about}, further, force=force)

    def _stored_form(self) -> tuple[nn.Module, bytes, Mapping[str, Any]]:
        """Return the module, its weights as safetensors, and what network.json says besides what all networks have."""
        raise NotImplementedError


def plain_training(training: Training | None) -> dict[str, Any] | None:
    """Return options of a training as plain data; None where a function of the user's own takes part.

    Examples
    --------
    >>> from pacbayes.torch import Training
    >>> from pacbayes.torch.stored_forms import plain_training
    >>> plain_training(Training(epochs=3))["epochs"], plain_training(Training(augment=lambda batch, generator: batch))
    (3, None)
    """
    options = Training() if training is None else training
    is_function = callable(options.augment) and not hasattr(options.augment, "to_dict")
    return None if is_function else options.to_dict()
