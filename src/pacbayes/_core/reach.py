"""What can be reached from a value: what it holds, and what its classes, functions and modules keep beside it."""

from __future__ import annotations

import argparse
import dis
import functools
import inspect
import logging
import os
import queue
import sys
import sysconfig
import threading
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from enum import Enum
from itertools import accumulate, chain
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

__all__ = ["LEAVES", "LruCache", "attributes_of", "count_values", "walk"]

_DEPTH = 24
_MODULES = 4  # inside each other: package.module.submodule.name
_CODES = 1 << 14  # functions whose names are remembered
_STANDARD = sysconfig.get_paths()["stdlib"] + os.sep
_INSTALLED = {"site-packages", "dist-packages"}
_EXPLAINED = {"numpy", "scipy"}  # objects of theirs hold documentation and templates of code
_WEIGHTS = ("_parameters", "_buffers")  # of a network: pretrained ones are taken not to have seen the rows
LruCache = type(functools.lru_cache(len))
_VALUES = (str, bytes, int, float, complex, type(None), np.generic, np.dtype)
LEAVES = (*_VALUES, np.ufunc, ModuleType, logging.Logger)  # a logger reaches all others
_HOLDERS = (SimpleNamespace, argparse.Namespace, threading.local, queue.Queue)
_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, LruCache, functools.partial)
_DESCRIPTORS = (property, staticmethod, classmethod, functools.cached_property)
_CALLABLES = (*_FUNCTIONS, *_DESCRIPTORS, functools.partialmethod, functools.singledispatchmethod)
_NO_MEMORY = ("__annotations__", "__dataclass_fields__")  # types
_TAKEN = ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM")  # the last by "import a.b as c"
_CONTAINERS = (Mapping, list, tuple, set, frozenset, deque, functools.partial, MethodType, np.ndarray)


def walk(value: Any) -> Iterator[tuple[Any, bool]]:
    """Yield a value and everything in it, each with whether a class or function keeps it, which no clone copies.

    The nearest come first, so that a long way to a value does not hide a short one.
    """
    seen: set[int] = set()
    waiting = deque([(value, 0, False)])
    while waiting:
        each, depth, is_kept = waiting.popleft()
        if isinstance(each, LEAVES):
            yield each, is_kept
        elif depth <= _DEPTH and id(each) not in seen:
            seen.add(id(each))
            yield each, is_kept
            waiting.extend((inner, depth + 1, is_kept) for inner in _parts(each, is_kept))
            waiting.extend((inner, depth + 1, True) for inner in _kept_parts(each))


def count_values(value: Any) -> int:
    """Return how many values a container holds: an array, a table, a dictionary, a queue, a cache of answers."""
    if inspect.isclass(value):
        return 0
    if isinstance(value, LruCache):
        return 0 if _is_of_library(value.__module__) else int(value.cache_info().currsize)
    kind = type(value)  # an object that makes up any attribute it is asked for is none of these
    if isinstance(value, queue.SimpleQueue):
        return value.qsize()
    if isinstance(value, np.ndarray) or hasattr(kind, "iloc") or hasattr(kind, "tocsr") or _is_tensor(value):
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
    return hasattr(type(value), "numel") and hasattr(type(value), "shape") and _is_of_torch(value)


def _parts(value: Any, is_kept: bool) -> Iterator[Any]:
    """Yield what a value holds: entries, or parameters; of a kept one only attributes that can keep something."""
    if inspect.isclass(value) or isinstance(value, FunctionType):
        return
    if isinstance(value, Mapping):
        yield from chain(value.keys(), value.values())
    elif isinstance(value, list | tuple | set | frozenset | deque):
        yield from value
    elif isinstance(value, np.ndarray):
        yield from value.flat if value.dtype == object else ()
    elif is_kept and not hasattr(value, "fit"):
        yield from (each for each in _inside(value) if _leads_on(each))
    else:
        yield from _inside(value)


def _inside(value: Any) -> Iterator[Any]:
    """Yield what a callable wraps, or the attributes of an object."""
    if isinstance(value, functools.partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, MethodType):
        yield from (value.__self__, value.__func__)
    elif isinstance(value, BuiltinFunctionType):
        yield value.__self__  # as of a method of a dictionary
    elif isinstance(value, staticmethod | classmethod):
        yield value.__func__
    elif isinstance(value, property):
        yield from (value.fget, value.fset, value.fdel)
    else:
        explained = type(value).__module__.partition(".")[0] in _EXPLAINED
        yield from (each for each in attributes_of(value).values() if not (explained and isinstance(each, str)))


def _kept_parts(value: Any) -> Iterator[Any]:
    """Yield what is kept beside a value, by itself if it is a class or function, else by its class."""
    if isinstance(value, FunctionType):
        yield from _parts_of_function(value)
    elif inspect.isclass(value):
        yield from _parts_of_class(value)
    elif not isinstance(value, _CONTAINERS):
        yield type(value)


def _parts_of_class(kind: type) -> Iterator[Any]:
    """Yield what a class outside of libraries holds, its methods included."""
    for cls in kind.__mro__:
        if not _is_of_library(cls.__module__):
            yield from (each for name, each in vars(cls).items() if name not in _NO_MEMORY and _leads_on(each))


def _leads_on(value: Any) -> bool:
    """Return whether what a class, function or module names can keep what was learned, or reach what can.

    Objects and classes of libraries cannot, but for containers, estimators, networks and what only holds attributes.
    """
    if inspect.isclass(value):
        return not issubclass(value, Enum) and not _is_of_library(value.__module__)
    if isinstance(value, (*_CALLABLES, *_HOLDERS)):
        return True
    if isinstance(value, (*LEAVES, Enum)):
        return False
    if count_values(value) > 0 or isinstance(value, Mapping | list) or _is_of_torch(value) or hasattr(value, "fit"):
        return True
    return not _is_of_library(type(value).__module__)


def _is_of_library(module: str | None) -> bool:
    """Return whether a module is installed, and not somebody's own."""
    root = (module or "").partition(".")[0]
    found = sys.modules.get(root)
    places = [
        getattr(found, "__file__", None),
        *getattr(found, "__path__", ()),
    ]  # a folder without __init__ has no file
    file = str(next((each for each in places if each), ""))
    return root == "pacbayes" or not (root == "__main__" or _is_own_file(file))


@functools.lru_cache(maxsize=_CODES)
def _is_own_file(file: str) -> bool:
    """Return whether a file is neither Python's nor installed; built-in modules have none."""
    return bool(file) and not file.startswith(_STANDARD) and _INSTALLED.isdisjoint(Path(file).parts)


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
    yield from (each for each in vars(function).values() if _leads_on(each))
    names, attributes, imports = _names_in(function.__code__)
    for name in names:
        yield from _through_modules(function.__globals__.get(name), attributes, 0)
    for name, taken in imports:
        for module in _modules_named(name, str(function.__globals__.get("__package__") or "")):
            if not taken:
                yield from _through_modules(module, attributes, 0)
            elif not _is_of_library(module.__name__):
                for each in taken:
                    yield from _through_modules(vars(module).get(each), attributes, 1)


def _modules_named(name: str, package: str) -> Iterator[ModuleType]:
    """Yield what a function may import by a name: that module, what contains it, and those of its own package."""
    own = accumulate(package.split("."), "{}.{}".format) if package else ()
    inner = accumulate(name.split("."), "{}.{}".format)
    for each in (*inner, *(".".join(filter(None, (place, name))) for place in own)):
        if isinstance(found := sys.modules.get(each), ModuleType):
            yield found


def _through_modules(value: Any, attributes: tuple[str, ...], depth: int) -> Iterator[Any]:
    """Yield what a name stands for; for somebody's own module, what the code takes from it."""
    if not isinstance(value, ModuleType):
        yield from (value,) if _leads_on(value) else ()
    elif depth < _MODULES and not _is_of_library(value.__name__):
        held = vars(value)
        for name in attributes:
            yield from _through_modules(held.get(name), attributes, depth + 1)


class _Names(NamedTuple):
    """What code looks up in its module, which attributes it takes of anything, and what it imports when called.

    An import is a module and the names that are taken from it: none where the module itself is named.
    """

    looked_up: tuple[str, ...]
    attributes: tuple[str, ...]
    imports: tuple[tuple[str, tuple[str, ...]], ...]


@functools.lru_cache(maxsize=_CODES)
def _names_in(code: CodeType) -> _Names:
    """Return the names in a function, and in those inside it."""
    looked_up, attributes, imports, before = [], [], [], None
    for each in dis.get_instructions(code):
        if each.opname == "LOAD_GLOBAL":
            looked_up.append(str(each.argval))
        elif each.opname in _TAKEN:
            attributes.append(str(each.argval))
        elif each.opname == "IMPORT_NAME":
            imports.append((str(each.argval), before if isinstance(before, tuple) else ()))
        before = each.argval  # of an import: the names that are taken
    inner = [_names_in(each) for each in code.co_consts if isinstance(each, CodeType)]
    own = _Names(tuple(looked_up), tuple(attributes), tuple(imports))
    return _Names(*(tuple(dict.fromkeys(chain(*each))) for each in zip(own, *inner, strict=True)))
