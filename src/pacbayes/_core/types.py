"""Types that every room speaks of."""

from __future__ import annotations

from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "BoolArray",
    "Classifier",
    "FloatArray",
    "FloatOrArray",
    "IntArray",
    "Labels",
    "ObjectArray",
    "Predictor",
    "RandomState",
    "Rows",
    "RowsLike",
    "Transformer",
]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
ObjectArray: TypeAlias = NDArray[np.object_]
Labels: TypeAlias = NDArray[Any]  # numbers or text
# what a function of numbers returns: a float for single numbers, an array for arrays
FloatOrArray: TypeAlias = "float | FloatArray"
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
