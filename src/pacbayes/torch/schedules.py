"""How the learning rate goes along a training, and an average of the weights."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

__all__ = ["SCHEDULES", "WeightAverage", "rate_factor"]

SCHEDULES: dict[str, Callable[[float], float]] = {
    "cosine": lambda done: 0.5 * (1.0 + math.cos(math.pi * done)),
    "linear": lambda done: 1.0 - done,
    "constant": lambda _: 1.0,
}
_LEAST = 1e-3  # of the learning rate: a step of zero would be none
_EVERY = 4  # steps between two updates of an average: as good, and cheaper


def rate_factor(schedule: str, step: int, steps: int, warmup: float) -> float:
    """Return the learning rate of a step, as a share of the largest.

    Examples
    --------
    >>> from pacbayes.torch.schedules import rate_factor
    >>> [round(rate_factor("linear", step, 10, 0.2), 3) for step in (0, 1, 2, 6)]
    [0.001, 0.5, 1.0, 0.5]
    """
    first = warmup * steps
    if step < first:
        return max(step / first, _LEAST)
    return max(SCHEDULES[schedule]((step - first) / max(steps - first, 1.0)), _LEAST)


class WeightAverage:
    """An exponential average of all numbers in a module's state, buffers included; counters are copied.

    Early on the average is short, so that the first weights do not stay in it.
    """

    def __init__(self, module: nn.Module, decay: float) -> None:
        state = module.state_dict().values()
        self._now = [each for each in state if each.is_floating_point()]
        self._counters = [each for each in state if not each.is_floating_point()]
        self._mean = [each.detach().clone() for each in self._now]
        self._decay = decay

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Move the average towards the present weights, every few steps."""
        if step % _EVERY == 0:
            decay = min(self._decay, (step + 1.0) / (step + 10.0)) ** _EVERY
            torch._foreach_lerp_(self._mean, self._now, 1.0 - decay)

    @torch.no_grad()
    def swap(self) -> None:
        """Exchange the weights of the module with the average."""
        for mean, now in zip(self._mean, self._now, strict=True):
            kept: Tensor = now.clone()
            now.copy_(mean)
            mean.copy_(kept)
