"""What can be reached from a value: what it holds, and what its classes, functions and modules keep beside it."""

from __future__ import annotations

import argparse
import dis
import functools
import inspect
import io
import logging
import queue
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from enum import Enum
from itertools import accumulate, chain
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from pacbayes._core.sizes import (
    LEAVES,
    LONG,
    Constant,
    LruCache,
    bytes_in,
    count_values,
    is_of_library,
    is_of_torch,
)

__all__ = ["attributes_of", "count_beside", "walk"]

_DEPTH = 24
_MODULES = 4  # inside each other: package.module.submodule.name
_CODES = 1 << 14  # functions whose names are remembered
_EXPLAINED = {"numpy", "scipy"}  # objects of theirs hold documentation and templates of code
_WEIGHTS = ("_parameters", "_buffers")  # of a network: pretrained ones are taken not to have seen the rows
_TEXTS = (io.BytesIO, io.StringIO)
_HOLDERS = (SimpleNamespace, argparse.Namespace, threading.local, queue.Queue, logging.Logger, ContextVar, *_TEXTS)
_OF_LOGGER = frozenset(vars(logging.Logger("")))  # by these it reaches all others
_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, LruCache, functools.partial)
_DESCRIPTORS = (property, staticmethod, classmethod, functools.cached_property)
_CALLABLES = (*_FUNCTIONS, *_DESCRIPTORS, functools.partialmethod, functools.singledispatchmethod)
_OF_ENUM = ("_member_map_", "_value2member_map_", "_member_names_", "_hashable_values_", "_unhashable_values_")
_NO_MEMORY = ("__annotations__", "__dataclass_fields__", *_OF_ENUM, "_unhashable_values_map_")
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
        if isinstance(each, Constant) or (isinstance(each, LEAVES) and not _has_attributes(each)):
            yield each, is_kept
        elif depth <= _DEPTH and id(each) not in seen:
            seen.add(id(each))
            yield each, is_kept
            waiting.extend((inner, depth + 1, is_kept) for inner in _parts(each, is_kept))
            waiting.extend((inner, depth + 1, True) for inner in _kept_parts(each))


def attributes_of(value: Any) -> dict[str, Any]:
    slots = (name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ()))
    held = {name: getattr(value, name) for name in slots if isinstance(name, str) and hasattr(value, name)}
    held |= dict(vars(value) if hasattr(value, "__dict__") else {})
    left_out = _OF_LOGGER if isinstance(value, logging.Logger) else _WEIGHTS if is_of_torch(value) else ()
    return {name: each for name, each in held.items() if name not in left_out}


def count_beside(value: Any) -> int:
    """Return how many texts and numbers a kept value, or a class of somebody's own, has as attributes."""
    if isinstance(value, ModuleType) or (inspect.isclass(value) and is_of_library(value.__module__)):
        return 0
    held = (each for name, each in getattr(value, "__dict__", {}).items() if each is not None and name[:2] != "__")
    return sum(isinstance(each, LEAVES) and not isinstance(each, Enum) for each in held)


def _has_attributes(value: object) -> bool:
    """Return whether a text or number has attributes, as one of a class of somebody's own may have."""
    return bool(getattr(value, "__dict__", None)) and not isinstance(value, ModuleType)


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
        yield from _leading(_inside(value))
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
        yield from _shown_by_asking(value)
        explained = type(value).__module__.partition(".")[0] in _EXPLAINED
        yield from (each for each in attributes_of(value).values() if not (explained and isinstance(each, str)))


def _shown_by_asking(value: Any) -> Iterator[Any]:
    """Yield what no attribute shows: of a file in memory, or of a variable of the context."""
    if isinstance(value, _TEXTS) and not value.closed:
        yield value.getvalue()
    elif isinstance(value, ContextVar):
        yield value.get(None)


def _kept_parts(value: Any) -> Iterator[Any]:
    """Yield what is kept beside a value, by itself if it is a class or function, else by its class."""
    if isinstance(value, FunctionType):
        yield from _parts_of_function(value)
    elif inspect.isclass(value):
        yield from (cls for cls in (*value.__mro__, type(value)) if not is_of_library(cls.__module__))
        yield from _parts_of_class(value)
    elif not isinstance(value, _CONTAINERS):
        yield type(value)


def _parts_of_class(kind: type) -> Iterator[Any]:
    """Yield what a class outside of libraries holds, its methods and the members of an enumeration included."""
    if not is_of_library(kind.__module__):
        yield from _leading(each for name, each in vars(kind).items() if name not in _NO_MEMORY)
        if issubclass(kind, Enum):
            yield from kind.__members__.values()


def _leading(values: Iterable[Any]) -> Iterator[Any]:
    """Yield what can keep something, or lead to it; a long text or number as a constant, which may be a template."""
    for each in values:
        if bytes_in(each) >= LONG:
            yield Constant(each)
        if _leads_on(each):
            yield each


def _leads_on(value: Any) -> bool:
    """Return whether what a class, function or module names can keep what was learned, or reach what can.

    Objects and classes of libraries cannot, but for containers, estimators, networks and what only holds attributes.
    """
    if inspect.isclass(value):
        return not is_of_library(value.__module__)
    if isinstance(value, (*_CALLABLES, *_HOLDERS)):
        return True
    if isinstance(value, LEAVES):
        return _has_attributes(value) and not is_of_library(type(value).__module__)
    if count_values(value) > 0 or isinstance(value, Mapping | list) or is_of_torch(value) or hasattr(value, "fit"):
        return True
    return not is_of_library(type(value).__module__)


def _parts_of_function(function: FunctionType) -> Iterator[Any]:
    """Yield defaults, what is enclosed, and what is used of the module; of functions of libraries nothing."""
    if is_of_library(function.__module__):
        return
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    yield from _leading(vars(function).values())
    names, attributes, imports = _names_in(function.__code__)
    for name in names:
        yield from _through_modules(function.__globals__.get(name), attributes, 0)
    for name, taken in imports:
        for module in _modules_named(name, str(function.__globals__.get("__package__") or "")):
            if not taken:
                yield from _through_modules(module, attributes, 0)
            elif not is_of_library(module.__name__):
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
        yield from _leading((value,))
    elif depth < _MODULES and not is_of_library(value.__name__):
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
