"""Which layers of a module get a distribution, and whether a row's draw of their weights can be drawn by itself."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils import parametrize

from pacbayes.torch.draws import DrawnModule
from pacbayes.torch.outputs import TIE
from pacbayes.torch.states import state_digest
from pacbayes.torch.weights import WeightGaussian

__all__ = ["LAYERS", "check_rows_alone", "choose_layers", "features_of", "parameter_names"]

LAYERS = ("last", "linear", "all")
_ALONE = 16  # rows that are asked alone
_NO_SCALE = 1e-30
_TYPES: dict[str, tuple[type, ...]] = {"last": (nn.Linear,), "linear": (nn.Linear,), "all": (nn.Linear, nn.Conv2d)}


@dataclass
class _Trace:
    """What the layers of a module were given and gave in one forward pass, in the order of their calls."""

    calls: list[str] = field(default_factory=list)
    inputs: dict[str, torch.Tensor] = field(default_factory=dict)
    outputs: dict[str, torch.Tensor] = field(default_factory=dict)


def choose_layers(owner: str, module: nn.Module, layers: str, rows: torch.Tensor) -> tuple[str, ...]:
    """Return the names of the layers that get a distribution, in the order in which they are called.

    A draw of the weights for each row needs a layer that is called once in a forward pass, with the rows on the first
    axis of its input, and whose weights nothing else uses. Whatever else a module does is refused.

    Parameters
    ----------
    owner : str
        Who asks, for messages.
    module : Module
        In evaluation mode.
    layers : {"last", "linear", "all"}
        The linear layer that gives the module's output; all linear layers; convolutions of images, too.
    rows : Tensor
        Some rows of input, at least one; they are repeated to three.

    Examples
    --------
    >>> import torch
    >>> from torch import nn
    >>> from pacbayes.torch.layers import choose_layers
    >>> network = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)).eval()
    >>> choose_layers("GaussianNetwork", network, "last", torch.zeros(3, 4))
    ('2',)
    >>> choose_layers("GaussianNetwork", network, "linear", torch.zeros(3, 4))
    ('0', '2')
    """
    if layers not in LAYERS:
        raise ValueError(
            f"The 'layers' parameter of {owner} must be 'last', 'linear' or 'all'. Got {layers!r} instead."
        )
    three = rows[torch.arange(3) % len(rows)]
    found: list[_Trace] = []
    before = state_digest(module)
    with torch.no_grad():
        for count in (3, 2):
            trace, logits = _trace(owner, module, three[:count])
            _check_logits(owner, logits, count)
            check_rows_alone(owner, module, three[:count])
            found.append(trace)
            names = _names(owner, module, layers, trace, logits)
            _check_rows(owner, trace, names, count)
    if state_digest(module) != before:
        raise ValueError(f"The 'module' of {owner} must not change its buffers where it is evaluated.")
    if found[0].calls != found[1].calls:
        raise ValueError(f"The 'module' of {owner} must call the same layers for every batch of rows.")
    _check_replacement(owner, module, names, three)
    return names


def parameter_names(module: nn.Module, layers: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of weights and biases of these layers, as the module's ``state_dict`` has them."""
    return tuple(
        f"{layer}.{name}" if layer else name
        for layer in layers
        for name, parameter in module.get_submodule(layer).named_parameters(recurse=False)
        if parameter is not None
    )


def features_of(module: nn.Module, layer: str, rows: torch.Tensor) -> torch.Tensor:
    """Return what a layer is given for rows, without gradients."""
    kept: list[torch.Tensor] = []
    handle = module.get_submodule(layer).register_forward_pre_hook(lambda _, given: kept.append(given[0]))
    try:
        with torch.no_grad():
            module(rows)
    finally:
        handle.remove()
    return kept[0]


def _trace(owner: str, module: nn.Module, rows: torch.Tensor) -> tuple[_Trace, torch.Tensor]:
    """Run a module on rows, and record which layers it calls."""
    trace = _Trace()

    def record(name: str) -> Callable[..., None]:
        def hook(_: nn.Module, given: tuple[torch.Tensor, ...], result: torch.Tensor) -> None:
            trace.calls.append(name)
            trace.inputs[name], trace.outputs[name] = given[0], result

        return hook

    with _hooks(module, record):
        try:
            return trace, module(rows.clone())  # which it may change in place
        except (RuntimeError, TypeError, ValueError, IndexError) as error:
            raise ValueError(
                f"The 'module' of {owner} must take rows of shape {tuple(rows.shape)}. Got {type(error).__name__}: "
                f"{str(error).splitlines()[0]:.200}"
            ) from error


@contextmanager
def _hooks(module: nn.Module, record: Callable[[str], Callable[..., None]]) -> Iterator[None]:
    places = [(name, layer) for name, layer in module.named_modules() if type(layer) in (nn.Linear, nn.Conv2d)]
    handles = [layer.register_forward_hook(record(name)) for name, layer in places]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _check_logits(owner: str, logits: object, rows: int) -> None:
    """A module must return one row of logits for each row."""
    if not isinstance(logits, torch.Tensor) or logits.ndim != 2 or len(logits) != rows or logits.shape[1] < 2:
        shape = tuple(logits.shape) if isinstance(logits, torch.Tensor) else type(logits).__name__
        raise ValueError(
            f"The 'module' of {owner} must return logits of shape (rows, classes) with at least 2 classes. "
            f"Got {shape} for {rows} rows instead."
        )


def check_rows_alone(owner: str, module: nn.Module, rows: torch.Tensor) -> None:
    """Refuse a module that gives rows other logits alone or in another order than together."""
    with torch.no_grad():
        together, backwards = module(rows.clone()), module(rows.flip(0)).flip(0)
        alone = torch.cat([module(row.clone()) for row in rows[:_ALONE].split(1)])
    if not _are_close(backwards, together) or not _are_close(alone, together[:_ALONE]):
        raise ValueError(
            f"The 'module' of {owner} must give a row the same logits in every batch. "
            "Got others for a row alone than among others."
        )


def _are_close(found: torch.Tensor, expected: torch.Tensor) -> bool:
    """Return whether logits differ by no more than rounding may make them differ."""
    finite = expected.abs().nan_to_num(0.0, 0.0, 0.0)
    return torch.allclose(found, expected, rtol=0.0, atol=TIE * max(1.0, float(finite.max())), equal_nan=True)


def _names(owner: str, module: nn.Module, layers: str, trace: _Trace, logits: torch.Tensor) -> tuple[str, ...]:
    """Return the layers asked for as they were called, after checking that each is alone with its weights."""
    called = [name for name in trace.calls if type(module.get_submodule(name)) in _TYPES[layers]]
    if layers == "last":
        called = called[-1:]
        if not called or not _gives(module.get_submodule(called[0]), trace.inputs[called[0]], logits):
            raise ValueError(
                f"The 'module' of {owner} must return what its last nn.Linear returns, without a softmax, "
                "for layers='last'."
            )
    if not called:
        raise ValueError(f"The 'module' of {owner} must call a layer that layers={layers!r} stands for. Got none.")
    for name in called:
        _check_alone(owner, module, name, trace.calls.count(name))
    return tuple(called)


def _gives(layer: nn.Module, rows: torch.Tensor, logits: torch.Tensor) -> bool:
    """Return whether logits are those of a linear layer; they may have been changed in place since."""
    found = functional.linear(rows, layer.weight, layer.bias)
    return found.shape == logits.shape and _are_close(logits, found)


def _check_alone(owner: str, module: nn.Module, name: str, count: int) -> None:
    """A layer's weights must be its own, plain parameters, and used once."""
    layer = module.get_submodule(name)
    if count > 1:
        raise ValueError(
            f"The 'module' of {owner} must call each layer with a distribution once, since both calls would need the "
            f"same draw of its weights. Got {count} calls of {name!r}."
        )
    if parametrize.is_parametrized(layer) or "weight" not in dict(layer.named_parameters(recurse=False)):
        raise ValueError(f"The layer {name!r} of {owner} must have a plain weight. Got a parametrised one.")
    own = {id(parameter) for parameter in layer.parameters()}
    others = {id(p) for each in module.modules() if each is not layer for p in each.parameters(recurse=False)}
    if own & others:
        raise ValueError(f"The layer {name!r} of {owner} must not share its weights with another layer.")


def _check_replacement(owner: str, module: nn.Module, names: tuple[str, ...], rows: torch.Tensor) -> None:
    """With next to no variance the drawn layers must give what the module gives, without the weights they replace.

    Where a module holds a layer or its weights under another name, in a list, say, what is used there would stay as it
    is and not be drawn. So there they are no numbers.
    """
    weights = {name: module.state_dict()[name].float().clone() for name in parameter_names(module, names)}
    start = WeightGaussian(weights, {name: torch.full_like(value, _NO_SCALE) for name, value in weights.items()})
    without = copy.deepcopy(module)
    with torch.no_grad():
        for name in weights:
            without.get_parameter(name).fill_(torch.nan)
        logits = module(rows.clone())
        try:
            drawn = DrawnModule(without, names, start).to(rows.device)(rows.clone())
        except AttributeError:
            drawn = None
    if drawn is None or not _are_close(drawn, logits):
        raise ValueError(
            f"The 'module' of {owner} must use the weights of a layer with a distribution by calling the layer, by the "
            "name under which it comes first. Got one that uses them otherwise."
        )


def _check_rows(owner: str, trace: _Trace, names: tuple[str, ...], count: int) -> None:
    """A layer must be given rows on the first axis, or a draw for each row is none."""
    for name in names:
        shape = tuple(trace.inputs[name].shape)
        if len(shape) < 2 or shape[0] != count:
            raise ValueError(
                f"The layer {name!r} of {owner} must be given one entry per row on its first axis. "
                f"Got shape {shape} for {count} rows."
            )
