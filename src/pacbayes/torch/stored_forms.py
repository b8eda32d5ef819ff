"""Fitted networks as what a folder holds: bytes of weights, and plain data about everything else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted

from pacbayes.metrics import read_group_columns
from pacbayes.torch.architectures import describe
from pacbayes.torch.descent import PosteriorTraining
from pacbayes.torch.round_trip import refuse_lost_parts
from pacbayes.torch.states import state_bytes
from pacbayes.torch.storage import save_network
from pacbayes.torch.stored_module import ModuleLike
from pacbayes.torch.training import Training

if TYPE_CHECKING:
    from pacbayes._core.types import Labels
    from pacbayes.certificate import Certificate
    from pacbayes.torch.certified import CertifiedNetwork
    from pacbayes.torch.gaussian import GaussianNetwork
    from pacbayes.torch.row_kinds import RowKind

__all__ = ["StorableNetwork", "StoredForm", "certified_form", "gaussian_form", "plain_training"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredForm:
    """What an estimator has stored of its network.

    Attributes
    ----------
    module : Module
        Of whose architecture the description is stored, if it has one.
    weights : bytes
        Safetensors.
    classes : ndarray
        Labels, in the order of the outputs.
    about : dict
        Further fields of network.json.
    given : Module or callable
        What the estimator was given to make the module from.
    """

    module: torch.nn.Module
    weights: bytes
    classes: Labels
    about: dict[str, Any]
    given: ModuleLike


class StorableNetwork:
    """An estimator of a network that can be saved as a folder."""

    certificate_: Certificate
    input_shape_: tuple[int, ...]
    row_kind_: RowKind
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
        form, certificate = self._stored_form(), self.certificate_
        described = describe(form.module)
        refuse_lost_parts(form.module, described, form.given, self.input_shape_, self.row_kind_)
        about = form.about | {
            "classes": tuple(np.asarray(form.classes).tolist()),
            "input_shape": tuple(map(int, self.input_shape_)),
            "seed": int(self.seed_),
            "architecture": described,
            "rows": self.row_kind_.to_dict(),
        }
        return save_network(folder, certificate, form.weights, about, force=force)

    def _stored_form(self) -> StoredForm:
        raise NotImplementedError


def certified_form(model: CertifiedNetwork) -> StoredForm:
    """Return what is stored of a deterministic network."""
    training = None if model.fitter is not None else plain_training(model.training)
    split = model.split if isinstance(model.split, str) else float(model.split)
    learning = {"split": split, "training": training, "classes": model.classes is not None}
    columns = () if model.grouping_ is not None else read_group_columns("save", model.groups)
    module = model.estimator_.module_
    return StoredForm(
        module=module,
        weights=state_bytes(module),
        classes=model.estimator_.classes_,
        about={
            "kind": "deterministic",
            "groups": [each if isinstance(each, str) else int(each) for each in columns] or None,
            "learning": None if training is None else learning,
        },
        given=model.module_factory,
    )


def gaussian_form(model: GaussianNetwork) -> StoredForm:
    """Return what is stored of a Gaussian network."""
    predictor, training = model.predictor_, plain_training(model.training)
    after = model.posterior_training or PosteriorTraining()
    learning = {
        "split": float(model.split),
        "training": training,
        "classes": model.classes is not None,
        "posterior_training": after.to_dict(),
        "prior_scale": float(model.prior_scale),
        "prior_mean": model.prior_mean,
        "objective": model.objective,
        "bound": model.bound,
        "passes": int(model.passes),
        "held_out": float(model.held_out),
        "module": "module" if isinstance(model.module, torch.nn.Module) else "factory",
    }
    return StoredForm(
        module=predictor.module,
        weights=predictor.to_bytes(),
        classes=predictor.classes,
        about={
            "kind": "gaussian",
            "layers": model.layers,
            "settled": after.epochs == 0,
            "learning": None if training is None else learning,
        },
        given=model.module,
    )


def plain_training(training: Training | None = None) -> dict[str, Any] | None:
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
