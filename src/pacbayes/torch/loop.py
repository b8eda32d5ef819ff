"""The steps of a training: batches, losses, steps of the optimiser, and when to stop."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from pacbayes.torch.architectures import Standardization
from pacbayes.torch.outputs import check_outputs, evaluation, precision_of
from pacbayes.torch.progress import show_progress
from pacbayes.torch.schedules import WeightAverage, rate_factor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pacbayes.torch.augmentation import Augment
    from pacbayes.torch.training import Training

__all__ = ["Loop"]

_BYTE = 255.0
_BLOCK = 4096


class Loop:
    """A module while it learns.

    Parameters
    ----------
    module : Module
        On its device.
    rows, labels : Tensor
        On the CPU; batches of them are moved.
    options : Training
    generator : torch.Generator
        Of the order of rows and of augmentation.
    classes : int or None
        How many of the first outputs take part.
    """

    def __init__(
        self,
        module: nn.Module,
        rows: Tensor,
        labels: Tensor,
        options: Training,
        generator: torch.Generator,
        classes: int | None,
    ) -> None:
        self._module, self._options, self._generator, self._classes = module, options, generator, classes
        self._device = next((each.device for each in module.parameters()), torch.device("cpu"))
        self._rows, self._labels, self._largest = rows, labels, int(labels.max())
        self._learning, self._aside = self._set_aside(len(rows))
        self._steps = max(len(self._learning) // options.batch_size, 1)
        self._step = 0
        # images with their channels last are what convolutions on a CPU are fastest on
        is_image = rows.ndim == 4 and any(isinstance(each, nn.Conv2d) for each in module.modules())
        self._layout = torch.channels_last if is_image else torch.contiguous_format

    def run(self, augment: Augment | None, progress: bool | None) -> None:
        """Learn until the last epoch, or until patience is at its end."""
        options = self._options
        _standardize(self._module, self._rows)
        trainable = [each for each in self._module.parameters() if each.requires_grad]
        if not options.epochs or not trainable:
            return
        with self._laid_out(), show_progress(options.epochs, progress) as advance:
            self._optimiser = _make_optimiser(trainable, options)
            average = WeightAverage(self._module, options.average) if options.average else None
            best = _Best(options.patience)
            for epoch in range(options.epochs):
                changed = augment if epoch < options.epochs - options.plain_epochs else None
                advance(self._go_through(changed, average))
                if options.patience is not None and best.is_past(self._module, self._measure(average), average):
                    break
            if options.patience is not None:
                best.restore(self._module)
            elif average is not None:
                average.swap()

    @contextmanager
    def _laid_out(self) -> Iterator[None]:
        self._module.to(memory_format=self._layout)
        try:
            yield
        finally:
            self._module.to(memory_format=torch.contiguous_format)

    def _set_aside(self, count: int) -> tuple[Tensor, Tensor]:
        """Return the rows to learn from, and those that are kept aside to know when to stop."""
        if self._options.patience is None:
            return torch.arange(count), torch.arange(0)
        order = torch.randperm(count, generator=self._generator)
        aside = max(round(self._options.validation * count), 1)
        if aside >= count:
            raise ValueError(f"Early stopping needs at least two learning rows. Got {count} instead.")
        return order[aside:], order[:aside]

    def _go_through(self, augment: Augment | None, average: WeightAverage | None) -> float:
        """Learn from all rows once and return the mean loss, or say that it is none."""
        self._module.train()
        order = self._learning[torch.randperm(len(self._learning), generator=self._generator)]
        total = torch.zeros((), device=self._device)
        size = self._options.batch_size
        for start in range(0, self._steps * size, size):
            total += self._learn(order[start : start + size], augment)
            if average is not None:
                average.update(self._step)
        loss = float(total) / self._steps
        if not loss < float("inf"):  # NaN too
            raise ValueError(
                f"The training diverged: its loss is {loss} after {self._step} steps. Lower the learning rate."
            )
        return loss

    def _learn(self, places: Tensor, augment: Augment | None) -> Tensor:
        options, optimiser = self._options, self._optimiser
        rate = rate_factor(options.schedule, self._step, self._steps * options.epochs, options.warmup)
        for group in optimiser.param_groups:
            group["lr"] = options.learning_rate * rate
        batch = self._batch(places)
        if augment is not None:
            batch = _check_batch(augment(batch, self._generator), len(places))
        found = check_outputs("train", self._module(batch), len(places), self._classes)
        labels = self._labels[places].to(self._device)
        self._check_labels(found)
        loss = cross_entropy(found, labels, label_smoothing=options.label_smoothing)
        if not loss.requires_grad:
            raise ValueError(
                "The module of train must have outputs with gradients. Got some that depend on no weights."
            )
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        self._step += 1
        return loss.detach()

    def _check_labels(self, found: Tensor) -> None:
        if self._largest >= found.shape[1]:
            raise ValueError(
                f"The module of train must have an output for each label. Got {found.shape[1]} and the label "
                f"{self._largest}."
            )

    def _batch(self, places: Tensor) -> Tensor:
        batch = self._rows[places].to(self._device)
        batch = batch.float().div_(_BYTE) if batch.dtype == torch.uint8 else batch
        return batch.to(precision_of(self._module))

    def _measure(self, average: WeightAverage | None) -> float:
        """Return the mean loss on the rows that are kept aside, of the average if there is one."""
        if average is not None:
            average.swap()
        total = 0.0
        with evaluation(self._module):
            for places in self._aside.split(_BLOCK):
                found = check_outputs("train", self._module(self._batch(places)), len(places), self._classes)
                labels = self._labels[places].to(self._device)
                total += float(cross_entropy(found, labels, reduction="sum"))
        if average is not None:
            average.swap()
        return total / len(self._aside)


class _Best:
    """The weights with the lowest loss on the rows that are kept aside, and how long ago that was."""

    def __init__(self, patience: int | None) -> None:
        self._patience, self._since = patience or 0, 0
        self._loss = float("inf")
        self._state: dict[str, Tensor] = {}

    def is_past(self, module: nn.Module, loss: float, average: WeightAverage | None) -> bool:
        self._since += 1
        if loss < self._loss:
            if average is not None:
                average.swap()
            self._state = {name: value.clone() for name, value in module.state_dict().items()}
            if average is not None:
                average.swap()
            self._loss, self._since = loss, 0
        return self._since >= self._patience

    def restore(self, module: nn.Module) -> None:
        if self._state:
            module.load_state_dict(self._state)


def _check_batch(batch: object, rows: int) -> Tensor:
    if not isinstance(batch, Tensor) or batch.ndim < 1 or len(batch) != rows:
        got = tuple(batch.shape) if isinstance(batch, Tensor) else type(batch).__name__
        raise ValueError(f"The function in 'augment' must return a batch of {rows} rows, as given. Got {got} instead.")
    return batch


def _make_optimiser(parameters: list[nn.Parameter], options: Training) -> torch.optim.Optimizer:
    groups: list[dict[str, Any]] = [
        {"params": [each for each in parameters if each.ndim > 1], "weight_decay": options.weight_decay},
        {"params": [each for each in parameters if each.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=options.learning_rate, betas=options.momenta, fused=_can_fuse(parameters))


def _can_fuse(parameters: list[nn.Parameter]) -> bool:
    return all(each.device.type in ("cpu", "cuda") and each.is_floating_point() for each in parameters)


def _standardize(module: nn.Module, rows: Tensor) -> None:
    """Set the layers that standardise inputs, from these rows."""
    layers = [each for each in module.modules() if isinstance(each, Standardization)]
    if not layers:
        return
    scale = _BYTE if rows.dtype == torch.uint8 else 1.0
    mean = _mean(rows, lambda block: block) / scale
    square = _mean(rows, lambda block: (block / scale - mean) ** 2)
    for layer in layers:
        layer.set_from(mean, square**0.5)


def _mean(rows: Tensor, value: Callable[[Tensor], Tensor]) -> float:
    """Return a mean in double precision, block by block, so that no copy of all rows is made."""
    return sum(float(value(block.double()).sum()) for block in rows.split(_BLOCK)) / rows.numel()
