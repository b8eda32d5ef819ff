"""A network with a Gaussian over some of its weights: its expected errors, its draws, and its numbers as bytes."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save
from torch import nn

from pacbayes._core.types import FloatArray, IntArray, Labels
from pacbayes.posteriors.categorical import expected_zero_one
from pacbayes.torch.architectures import describe
from pacbayes.torch.arrays import code_labels, to_tensor
from pacbayes.torch.draws import DrawnModule
from pacbayes.torch.layers import choose_layers, features_of, parameter_names
from pacbayes.torch.outputs import TIE, module_outputs, near_ties
from pacbayes.torch.states import form_digest
from pacbayes.torch.weights import WeightGaussian

__all__ = ["GaussianPredictor"]

_ROWS = 2048
_GROUPS = ("state", "mean", "scale", "prior_mean", "prior_scale")


@dataclass(frozen=True, slots=True, eq=False)
class GaussianPredictor:
    """A module, a prior and a posterior over the weights of some of its layers.

    What is predicted and judged is one network drawn from the posterior for each row. For the last layer alone the
    probability of an error is an integral, which is bounded by a proved quadrature; the features are those that this
    machine computes in single precision, and all that follows is in double precision.

    Parameters
    ----------
    module : Module
        With the means of the posterior in place of the weights that are drawn; everything else is fixed.
    layers : tuple of str
        Names of the layers with a distribution, in the order of their calls.
    prior, posterior : WeightGaussian
        Over their weights and biases.
    classes : ndarray
        Labels, in the order of the logits.
    shape : tuple of int
        Of one row.
    is_exact : bool
        Whether errors are integrals: where only the layer that gives the logits is drawn.
    device : torch.device
    """

    module: nn.Module
    layers: tuple[str, ...]
    prior: WeightGaussian
    posterior: WeightGaussian
    classes: Labels
    shape: tuple[int, ...]
    is_exact: bool
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))

    @classmethod
    def with_means(cls, module: nn.Module, posterior: WeightGaussian, **options: Any) -> GaussianPredictor:
        """Return a predictor around a copy of a module that has the posterior's means."""
        own = copy.deepcopy(module).eval().requires_grad_(False)
        missing = [name for name in posterior.names if name not in own.state_dict()]
        if missing:
            raise ValueError(f"The module must have the weights of the posterior. Got none for {missing[0]!r}.")
        own.load_state_dict(dict(posterior.means), strict=False)
        return cls(module=own, posterior=posterior, **options)

    def with_posterior(self, posterior: WeightGaussian) -> GaussianPredictor:
        """Return a predictor with the same prior and another posterior."""
        names = ("layers", "prior", "classes", "shape", "is_exact", "device")
        return self.with_means(self.module, posterior, **{name: getattr(self, name) for name in names})

    @classmethod
    def from_tensors(
        cls, module: nn.Module, tensors: Mapping[str, torch.Tensor], *, layers: str, **options: Any
    ) -> GaussianPredictor:
        """Return a predictor from :meth:`tensors` and a module of the same architecture, or say why they do not fit.

        Parameters
        ----------
        module : Module
            Whose numbers do not matter: each is replaced by a stored one.
        tensors : mapping of str to Tensor
        layers : {"last", "linear", "all"}
            As it was fitted; the layers are looked for in the module again.
        **options
            ``classes``, ``shape`` and ``device``.
        """
        own = copy.deepcopy(module).eval().requires_grad_(False)
        groups = {of: _group(tensors, of) for of in _GROUPS}
        _check_fit(own.state_dict(), groups)
        own.load_state_dict({**groups["state"], **groups["mean"]})
        probe = torch.rand(3, *options["shape"], generator=torch.Generator().manual_seed(0))
        names = choose_layers("GaussianPredictor", own, layers, probe)
        if set(parameter_names(own, names)) != set(groups["mean"]):
            raise ValueError(f"The tensors must be about the weights of layers={layers!r} of the module. Got others.")
        with torch.no_grad():
            outputs = own(probe).shape[1]
        if outputs != len(options["classes"]):
            raise ValueError(
                f"The network must have one logit for each of {len(options['classes'])} classes. Got {outputs}."
            )
        prior = WeightGaussian(groups["prior_mean"], groups["prior_scale"])
        posterior = WeightGaussian(groups["mean"], groups["scale"])
        own = own.to(options.get("device", "cpu"))
        return cls(own, names, prior, posterior, is_exact=layers == "last", **options)

    @property
    def kl(self) -> float:
        """The divergence of the posterior from the prior, rounded up."""
        return self.posterior.kl(self.prior)

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return every number by name: the rest of the network, and prior and posterior of what is drawn."""
        state = self.module.state_dict()
        named = {f"state.{name}": value for name, value in state.items() if name not in self.posterior.means}
        groups = (("prior_", self.prior), ("", self.posterior))
        named |= {f"{of}mean.{name}": value for of, group in groups for name, value in group.means.items()}
        named |= {f"{of}scale.{name}": value for of, group in groups for name, value in group.scales.items()}
        return {
            name: value.detach().cpu().clone(memory_format=torch.contiguous_format) for name, value in named.items()
        }

    def to_bytes(self) -> bytes:
        """Return :meth:`tensors` as safetensors; the same numbers give the same bytes."""
        return bytes(save(self.tensors()))

    @property
    def digest(self) -> str:
        """SHA-256 of :meth:`to_bytes`: what certificates have under "network"."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    @property
    def form(self) -> str:
        """SHA-256 of architecture, classes and shape: what certificates have under "network_form"."""
        return form_digest(describe(self.module), self.classes, self.shape)

    def expected_errors(self, rows: NDArray[Any], labels: Labels, features: torch.Tensor | None = None) -> FloatArray:
        """Return for each row at least the probability that a draw misclassifies it; exact predictors have it.

        Parameters
        ----------
        rows, labels : ndarray
        features : Tensor, optional
            What the last layer is given for these rows, where that was computed before.
        """
        codes = code_labels(labels, self.classes).numpy()
        result = np.ones(len(rows))
        for part, means, variances in self._scores(rows, features):
            finite = np.isfinite(means).all(axis=1) & np.isfinite(variances).all(axis=1)
            places = part[finite]  # a row with features that are not finite counts as an error
            result[places] = expected_zero_one(means[finite], variances[finite], codes[places])
        return result

    def draw_errors(self, rows: NDArray[Any], labels: Labels, passes: int, seed: int, ties: float = 1.0) -> int:
        """Count the errors of networks drawn for each row and pass; near-ties count, whatever the label.

        Parameters
        ----------
        rows, labels : ndarray
        passes : int
            How many networks are drawn for each row.
        seed : int
            Of the draws.
        ties : float
            Multiplies the difference of logits that counts as a near-tie.
        """
        codes = code_labels(labels, self.classes).numpy()
        generator = torch.Generator().manual_seed(seed)
        errors = 0
        for _ in range(passes):
            for part, logits in self._drawn(rows, generator):
                errors += int(np.sum(near_ties(logits, TIE * ties) | (logits.argmax(axis=1) != codes[part])))
        return errors

    def draw_classes(self, rows: NDArray[Any], seed: int) -> Labels:
        """Return the classes that networks predict, one network drawn for each row."""
        generator = torch.Generator().manual_seed(seed)
        parts = [logits.argmax(axis=1) for _, logits in self._drawn(rows, generator)]
        return np.asarray(self.classes[np.concatenate(parts)])

    def mean_logits(self, rows: NDArray[Any]) -> FloatArray:
        """Return the logits of the network at the posterior's means, about which nothing is certified."""
        return module_outputs(self.module, rows, self.shape, device=self.device, classes=len(self.classes))

    def _scores(
        self, rows: NDArray[Any], known: torch.Tensor | None = None
    ) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
        """Yield numbers of rows, and means and variances of their logits in double precision."""
        layer = self.layers[0]
        weight, bias = (f"{layer}.{part}" if layer else part for part in ("weight", "bias"))
        means = {name: value.cpu().double().numpy() for name, value in self.posterior.means.items()}
        variances = {name: value.cpu().double().numpy() ** 2 for name, value in self.posterior.scales.items()}
        for start in range(0, len(rows), _ROWS):
            block = slice(start, start + _ROWS)
            found = self._features(rows[block]) if known is None else known[block]
            features = found.cpu().double().numpy()
            with np.errstate(over="ignore", invalid="ignore"):
                centre = features @ means[weight].T + means.get(bias, 0.0)
                spread = (features * features) @ variances[weight].T + variances.get(bias, 0.0)
            yield np.arange(start, start + len(features)), centre, spread

    def _features(self, rows: NDArray[Any]) -> torch.Tensor:
        return features_of(self.module, self.layers[0], to_tensor(rows, self.shape).to(self.device))

    def _drawn(self, rows: NDArray[Any], generator: torch.Generator) -> Iterator[tuple[IntArray, FloatArray]]:
        """Yield numbers of rows, and logits of a network drawn for each."""
        if self.is_exact:
            for part, means, variances in self._scores(rows):
                noise = torch.randn(means.shape, generator=generator, dtype=torch.float64).numpy()
                with np.errstate(invalid="ignore"):
                    yield part, means + np.sqrt(variances) * noise
            return
        drawn = DrawnModule(self.module, self.layers, self.posterior).to(self.device)
        drawn.seed(generator)
        size = drawn.batch_size()
        for start in range(0, len(rows), size):
            batch = to_tensor(rows[start : start + size], self.shape).to(self.device)
            with torch.no_grad():
                logits = drawn(batch).cpu().double().numpy()
            yield np.arange(start, start + len(batch)), logits


def _group(tensors: Mapping[str, torch.Tensor], of: str) -> dict[str, torch.Tensor]:
    """Return the tensors of one group, under their names in the module."""
    return {name.removeprefix(f"{of}."): value for name, value in tensors.items() if name.startswith(f"{of}.")}


def _check_fit(state: Mapping[str, torch.Tensor], groups: Mapping[str, Mapping[str, torch.Tensor]]) -> None:
    """Each number of a module must be stored once, and each distribution have all its numbers."""
    odd = sorted(state.keys() ^ {*groups["state"], *groups["mean"]}) or sorted(
        name for of in _GROUPS[2:] for name in groups[of].keys() ^ groups["mean"].keys()
    )
    if odd or groups["state"].keys() & groups["mean"].keys():
        raise ValueError(f"The tensors must be those of this network. Got a difference at {[*odd, 'mean'][0]}.")
    for of in _GROUPS:
        for name, value in groups[of].items():
            if value.shape != state[name].shape or value.dtype != state[name].dtype:
                raise ValueError(
                    f"The tensor {of}.{name} must be {state[name].dtype} of shape {tuple(state[name].shape)}. "
                    f"Got {value.dtype} of shape {tuple(value.shape)} instead."
                )
