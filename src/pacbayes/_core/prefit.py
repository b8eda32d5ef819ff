"""What an estimator brings along that it learned before: found by looking through a clone of it.

A clone forgets what ``fit`` learned, unless an estimator says otherwise (``__sklearn_clone__``, as ``FrozenEstimator``
does), holds fitted estimators where ``clone`` only copies (in functions and plain objects), is told not to learn
(``prefit``), reads from a cache, or was given as many values as there are rows. A memory outside the estimator, in a
module, a file or a private attribute, cannot be seen; that there is none is an assumption of every certificate.
"""

from __future__ import annotations

import functools
import inspect
import numbers
import warnings
from collections.abc import Iterator, Mapping
from copy import deepcopy
from enum import Enum
from itertools import chain
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from pacbayes._core.rows import take
from pacbayes._core.types import Rows

__all__ = ["refuse_early_answers", "refuse_prefit"]

_FEW = 50  # values that any estimator may be given, however few rows there are
_DEPTH = 12
_LEAVES = (str, bytes, int, float, complex, type(None), np.generic, np.dtype, ModuleType, BuiltinFunctionType, np.ufunc)


def refuse_prefit(owner: str, name: str, estimator: object, rows: int) -> None:
    """Refuse an estimator whose clone knows something.

    Parameters
    ----------
    owner, name : str
        Whose parameter or argument it is, and what that is called, for the message.
    estimator : estimator or transformer
        As it was given.
    rows : int
        How many rows there are to learn from and to judge.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from pacbayes._core.prefit import refuse_prefit
    >>> known = GaussianNB().fit([[0.0], [1.0]], [0, 1])
    >>> refuse_prefit("Me", "'estimator' parameter", known, 100)  # its clone has forgotten
    >>> known.__sklearn_clone__ = lambda: known
    >>> refuse_prefit("Me", "'estimator' parameter", known, 100)
    Traceback (most recent call last):
    ...
    ValueError: The 'estimator' parameter of Me must come unlearned. Got GaussianNB, which keeps what it learned when \
it is cloned.
    """
    found = next(_reasons(clone(estimator, safe=False), rows, 0, set()), None)
    if found is not None:
        raise ValueError(f"The {name} of {owner} must come unlearned. Got {found}.")


def refuse_early_answers(owner: str, estimator: Any, X: Rows) -> None:
    """Refuse a classifier that answers before it has learned: nobody can tell from what."""
    model = clone(estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.predict(take(X, slice(0, 1)))
        except Exception:  # as it should
            return
    raise ValueError(
        f"The 'estimator' parameter of {owner} must come unlearned. Got {type(model).__name__}, which answers before "
        "it has learned; a predictor that exists is certified by certify_predictions."
    )


def _reasons(value: Any, rows: int, depth: int, seen: set[int]) -> Iterator[str]:
    """Yield what a value and everything in it knows."""
    if isinstance(value, _LEAVES):
        yield from _large_leaf(value, rows)
        return
    if depth > _DEPTH or id(value) in seen:
        return
    seen.add(id(value))
    yield from _own_reasons(value, rows)
    for inner in _parts(value):
        yield from _reasons(inner, rows, depth + 1, seen)


def _own_reasons(value: Any, rows: int) -> Iterator[str]:
    kind, given = type(value).__name__, _attributes(value)
    cloning = None if inspect.isclass(value) else getattr(value, "__sklearn_clone__", None)
    if cloning is not None and getattr(cloning, "__func__", None) is not BaseEstimator.__sklearn_clone__:
        yield f"{kind}, which keeps what it learned when it is cloned"
    if hasattr(type(value), "__deepcopy__") and given and not isinstance(value, Enum) and deepcopy(value) is value:
        yield f"{kind}, which is the same object after cloning and keeps what it learned"
    if given.get("prefit") is True or (isinstance(given.get("cv"), str) and given["cv"] == "prefit"):
        yield f"{kind}, which is told that its parts have learned already (prefit)"
    if hasattr(value, "fit") and given.get("memory") is not None:
        yield f"{kind}, which takes what it learned from a cache (memory)"
    named = value.get_params(deep=False) if hasattr(value, "get_params") and given else {}
    learned = [name for name in given if name.endswith("_") and not name.startswith("_") and name not in named]
    if learned:
        yield f"{kind}, which has learned already ({learned[0]})"
    size = _size(value)
    if size is not None and size >= max(rows, _FEW):
        yield f"a {kind} of {size} values, as many as there are rows"


def _large_leaf(value: Any, rows: int) -> Iterator[str]:
    size = len(value) if isinstance(value, str | bytes) else 0
    if isinstance(value, numbers.Integral):
        size = int(value).bit_length() // 8
    if size >= max(rows, 4 * _FEW):
        yield f"a {type(value).__name__} of {size} characters or bytes, as many as there are rows"


def _size(value: Any) -> int | None:
    """Return how many values a container holds; names and numbers of columns choose columns and are no data."""
    if isinstance(value, np.ndarray) or hasattr(value, "iloc") or hasattr(value, "tocsr"):
        return int(np.prod(value.shape))
    if isinstance(value, Mapping):
        return len(value)
    if isinstance(value, list | tuple | set | frozenset | bytearray):
        columns = all(isinstance(each, str) for each in value) or (
            all(isinstance(each, int) for each in value) and len(set(value)) == len(value)
        )
        return None if columns else len(value)
    return None


def _attributes(value: Any) -> dict[str, Any]:
    return dict(vars(value)) if hasattr(value, "__dict__") and not inspect.isclass(value) else {}


def _parts(value: Any) -> Iterator[Any]:
    """Yield what a value holds: entries, parameters, and what a function was made with."""
    if isinstance(value, Mapping):
        yield from chain(value.keys(), value.values())
    elif isinstance(value, list | tuple | set | frozenset):
        yield from value
    elif isinstance(value, functools.partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, MethodType):
        yield from (value.__self__, value.__func__)
    elif isinstance(value, FunctionType):
        yield from _parts_of_function(value)
    elif isinstance(value, np.ndarray):
        yield from value.flat if value.dtype == object else ()
    else:
        yield from _attributes(value).values()


def _parts_of_function(function: FunctionType) -> Iterator[Any]:
    """Yield defaults, what is enclosed, and globals that are named; of the library's and scikit-learn's own nothing."""
    if (function.__module__ or "").partition(".")[0] in ("sklearn", "numpy", "scipy", "pandas", "pacbayes"):
        return
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    for name in function.__code__.co_names:
        known = function.__globals__.get(name)
        if hasattr(known, "fit") or isinstance(known, np.ndarray):
            yield known
