"""A certified number as a node of PyTorch's graph: the value is the library's own, its derivatives are in a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import torch
from numpy.typing import ArrayLike

from pacbayes._core.types import FloatArray
from pacbayes.torch.slopes import RULES, finite_slopes

__all__ = ["Given", "evaluate"]

Given: TypeAlias = "torch.Tensor | ArrayLike"


def evaluate(name: str, statistics: Mapping[str, Given], **others: Given | str | bool | None) -> torch.Tensor:
    """Return the certified value of a function by name, in float64, with gradients in its statistics.

    It is on the device of the statistics; numbers and tensors on the CPU may go along with tensors elsewhere. Tensors
    of lower precision are converted exactly. Each gradient has the type, shape and device of what it belongs to.
    """
    fixed = {each: _constant(name, each, value) for each, value in others.items()}
    return _Certified.apply(name, tuple(statistics), fixed, *statistics.values())


class _Certified(torch.autograd.Function):
    """The value forwards; backwards the derivatives, which are computed only then."""

    @staticmethod
    def forward(
        ctx: torch.autograd.function.FunctionCtx,
        name: str,
        arguments: tuple[str, ...],
        fixed: dict[str, ArrayLike],
        *statistics: Given,
    ) -> torch.Tensor:
        arrays = dict(zip(arguments, map(_to_numbers, statistics), strict=True))
        tensors = [each for each in statistics if isinstance(each, torch.Tensor)]
        device = next((each.device for each in tensors if each.device.type != "cpu"), None)
        result = torch.as_tensor(RULES[name].value(**arrays, **fixed), dtype=torch.float64, device=device)
        ctx.call = name, fixed
        # tensors are kept by PyTorch, which notices if they change in place before the way back
        known = (None if isinstance(each, torch.Tensor) else each for each in statistics)
        ctx.known = dict(zip(arguments, known, strict=True))
        ctx.save_for_backward(result, *tensors)
        return result

    @staticmethod
    def backward(ctx: torch.autograd.function.FunctionCtx, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        name, fixed = ctx.call
        if torch.is_grad_enabled():  # what create_graph=True means here: second derivatives would silently be missing
            raise RuntimeError(f"The gradient of {name} cannot be differentiated again: leave out create_graph=True.")
        result, *tensors = ctx.saved_tensors
        kept = iter(tensors)
        statistics = {key: next(kept) if each is None else each for key, each in ctx.known.items()}
        arrays = {key: _to_numbers(each) for key, each in statistics.items()}
        slopes = finite_slopes(RULES[name], arrays, fixed, result.cpu().numpy())
        needed = ctx.needs_input_grad[3:]
        pulled = (
            _pull_back(gradient, slopes[key], each) if wanted else None
            for (key, each), wanted in zip(statistics.items(), needed, strict=True)
        )
        return None, None, None, *pulled


def _pull_back(gradient: torch.Tensor, slope: FloatArray, argument: torch.Tensor) -> torch.Tensor:
    """Return the gradient in an argument, whose own axes come last in the slope; what was broadcast is summed."""
    own = slope.ndim - gradient.ndim
    spread = gradient.reshape((*gradient.shape, *[1] * own)) * torch.as_tensor(slope, device=gradient.device)
    return spread.sum_to_size(argument.shape).to(argument.device, argument.dtype)


def _to_numbers(argument: Given) -> ArrayLike:
    """Return a tensor as an array, or as a number where it is one; all else as it is."""
    if not isinstance(argument, torch.Tensor):
        return argument
    numbers = argument.detach().to("cpu", torch.float64)
    return numbers.numpy() if numbers.ndim else float(numbers)


def _constant(owner: str, name: str, argument: Given) -> ArrayLike:
    if isinstance(argument, torch.Tensor) and argument.requires_grad:
        raise ValueError(
            f"The {name!r} argument of {owner} must not require a gradient, as there is none in it. "
            "Got a tensor that does instead."
        )
    return _to_numbers(argument)
