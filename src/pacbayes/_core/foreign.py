"""Models and rows of other libraries: which module of ours wraps them, loaded by name when such a one comes.

So that a model of a library can be certified without the rest of ours importing that library.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Protocol, Self, runtime_checkable

from pacbayes._core.types import Labels, Predictor, Rows

__all__ = ["RowReader", "adopt", "adopt_rows", "collect", "is_distributed", "map_indexes"]

# from the package that a model's class derives from to the module of ours whose `wrap` makes a predictor of it
_WRAPPERS = {"torch": "pacbayes.torch.given"}
# from the package of a collection of rows to the module of ours whose `wrap_rows` and `collect` take it
_COLLECTIONS = {"dask": "pacbayes.engines", "dask_expr": "pacbayes.engines"}


@runtime_checkable
class RowReader(Protocol):
    """A predictor that takes rows in containers and shapes of its own."""

    def predict(self, X: Any) -> Any: ...

    def read_rows(self, owner: str, X: Any, y: Any) -> tuple[Rows, Labels, tuple[int, ...]]:
        """Return rows in two dimensions, their labels, and the shape of one row."""

    def with_shape(self, shape: tuple[int, ...]) -> Self:
        """Return a predictor for rows in two dimensions of which each has had this shape."""


def adopt(owner: str, models: Mapping[str, Any], X: Any, y: Any) -> tuple[dict[str, Predictor], Any, Any]:
    """Return predictors, rows and labels as the library knows them; what it knows already is returned as it is.

    Rows are read once, for all models, so that a source that shuffles cannot give each of them other rows.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from pacbayes._core.foreign import adopt
    >>> adopt("me", {"Bayes": GaussianNB()}, [[0.0], [1.0]], [0, 1])
    ({'Bayes': GaussianNB()}, [[0.0], [1.0]], [0, 1])
    """
    known = {name: _wrap(model) for name, model in models.items()}
    reader = next((each for each in known.values() if isinstance(each, RowReader)), None)
    if reader is None:
        return known, X, y
    rows, labels, shape = reader.read_rows(owner, X, y)
    adopted = {name: each.with_shape(shape) if isinstance(each, RowReader) else each for name, each in known.items()}
    return adopted, rows, labels


def _wrap(model: Any) -> Any:
    """Return a model of another library as a predictor, unless it is one by itself."""
    roots = {each.__module__.partition(".")[0] for each in type(model).__mro__}
    wrapper = (
        None if hasattr(model, "predict") else next((_WRAPPERS[root] for root in _WRAPPERS if root in roots), None)
    )
    return model if wrapper is None else import_module(wrapper).wrap(model)


def is_distributed(values: object) -> bool:
    """Return whether values are in a collection of another library, which need not be in memory."""
    return type(values).__module__.partition(".")[0] in _COLLECTIONS


def adopt_rows(X: Any) -> Rows:
    """Return rows of a distributed collection as the library knows them, which are looked at where they are."""
    return import_module(_COLLECTIONS[type(X).__module__.partition(".")[0]]).wrap_rows(X)  # type: ignore[no-any-return]


def map_indexes(values: Any, function: Callable[[Any], Any]) -> list[Any]:
    """Return what a function gives for the index of each partition of a distributed collection, computed there."""
    name = _COLLECTIONS[type(values).__module__.partition(".")[0]]
    return list(import_module(name).map_indexes(values, function))


def collect(values: Any, rows: Any = None) -> Any:
    """Return values in memory: those of a distributed collection, and in a mapping; others as they are.

    Where the rows that they belong to are given, both have to be distributed alike.

    Examples
    --------
    >>> from pacbayes._core.foreign import collect
    >>> collect([0, 1])
    [0, 1]
    """
    if isinstance(values, Mapping) and any(map(is_distributed, values.values())):
        return {name: collect(each, rows) for name, each in values.items()}
    if not is_distributed(values):
        return values
    return import_module(_COLLECTIONS[type(values).__module__.partition(".")[0]]).collect(values, rows)
