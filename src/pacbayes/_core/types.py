"""Types that every room speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Array",
    "BoolArray",
    "Classifier",
    "Condition",
    "FloatArray",
    "FloatOrArray",
    "IntArray",
    "Labels",
    "Number",
    "Predictor",
    "RandomState",
    "Rows",
    "RowsLike",
    "Transformer",
]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
Labels: TypeAlias = NDArray[Any]  # numbers or text
# numbers that are more than one; a single number is a float
Array: TypeAlias = "NDArray[np.float64 | np.int64 | np.bool_] | Sequence[float] | Sequence[Sequence[float]]"
# what a function of numbers returns: a float for single numbers, an array for arrays
FloatOrArray: TypeAlias = "float | FloatArray"
# what a kernel takes and returns: all floats or all blocks of arrays, and conditions on them
Number: TypeAlias = "float | FloatArray"
Condition: TypeAlias = "bool | BoolArray"
RandomState: TypeAlias = "int | np.random.RandomState | None"


class Rows(Protocol):
    """Rows and columns: an array, a sparse matrix or a data frame."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def __getitem__(self, key: Any, /) -> Any: ...


RowsLike: TypeAlias = "Rows | ArrayLike"


class Predictor(Protocol):
    """Anything fitted that predicts a label for each row."""

    def predict(self, X: Any) -> Any: ...


class Classifier(Predictor, Protocol):
    """A classifier of scikit-learn's kind."""

    def fit(self, X: Any, y: Any) -> Self: ...

    def get_params(self, deep: bool = True) -> dict[str, Any]: ...


class Transformer(Protocol):
    """A transformer of scikit-learn's kind."""

    def fit(self, X: Any, y: Any = None) -> Self: ...

    def transform(self, X: Any) -> Any: ...
