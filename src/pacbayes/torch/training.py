"""The library's own training loop: AdamW, a schedule, averaged weights, early stopping on learning rows.

Batches are taken from tensors in memory by their numbers. One seed fixes the order of the rows, augmentation and
dropout, so that the same machine with the same number of threads learns the same network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pacbayes.torch.augmentation import Augment, Augmentation, find_augmentation
from pacbayes.torch.checks import check_name, check_positive, check_share, check_whole
from pacbayes.torch.loop import Loop
from pacbayes.torch.outputs import find_device, precision_of, seeded
from pacbayes.torch.schedules import SCHEDULES

__all__ = ["Training", "train"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """How a network learns; plain data, but for a function of your own in ``augment``.

    Attributes
    ----------
    epochs : int
        How often all learning rows are gone through; 0 leaves the network as it is.
    batch_size : int
        Rows per step. What is left over after the last full batch of an epoch is left out of that epoch.
    learning_rate : float
        Of AdamW, the largest along the schedule.
    weight_decay : float
        On weights of two or more dimensions: not on offsets and batch normalisation.
    momenta : (float, float)
        Decay of AdamW's averages of gradients and of their squares.
    schedule : {"cosine", "linear", "constant"}
        Of the learning rate after the warm-up: down to zero along a cosine or a line, or constant.
    warmup : float
        Share of the steps along which the learning rate rises from zero.
    label_smoothing : float
        Share of the weight of the true class that is spread over all classes, in [0, 1).
    average : float
        Decay per step of an average of the weights, buffers of batch normalisation included, which becomes the result;
        0 keeps the last weights.
    augment : str, Augmentation, callable or None
        Random changes of a batch: "shift", "affine", "shift-flip" or "shift-flip-erase", an
        :class:`pacbayes.torch.Augmentation`, or a function from a batch and a ``torch.Generator`` to a batch.
    plain_epochs : int
        How many of the last epochs see the rows unchanged.
    patience : int or None
        Stop after so many epochs without a lower loss on a share of the learning rows that is kept aside, and return to
        the best weights. None learns from all rows, for all epochs.
    validation : float
        That share, in (0, 1).

    Examples
    --------
    >>> from pacbayes.torch import Training
    >>> training = Training(epochs=5, augment="affine", average=0.99)
    >>> Training.from_dict(training.to_dict()) == training
    True
    """

    epochs: int = 20
    batch_size: int = 128
    learning_rate: float = 1e-3
    weight_decay: float = 1e-2
    momenta: tuple[float, float] = (0.9, 0.999)
    schedule: str = "cosine"
    warmup: float = 0.1
    label_smoothing: float = 0.0
    average: float = 0.0
    augment: str | Augment | Augmentation | None = None
    plain_epochs: int = 0
    patience: int | None = None
    validation: float = 0.1

    def __post_init__(self) -> None:
        owner = type(self).__name__
        for name, least in (("epochs", 0), ("batch_size", 1), ("plain_epochs", 0)):
            check_whole(owner, name, getattr(self, name), least)
        check_positive(owner, "learning_rate", self.learning_rate)
        check_positive(owner, "weight_decay", self.weight_decay, zero=True)
        if not isinstance(self.momenta, tuple) or len(self.momenta) != 2:
            raise ValueError(
                f"The 'momenta' argument of {owner} must be two numbers. Got {self.momenta!r:.40} instead."
            )
        for each in self.momenta:
            check_share(owner, "momenta", each)
        for name in ("warmup", "label_smoothing", "average"):
            check_share(owner, name, getattr(self, name))
        check_share(owner, "validation", self.validation, zero=False)
        check_name(owner, "schedule", self.schedule, SCHEDULES)
        if self.patience is not None:
            check_whole(owner, "patience", self.patience, 1)
        find_augmentation(owner, self.augment)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that survives JSON, or say that a function does not."""
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        if isinstance(self.augment, Augmentation):
            told["augment"] = asdict(self.augment)
        elif not (self.augment is None or isinstance(self.augment, str)):
            raise ValueError(
                "A training with a function of your own in 'augment' cannot be written down. "
                "Pass the name of an augmentation or an Augmentation."
            )
        return told | {"momenta": list(self.momenta)}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> Training:
        """Return a training from plain data, every entry of which is checked."""
        known = {each.name for each in fields(cls)}
        given = dict(told) if isinstance(told, Mapping) else {"": told}
        odd = sorted(map(str, given.keys() - known))
        if odd:
            raise ValueError(f"A training must have the fields of {cls.__name__}. Got {odd[0]!r} instead.")
        if isinstance(given.get("augment"), Mapping):
            given["augment"] = find_augmentation(cls.__name__, given["augment"])
        if isinstance(given.get("momenta"), list):
            given["momenta"] = tuple(given["momenta"])
        return cls(**given)


def train(
    module: nn.Module,
    X: Tensor | NDArray[Any],
    y: Tensor | NDArray[Any],
    training: Training | None = None,
    *,
    seed: int = 0,
    device: torch.device | str = "cpu",
    classes: int | None = None,
    progress: bool | None = None,
) -> nn.Module:
    """Train a module in place, by the cross entropy of its outputs.

    Parameters
    ----------
    module : Module
        With an output for each class.
    X : tensor or ndarray, shape (n, ...)
        Rows as the module takes them; whole numbers of eight bits are divided by 255, batch by batch.
    y : tensor or ndarray, shape (n,)
        Labels as positions of classes: 0, 1, ...
    training : Training, optional
    seed : int
        Of order, augmentation and dropout.
    device : device or str, default="cpu"
        "auto" is CUDA where there is one. The module stays there.
    classes : int, optional
        How many of the first outputs take part; all by default.
    progress : bool, optional
        Whether to show a bar on stderr; by default where that is a terminal and rich is installed.

    Returns
    -------
    Module
        The same one, set to evaluate.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from pacbayes.torch import Training, fully_connected, train
    >>> X, y = load_digits(return_X_y=True)
    >>> network = train(fully_connected(64, 32, 10), X / 16, y, Training(epochs=10, learning_rate=1e-2))
    >>> import torch
    >>> bool((network(torch.tensor(X / 16).float()).argmax(1).numpy() == y).mean() > 0.95)
    True
    """
    owner, options = "train", training if training is not None else Training()
    if not isinstance(module, nn.Module) or not isinstance(options, Training):
        raise ValueError(  # noqa: TRY004
            f"{owner} must be given a torch module and a Training. Got {type(module).__name__} and "
            f"{type(options).__name__} instead."
        )
    place = find_device(owner, device)
    rows, labels = _check_rows(owner, X, y, classes, precision_of(module))
    with seeded(seed, place):
        loop = Loop(module.to(place), rows, labels, options, torch.Generator().manual_seed(seed), classes)
        loop.run(find_augmentation(owner, options.augment), progress)
    return module.eval()


def _check_rows(owner: str, X: Any, y: Any, classes: int | None, precision: torch.dtype) -> tuple[Tensor, Tensor]:
    """Return rows and labels as tensors on the CPU, or say what is wrong with them."""
    try:
        rows, labels = (
            torch.as_tensor(np.ascontiguousarray(each) if isinstance(each, np.ndarray) else each) for each in (X, y)
        )
    except (TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"{owner} needs rows and labels that are numbers. {error!s:.100}") from None
    whole = not (labels.is_floating_point() or labels.is_complex())
    if labels.ndim != 1 or not whole or rows.ndim < 2 or len(rows) != len(labels) or not len(rows):
        raise ValueError(
            f"{owner} needs rows and one whole number per row as its label. "
            f"Got shapes {tuple(rows.shape)} and {tuple(labels.shape)} of {labels.dtype} instead."
        )
    codes = cast("Tensor", labels.cpu().long())
    if int(codes.min()) < 0 or (classes is not None and int(codes.max()) >= classes):
        raise ValueError(f"{owner} needs labels from 0 on, below the number of classes. Got {codes.unique().tolist()}.")
    wide = torch.promote_types(precision, torch.float32)  # batches are rounded to less
    return (rows if rows.dtype == torch.uint8 else rows.to(wide)).cpu(), codes
