"""Networks that were loaded from a folder, with their certificates: they predict, and can be judged again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load as read_tensors
from sklearn.utils import check_random_state

from pacbayes.torch.arrays import read_rows
from pacbayes.torch.gaussian_learner import LearnedGaussian
from pacbayes.torch.gaussian_predictor import GaussianPredictor
from pacbayes.torch.outputs import TIE, find_device
from pacbayes.torch.predictor import NetworkPredictor, check_shape
from pacbayes.torch.row_kinds import RowKind
from pacbayes.torch.states import load_state

if TYPE_CHECKING:
    import torch
    from torch import nn

    from pacbayes._core.types import BoolArray, Labels, RandomState
    from pacbayes.certificate import Certificate
    from pacbayes.torch.network_folder import NetworkRecord

__all__ = ["StoredGaussian", "StoredNetwork"]


class StoredNetwork(NetworkPredictor):
    """A deterministic network from a folder: the predictor that its certificate is about.

    Attributes
    ----------
    certificate_ : Certificate
    classes_ : ndarray
        Labels, in the order of the outputs.
    input_shape_ : tuple of int
        Of one row.
    module_ : Module
    """

    def __init__(
        self,
        certificate: Certificate,
        module: nn.Module,
        classes: Labels,
        input_shape: tuple[int, ...],
        row_kind: RowKind,
        ties: float = 1.0,
    ) -> None:
        self.certificate_ = certificate
        self.module_ = module
        self.classes_ = classes
        self.input_shape_ = input_shape
        self.row_kind_ = row_kind
        self._ties = ties

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
        own = module.to(find_device("load", device)).eval().requires_grad_(False)
        return cls(certificate, own, record.labels, record.input_shape, RowKind.from_dict(record.rows))

    def near_ties(self, X: Any, tolerance: float = TIE) -> BoolArray:
        """Return for each row whether its two largest outputs are too close to call, or one is not finite."""
        return super().near_ties(X, tolerance * self._ties)

    def with_ties(self, factor: float) -> StoredNetwork:
        """Return the same network with another tolerance of near-ties, for whoever judges it again."""
        kind = RowKind() if self.row_kind_ is None else self.row_kind_
        return StoredNetwork(self.certificate_, self.module_, self.classes_, self.input_shape_, kind, factor)


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
    layers : str
        Which layers are drawn: "last", "linear" or "all".
    form : str
        The digest of classes, shape and architecture.
    row_kind_ : RowKind
        Names of columns and kind of numbers; other rows are refused.
    """

    certificate_: Certificate
    predictor_: GaussianPredictor
    settled: bool
    layers: str
    form: str
    row_kind_: RowKind

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
        kind = RowKind.from_dict(record.rows)
        return cls(certificate, predictor, bool(record.settled), str(record.layers), record.form, kind)

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
        rows = self._rows("predict", X)
        return self.predictor_.draw_classes(rows, int(check_random_state(random_state).randint(2**31)))

    def predict_mean(self, X: Any) -> Labels:
        """Return the predictions of the mean network, about which **nothing is certified**."""
        logits = self.predictor_.mean_logits(self._rows("predict_mean", X))
        return np.asarray(self.classes_[logits.argmax(axis=1)])

    def learned_network(self) -> LearnedGaussian:
        """Return what is judged again: the divergence is computed from the stored numbers."""
        return LearnedGaussian(self.predictor_, self.layers, self.settled, (), self.predictor_.kl, form=self.form)

    def _rows(self, owner: str, X: Any) -> NDArray[Any]:
        rows, _, shape = read_rows(owner, X, labelled=False)
        check_shape(owner, shape, self.input_shape_)
        self.row_kind_.check(owner, X, rows)
        return rows
