"""What an estimator brings along that it learned before: found by looking through a clone of it.

A clone forgets what ``fit`` learned, unless an estimator says otherwise (``__sklearn_clone__``, as ``FrozenEstimator``
does), holds fitted estimators where ``clone`` only copies (in functions and plain objects), is told not to learn
(``prefit``), reads from a cache, or was given as many values as there are rows. Weights of a network may be as many:
they are taken not to have seen the rows. A memory outside the estimator, in a file or a private attribute, cannot be
seen, and one in a module only if a method of somebody's own class names it; that there is none is an assumption of
every certificate. What there is to be seen must not have grown while clones learned: others would find it there.
"""

from __future__ import annotations

import dis
import functools
import inspect
import numbers
import sys
import sysconfig
import warnings
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from enum import Enum
from itertools import chain
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from pacbayes._core.rows import take
from pacbayes._core.types import Rows

__all__ = ["refuse_early_answers", "refuse_growth", "refuse_prefit"]

_FEW = 50  # values that any estimator may be given, however few rows there are
_DEPTH = 12
_TENTH = 10
_HALF = 2  # a class or module may keep constants, but less than every other row has
_STANDARD = sysconfig.get_paths()["stdlib"]
_WEIGHTS = ("_parameters", "_buffers")  # of a network: pretrained ones are taken not to have seen the rows
_LEAVES = (str, bytes, int, float, complex, type(None), np.generic, np.dtype, ModuleType, BuiltinFunctionType, np.ufunc)
_CONTAINERS = (Mapping, list, tuple, set, frozenset, deque, functools.partial, MethodType, np.ndarray)


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


@contextmanager
def refuse_growth(learner: object, rows: int) -> Iterator[None]:
    """Refuse a learner whose classes or modules keep more after it learned than before.

    A clone is to forget: a voter that finds there what others learned from has seen the rows that judge it, and so has
    the next fit on the same rows. Less than a tenth of the rows, and as many values as anyone may have, are no memory
    of them: counters, names, a history.

    Parameters
    ----------
    learner : estimator, or list of them and None
        As it was given; clones of it learn meanwhile.
    rows : int
        How many rows there are to learn from and to judge.

    Examples
    --------
    >>> from sklearn.base import clone
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from pacbayes._core.prefit import refuse_growth
    >>> learner = GaussianNB()
    >>> with refuse_growth(learner, 100):
    ...     _ = clone(learner).fit([[0.0], [1.0]], [0, 1])
    """
    before = _count_known(learner)
    yield
    grown = _count_known(learner) - before
    if grown >= max(rows // _TENTH, _FEW):
        raise ValueError(
            "A learner must forget what it learned when it is cloned. Got one whose class or module keeps "
            f"{grown} more values than before it learned: {learner!r:.120}."
        )


def _count_known(learner: object) -> int:
    """Return how many values a clone can reach: parameters, and what classes and modules that are no library's keep."""
    return sum(_length(each) for each, _ in _walk(clone(learner, safe=False), 0, set()))


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
    for each, is_kept in _walk(value, depth, seen):
        if isinstance(each, _LEAVES):
            yield from _large_leaf(each, rows)
        elif not inspect.isclass(each):
            yield from _own_reasons(each, rows, is_kept)


def _walk(value: Any, depth: int, seen: set[int], is_kept: bool = False) -> Iterator[tuple[Any, bool]]:
    """Yield a value and everything in it, each with whether a class or function keeps it, which no clone copies."""
    if isinstance(value, _LEAVES):
        yield value, is_kept
        return
    if depth > _DEPTH or id(value) in seen:
        return
    seen.add(id(value))
    yield value, is_kept
    for inner in _parts(value):
        yield from _walk(inner, depth + 1, seen, is_kept)
    for inner in _kept_parts(value):
        yield from _walk(inner, depth + 1, seen, True)


def _own_reasons(value: Any, rows: int, is_kept: bool) -> Iterator[str]:
    kind, given = type(value).__name__, _attributes(value)
    cloning = getattr(value, "__sklearn_clone__", None)
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
    size, many = _size(value), rows // _HALF if is_kept else rows
    if size is not None and size >= max(many, _FEW):
        where = "in a class or module, for half of the rows or more" if size < rows else "as many as there are rows"
        yield f"a {kind} of {size} values, {where}"


def _large_leaf(value: Any, rows: int) -> Iterator[str]:
    size = len(value) if isinstance(value, str | bytes) else 0
    if isinstance(value, numbers.Integral):
        size = int(value).bit_length() // 8
    if size >= max(rows, 4 * _FEW):
        yield f"a {type(value).__name__} of {size} characters or bytes, as many as there are rows"


def _size(value: Any) -> int | None:
    """Return how many values a container holds; names and numbers of columns choose columns and are no data."""
    if not _is_plain(value):
        return _length(value) or None
    columns = all(isinstance(each, str) for each in value) or (
        all(isinstance(each, int) for each in value) and len(set(value)) == len(value)
    )
    return None if columns else len(value)


def _is_plain(value: object) -> bool:
    return isinstance(value, list | tuple | set | frozenset | bytearray)


def _length(value: Any) -> int:
    """Return how many values a container holds: an array, a table, a dictionary, a list, a queue, categories."""
    if inspect.isclass(value):
        return 0
    if isinstance(value, np.ndarray) or hasattr(value, "iloc") or hasattr(value, "tocsr") or _is_tensor(value):
        return int(np.prod(value.shape))
    if not isinstance(value, Collection) or isinstance(value, (*_LEAVES, range)) or hasattr(value, "fit"):
        return 0
    return len(value)


def _attributes(value: Any) -> dict[str, Any]:
    slots = (name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ()))
    held = {name: getattr(value, name) for name in slots if isinstance(name, str) and hasattr(value, name)}
    held |= dict(vars(value) if hasattr(value, "__dict__") else {})
    weights = _WEIGHTS if _is_of_torch(value) else ()
    return {name: each for name, each in held.items() if name not in weights}


def _is_of_torch(value: object) -> bool:
    """Return whether a value is one of PyTorch's, a class of somebody's that derives from one included."""
    return any(cls.__module__.partition(".")[0] == "torch" for cls in type(value).__mro__)


def _is_tensor(value: object) -> bool:
    return hasattr(value, "numel") and hasattr(value, "shape") and _is_of_torch(value)


def _parts(value: Any) -> Iterator[Any]:
    """Yield what a value holds: entries, or parameters."""
    if inspect.isclass(value) or isinstance(value, FunctionType):
        return
    if isinstance(value, Mapping):
        yield from chain(value.keys(), value.values())
    elif isinstance(value, list | tuple | set | frozenset | deque):
        yield from value
    elif isinstance(value, functools.partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, MethodType):
        yield from (value.__self__, value.__func__)
    elif isinstance(value, np.ndarray):
        yield from value.flat if value.dtype == object else ()
    else:
        yield from _attributes(value).values()


def _kept_parts(value: Any) -> Iterator[Any]:
    """Yield what is kept beside a value, by itself if it is a class or function, else by its class."""
    if isinstance(value, FunctionType):
        yield from _parts_of_function(value)
    elif not isinstance(value, _CONTAINERS):
        yield from _parts_of_class(value if inspect.isclass(value) else type(value))


def _parts_of_class(kind: type) -> Iterator[Any]:
    """Yield what a class outside of libraries holds, and what its methods use of their module."""
    for cls in kind.__mro__:
        if not _is_of_library(cls.__module__):
            held = (each for name, each in vars(cls).items() if name != "__annotations__")  # types
            yield from (each for each in held if isinstance(each, FunctionType) or _can_know(each))


def _can_know(value: object) -> bool:
    """Return whether a value can hold what was learned; classes and functions of a module are no memory."""
    if inspect.isclass(value):
        return False
    return _length(value) > 0 or isinstance(value, Mapping | list) or _is_of_torch(value) or hasattr(value, "fit")


def _is_of_library(module: str | None) -> bool:
    """Return whether a module is installed, and not somebody's own."""
    root = (module or "").partition(".")[0]
    found = sys.modules.get(root)
    places = [
        getattr(found, "__file__", None),
        *getattr(found, "__path__", ()),
    ]  # a folder without __init__ has no file
    file = str(next((each for each in places if each), ""))
    own = root == "__main__" or (file and not file.startswith(_STANDARD) and "-packages" not in file)
    return root == "pacbayes" or not own


def _parts_of_function(function: FunctionType) -> Iterator[Any]:
    """Yield defaults, what is enclosed, and what is used of the module; of functions of libraries nothing."""
    if _is_of_library(function.__module__):
        return
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    used = (function.__globals__.get(name) for name in _globals_of(function.__code__))
    yield from (each for each in used if _can_know(each) or isinstance(each, FunctionType))


def _globals_of(code: CodeType) -> Iterator[str]:
    """Yield the names that a function and those inside it look up in their module."""
    yield from (str(each.argval) for each in dis.get_instructions(code) if each.opname == "LOAD_GLOBAL")
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _globals_of(inner)
