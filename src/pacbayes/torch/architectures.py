"""Networks of ours, each described by plain data: a stored network is built again from its description and its weights.

A description is a mapping that survives JSON, with the arguments of the function that made the network. Nothing in it
is imported or run: its kind is one of the table below, and every argument is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import prod
from typing import Any

import torch
from torch import Tensor, nn

from pacbayes.torch.checks import check_share, check_whole, check_wholes

__all__ = ["Network", "Standardization", "build", "convolutional", "describe", "fully_connected"]

_FORMAT = 1
_LARGEST = 1_000_000  # of a layer: a description from elsewhere must not ask for more memory than there is
_MOST_WEIGHTS = 500_000_000
_MOST_LAYERS = 100


class Network(nn.Sequential):
    """A network of ours: layers one after another, the last of them linear, that know their description.

    Attributes
    ----------
    shape : tuple of int
        Of one row, as the first layer takes it.
    description : dict
        Plain data from which :func:`build` makes the same network with fresh weights.
    """

    def __init__(self, shape: Sequence[int], layers: Sequence[nn.Module], description: Mapping[str, Any]) -> None:
        super().__init__(*layers)
        self.shape = tuple(shape)
        self.description = dict(description)

    def forward(self, rows: Tensor) -> Tensor:
        """Return the outputs; rows may come flat."""
        return super().forward(rows.reshape(len(rows), *self.shape))


class Standardization(nn.Module):
    """Subtracts a mean and divides by a standard deviation, both learned from the learning rows.

    There is one of each for all inputs, so that pixels keep their proportions. :func:`pacbayes.torch.train` sets them;
    before that they are 0 and 1.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.tensor(0.0))
        self.register_buffer("deviation", torch.tensor(1.0))

    def forward(self, rows: Tensor) -> Tensor:
        """Return the rows standardised."""
        return (rows - self.mean) / self.deviation

    def set_from(self, mean: float, deviation: float) -> None:
        """Keep what was found on learning rows; a deviation of zero changes nothing."""
        self.mean.fill_(mean)
        self.deviation.fill_(deviation or 1.0)


def fully_connected(
    inputs: int,
    widths: int | Sequence[int],
    classes: int,
    *,
    batch_norm: bool = False,
    dropout: float = 0.0,
    standardize: bool = False,
) -> Network:
    """Make a fully connected network with ReLU between its layers.

    Parameters
    ----------
    inputs : int
        Numbers in a row.
    widths : int or sequence of int
        Of the hidden layers; an empty sequence is a linear classifier.
    classes : int
        Outputs, one for each class.
    batch_norm : bool, default=False
        Whether each hidden layer is followed by batch normalisation.
    dropout : float, default=0.0
        Share of the hidden units that are left out at random while the network learns, in [0, 1).
    standardize : bool, default=False
        Whether inputs are standardised by the mean and the deviation of the learning rows.

    Returns
    -------
    Network
        With fresh weights, of torch's own initialisation.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import fully_connected
    >>> network = fully_connected(64, (32, 32), 10)
    >>> network(torch.zeros(5, 64)).shape, sum(each.numel() for each in network.parameters())
    (torch.Size([5, 10]), 3466)
    """
    owner = "fully_connected"
    inputs, classes = (
        check_whole(owner, name, each, 1, _LARGEST) for name, each in (("inputs", inputs), ("classes", classes))
    )
    widths = check_wholes(owner, "widths", widths, 1, _LARGEST, most=_MOST_LAYERS)
    options = _check_options(owner, batch_norm, dropout, standardize)
    _check_size(owner, [inputs, *widths, classes])
    layers = [*_first(standardize), *_dense(inputs, widths, classes, batch_norm, dropout)]
    told = {"inputs": inputs, "widths": list(widths), "classes": classes, **options}
    return Network((inputs,), layers, {"format": _FORMAT, "kind": owner, **told})


def convolutional(
    shape: Sequence[int],
    channels: Sequence[int],
    hidden: int | Sequence[int],
    classes: int,
    *,
    kernel: int | Sequence[int] = 5,
    pool: int | Sequence[int] = 2,
    batch_norm: bool = False,
    dropout: float = 0.0,
    standardize: bool = False,
) -> Network:
    """Make a convolutional network: convolutions that keep the size of the image, each with max pooling and ReLU.

    Parameters
    ----------
    shape : (int, int, int)
        Channels, height and width of an image.
    channels : sequence of int
        Of the convolutions, one after another.
    hidden : int or sequence of int
        Widths of the fully connected layers between the convolutions and the outputs; an empty sequence for none.
    classes : int
        Outputs, one for each class.
    kernel : int or sequence of int, default=5
        Side of the kernels, odd; one for all convolutions or one each.
    pool : int or sequence of int, default=2
        Side of the squares whose maximum is kept after a convolution; 1 keeps everything. One for all or one each.
    batch_norm, dropout, standardize
        As for :func:`fully_connected`; dropout comes before each fully connected layer.

    Returns
    -------
    Network
        With fresh weights, of torch's own initialisation.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch import convolutional
    >>> lenet = convolutional((1, 28, 28), (16, 32), 128, 10)
    >>> lenet(torch.zeros(5, 1, 28, 28)).shape, lenet(torch.zeros(5, 784)).shape
    (torch.Size([5, 10]), torch.Size([5, 10]))
    """
    owner = "convolutional"
    shape = check_wholes(owner, "shape", shape, 1, _LARGEST, count=3)
    channels = check_wholes(owner, "channels", channels, 1, _LARGEST, most=_MOST_LAYERS)
    hidden = check_wholes(owner, "hidden", hidden, 1, _LARGEST, most=_MOST_LAYERS)
    classes = check_whole(owner, "classes", classes, 1, _LARGEST)
    kernels = check_wholes(owner, "kernel", kernel, 1, _LARGEST, count=len(channels), odd=True)
    pools = check_wholes(owner, "pool", pool, 1, _LARGEST, count=len(channels))
    options = _check_options(owner, batch_norm, dropout, standardize)
    image = _shrink(owner, shape, pools)
    units = channels[-1] * prod(image) if channels else prod(shape)
    _check_size(owner, [units, *hidden, classes], zip((shape[0], *channels), channels, kernels, strict=False))
    layers: list[nn.Module] = [*_first(standardize)]
    for inner, outer, side, square in zip((shape[0], *channels), channels, kernels, pools, strict=False):
        layers += _convolution(inner, outer, side, square, batch_norm)
    layers += [nn.Flatten(), *_dropout(dropout), *_dense(units, hidden, classes, batch_norm, dropout)]
    sizes = {"shape": shape, "channels": channels, "hidden": hidden, "kernel": kernels, "pool": pools}
    told = {**{name: list(each) for name, each in sizes.items()}, "classes": classes, **options}
    return Network(shape, layers, {"format": _FORMAT, "kind": owner, **told})


def _first(standardize: bool) -> list[nn.Module]:
    return [Standardization()] if standardize else []


def _dropout(share: float) -> list[nn.Module]:
    return [nn.Dropout(share)] if share else []


def _dense(units: int, widths: Sequence[int], classes: int, batch_norm: bool, dropout: float) -> list[nn.Module]:
    layers: list[nn.Module] = []
    for width in widths:
        layers += [nn.Linear(units, width, bias=not batch_norm), *([nn.BatchNorm1d(width)] if batch_norm else [])]
        layers += [nn.ReLU(), *_dropout(dropout)]
        units = width
    return [*layers, nn.Linear(units, classes)]


def _convolution(inner: int, outer: int, side: int, square: int, batch_norm: bool) -> list[nn.Module]:
    """Return a convolution with what follows; the maximum is taken before the ReLU, which gives the same for less."""
    return [
        nn.Conv2d(inner, outer, side, padding=side // 2, bias=not batch_norm),
        *([nn.MaxPool2d(square)] if square > 1 else []),
        *([nn.BatchNorm2d(outer)] if batch_norm else []),
        nn.ReLU(),
    ]


def _check_options(owner: str, batch_norm: bool, dropout: float, standardize: bool) -> dict[str, bool | float]:
    for name, each in (("batch_norm", batch_norm), ("standardize", standardize)):
        if not isinstance(each, bool):
            raise ValueError(  # noqa: TRY004
                f"The {name!r} argument of {owner} must be True or False. Got {each!r:.40} instead."
            )
    share = check_share(owner, "dropout", dropout)
    return {"batch_norm": batch_norm, "dropout": share, "standardize": standardize}


def _shrink(owner: str, shape: Sequence[int], pools: Sequence[int]) -> tuple[int, int]:
    """Return the height and width that are left after all pooling."""
    height, width = shape[1:]
    for square in pools:
        height, width = height // square, width // square
    if not (height and width):
        raise ValueError(f"The 'pool' argument of {owner} must leave something of {shape[1:]}. Got {tuple(pools)}.")
    return height, width


def _check_size(owner: str, units: Sequence[int], kernels: Any = ()) -> None:
    dense = sum(one * two for one, two in pairwise(units))
    weights = dense + sum(inner * outer * side * side for inner, outer, side in kernels)
    if weights > _MOST_WEIGHTS:
        raise ValueError(f"{owner} makes networks of at most {_MOST_WEIGHTS:,} weights. Got {weights:,} instead.")


_MAKERS: dict[str, Callable[..., Network]] = {
    "fully_connected": fully_connected,
    "convolutional": convolutional,
}


def describe(module: nn.Module) -> dict[str, Any] | None:
    """Return the description of a network of ours, and None for any other module.

    A network of ours whose layers, precision, attributes or hooks were changed is any other module: its description
    would give another.

    Examples
    --------
    >>> from torch import nn
    >>> from pacbayes.torch import describe, fully_connected
    >>> describe(fully_connected(4, 8, 3))["widths"], describe(nn.Linear(4, 3))
    ([8], None)
    """
    if type(module) is not Network:
        return None
    with torch.device("meta"):
        made = build(module.description)
    return dict(module.description) if _outline(made) == _outline(module) else None


def _outline(module: Network) -> tuple[object, ...]:
    """Return what networks of one description have in common: layers with options, types of numbers, attributes."""
    numbers = [(name, each.dtype) for name, each in module.state_dict().items()]
    return module.shape, repr(module), numbers, [_marks(each) for each in module.modules()]


def _marks(layer: nn.Module) -> tuple[object, ...]:
    """Return what a layer has beside its numbers: names of attributes, and how many functions are hooked to it."""
    held = vars(layer)
    hooked = {name: len(each) for name, each in held.items() if name.endswith("_hooks") and each}
    return type(layer), sorted(held), hooked


def build(description: Mapping[str, Any]) -> Network:
    """Make a network from its description, with fresh weights.

    Parameters
    ----------
    description : mapping
        From :func:`describe`, or read from JSON: every entry is checked.

    Examples
    --------
    >>> from pacbayes.torch import build, convolutional, describe
    >>> network = convolutional((1, 8, 8), (4,), (), 10, kernel=3)
    >>> describe(build(describe(network))) == describe(network)
    True
    """
    told = dict(description) if isinstance(description, Mapping) else {}
    form, kind = told.pop("format", None), told.pop("kind", None)
    if form != _FORMAT or not isinstance(kind, str) or kind not in _MAKERS:
        raise ValueError(
            f"The description of a network must have format {_FORMAT} and one of the kinds {', '.join(_MAKERS)}. "
            f"Got {description!r:.80} instead."
        )
    try:
        return _MAKERS[kind](**told)
    except TypeError as error:
        raise ValueError(f"The description of a network must have the arguments of {kind}. {error}") from None
