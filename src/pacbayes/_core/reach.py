"""What can be reached from a value: what it holds, and what its classes, functions and modules keep beside it."""

from __future__ import annotations

import dis
import functools
import inspect
import sys
import sysconfig
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

__all__ = ["LEAVES", "attributes_of", "count_values", "walk"]

_DEPTH = 12
_STANDARD = sysconfig.get_paths()["stdlib"]
_WEIGHTS = ("_parameters", "_buffers")  # of a network: pretrained ones are taken not to have seen the rows
LEAVES = (str, bytes, int, float, complex, type(None), np.generic, np.dtype, ModuleType, BuiltinFunctionType, np.ufunc)
_CONTAINERS = (Mapping, list, tuple, set, frozenset, deque, functools.partial, MethodType, np.ndarray)


def walk(value: Any, depth: int, seen: set[int], is_kept: bool = False) -> Iterator[tuple[Any, bool]]:
    """Yield a value and everything in it, each with whether a class or function keeps it, which no clone copies."""
    if isinstance(value, LEAVES):
        yield value, is_kept
        return
    if depth > _DEPTH or id(value) in seen:
        return
    seen.add(id(value))
    yield value, is_kept
    for inner in _parts(value):
        yield from walk(inner, depth + 1, seen, is_kept)
    for inner in _kept_parts(value):
        yield from walk(inner, depth + 1, seen, True)


def count_values(value: Any) -> int:
    """Return how many values a container holds: an array, a table, a dictionary, a list, a queue, categories."""
    if inspect.isclass(value):
        return 0
    if isinstance(value, np.ndarray) or hasattr(value, "iloc") or hasattr(value, "tocsr") or _is_tensor(value):
        return int(np.prod(value.shape))
    if not isinstance(value, Collection) or isinstance(value, (*LEAVES, range)) or hasattr(value, "fit"):
        return 0
    return len(value)


def attributes_of(value: Any) -> dict[str, Any]:
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
        yield from attributes_of(value).values()


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
    return count_values(value) > 0 or isinstance(value, Mapping | list) or _is_of_torch(value) or hasattr(value, "fit")


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
