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
from pacbayes.certificate import DRAW_SHARE, Choice
from pacbayes.procedures.base import Sample
from pacbayes.procedures.prior import predicted_rate
from pacbayes.torch.arrays import code_labels, to_tensor
from pacbayes.torch.descent import DrawnRisk, LastLayerRisk, PosteriorTraining, descend
from pacbayes.torch.draws import DrawnModule
from pacbayes.torch.gaussian_predictor import GaussianPredictor
from pacbayes.torch.layers import check_rows_alone, choose_layers, features_of, parameter_names
from pacbayes.torch.objectives import OBJECTIVES
from pacbayes.torch.outputs import find_device, seeded
from pacbayes.torch.training import Training, train
from pacbayes.torch.weights import WeightGaussian

__all__ = ["GaussianLearner", "LearnedGaussian"]

_ROWS = 1024
_PROBES = 64  # rows that a module is tried on
_EXPECTED_KL = 3.0  # of a posterior from a prior that learned; it matters little
_STREAM = b"posterior"  # of a sample's seed: what is drawn in training is apart from what is judged


@dataclass(frozen=True, slots=True, eq=False)
class LearnedGaussian:
    """A predictor with its divergence and what was chosen: what the procedure for networks judges."""

    predictor: GaussianPredictor
    is_prior: bool
    choices: Sequence[Choice]
    kl: float
    rate: float | None = None
    features: torch.Tensor | None = None  # of the judged rows, where training computed them
    stored: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_drawn(self) -> bool:
        """Whether errors are estimated by draws."""
        return not self.predictor.is_exact

    @property
    def digests(self) -> dict[str, str]:
        """SHA-256 of prior, posterior and the rest of the network."""
        return {"network": self.predictor.digest}

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

    def draw_errors(self, sample: Sample, start: int, passes: int, seed: int, *, ties: float = 1.0) -> int:
        """Count the errors of networks drawn for each judged row and pass."""
        judged = sample.order[start:]
        return self.predictor.draw_errors(np.asarray(sample.X)[judged], sample.y[judged], passes, seed, ties)


@dataclass(frozen=True, slots=True)
class _Start:
    """Where a posterior starts: a trained module and the prior around it."""

    module: nn.Module
    names: tuple[str, ...]
    prior: WeightGaussian
    sample: Sample
    seed: int


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
        module = self.make(sample.seed)
        names = self._choose(module, rows)  # before any time is spent on training
        self._train(module, sample, count - aside)
        if self._choose(module, rows) != names:  # what starts at 0, say, shows after training alone
            raise ValueError("The 'module' of GaussianNetwork must call the same layers before and after training.")
        prior = self._prior(module, names)
        seeds = [int(each) for each in np.random.SeedSequence([sample.seed, *_STREAM]).generate_state(2)]
        start = _Start(module, names, prior, sample, seeds[0])
        rate = self._predict_rate(start, count, aside) if aside else None
        if self.posterior_training.epochs == 0:
            predictor = self._predictor(start, prior)
            return LearnedGaussian(predictor, True, self._choices(count, aside), predictor.kl)
        risk = self._risk(start, sample.order[count:])
        predictor = self._predictor(start, self._optimise(risk, rate, seeds[1]))
        features = risk.features if isinstance(risk, LastLayerRisk) else None
        return LearnedGaussian(predictor, False, self._choices(count, aside), predictor.kl, rate, features)

    def _predictor(self, start: _Start, posterior: WeightGaussian) -> GaussianPredictor:
        return GaussianPredictor.with_means(
            start.module,
            posterior,
            layers=start.names,
            prior=start.prior,
            classes=self.classes,
            shape=self.shape,
            is_exact=self.layers == "last",
            device=self._device,
        )

    def _check_classes(self, labels: Labels) -> None:
        """Classes that were not given are those of the learning rows, or the prior depends on the judged rows, too."""
        missing = [] if self.are_classes_given or not len(labels) else np.setdiff1d(self.classes, labels).tolist()
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
            module = self.module if isinstance(self.module, nn.Module) else self.module()
        if not isinstance(module, nn.Module):
            raise ValueError(  # noqa: TRY004
                f"The 'module' argument of GaussianNetwork must be a torch module or return one. Got {module!r:.60}."
            )
        return copy.deepcopy(module).to(self._device)  # a factory may hand out what it keeps

    @property
    def _device(self) -> torch.device:
        return find_device("GaussianNetwork", self.device)

    def _choose(self, module: nn.Module, rows: Any) -> tuple[str, ...]:
        places = np.unique(np.linspace(0, len(rows) - 1, _PROBES).astype(np.intp))
        owner, probe = "GaussianNetwork", to_tensor(rows[places], self.shape).to(self._device)
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

    def _predict_rate(self, start: _Start, count: int, aside: int) -> float:
        """Return the best rate at the prior's error on the learning rows that are kept aside."""
        risk = self._risk(start, start.sample.order[count - aside : count])
        n, delta = len(start.sample.y) - count, self.delta * self._share
        error = (risk.estimate() * aside + 0.5) / (aside + 1.0)
        if self.layers != "last":  # the bound is given the limit of the draws
            error = float(bounds.chernoff(min(error, 1.0), n, self.delta * DRAW_SHARE))
        return predicted_rate(error, n, delta, _EXPECTED_KL)

    @property
    def _share(self) -> float:
        """The share of delta that the bound has; the rest is for draws."""
        return 1.0 if self.layers == "last" else 1.0 - DRAW_SHARE

    def _optimise(self, risk: LastLayerRisk | DrawnRisk, rate: float | None, seed: int) -> WeightGaussian:
        """Return the posterior with the smallest certificate along the way, which may be the prior."""
        given = risk.rows, self.delta * self._share, rate
        descend(risk, OBJECTIVES[self.objective](*given), self._certificate(*given), self.posterior_training, seed)
        return risk.module.gaussian()

    def _risk(self, start: _Start, places: IntArray) -> LastLayerRisk | DrawnRisk:
        """Return the risk on rows as a function of what is trained."""
        drawn = DrawnModule(start.module, start.names, start.prior).to(self._device)
        rows, labels = np.asarray(start.sample.X), code_labels(start.sample.y[places], self.classes).to(self._device)

        def take(batch: torch.Tensor) -> torch.Tensor:
            return to_tensor(rows[places[batch.numpy()]], self.shape).to(self._device)

        if self.layers != "last":
            return DrawnRisk(drawn, take, labels, start.seed)
        blocks = [
            features_of(start.module, start.names[0], take(part)) for part in torch.arange(len(places)).split(_ROWS)
        ]
        return LastLayerRisk(drawn, torch.cat(blocks), labels)

    def _certificate(self, n: int, delta: float, rate: float | None) -> Callable[[float, float], float]:
        """Return the bound as a function of error and divergence."""
        if self.bound == "maurer":
            return lambda risk, kl: float(bounds.maurer(risk, kl, n, delta))
        rates, weights = bounds.betting_rates(n=n, delta=delta) if rate is None else (np.array([rate]), np.ones(1))
        logs = np.log1p(-rates)
        return lambda risk, kl: float(bounds.betting(risk * logs, rates, kl, n, delta, weights))

    def _choices(self, count: int, aside: int) -> list[Choice]:
        mean = "zero" if self._at_zero else "fit" if count else "initial"
        choices = [
            Choice("layers", self.layers, "given"),
            Choice("prior_mean", mean, "learning_rows" if mean == "fit" else "given"),
            Choice("prior_scale", self.prior_scale, "given"),
        ]
        if self.posterior_training.epochs == 0:
            return choices
        free = "all_rows", "all_posteriors"
        kept = [Choice("held_out", aside, "given")] if aside else []
        return [
            *choices,
            *kept,
            Choice("objective", self.objective, "given"),
            Choice("posterior_mean", "gradient", *free),
            Choice("posterior_scale", "gradient", *free),
        ]
