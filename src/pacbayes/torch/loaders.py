"""What a DataLoader gives, each row once: a row that is drawn again is no further independent row."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any

from torch.utils.data import DataLoader, DistributedSampler, IterableDataset, RandomSampler, WeightedRandomSampler

__all__ = ["has_batches", "iterate_once"]


def has_batches(loader: DataLoader) -> bool:
    """Return whether a loader gives batches of rows: of a size, or as a sampler of batches draws them.

    Examples
    --------
    >>> from torch.utils.data import DataLoader
    >>> from pacbayes.torch.loaders import has_batches
    >>> loaders = DataLoader([1, 2, 3], batch_sampler=[[0], [1, 2]]), DataLoader([1, 2, 3], batch_size=None)
    >>> [has_batches(each) for each in loaders]
    [True, False]
    """
    return loader.batch_sampler is not None


def iterate_once(owner: str, loader: DataLoader) -> Iterator[Any]:
    """Return what a loader gives, or say that it does not take each row of its dataset at most once, by chance alone.

    Parameters
    ----------
    owner : str
        Who asks, for the message.
    loader : DataLoader
        Which is left as it is.

    Examples
    --------
    >>> from torch.utils.data import DataLoader, RandomSampler
    >>> from pacbayes.torch.loaders import iterate_once
    >>> [each.tolist() for each in iterate_once("me", DataLoader([1, 2, 3], batch_size=2))]
    [[1, 2], [3]]
    >>> iterate_once("me", DataLoader([1, 2], sampler=RandomSampler([1, 2], replacement=True)))
    Traceback (most recent call last):
        ...
    ValueError: me needs each row once. The RandomSampler of the DataLoader draws with replacement: pass the dataset \
itself, or replacement=False.
    """
    if isinstance(loader.dataset, IterableDataset):
        if loader.num_workers > 1:
            raise ValueError(
                f"{owner} needs each row once. Each of the {loader.num_workers} workers of the DataLoader may give all "
                "rows of an IterableDataset: pass num_workers=0."
            )
        return iter(loader)
    for outer in (loader.sampler, loader.batch_sampler):
        _refuse_sampler(owner, outer)
        _refuse_sampler(owner, getattr(outer, "sampler", None))
    twin = copy.copy(loader)  # its samplers cannot be set from outside; the loader itself keeps its own
    name = "batch_sampler" if has_batches(loader) else "sampler"
    vars(twin).update({name: _DrawnOnce(owner, getattr(loader, name), has_batches(loader)), "_iterator": None})
    return iter(twin)


def _refuse_sampler(owner: str, sampler: object) -> None:
    """Refuse a sampler that repeats rows by what it is, even where none came twice this time."""
    kind, words = type(sampler).__name__, ""
    if isinstance(sampler, WeightedRandomSampler):
        words = "draws some rows more often than others: pass the dataset itself"
    elif isinstance(sampler, RandomSampler) and sampler.replacement:
        words = "draws with replacement: pass the dataset itself, or replacement=False"
    elif isinstance(sampler, DistributedSampler) and sampler.total_size > len(sampler.dataset):
        words = "repeats rows so that all processes have as many: pass the dataset itself, or drop_last=True"
    if words:
        raise ValueError(f"{owner} needs each row once. The {kind} of the DataLoader {words}.")


class _DrawnOnce:
    """A sampler that refuses to draw the same row twice.

    Parameters
    ----------
    owner : str
        For the message.
    sampler : iterable
        Of numbers of rows, or of batches of them.
    batches : bool
        Whether it is one of batches.
    """

    def __init__(self, owner: str, sampler: Iterable[Any], batches: bool) -> None:
        self._owner, self._sampler, self._batches = owner, sampler, batches

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["_sampler"], name)

    def __len__(self) -> int:
        return len(self._sampler)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Any]:
        seen: set[object] = set()
        kind = type(self._sampler).__name__
        for drawn in self._sampler:
            for each in drawn if self._batches or isinstance(drawn, list) else [drawn]:
                key = each.item() if getattr(each, "ndim", None) == 0 else each
                if key in seen:
                    raise ValueError(
                        f"{self._owner} needs each row once. The {kind} of the DataLoader draws row {key!r:.40} again."
                    )
                seen.add(key)
            yield drawn
