"""What a network answers: its outputs as doubles, and which of them are too close to call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from pacbayes._core.types import BoolArray, FloatArray
from pacbayes.torch.arrays import to_tensor

__all__ = [
    "TIE",
    "check_outputs",
    "evaluation",
    "find_device",
    "module_outputs",
    "near_ties",
    "precision_of",
    "probabilities",
    "seeded",
]

# outputs this close, relative to the largest of a row, may be ordered otherwise by another machine's rounding: sums of
# some thousand products in single precision differ by about 1e-6 of their largest terms
TIE = 1e-4
_BATCH = 1000


def find_device(owner: str, device: object) -> torch.device:
    """Return a device, "auto" being CUDA where there is one, or say what it must be.

    Examples
    --------
    >>> from pacbayes.torch.outputs import find_device
    >>> find_device("me", "cpu")
    device(type='cpu')
    """
    if isinstance(device, str) and device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        found: torch.device = torch.device(device)
        torch.empty(0, device=found).cpu()  # which a device that is not there cannot give
    except (RuntimeError, TypeError, AssertionError, NotImplementedError):
        raise ValueError(
            f"The 'device' argument of {owner} must be 'cpu', 'auto' or another device that torch has here. "
            f"Got {device!r:.40} instead."
        ) from None
    return found


@contextmanager
def seeded(seed: int, device: torch.device | None = None) -> Iterator[None]:
    """Draw from torch's own generators by a seed inside, and leave them as they were.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch.outputs import seeded
    >>> def draw():
    ...     with seeded(7):
    ...         return torch.rand(1).item()
    >>> draw() == draw()
    True
    """
    others = [device] if device is not None and device.type == "cuda" else []
    with torch.random.fork_rng(devices=others):
        torch.manual_seed(seed)
        yield


@contextmanager
def evaluation(module: nn.Module) -> Iterator[None]:
    """Have a module evaluate inside: no dropout, fixed batch normalisation, no gradients; put it back afterwards."""
    modes = [(each, each.training) for each in module.modules()]
    module.eval()
    try:
        with torch.no_grad():  # not inference_mode: layers that are made on the way are trained later
            yield
    finally:
        for each, mode in modes:
            each.training = mode


def check_outputs(owner: str, found: Any, rows: int, classes: int | None) -> Tensor:
    """Return the outputs for the classes, or say that a module must give so many numbers per row."""
    shape = tuple(found.shape) if isinstance(found, Tensor) else type(found).__name__
    least = 1 if classes is None else classes
    if not isinstance(found, Tensor) or found.ndim != 2 or len(found) != rows or found.shape[1] < least:
        many = "a number per class" if classes is None else f"at least {classes} numbers, one per class,"
        raise ValueError(f"The module of {owner} must return {many} for each of {rows} rows. Got {shape} instead.")
    if not found.is_floating_point():
        raise ValueError(f"The module of {owner} must return fractions. Got {found.dtype} instead.")
    return found[:, :classes]


def module_outputs(
    module: nn.Module,
    rows: NDArray[Any],
    shape: Sequence[int],
    *,
    device: torch.device | str = "cpu",
    classes: int | None = None,
    owner: str = "a network",
) -> FloatArray:
    """Return the outputs of a module for rows, as doubles; it is evaluated as it predicts, and left as it was.

    Parameters
    ----------
    module : Module
        On that device.
    rows : ndarray, shape (n, d)
    shape : sequence of int
        Of one row, as the module is given it.
    device : device or str
    classes : int, optional
        How many of its first outputs are asked for; all by default.
    owner : str
        For the message.

    Examples
    --------
    >>> import numpy as np
    >>> from torch import nn
    >>> from pacbayes.torch.outputs import module_outputs
    >>> module_outputs(nn.Identity(), np.array([[1.0, 2.0], [0.0, 3.0]]), (2,)).tolist()
    [[1.0, 2.0], [0.0, 3.0]]
    """
    parts = []
    before, precision = _state_marks(module), precision_of(module, rows)
    with evaluation(module):
        for start in range(0, len(rows), _BATCH):
            batch = to_tensor(rows[start : start + _BATCH], shape, precision).to(device)
            found = check_outputs(owner, _answer(owner, module, batch), len(batch), classes)
            parts.append(found.to("cpu", torch.float64).numpy())
    if before != _state_marks(module) and None not in before:
        raise ValueError(f"The module of {owner} must not change its weights or buffers where it is evaluated.")
    return np.concatenate(parts) if parts else np.zeros((0, classes or 0))


def precision_of(module: nn.Module, rows: NDArray[Any] | None = None) -> torch.dtype:
    """Return the type of the numbers that a module takes: that of its first weights, or buffers if it has none.

    One that has neither takes rows of double precision as they are, and all others as float32.

    Examples
    --------
    >>> import numpy as np
    >>> from torch import nn
    >>> from pacbayes.torch.outputs import precision_of
    >>> precision_of(nn.Linear(2, 2).double()), precision_of(nn.Identity(), np.zeros((1, 2)))
    (torch.float64, torch.float64)
    """
    is_double = rows is not None and rows.dtype == np.float64
    own = (each.dtype for each in (*module.parameters(), *module.buffers()) if each.is_floating_point())
    return next(own, torch.float64 if is_double else torch.float32)


def _state_marks(module: nn.Module) -> list[tuple[int, int] | None]:
    """Return what changes with a weight or buffer; None for one that is yet to be made."""
    state = module.state_dict(keep_vars=True).values()
    tensors = [each for each in state if isinstance(each, Tensor)]
    return [
        None if is_lazy(each) or each.is_inference() else (id(each), each._version)  # noqa: SLF001  (its only counter)
        for each in tensors
    ]


def _answer(owner: str, module: nn.Module, batch: Tensor) -> Any:
    try:
        return module(batch)
    except (RuntimeError, IndexError, TypeError, ValueError) as error:  # what torch raises for rows of another shape
        line = " ".join(str(error).split())[:200]
        raise ValueError(f"The module of {owner} fails for rows of shape {tuple(batch.shape[1:])}: {line}") from error


def near_ties(scores: FloatArray, tolerance: float = TIE) -> BoolArray:
    """Return for each row whether its two largest scores are too close to call, or one is not finite.

    Too close is a difference of less than ``tolerance * max(1, largest absolute score of the row)``.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.torch.outputs import near_ties
    >>> near_ties(np.array([[1.0, 1.00001], [1.0, 2.0], [np.nan, 0.0]])).tolist()
    [True, False, True]
    """
    finite = np.asarray(np.isfinite(scores).all(axis=1))
    if scores.shape[1] < 2:
        return np.asarray(~finite)
    known = np.where(finite[:, None], scores, 0.0)
    second, first = np.partition(known, -2, axis=1)[:, -2:].T
    close = first - second < tolerance * np.maximum(1.0, np.abs(known).max(axis=1))
    return np.asarray(close | ~finite)


def probabilities(scores: FloatArray) -> FloatArray:
    """Return the softmax of scores, row by row; NaN where one is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.torch.outputs import probabilities
    >>> probabilities(np.array([[0.0, 0.0]])).tolist()
    [[0.5, 0.5]]
    """
    with np.errstate(invalid="ignore", over="ignore"):
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        found = weights / weights.sum(axis=1, keepdims=True)
    return np.where(np.isfinite(scores).all(axis=1, keepdims=True), found, np.nan)
