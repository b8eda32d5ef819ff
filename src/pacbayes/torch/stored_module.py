"""The module of a stored network, made again: from its description, or as its user gives it.

A description from elsewhere is built without memory first (on torch's device "meta"), so that its size can be compared
with that of the file of weights before anything of that size is made.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch import nn

from pacbayes.torch.architectures import build
from pacbayes.torch.network_folder import WEIGHTS, NetworkRecord, read_limited
from pacbayes.torch.outputs import seeded

__all__ = ["ModuleLike", "make_module", "read_weights", "take_module"]

ModuleLike: TypeAlias = nn.Module | Callable[[], nn.Module]

_MOST_OUTPUTS = 1 << 23  # numbers that a layer may give for a row: a description of little weight must not ask for more
_MOST_PRODUCTS = 1 << 34  # for a row: a kernel of little weight may have a large image to go through
_COPIES = {"deterministic": 1, "gaussian": 4}  # means and scales of a prior and a posterior
_HEAD = 4096  # of a file of tensors, and for each of these:
_ENTRY = 1024


def read_weights(folder: Path, record: NetworkRecord, module: ModuleLike | None) -> bytes:
    """Return the bytes of a file of weights, after checking that it is not larger than the network can need."""
    state = (_sketch(record) if module is None else take_module(module)).state_dict()
    least = _count_bytes(state)
    most = least * _COPIES[record.kind] + _HEAD + _ENTRY * _COPIES[record.kind] * len(state)
    data = read_limited(folder / WEIGHTS, most)
    if len(data) < least:
        raise ValueError(f"{WEIGHTS} is smaller than its network: {len(data):,} bytes for {least:,} of weights.")
    return data


def make_module(record: NetworkRecord, module: ModuleLike | None) -> nn.Module:
    """Return a module of its own with weights that are yet to be set; :func:`read_weights` comes first."""
    if module is not None:
        return take_module(module)
    with seeded(0):
        return build(_description(record))


def take_module(module: ModuleLike) -> nn.Module:
    """Return a copy of a module, or a new one from its factory."""
    found = copy.deepcopy(module) if isinstance(module, nn.Module) else module() if callable(module) else module
    if not isinstance(found, nn.Module):
        raise ValueError(  # noqa: TRY004
            f"The 'module' argument must be a torch module, or a function that returns one. Got {found!r:.60} instead."
        )
    return found


def _description(record: NetworkRecord) -> Mapping[str, Any]:
    if record.architecture is None:
        raise ValueError("This network is of its user's own architecture: pass module=, a torch module of that kind.")
    return record.architecture


def _sketch(record: NetworkRecord) -> nn.Module:
    """Build a description without memory for its weights, and refuse one that would need too much for a row."""
    with torch.device("meta"):
        module = build(_description(record)).eval()
        largest = prod(record.input_shape)
        products = 0
        if largest <= _MOST_OUTPUTS:
            largest, products = _count_outputs(module, torch.zeros(1, *record.input_shape))
    if products > _MOST_PRODUCTS:
        raise ValueError(
            f"The architecture must need at most {_MOST_PRODUCTS:,} products per row. Got {products:,} instead."
        )
    if largest > _MOST_OUTPUTS:
        raise ValueError(
            f"The architecture must need at most {_MOST_OUTPUTS:,} numbers per layer and row. Got {largest:,} instead."
        )
    return module


def _count_outputs(module: nn.Module, row: torch.Tensor) -> tuple[int, int]:
    """Return the most numbers that a layer gives for a row, and how many products all of them need."""
    sizes, products = [0], [0]

    def count(layer: nn.Module, _: object, found: torch.Tensor) -> None:
        sizes.append(found.numel())
        if isinstance(layer, nn.Linear | nn.Conv2d):
            products.append(found.numel() * layer.weight[0].numel())

    handles = [each.register_forward_hook(count) for each in module.modules()]
    try:
        with torch.no_grad():
            module(row)
    except RuntimeError as error:
        raise ValueError(f"The architecture must take rows of the input shape. {error!s:.80}") from None
    finally:
        for handle in handles:
            handle.remove()
    return max(sizes), sum(products)


def _count_bytes(state: Mapping[str, Any]) -> int:
    return sum(each.numel() * each.element_size() for each in state.values() if isinstance(each, torch.Tensor))
