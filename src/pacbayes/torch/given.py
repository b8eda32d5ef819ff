"""A network that was trained elsewhere, as a predictor that can be certified."""

from __future__ import annotations

from math import prod
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import nn

from pacbayes._core.exact import exact_array
from pacbayes._core.types import Labels
from pacbayes.torch.arrays import Loaded
from pacbayes.torch.outputs import module_outputs
from pacbayes.torch.predictor import NetworkPredictor, check_shape

__all__ = ["GivenNetwork", "wrap"]


class GivenNetwork(NetworkPredictor):
    """A module that was trained elsewhere, with the labels that its outputs stand for.

    :func:`pacbayes.certify` takes a bare module for one whose outputs stand for the labels 0, 1, ...; for other labels,
    pass it this. The module is evaluated where it is, without gradients, dropout or changes of batch normalisation, and
    is left in the mode it was in.

    Parameters
    ----------
    module : Module
        From a batch of rows to an output for each class. Rows come in the precision of its first weights, or of its
        first buffers if it has no weights; a module without either is given doubles as they are, and all else as
        float32. Whole numbers of eight bits are divided by 255.
    classes : array_like, optional
        The labels of the outputs, in their order; 0, 1, ... by default.
    input_shape : tuple of int, optional
        Of one row, where rows come flat; by default the shape that they come in.

    Attributes
    ----------
    classes_ : ndarray
    input_shape_ : tuple of int

    Examples
    --------
    >>> import pacbayes as pb
    >>> import torch
    >>> from pacbayes.torch import GivenNetwork, fully_connected, train
    >>> sample = pb.datasets.make_known_risk(2000, d=3, random_state=0)
    >>> rows = torch.tensor(sample.X).float()
    >>> _ = torch.manual_seed(0)
    >>> module = train(fully_connected(3, 16, 2), rows[:1000], sample.y[:1000])
    >>> certificate = pb.certify(module, rows[1000:], sample.y[1000:])
    >>> 0.15 < certificate.value < 0.25
    True
    >>> bool(pb.verification.recheck(certificate, rows[1000:], sample.y[1000:], module))
    True

    Labels that are text:

    >>> network = GivenNetwork(module, classes=["no", "yes"])
    >>> texts = ["yes" if each else "no" for each in sample.y[1000:]]
    >>> pb.certify(network, rows[1000:], texts).value == certificate.value
    True
    """

    def __init__(
        self, module: nn.Module, classes: ArrayLike | None = None, *, input_shape: tuple[int, ...] | None = None
    ) -> None:
        owner = type(self).__name__
        if not isinstance(module, nn.Module):
            raise ValueError(  # noqa: TRY004
                f"The 'module' argument of {owner} must be a torch module. Got {type(module).__name__} instead."
            )
        self.module_ = module
        self._given = None if classes is None else exact_array(classes)
        if self._given is not None:
            if self._given.ndim != 1 or np.unique(self._given).size != self._given.size or not self._given.size:
                raise ValueError(f"The 'classes' argument of {owner} must be different labels. Got {classes!r:.60}.")
            self.classes_ = self._given
        if input_shape is not None:
            self.input_shape_ = tuple(int(each) for each in input_shape)

    def with_shape(self, shape: tuple[int, ...]) -> Self:
        """Return a predictor for rows of this shape, whose outputs are counted by asking for a row of zeros."""
        owner = type(self).__name__
        own: tuple[int, ...] = getattr(self, "input_shape_", shape)
        check_shape(owner, shape, own)
        device = next((each.device for each in self.module_.parameters()), torch.device("cpu"))
        zeros = np.zeros((1, prod(own)), dtype=np.float32)
        outputs = module_outputs(self.module_, zeros, own, device=device, owner=owner).shape[1]
        if self._given is not None and outputs != len(self._given):
            raise ValueError(
                f"The 'classes' argument of {owner} must name each output of the module, {outputs} of them. "
                f"Got {len(self._given)} instead."
            )
        found = type(self)(self.module_, self._given, input_shape=own)
        found.classes_ = np.arange(outputs) if self._given is None else self._given
        return found

    def read_rows(self, owner: str, X: Loaded, y: ArrayLike | None) -> tuple[NDArray[Any], Labels, tuple[int, ...]]:
        """Return rows in two dimensions, their labels, and the shape of one row; refuse labels that are no outputs."""
        rows, labels, shape = super().read_rows(owner, X, y)
        if self._given is None:
            known = self.with_shape(shape).classes_
            odd = labels[~np.isin(labels, known)] if labels.dtype.kind in "biuf" else labels
            if odd.size and len(known) == 1:
                raise ValueError(
                    f"The module of {owner} must return a number per class, two for two classes. Got a single one."
                )
            if odd.size:
                raise ValueError(
                    f"The labels of {owner} must be numbers of outputs, from 0 to {len(known) - 1}. Got {odd[0]!r}; "
                    "pass pacbayes.torch.GivenNetwork(module, classes=...) for other labels."
                )
        return rows, labels, shape


def wrap(module: nn.Module) -> GivenNetwork:
    """Return a bare module as a predictor: how :func:`pacbayes.certify` takes one.

    Examples
    --------
    >>> from torch import nn
    >>> from pacbayes.torch.given import wrap
    >>> wrap(nn.Linear(4, 3)).with_shape((4,)).classes_.tolist()
    [0, 1, 2]
    """
    return GivenNetwork(module)
