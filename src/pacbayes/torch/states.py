"""The weights of a network as bytes: safetensors, which hold numbers and nothing that runs."""

from __future__ import annotations

import hashlib

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import nn

__all__ = ["load_state", "state_bytes", "state_digest"]


def state_bytes(module: nn.Module) -> bytes:
    """Return all parameters and buffers of a module as safetensors; the same numbers give the same bytes.

    Examples
    --------
    >>> from torch import nn
    >>> from pacbayes.torch.states import load_state, state_bytes
    >>> one, two = nn.Linear(3, 2), nn.Linear(3, 2)
    >>> load_state(two, state_bytes(one))
    >>> state_bytes(one) == state_bytes(two)
    True
    """
    state = module.state_dict()
    odd = [name for name, value in state.items() if not isinstance(value, torch.Tensor)]
    if odd:
        raise ValueError(
            f"The state of a network must be tensors alone. Got {type(state[odd[0]]).__name__} ({odd[0]})."
        )
    # copies: weights that two layers share are stored twice, and the layout in memory does not matter
    plain = {name: value.detach().cpu().clone(memory_format=torch.contiguous_format) for name, value in state.items()}
    return bytes(save(plain))


def state_digest(module: nn.Module) -> str:
    """Return the SHA-256 of a module's parameters and buffers: what certificates have under "network"."""
    return hashlib.sha256(state_bytes(module)).hexdigest()


def load_state(module: nn.Module, data: bytes) -> None:
    """Set all parameters and buffers of a module from safetensors, or say why they do not fit."""
    try:
        found = load(data)
    except SafetensorError as error:
        raise ValueError(f"The weights of a network must be safetensors. {error}") from None
    expected = module.state_dict()
    odd = sorted(expected.keys() ^ found.keys())
    if odd:
        raise ValueError(f"The weights must be those of this network. Got a difference at {odd[0]}.")
    for name, value in expected.items():
        if value.shape != found[name].shape or value.dtype != found[name].dtype:
            raise ValueError(
                f"The weights {name} of this network must be {value.dtype} of shape {tuple(value.shape)}. "
                f"Got {found[name].dtype} of shape {tuple(found[name].shape)} instead."
            )
    module.load_state_dict(found)
