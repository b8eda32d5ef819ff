"""Labels of many rows as small numbers: a byte each for up to 127 classes, whatever text stands for a class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.types import IntArray, Labels

__all__ = ["CodedLabels", "code_type", "codes_of", "take_labels"]


def code_type(classes: int) -> type[np.signedinteger[Any]]:
    """Return the smallest type that holds the position of each of so many classes, and -1."""
    return np.int8 if classes < 2**7 else np.int16 if classes < 2**15 else np.int64


class CodedLabels:
    """One label per row, held as its position among the classes; rows are given back as the labels themselves.

    Parameters
    ----------
    codes : ndarray of int
        Of each row.
    classes : ndarray
        All labels that occur, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.coded_labels import CodedLabels
    >>> labels = CodedLabels(np.array([1, 0, 1], dtype=np.int8), np.array(["no", "yes"]))
    >>> labels[np.array([2, 1])].tolist(), labels.size, labels.codes.nbytes
    (['yes', 'no'], 3, 3)
    """

    ndim = 1

    def __init__(self, codes: NDArray[np.signedinteger[Any]], classes: Labels) -> None:
        self.codes, self.classes = codes, classes

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the labels."""
        return self.classes.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of rows."""
        return self.codes.shape

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.codes.size)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, key: Any) -> Any:
        return self.classes[self.codes[key]]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Labels:
        del copy  # there is nothing that it could be a view of
        return np.asarray(self.classes[self.codes], dtype=dtype)

    def counts(self) -> IntArray:
        """Return how many rows have each class."""
        total = np.zeros(self.classes.size, dtype=np.int64)
        for start in range(0, self.size, 1 << 20):
            total += np.bincount(self.codes[start : start + (1 << 20)], minlength=total.size)
        return total


def take_labels(labels: Labels | CodedLabels, rows: IntArray) -> Labels | CodedLabels:
    """Return the labels of some rows, held as they are."""
    return CodedLabels(labels.codes[rows], labels.classes) if isinstance(labels, CodedLabels) else labels[rows]


def codes_of(labels: Labels | CodedLabels, classes: Labels) -> NDArray[np.signedinteger[Any]]:
    """Return the position of each label among all classes, sorted, in the smallest type."""
    if isinstance(labels, CodedLabels) and np.array_equal(labels.classes, classes):
        return labels.codes
    return np.searchsorted(classes, np.asarray(labels)).astype(code_type(classes.size))
