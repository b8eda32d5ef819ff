"""Types that every room speaks of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, TypedDict, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import scipy.sparse as sp

__all__ = [
    "Array",
    "BoolArray",
    "Classifier",
    "Condition",
    "FloatArray",
    "FloatOrArray",
    "Grid",
    "Indexed",
    "IntArray",
    "Labels",
    "Matrix",
    "Number",
    "ObjectArray",
    "Predictor",
    "ProbabilityPredictor",
    "RandomState",
    "ReferenceLosses",
    "Regressor",
    "RowSource",
    "Rows",
    "RowsLike",
    "SummaryOptions",
    "Transformer",
]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
ObjectArray: TypeAlias = NDArray[np.object_]
Labels: TypeAlias = NDArray[Any]  # numbers or text
Matrix: TypeAlias = "FloatArray | sp.csr_matrix"  # rows after the check that they are numbers
# what a function of numbers returns: a float for single numbers, an array for arrays
FloatOrArray: TypeAlias = "float | FloatArray"
# numbers along a grid, for which such a function returns an array
Grid: TypeAlias = "NDArray[Any] | Sequence[float]"
# numbers that are more than one; a single number is a float
Array: TypeAlias = "NDArray[np.float64 | np.int64 | np.bool_] | Sequence[float] | Sequence[Sequence[float]]"
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


class Indexed(Protocol):
    """What gives things by their numbers."""

    def __getitem__(self, key: Any, /) -> Any: ...


# what gives rows with their labels one by one, or batch by batch: a dataset or a loader of torch
RowSource: TypeAlias = "Indexed | Iterable[Any]"


class Predictor(Protocol):
    """Anything fitted that predicts a label for each row."""

    def predict(self, X: Any) -> Any: ...


class Classifier(Predictor, Protocol):
    """A classifier of scikit-learn's kind."""

    def fit(self, X: Any, y: Any) -> Self: ...

    def get_params(self, deep: bool = True) -> dict[str, Any]: ...


class Regressor(Predictor, Protocol):
    """A regressor of scikit-learn's kind."""

    def fit(self, X: Any, y: Any) -> Self: ...

    def get_params(self, deep: bool = True) -> dict[str, Any]: ...


class ProbabilityPredictor(Protocol):
    """Anything fitted that gives a probability to each of its classes, for each row."""

    classes_: Labels

    def predict_proba(self, X: Rows, /) -> ArrayLike: ...


@runtime_checkable
class ReferenceLosses(Protocol):
    """Losses of a reference that know their rows and what a bound may assume of them."""

    @property
    def kind(self) -> str: ...

    def by_row(self) -> FloatArray: ...


class SummaryOptions(TypedDict, total=False):
    """What every constructor of a summary takes besides losses, a reference and its kind."""

    strength: float
    rates: ArrayLike | None
    weights: ArrayLike | None


class Transformer(Protocol):
    """A transformer of scikit-learn's kind."""

    def fit(self, X: Any, y: Any = None) -> Self: ...

    def transform(self, X: Any) -> Any: ...
