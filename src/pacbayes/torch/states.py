"""The weights of a network as bytes: safetensors, which hold numbers and nothing that runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import nn

from pacbayes._core.types import Labels

__all__ = ["form_digest", "load_state", "state_bytes", "state_digest"]


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


def form_digest(architecture: Mapping[str, Any] | None, classes: Labels, shape: Sequence[int]) -> str:
    """Return the SHA-256 of what makes a predictor of weights: certificates have it under "network_form".

    Parameters
    ----------
    architecture : mapping or None
        The description of a network of ours.
    classes : ndarray
        Labels, in the order of the outputs.
    shape : sequence of int
        Of one row.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.torch.states import form_digest
    >>> form_digest(None, np.array([0, 1]), (4,)) == form_digest(None, np.array([1, 0]), (4,))
    False
    """
    told = {
        "architecture": None if architecture is None else dict(architecture),
        "classes": np.asarray(classes).tolist(),
        "input_shape": [int(each) for each in shape],
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True, default=repr).encode()).hexdigest()


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
