"""Rows for networks, from whatever holds them: tensors, arrays, frames, datasets and loaders.

Inside the library rows have two dimensions; the shape of one row is kept beside them. A dataset or loader is gone
through once, so that rows and labels stay together however it shuffles, and what it draws at random is drawn once.
Rows that are certified come once each: a loader that repeats some is refused (:mod:`pacbayes.torch.loaders`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch.utils.data import DataLoader, Dataset, TensorDataset

from pacbayes._core.arguments import refuse_masked
from pacbayes._core.exact import align_exactly, exact_array
from pacbayes._core.rows import labels_of
from pacbayes._core.types import Labels, RowsLike
from pacbayes.torch.loaders import has_batches, iterate_once

__all__ = ["RowsRead", "code_labels", "read_rows", "to_tensor"]

_EXACT = 2**24  # whole numbers up to here are float32
_BYTE = 255.0

Loaded: TypeAlias = "RowsLike | torch.Tensor | Dataset | DataLoader"


class RowsRead(NamedTuple):
    """Rows in two dimensions, their labels, and the shape of one row."""

    X: NDArray[Any]
    y: Labels | None
    shape: tuple[int, ...]


def read_rows(
    owner: str, X: Loaded, y: ArrayLike | None = None, *, labelled: bool = True, repeated: bool = False
) -> RowsRead:
    """Read rows and labels, or say what is wrong with them.

    Parameters
    ----------
    owner : str
        Who asks, for the message.
    X : tensor, array_like, frame, Dataset or DataLoader
        Rows of any shape, at least one number each. Whole numbers of eight bits, such as pixels, stay as they are.
    y : array_like or tensor, optional
        Labels of any kind. None where a Dataset or DataLoader has them beside its rows.
    labelled : bool, default=True
        Whether labels are wanted; those of a dataset are left out otherwise.
    repeated : bool, default=False
        Whether a DataLoader may draw rows more than once, or some rather than others, though there are labels: for
        learning without a certificate.

    Examples
    --------
    >>> import torch
    >>> from pacbayes.torch.arrays import read_rows
    >>> data = torch.utils.data.TensorDataset(torch.zeros(6, 1, 4, 4), torch.arange(6))
    >>> found = read_rows("me", data)
    >>> found.X.shape, found.y.tolist(), found.shape
    ((6, 16), [0, 1, 2, 3, 4, 5], (1, 4, 4))
    """
    if isinstance(X, Dataset | DataLoader):
        given, told = _read_dataset(owner, X, repeated=repeated or not labelled)
        if isinstance(X, DataLoader) and y is not None:
            raise ValueError(f"{owner} takes the labels of a DataLoader from it, since it may shuffle. Got 'y', too.")
        if told is not None and y is not None:
            raise ValueError(f"{owner} takes the labels of this Dataset from it. Got 'y', too.")
        if told is None and y is None and labelled:
            raise ValueError(f"{owner} needs labels. The {type(X).__name__} has rows alone: it must give pairs.")
        X, y = given, told if y is None else y
    values = _to_array(owner, X)
    shape = tuple(int(each) for each in values.shape[1:])
    rows = np.ascontiguousarray(values).reshape(len(values), prod(shape))
    return RowsRead(rows, labels_of(owner, rows, _plain(y)) if labelled else None, shape)


def to_tensor(rows: NDArray[Any], shape: Sequence[int], precision: torch.dtype = torch.float32) -> torch.Tensor:
    """Return rows as the tensor that a network of some precision is given, each value rounded at most once.

    Whole numbers of eight bits are divided by 255, in float32: that is what torchvision's ``ToTensor`` does with
    pixels. The tensor is a copy: a module may change it in place.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from pacbayes.torch.arrays import to_tensor
    >>> to_tensor(np.array([[0, 255]], dtype=np.uint8), (2,)).tolist()
    [[0.0, 1.0]]
    >>> to_tensor(np.array([[2.0**24 + 1]]), (1,), torch.float64).item() - 2**24
    1.0
    """
    pixels = rows.dtype == np.uint8
    tensor = torch.from_numpy(np.array(rows, dtype=np.float32 if pixels else None)).reshape(len(rows), *shape)
    return (tensor.div_(_BYTE) if pixels else tensor).to(precision)  # doubles beyond float32 become infinite: errors


def code_labels(labels: Labels, classes: Labels) -> torch.Tensor:
    """Return the position of each label among the classes, all of which must be there.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.torch.arrays import code_labels
    >>> code_labels(np.array(["b", "a", "b"]), np.array(["b", "a"])).tolist()
    [0, 1, 0]
    """
    named, given = align_exactly(np.asarray(classes), labels)
    order = np.argsort(named, kind="stable")
    places = np.searchsorted(named, given, sorter=order).clip(max=len(named) - 1)
    found = order[places]
    odd = named[found] != given
    if np.any(odd):
        raise ValueError(f"The labels must be among the classes {classes.tolist()!r:.60}. Got {labels[odd][0]!r}.")
    return torch.from_numpy(found.astype(np.int64))


def _to_array(owner: str, X: Any) -> NDArray[Any]:
    """Return rows of numbers that a network can be given."""
    if hasattr(X, "tocsr"):
        raise ValueError(f"The 'X' argument of {owner} must be dense for a network. Got a sparse matrix; use toarray.")
    refuse_masked(f"The 'X' argument of {owner}", X)
    values = _plain(X.to_numpy() if hasattr(X, "to_numpy") else X)
    if values.ndim < 2 or values.size == 0:
        raise ValueError(f"{owner} needs rows of at least one number each. Got an array of shape {values.shape}.")
    if values.dtype.kind == "b":
        return values.astype(np.float32)
    if values.dtype.kind in "iu" and values.dtype != np.uint8:
        return values.astype(np.float32 if np.abs(values).max() <= _EXACT else np.float64)
    if values.dtype.kind not in "fu":
        raise ValueError(f"The 'X' argument of {owner} must hold numbers. Got {values.dtype} instead.")
    if values.dtype not in (np.float32, np.float64, np.uint8):
        values = values.astype(np.float32 if values.dtype.itemsize < 4 else np.float64)
    if values.dtype != np.uint8 and not np.isfinite(values).all():
        raise ValueError(f"The 'X' argument of {owner} must not contain NaN or infinity.")
    return values


def _plain(values: Any) -> Any:
    """Return a tensor as an array, and anything else as an array unless it is one or nothing."""
    if isinstance(values, torch.Tensor):
        tensor = values.detach().cpu()
        return (tensor.float() if tensor.dtype in (torch.bfloat16, torch.float16) else tensor).numpy()
    return values if values is None or hasattr(values, "dtype") else _as_array(values)


def _as_array(values: Any) -> NDArray[Any]:
    try:
        return exact_array(values)
    except ValueError:  # of unequal lengths
        return np.asarray(values, dtype=object)


def _read_dataset(owner: str, data: Dataset | DataLoader, *, repeated: bool) -> tuple[Any, Any]:
    """Return all rows, and all labels if there are such."""
    if type(data) is TensorDataset and len(data.tensors) in (1, 2):  # a class of somebody's own may give other rows
        return data.tensors if len(data.tensors) == 2 else (data.tensors[0], None)
    rows: list[Any] = []
    labels: list[Any] = []
    batches = isinstance(data, DataLoader) and has_batches(data)
    for item in _items(owner, data, repeated=repeated):
        row, label = item if isinstance(item, list | tuple) and len(item) == 2 else (item, None)
        if isinstance(item, list | tuple) and len(item) != 2:
            raise ValueError(f"{owner} takes a row and its label from a dataset. Got {len(item)} values instead.")
        rows += _listed(owner, row, batches)
        labels += [] if label is None else _listed_labels(label, batches)
    if not rows:
        raise ValueError(f"{owner} needs at least one row. Got none.")
    return _stack(owner, rows), exact_array(labels) if labels else None


def _items(owner: str, data: Any, *, repeated: bool) -> Iterable[Any]:
    if isinstance(data, DataLoader) and not repeated:
        return iterate_once(owner, data)
    if isinstance(data, DataLoader) or hasattr(data, "__iter__"):
        return iter(data)
    if not hasattr(data, "__len__"):
        raise ValueError(f"{owner} needs a Dataset with a length. Got {type(data).__name__} instead.")
    return (data[place] for place in range(len(data)))


def _listed(owner: str, row: Any, batches: bool) -> list[NDArray[Any]]:
    if isinstance(row, dict | str | bytes) or row is None:
        raise ValueError(f"{owner} takes a row and its label from a dataset. Got {type(row).__name__} instead.")
    values = np.asarray(_plain(row))
    return list(values) if batches else [values]


def _listed_labels(label: Any, batches: bool) -> list[Any]:
    values = _plain(label) if isinstance(label, torch.Tensor) else label
    return list(values) if batches else [values.item() if getattr(values, "ndim", None) == 0 else values]


def _stack(owner: str, rows: Sequence[NDArray[Any]]) -> NDArray[Any]:
    shapes = {row.shape for row in rows}
    if len(shapes) > 1:
        listed = ", ".join(map(str, sorted(shapes)[:3]))
        raise ValueError(f"{owner} needs rows of one shape. Got {listed} instead.")
    found = np.stack(rows)
    return found[:, None] if found.ndim == 1 else found
