"""Layers whose weights are drawn afresh for each row: linear layers by their outputs, convolutions by their kernels."""

from __future__ import annotations

import copy
from collections.abc import Mapping

import torch
from torch import nn
from torch.nn import functional

from pacbayes.torch.weights import WeightGaussian

__all__ = ["DrawnLayer", "DrawnModule"]

_MOST_DRAWN = 2**24  # numbers drawn at once


class DrawnLayer(nn.Module):
    """A layer with Gaussian weights, each row with a draw of its own.

    Means are ``m + s u`` and standard deviations ``s exp(t)`` around those of a start, in whose units ``u`` and ``t``
    are trained; both are 0 at first. It has no ``weight``, so that a module that reads the weights fails.

    Parameters
    ----------
    layer : Linear or Conv2d
        Whose options it takes over.
    means, scales : mapping of str to Tensor
        Of "weight" and, where there is one, "bias".
    """

    def __init__(self, layer: nn.Module, means: Mapping[str, torch.Tensor], scales: Mapping[str, torch.Tensor]) -> None:
        super().__init__()
        self.parts = tuple(means)
        self.generator: torch.Generator | None = None
        self.by_row = True
        for name in self.parts:
            self.register_buffer(f"mean_{name}", means[name].detach().clone())
            self.register_buffer(f"scale_{name}", scales[name].detach().clone())
            self.register_parameter(f"shift_{name}", nn.Parameter(torch.zeros_like(means[name])))
            self.register_parameter(f"stretch_{name}", nn.Parameter(torch.zeros_like(means[name])))
        self.options = {
            name: getattr(layer, name)
            for name in ("in_features", "out_features", "stride", "padding", "dilation", "groups", "padding_mode")
            if hasattr(layer, name)
        }
        self._margins = list(getattr(layer, "_reversed_padding_repeated_twice", ()))

    def mean(self, name: str) -> torch.Tensor:
        """Return the means of the weights or of the biases."""
        return getattr(self, f"mean_{name}") + getattr(self, f"scale_{name}") * getattr(self, f"shift_{name}")

    def scale(self, name: str) -> torch.Tensor:
        """Return their standard deviations."""
        return getattr(self, f"scale_{name}") * torch.exp(getattr(self, f"stretch_{name}"))

    def kl(self) -> torch.Tensor:
        """Return the divergence from the start, with gradients and not rounded up."""
        total = torch.zeros((), dtype=torch.float64)
        for name in self.parts:
            shift, stretch = getattr(self, f"shift_{name}"), getattr(self, f"stretch_{name}")
            total = total + 0.5 * (shift * shift + torch.expm1(2.0 * stretch) - 2.0 * stretch).sum()
        return total

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return what the layer gives with weights drawn for each row."""
        if "stride" in self.options:
            return self._convolve(rows) if self.by_row else self._convolve_together(rows)
        return self._draw_outputs(rows) if rows.ndim == 2 else self._multiply(rows)

    def _noise(self, shape: tuple[int, ...], like: torch.Tensor) -> torch.Tensor:
        # drawn on the CPU, so that a seed gives the same draws on every device
        return torch.randn(shape, generator=self.generator, dtype=like.dtype).to(like.device)

    def _draw(self, name: str, rows: int) -> torch.Tensor:
        """Return weights or biases drawn for each of so many rows."""
        mean, scale = self.mean(name), self.scale(name)
        return mean + scale * self._noise((rows, *mean.shape), mean)

    def moments(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return means and variances of what a linear layer gives for each row."""
        bias = (self.mean("bias"), self.scale("bias") ** 2) if "bias" in self.parts else (None, None)
        centre = functional.linear(rows, self.mean("weight"), bias[0])
        return centre, functional.linear(rows * rows, self.scale("weight") ** 2, bias[1])

    def _draw_outputs(self, rows: torch.Tensor) -> torch.Tensor:
        """Draw ``w.x + b``: of independent Gaussian weights it is Gaussian itself, independently for each output."""
        centre, variance = self.moments(rows)
        # the square root has no slope at 0, where nothing is drawn
        spread = torch.where(variance > 0.0, variance, 1.0).sqrt() * (variance > 0.0)
        return centre + spread * self._noise(tuple(centre.shape), centre)

    def _multiply(self, rows: torch.Tensor) -> torch.Tensor:
        """Multiply the several positions of a row by one draw of the weights."""
        flat = rows.reshape(len(rows), -1, rows.shape[-1])
        result = torch.bmm(flat, self._draw("weight", len(rows)).transpose(1, 2))
        if "bias" in self.parts:
            result = result + self._draw("bias", len(rows)).unsqueeze(1)
        return result.reshape(*rows.shape[:-1], -1)

    def _convolve(self, rows: torch.Tensor) -> torch.Tensor:
        """Convolve each row with kernels of its own: one convolution in which rows are groups of channels."""
        rows, padding = self._padded(rows)
        kernels = self._draw("weight", len(rows)).flatten(0, 1)
        result = functional.conv2d(
            rows.reshape(1, -1, *rows.shape[2:]),
            kernels,
            stride=self.options["stride"],
            padding=padding,
            dilation=self.options["dilation"],
            groups=len(rows) * self.options["groups"],
        )
        result = result.reshape(len(rows), -1, *result.shape[2:])
        return result + self._draw("bias", len(rows))[..., None, None] if "bias" in self.parts else result

    def _convolve_together(self, rows: torch.Tensor) -> torch.Tensor:
        """Convolve all rows with the same drawn kernels: enough for a gradient, and far faster."""
        rows, padding = self._padded(rows)
        drawn = {name: self._draw(name, 1)[0] for name in self.parts}
        options = {name: self.options[name] for name in ("stride", "dilation", "groups")}
        return functional.conv2d(rows, drawn["weight"], drawn.get("bias"), padding=padding, **options)

    def _padded(self, rows: torch.Tensor) -> tuple[torch.Tensor, object]:
        if self.options["padding_mode"] == "zeros":
            return rows, self.options["padding"]
        return functional.pad(rows, self._margins, mode=self.options["padding_mode"]), 0


class DrawnModule(nn.Module):
    """A copy of a module in which some layers draw their weights for each row; everything else is as it was.

    Parameters
    ----------
    module : Module
        Left as it is.
    layers : tuple of str
        The names of the layers, as :func:`pacbayes.torch.layers.choose_layers` finds them.
    start : WeightGaussian
        Over their weights and biases.
    """

    def __init__(self, module: nn.Module, layers: tuple[str, ...], start: WeightGaussian) -> None:
        super().__init__()
        self.inner = copy.deepcopy(module).eval().requires_grad_(False)
        self.layers = layers
        for name in layers:
            layer = self.inner.get_submodule(name)
            parts = [part for part, _ in layer.named_parameters(recurse=False)]
            means, scales = (
                {part: group[_join(name, part)] for part in parts} for group in (start.means, start.scales)
            )
            self._replace(name, DrawnLayer(layer, means, scales))

    def _replace(self, name: str, drawn: DrawnLayer) -> None:
        if not name:
            self.inner = drawn
            return
        parent, _, child = name.rpartition(".")
        setattr(self.inner.get_submodule(parent), child, drawn)

    def drawn_layers(self) -> dict[str, DrawnLayer]:
        """Return the layers that draw, by name."""
        return {name: self.inner.get_submodule(name) for name in self.layers}

    def seed(self, generator: torch.Generator, *, by_row: bool = True) -> None:
        """Draw from a generator; kernels of convolutions for each row, or for all rows of a batch alike."""
        for layer in self.drawn_layers().values():
            layer.generator, layer.by_row = generator, by_row

    def batch_size(self, most: int = 1024) -> int:
        """Return how many rows to draw for at once: a function of the layers alone, as the draws depend on it."""
        sizes = [layer.mean_weight.numel() for layer in self.drawn_layers().values()]
        return max(1, min(most, _MOST_DRAWN // max(sizes)))

    def kl(self) -> torch.Tensor:
        """Return the divergence from the start, with gradients and not rounded up."""
        return torch.stack([layer.kl() for layer in self.drawn_layers().values()]).sum()

    def gaussian(self) -> WeightGaussian:
        """Return the distribution over the weights as it is now."""
        layers = self.drawn_layers().items()
        means = {_join(name, part): layer.mean(part).detach().clone() for name, layer in layers for part in layer.parts}
        scales = {
            _join(name, part): layer.scale(part).detach().clone() for name, layer in layers for part in layer.parts
        }
        return WeightGaussian(means, scales)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return logits with weights drawn for each row."""
        return self.inner(rows)


def _join(layer: str, part: str) -> str:
    return f"{layer}.{part}" if layer else part
