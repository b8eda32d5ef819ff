"""Networks that were loaded from a folder, with their certificates: they predict, and can be judged again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load as read_tensors
from sklearn.utils import check_random_state

from pacbayes.torch.arrays import read_rows
from pacbayes.torch.gaussian_learner import LearnedGaussian
from pacbayes.torch.gaussian_predictor import GaussianPredictor
from pacbayes.torch.outputs import TIE, find_device, module_outputs, near_ties, probabilities
from pacbayes.torch.states import load_state, state_digest

if TYPE_CHECKING:
    import torch
    from torch import nn

    from pacbayes._core.types import BoolArray, FloatArray, Labels, RandomState
    from pacbayes.certificate import Certificate
    from pacbayes.torch.network_folder import NetworkRecord

__all__ = ["StoredGaussian", "StoredNetwork", "flat_rows"]


def flat_rows(owner: str, X: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return rows in two dimensions, or say that they are not of the shape that a network takes."""
    found = read_rows(owner, X, labelled=False)
    if found.X.shape[1] != prod(shape):
        raise ValueError(f"The 'X' argument of {owner} must have rows of shape {shape}. Got {found.shape} instead.")
    return found.X


@dataclass(frozen=True, slots=True, eq=False)
class StoredNetwork:
    """A deterministic network from a folder: the predictor that its certificate is about.

    Attributes
    ----------
    certificate_ : Certificate
    classes_ : ndarray
        Labels, in the order of the outputs.
    input_shape_ : tuple of int
        Of one row.
    module_ : Module
    device : device
    ties : float
        Multiplies what counts as a near-tie, when it is judged again.
    """

    certificate_: Certificate
    classes_: Labels
    input_shape_: tuple[int, ...]
    module_: nn.Module
    device: torch.device
    ties: float = 1.0

    @classmethod
    def from_bytes(
        cls,
        certificate: Certificate,
        record: NetworkRecord,
        module: nn.Module,
        weights: bytes,
        device: torch.device | str,
    ) -> StoredNetwork:
        """Set the weights of a module, which must be of the architecture that they were saved from."""
        load_state(module, weights)
        place = find_device("load", device)
        return cls(certificate, record.labels, record.input_shape, module.to(place).eval(), place)

    @property
    def network_digest(self) -> str:
        """SHA-256 of its weights."""
        return state_digest(self.module_)

    def scores(self, X: Any) -> FloatArray:
        """Return the outputs of the network for each row and class."""
        rows = flat_rows("scores", X, self.input_shape_)
        return module_outputs(
            self.module_, rows, self.input_shape_, device=self.device, classes=len(self.classes_), owner="load"
        )

    def predict(self, X: Any) -> Labels:
        """Return the label of the largest output of each row: what the certificate is about."""
        return np.asarray(self.classes_[self.scores(X).argmax(axis=1)])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the softmax of the outputs."""
        return probabilities(self.scores(X))

    def near_ties(self, X: Any, tolerance: float = TIE) -> BoolArray:
        """Return for each row whether its two largest outputs are too close to call."""
        return near_ties(self.scores(X), tolerance * self.ties)

    def with_ties(self, factor: float) -> StoredNetwork:
        """Return the same network with another tolerance of near-ties."""
        return replace(self, ties=factor)


@dataclass(frozen=True, slots=True, eq=False)
class StoredGaussian:
    """A Gaussian over networks from a folder: one network is drawn for each row, as its certificate says.

    Attributes
    ----------
    certificate_ : Certificate
    predictor_ : GaussianPredictor
        Prior, posterior and the rest of the network.
    settled : bool
        Whether it was settled beforehand that the posterior is the prior.
    """

    certificate_: Certificate
    predictor_: GaussianPredictor
    settled: bool

    @classmethod
    def from_bytes(
        cls,
        certificate: Certificate,
        record: NetworkRecord,
        module: nn.Module,
        weights: bytes,
        device: torch.device | str,
    ) -> StoredGaussian:
        """Read prior, posterior and the rest of the network, which must be those of the module's layers."""
        try:
            tensors = read_tensors(weights)
        except SafetensorError as error:
            raise ValueError(f"The weights of a network must be safetensors. {error!s:.120}") from None
        predictor = GaussianPredictor.from_tensors(
            module,
            tensors,
            layers=str(record.layers),
            classes=record.labels,
            shape=record.input_shape,
            device=find_device("load", device),
        )
        return cls(certificate, predictor, bool(record.settled))

    @property
    def network_digest(self) -> str:
        """SHA-256 of its numbers."""
        return self.predictor_.digest

    @property
    def classes_(self) -> Labels:
        """Labels, in the order of the outputs."""
        return self.predictor_.classes

    @property
    def input_shape_(self) -> tuple[int, ...]:
        """Of one row."""
        return self.predictor_.shape

    def predict(self, X: Any, random_state: RandomState = None) -> Labels:
        """Return the prediction of a network drawn for each row: what the certificate is about."""
        rows = flat_rows("predict", X, self.input_shape_)
        return self.predictor_.draw_classes(rows, int(check_random_state(random_state).randint(2**31)))

    def predict_mean(self, X: Any) -> Labels:
        """Return the predictions of the mean network, about which **nothing is certified**."""
        logits = self.predictor_.mean_logits(flat_rows("predict_mean", X, self.input_shape_))
        return np.asarray(self.classes_[logits.argmax(axis=1)])

    def learned_network(self) -> LearnedGaussian:
        """Return what is judged again: the divergence is computed from the stored numbers."""
        return LearnedGaussian(self.predictor_, self.settled, (), self.predictor_.kl)
