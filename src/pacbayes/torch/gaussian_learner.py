"""A prior learned on the learning rows, and the posterior with the smallest certificate that training finds."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import nn

from pacbayes import bounds
from pacbayes._core.types import FloatArray, IntArray, Labels
from pacbayes.certificate import Certificate, Choice
from pacbayes.procedures.base import Sample
from pacbayes.torch.arrays import code_labels, to_tensor
from pacbayes.torch.checks import call_factory
from pacbayes.torch.descent import DrawnRisk, LastLayerRisk, PosteriorTraining, descend
from pacbayes.torch.gaussian_predictor import GaussianPredictor
from pacbayes.torch.layers import check_rows_alone, choose_layers, parameter_names
from pacbayes.torch.objectives import OBJECTIVES
from pacbayes.torch.outputs import find_device, precision_of, seeded
from pacbayes.torch.rates import bound_share, predict_rate, risk_on, training_seeds
from pacbayes.torch.training import Training, train
from pacbayes.torch.weights import WeightGaussian

__all__ = ["GaussianLearner", "LearnedGaussian"]

_PROBES = 64  # rows that a module is tried on


@dataclass(frozen=True, slots=True, eq=False)
class LearnedGaussian:
    """A predictor with its divergence and what was chosen: what the procedure for networks judges."""

    predictor: GaussianPredictor
    layers: str
    is_prior: bool
    choices: Sequence[Choice]
    kl: float
    rate: float | None = None
    features: torch.Tensor | None = None  # of the judged rows, where training computed them
    form: str | None = None  # the digest of a stored one's, in whatever module its numbers are now
    stored: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_drawn(self) -> bool:
        """Whether errors are estimated by draws."""
        return not self.predictor.is_exact

    @property
    def digests(self) -> dict[str, str]:
        """SHA-256 of prior, posterior and the rest of the network, and of what makes a predictor of them."""
        return {"network": self.predictor.digest, "network_form": self.form or self.predictor.form}

    @property
    def fitted(self) -> dict[str, Any]:
        """What an estimator keeps."""
        predictor = self.predictor
        return {
            "predictor_": predictor,
            "module_": predictor.module,
            "prior_": predictor.prior,
            "posterior_": predictor.posterior,
            "layers_": predictor.layers,
        }

    def expected_errors(self, sample: Sample, start: int) -> FloatArray:
        """Return for each judged row at least the probability of an error."""
        judged = sample.order[start:]
        return self.predictor.expected_errors(np.asarray(sample.X)[judged], sample.y[judged], self.features)

    def choices_again(self, certificate: Certificate) -> list[Choice]:
        """Return what a certificate has to say of prior and posterior, given what only it can tell."""
        told = {each.what: each.value for each in certificate.choices}
        aside = told.get("held_out") if isinstance(certificate.statements[0].rates, float) else 0
        after = None if self.is_prior else told.get("objective")
        mean = told.get("prior_mean")
        if (mean == "fit") != bool(told.get("learning_rows")) and mean != "zero":
            mean = None  # which no prior is
        after = after if after is None or after in OBJECTIVES else ""
        return gaussian_choices(self.layers, mean, told.get("prior_scale"), aside, after)

    def rate_again(self, certificate: Certificate, sample: Sample, start: int) -> float | None:
        """Return the rate that the prior's errors on the learning rows kept aside predict."""
        told = [each.value for each in certificate.choices if each.what == "held_out"]
        if len(told) != 1 or type(told[0]) is not int or not 0 < told[0] < start:
            return None
        delta = certificate.delta / certificate.candidates
        return predict_rate(self.predictor, sample, start, told[0], delta)

    def draw_errors(self, sample: Sample, start: int, passes: int, seed: int, *, ties: float = 1.0) -> int:
        """Count the errors of networks drawn for each judged row and pass."""
        judged = sample.order[start:]
        return self.predictor.draw_errors(np.asarray(sample.X)[judged], sample.y[judged], passes, seed, ties)


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianLearner:
    """How prior and posterior come about; the fields are the parameters of :class:`pacbayes.torch.GaussianNetwork`.

    ``delta`` is what the certificate's bound is given, its share for draws included.
    """

    module: nn.Module | Callable[[], nn.Module]
    classes: Labels
    shape: tuple[int, ...]
    layers: str
    prior_scale: float
    prior_mean: str
    delta: float
    objective: str
    bound: str
    training: Training
    posterior_training: PosteriorTraining
    held_out: float = 0.0
    are_classes_given: bool = True
    device: torch.device | str = "cpu"
    progress: bool | None = None

    def learn(self, sample: Sample, count: int) -> LearnedGaussian:
        """Learn the prior from the first rows of the order, and the posterior on the others."""
        self._check_classes(sample.y[sample.order[:count]])
        rows, aside = np.asarray(sample.X), self._aside(count)
        module, probes = self.make(sample.seed), self._probes(rows, sample.order[:count])
        names = self._choose(module, probes)  # before any time is spent on training
        self._train(module, sample, count - aside)
        if self._choose(module, probes) != names:  # what starts at 0, say, shows after training alone
            raise ValueError("The 'module' of GaussianNetwork must call the same layers before and after training.")
        first = self._predictor(module, names, self._prior(module, names))
        chosen = self._choices(count, aside)
        if self.posterior_training.epochs == 0:
            return LearnedGaussian(first, self.layers, True, chosen, first.kl)
        rate = predict_rate(first, sample, count, aside, self.delta) if aside else None
        risk = risk_on(first, sample, sample.order[count:])
        posterior = self._optimise(risk, rate, training_seeds(sample.seed)[1])
        predictor = first.with_posterior(posterior)
        features = risk.features if isinstance(risk, LastLayerRisk) else None
        return LearnedGaussian(predictor, self.layers, False, chosen, predictor.kl, rate, features)

    def _predictor(self, module: nn.Module, names: tuple[str, ...], prior: WeightGaussian) -> GaussianPredictor:
        """Return a predictor whose posterior is the prior."""
        return GaussianPredictor.with_means(
            module,
            prior,
            layers=names,
            prior=prior,
            classes=self.classes,
            shape=self.shape,
            is_exact=self.layers == "last",
            device=self._device,
        )

    def _check_classes(self, labels: Labels) -> None:
        """Classes that were not given are those of the learning rows, or the prior depends on the judged rows, too."""
        missing = [] if self.are_classes_given else np.setdiff1d(self.classes, labels).tolist()
        if missing:
            raise ValueError(
                "The 'classes' argument of GaussianNetwork must be given where the learning rows lack a class. "
                f"Got none of {missing[0]!r} among {len(labels)} learning rows."
            )

    def _aside(self, count: int) -> int:
        """Return how many learning rows are kept aside to predict the rate."""
        optimised = self.posterior_training.epochs > 0 and self.bound == "betting" and not self._at_zero
        return min(math.ceil(self.held_out * count), count - 1) if optimised and count > 1 else 0

    def _train(self, module: nn.Module, sample: Sample, count: int) -> None:
        """Train the network on the first rows of the order."""
        if count:
            first = sample.order[:count]
            inputs = np.asarray(sample.X)[first].reshape(count, *self.shape)
            options = {"seed": sample.seed, "device": self._device, "classes": len(self.classes)}
            codes = code_labels(sample.y[first], self.classes)
            train(module, inputs, codes, self.training, progress=self.progress, **options)
        module.eval().requires_grad_(False)

    def make(self, seed: int) -> nn.Module:
        """Return a module of its own, as it is given or as the factory makes it, on the device."""
        with seeded(seed):
            module = self.module if isinstance(self.module, nn.Module) else call_factory("GaussianNetwork", self.module)
        if not isinstance(module, nn.Module):
            raise ValueError(  # noqa: TRY004
                f"The 'module' argument of GaussianNetwork must be a torch module or return one. Got {module!r:.60}."
            )
        if precision_of(module) != torch.float32:
            raise ValueError(
                f"The 'module' of GaussianNetwork must have weights of single precision. Got {precision_of(module)}."
            )
        return copy.deepcopy(module).to(self._device)  # a factory may hand out what it keeps

    @property
    def _device(self) -> torch.device:
        return find_device("GaussianNetwork", self.device)

    def _probes(self, rows: Any, learning: IntArray) -> Any:
        """Return learning rows to try a module on: no judged row takes part in what becomes the prior."""
        if not len(learning):
            return np.random.default_rng(0).random((_PROBES, rows.shape[1]), dtype=np.float32)
        return rows[learning[np.unique(np.linspace(0, len(learning) - 1, _PROBES).astype(np.intp))]]

    def _choose(self, module: nn.Module, probes: Any) -> tuple[str, ...]:
        owner, probe = "GaussianNetwork", to_tensor(probes, self.shape).to(self._device)
        names = choose_layers(owner, module.eval(), self.layers, probe)
        check_rows_alone(owner, module, probe)
        with torch.no_grad():
            outputs = module(probe).shape[1]
        if outputs != len(self.classes):
            raise ValueError(
                f"The 'module' of {owner} must return one logit for each of {len(self.classes)} classes. Got {outputs}."
            )
        return names

    def _prior(self, module: nn.Module, names: tuple[str, ...]) -> WeightGaussian:
        state = module.state_dict()
        weights = {name: state[name].detach().float().clone() for name in parameter_names(module, names)}
        means = {name: torch.zeros_like(value) for name, value in weights.items()} if self._at_zero else weights
        return WeightGaussian(means, {name: torch.full_like(value, self.prior_scale) for name, value in means.items()})

    @property
    def _at_zero(self) -> bool:
        return self.prior_mean == "zero"

    def _optimise(self, risk: LastLayerRisk | DrawnRisk, rate: float | None, seed: int) -> WeightGaussian:
        """Return the posterior with the smallest certificate along the way, which may be the prior."""
        given = risk.rows, self.delta * bound_share(self.layers == "last"), rate
        objective, bound = OBJECTIVES[self.objective](*given), self._certificate(*given)
        descend(risk, objective, bound, self.posterior_training, seed, self.progress)
        return risk.module.gaussian()

    def _certificate(self, n: int, delta: float, rate: float | None) -> Callable[[float, float], float]:
        """Return the bound as a function of error and divergence."""
        if self.bound == "maurer":
            return lambda risk, kl: float(bounds.maurer(risk, kl, n, delta))
        rates, weights = bounds.betting_rates(n=n, delta=delta) if rate is None else (np.array([rate]), np.ones(1))
        logs = np.log1p(-rates)
        return lambda risk, kl: float(bounds.betting(risk * logs, rates, kl, n, delta, weights))

    def _choices(self, count: int, aside: int) -> list[Choice]:
        mean = "zero" if self._at_zero else "fit" if count else "initial"
        after = None if self.posterior_training.epochs == 0 else self.objective
        return gaussian_choices(self.layers, mean, self.prior_scale, aside, after)


def gaussian_choices(layers: Any, mean: Any, scale: Any, aside: Any, objective: Any) -> list[Choice]:
    """Return what is recorded of prior and posterior; ``objective`` is None where nothing was optimised."""
    choices = [
        Choice("layers", layers, "given"),
        Choice("prior_mean", mean, "learning_rows" if mean == "fit" else "given"),
        Choice("prior_scale", scale, "given"),
    ]
    if objective is None:
        return choices
    free = "all_rows", "all_posteriors"
    kept = [Choice("held_out", aside, "given")] if aside else []
    return [
        *choices,
        *kept,
        Choice("objective", objective, "given"),
        Choice("posterior_mean", "gradient", *free),
        Choice("posterior_scale", "gradient", *free),
    ]
