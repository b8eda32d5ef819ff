"""From the prior to a posterior with a smaller certificate: minibatches, with the bound's slopes at the whole risk."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Protocol

import torch
from torch.nn import functional

from pacbayes.torch.checks import check_positive, check_whole
from pacbayes.torch.draws import DrawnLayer, DrawnModule
from pacbayes.torch.fused import mean_zero_one
from pacbayes.torch.objectives import Objective
from pacbayes.torch.progress import show_progress

__all__ = ["DrawnRisk", "LastLayerRisk", "PosteriorTraining", "Risk", "descend"]

_NODES = 24  # of the quadrature in training
_FORGET = 0.02  # least share of a batch in the running risk
_LOOKS = 10  # at the certificate, along the way
_WARM = 0.05  # share of the steps over which the step size rises
_SCALE_STEP = 0.4  # steps of logarithms of scales, relative to those of means
_ROWS = 8192


@dataclass(frozen=True, slots=True)
class PosteriorTraining:
    """How a posterior is optimised: Adam over minibatches of judged rows, the step size on a cosine.

    Parameters
    ----------
    epochs : int, default=20
        Passes over the judged rows; with 0 the posterior is the prior, which is then settled before any of them is
        looked at.
    batch_size : int, default=500
        Rows in a step.
    learning_rate : float, default=0.05
        Of the means, in units of the prior's scale.

    Examples
    --------
    >>> from pacbayes.torch import PosteriorTraining
    >>> PosteriorTraining(epochs=5).to_dict()
    {'epochs': 5, 'batch_size': 500, 'learning_rate': 0.05}
    """

    epochs: int = 20
    batch_size: int = 500
    learning_rate: float = 0.05

    def __post_init__(self) -> None:
        owner = type(self).__name__
        check_whole(owner, "epochs", self.epochs, 0)
        check_whole(owner, "batch_size", self.batch_size, 1)
        check_positive(owner, "learning_rate", self.learning_rate)

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> PosteriorTraining:
        """Return the options from plain data, every entry of which is checked."""
        known = {each.name for each in fields(cls)}
        if not isinstance(told, Mapping) or not set(told) <= known:
            raise ValueError(
                f"A {cls.__name__} must have the fields {', '.join(sorted(known))}. Got {told!r:.80} instead."
            )
        return cls(**told)


class Risk(Protocol):
    """The risk of a posterior on the judged rows, as a function of parameters that are trained."""

    rows: int

    def parameters(self) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Return what is trained: of means, and of scales; all 0 at the prior."""

    def surrogate(self, batch: torch.Tensor) -> torch.Tensor:
        """Return a smooth risk on the rows of these numbers, with gradients."""

    def estimate(self) -> float:
        """Return the error on all rows, nearly."""

    def kl(self) -> torch.Tensor:
        """Return the divergence from the prior, with gradients."""


class LastLayerRisk:
    """The expected 0-1 loss of a Gaussian last layer on features that are computed once."""

    def __init__(self, module: DrawnModule, features: torch.Tensor, labels: torch.Tensor) -> None:
        self.module, self.features, self.labels, self.rows = module, features, labels, len(labels)
        (self.layer,) = module.drawn_layers().values()

    def parameters(self) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Return what is trained."""
        return _trained([self.layer])

    def surrogate(self, batch: torch.Tensor) -> torch.Tensor:
        """Return the expected 0-1 loss by a smooth quadrature."""
        means, variances = self.layer.moments(self.features[batch])
        return mean_zero_one(means, variances, self.labels[batch], _NODES)

    def estimate(self) -> float:
        """Return the same on all rows."""
        with torch.no_grad():
            return _mean(self.surrogate, self.rows)

    def kl(self) -> torch.Tensor:
        """Return the divergence from the prior."""
        return self.layer.kl()


class DrawnRisk:
    """The errors of drawn networks; the surrogate is the probability that a label drawn from the softmax is wrong."""

    def __init__(
        self, module: DrawnModule, rows: Callable[[torch.Tensor], torch.Tensor], labels: torch.Tensor, seed: int
    ) -> None:
        self.module, self._take, self.labels, self.rows = module, rows, labels, len(labels)
        self._seed, self._generator = seed, torch.Generator().manual_seed(seed)

    def parameters(self) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Return what is trained."""
        return _trained(list(self.module.drawn_layers().values()))

    def surrogate(self, batch: torch.Tensor) -> torch.Tensor:
        """Return the mean of ``1 - p`` of the label, which is at least half the error, for networks drawn now."""
        self.module.seed(self._generator, by_row=False)
        logits = self.module(self._take(batch))
        return -torch.expm1(-functional.cross_entropy(logits, self.labels[batch], reduction="none")).mean()

    def estimate(self) -> float:
        """Return the share of errors of drawn networks, with the same noise each time, to compare posteriors by."""
        self.module.seed(torch.Generator().manual_seed(self._seed + 1))
        size = self.module.batch_size()

        def errors(batch: torch.Tensor) -> torch.Tensor:
            return (self.module(self._take(batch)).argmax(1) != self.labels[batch]).double().mean()

        with torch.no_grad():
            return _mean(errors, self.rows, size)

    def kl(self) -> torch.Tensor:
        """Return the divergence from the prior."""
        return self.module.kl()


def descend(
    risk: Risk,
    objective: Objective,
    certificate: Callable[[float, float], float],
    training: PosteriorTraining,
    seed: int,
    progress: bool | None = False,
) -> float:
    """Train on an objective and leave the parameters at the smallest certificate seen on the way; return it, nearly.

    The prior, where training starts, is among those compared: a PAC-Bayes bound holds for all posteriors at once.

    Parameters
    ----------
    risk : Risk
    objective : Objective
        Of risk and divergence, with gradients.
    certificate : callable
        Of an error and a divergence: what posteriors are compared by.
    training : PosteriorTraining
    seed : int
        Of the order of the batches.
    progress : bool or None
        Whether to show a bar; None shows it where stderr is a terminal.
    """
    means, scales = risk.parameters()
    whole, kl = risk.estimate(), 0.0
    _check_finite(whole, kl)
    best, kept = certificate(whole, kl), _copy(means + scales)
    objective.adjust(whole, kl)
    looks = _looks(training.epochs)
    with show_progress(training.epochs, progress, "posterior, bound") as advance:
        for epoch in _steps(risk, objective, training, seed, whole):
            advance(best)
            if epoch not in looks:
                continue
            whole, kl = risk.estimate(), float(risk.kl().detach())
            _check_finite(whole, kl)
            objective.adjust(whole, kl)
            found = certificate(whole, kl)
            if found < best:
                best, kept = found, _copy(means + scales)
    with torch.no_grad():
        for parameter, value in zip(means + scales, kept, strict=True):
            parameter.copy_(value)
    return best


def _steps(risk: Risk, objective: Objective, training: PosteriorTraining, seed: int, running: float) -> Iterator[int]:
    """Take the steps of an epoch, then yield its number."""
    means, scales = risk.parameters()
    groups = [{"params": means, "size": 1.0}, {"params": scales, "size": _SCALE_STEP}]
    optimiser = torch.optim.Adam(groups, lr=training.learning_rate, betas=(0.9, 0.99))
    generator = torch.Generator().manual_seed(seed)
    batches = math.ceil(risk.rows / training.batch_size)
    share_of_batch = max(_FORGET, min(1.0, 2.0 / batches))
    for step in range(training.epochs * batches):
        if step % batches == 0:
            parts = torch.randperm(risk.rows, generator=generator).tensor_split(batches)
        share = _step_size(step, training.epochs * batches)
        for group in optimiser.param_groups:
            group["lr"] = training.learning_rate * share * group["size"]
        part = risk.surrogate(parts[step % batches]).double().cpu()
        running += (float(part.detach()) - running) * share_of_batch
        # the gradient is that of the batch, the bound's slopes are those at the risk on all rows
        kl = risk.kl().double().cpu()
        _check_finite(float(part.detach()), float(kl.detach()))
        loss = objective.value(part + (running - part.detach()), kl)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % batches == batches - 1:
            yield step // batches


def _check_finite(risk: float, kl: float) -> None:
    if not (math.isfinite(risk) and math.isfinite(kl)):
        raise ValueError(
            f"The training of the posterior diverged: risk {risk:g} and divergence {kl:g}. Lower the prior's scale or "
            "the learning rate."
        )


def _step_size(step: int, steps: int) -> float:
    warm = max(1.0, _WARM * steps)
    return min(1.0, (step + 1) / warm) * 0.5 * (1.0 + math.cos(math.pi * step / steps))


def _looks(epochs: int) -> set[int]:
    """Return the epochs after which posteriors are compared, the last one among them."""
    return {math.ceil(epochs * part / _LOOKS) - 1 for part in range(1, _LOOKS + 1)}


def _trained(layers: list[DrawnLayer]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    return (
        [getattr(layer, f"shift_{part}") for layer in layers for part in layer.parts],
        [getattr(layer, f"stretch_{part}") for layer in layers for part in layer.parts],
    )


def _mean(function: Callable[[torch.Tensor], torch.Tensor], rows: int, size: int = _ROWS) -> float:
    """Return the mean over all rows of what a function has as mean over a block."""
    blocks = torch.arange(rows).split(size)
    return math.fsum(float(function(block)) * len(block) for block in blocks) / rows


def _copy(parameters: list[torch.Tensor]) -> list[torch.Tensor]:
    return [parameter.detach().clone() for parameter in parameters]
