"""Whether a network that is made again from its architecture and its stored numbers answers as the judged one did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from pacbayes.torch.architectures import build
from pacbayes.torch.outputs import module_outputs, seeded
from pacbayes.torch.row_kinds import RowKind
from pacbayes.torch.stored_module import ModuleLike, take_module

__all__ = ["refuse_lost_parts"]

_ROWS = 16
_NEAR = 1e-4


def refuse_lost_parts(
    module: nn.Module, description: Mapping[str, Any] | None, given: ModuleLike, shape: Sequence[int], kind: RowKind
) -> None:
    """Refuse a network that answers by more than its architecture and its parameters and buffers.

    A function that is hooked to a layer, a method that was replaced, an attribute that training set: a folder has none
    of them. Where the network cannot be made again here, nothing is said.

    Parameters
    ----------
    module : Module
        As it was judged.
    description : mapping or None
        Of a network of ours, as it will be stored.
    given : Module or callable
        What makes the network where it has no description.
    shape : sequence of int
        Of one row.
    kind : RowKind
        Of the rows of the fit.

    Examples
    --------
    >>> from torch import nn
    >>> from pacbayes.torch.round_trip import refuse_lost_parts
    >>> from pacbayes.torch.row_kinds import RowKind
    >>> layer = nn.Linear(2, 2)
    >>> refuse_lost_parts(layer, None, nn.Linear(2, 2), (2,), RowKind())
    >>> _ = layer.register_forward_hook(lambda layer, rows, found: -found)
    >>> refuse_lost_parts(layer, None, nn.Linear(2, 2), (2,), RowKind())
    Traceback (most recent call last):
    ...
    ValueError: The network cannot be saved: made again from its architecture and its numbers it answers otherwise. \
Whatever it answers by must be in parameters, in persistent buffers or in what makes the module.
    """
    rows = _probe(shape, kind)
    device = next((each.device for each in module.parameters()), torch.device("cpu"))
    try:
        with seeded(0):
            again = take_module(given) if description is None else build(description)
        again.to(device).load_state_dict(module.state_dict())
        judged, stored = (module_outputs(each, rows, shape, device=device) for each in (module, again))
    except (ValueError, RuntimeError):  # another module than the given one was trained, or such rows are none of its
        return
    if judged.shape != stored.shape or not np.allclose(judged, stored, rtol=_NEAR, atol=_NEAR, equal_nan=True):
        raise ValueError(
            "The network cannot be saved: made again from its architecture and its numbers it answers otherwise. "
            "Whatever it answers by must be in parameters, in persistent buffers or in what makes the module."
        )


def _probe(shape: Sequence[int], kind: RowKind) -> NDArray[Any]:
    draws, size = np.random.default_rng(0), (_ROWS, prod(shape))
    if kind.numbers == "bytes":
        return draws.integers(0, 256, size, dtype=np.uint8)
    return draws.random(size, dtype=np.float32) if kind.numbers == "unit" else draws.standard_normal(size, np.float32)
