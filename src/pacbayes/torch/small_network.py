"""A small fully connected network with one output in (0, 1), as plain arrays, trained by squared error.

Its weights are arrays of numpy and it answers in doubles, so that a row gets the same answer in every batch, and a
checkpoint can hold it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from scipy.special import expit, logit

from pacbayes._core.types import FloatArray

__all__ = ["answer", "start_weights", "train_weights"]

_BATCH = 512
_LEAST = 0.005  # the mean answer at the start, and one minus it, at least


def start_weights(sizes: Sequence[int], mean: float, seed: int) -> list[FloatArray]:
    """Return random weights and offsets, layer by layer, of a network that answers about ``mean`` everywhere.

    Examples
    --------
    >>> from pacbayes.torch.small_network import start_weights
    >>> [each.shape for each in start_weights([3, 8, 1], 0.2, 0)]
    [(3, 8), (8,), (8, 1), (1,)]
    """
    generator = np.random.default_rng(seed)
    found = []
    for inputs, outputs in pairwise(sizes):
        found += [generator.normal(0.0, math.sqrt(2.0 / inputs), (inputs, outputs)), np.zeros(outputs)]
    found[-2] *= 0.1
    found[-1][:] = logit(min(max(mean, _LEAST), 1.0 - _LEAST))
    return found


def answer(weights: Sequence[FloatArray], rows: FloatArray) -> FloatArray:
    """Return the network's output for each row, in [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.torch.small_network import answer, start_weights
    >>> answer(start_weights([3, 8, 1], 0.5, 0), np.zeros((2, 3))).tolist()
    [0.5, 0.5]
    """
    hidden = rows
    for layer in range(0, len(weights) - 2, 2):
        hidden = np.maximum(hidden @ weights[layer] + weights[layer + 1], 0.0)
    return np.asarray(expit((hidden @ weights[-2] + weights[-1])[:, 0]))


def train_weights(
    start: Sequence[FloatArray],
    rows: FloatArray,
    targets: FloatArray,
    *,
    steps: int,
    rate: float,
    decay: float,
    seed: int,
) -> list[FloatArray]:
    """Return the weights after so many steps of AdamW on the mean squared error, the learning rate along a cosine.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.torch.small_network import answer, start_weights, train_weights
    >>> rows, targets = np.linspace(-1, 1, 100)[:, None], np.linspace(-1, 1, 100) > 0
    >>> start = start_weights([1, 8, 1], 0.5, 0)
    >>> weights = train_weights(start, rows, targets * 1.0, steps=100, rate=0.05, decay=0.0, seed=0)
    >>> bool(np.mean((answer(weights, rows) - targets) ** 2) < 0.05)
    True
    """
    weights = [torch.tensor(each, dtype=torch.float32, requires_grad=True) for each in start]
    seen, wanted = torch.tensor(rows, dtype=torch.float32), torch.tensor(targets, dtype=torch.float32)
    optimiser = torch.optim.AdamW(weights, lr=rate, weight_decay=decay)
    generator = torch.Generator().manual_seed(seed)
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = rate * 0.5 * (1.0 + math.cos(math.pi * step / steps))
        batch = torch.randint(len(seen), (_BATCH,), generator=generator) if len(seen) > _BATCH else slice(None)
        loss = (torch.sigmoid(_output(weights, seen[batch])) - wanted[batch]).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return [each.detach().numpy().astype(np.float64) for each in weights]


def _output(weights: Sequence[torch.Tensor], rows: torch.Tensor) -> torch.Tensor:
    hidden = rows
    for layer in range(0, len(weights) - 2, 2):
        hidden = torch.relu(hidden @ weights[layer] + weights[layer + 1])
    return (hidden @ weights[-2] + weights[-1])[:, 0]
