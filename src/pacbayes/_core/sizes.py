"""How many values something holds, how long a text is, and whether a module is installed or somebody's own code."""

from __future__ import annotations

import functools
import inspect
import numbers
import os
import queue
import sys
import sysconfig
from collections.abc import Collection, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "LEAVES",
    "LONG",
    "VALUE",
    "Constant",
    "LruCache",
    "bytes_in",
    "count_values",
    "is_of_library",
    "is_of_torch",
]

LONG = 200  # characters or bytes of what may be a memory: not names and messages
VALUE = 8  # characters or bytes of one value in it
_FILES = 1 << 14  # files whose place is remembered
_STANDARD = sysconfig.get_paths()["stdlib"] + os.sep
_INSTALLED = {"site-packages", "dist-packages"}
_HIDING = {"sklearn", "xgboost", "lightgbm"}  # their trees are in memory that only pickle reads
_GETSTATE = object.__getstate__
LruCache = type(functools.lru_cache(len))
_VALUES = (str, bytes, int, float, complex, type(None), np.generic, np.dtype)
LEAVES = (*_VALUES, np.ufunc, ModuleType)


class Constant(NamedTuple):
    """A long text or number that a class, function, module or an object in one names itself, in no container."""

    value: str | bytes | int


def count_values(value: Any) -> int:
    """Return how many values a container holds: an array, a table, a dictionary, a queue, a cache of answers."""
    if inspect.isclass(value):
        return 0
    if isinstance(value, LruCache):
        return 0 if is_of_library(value.__module__) else int(value.cache_info().currsize)
    kind = type(value)  # an object that makes up any attribute it is asked for is none of these
    if isinstance(value, queue.SimpleQueue):
        return value.qsize()
    if isinstance(value, np.ndarray) or hasattr(kind, "iloc") or hasattr(kind, "tocsr") or _is_tensor(value):
        return int(np.prod(value.shape))
    if isinstance(value, (*LEAVES, Constant, range)) or hasattr(value, "fit"):
        return 0
    return len(value) if isinstance(value, Collection) else _count_hidden(value)


def _count_hidden(value: Any) -> int:
    """Return how many values a model of a library holds that no attribute shows, such as the nodes of a tree."""
    kind = type(value)
    if kind.__module__.partition(".")[0] not in _HIDING or getattr(kind, "__getstate__", None) is _GETSTATE:
        return 0
    try:
        state = value.__getstate__()
    except Exception:  # as of a model that was never trained
        return 0
    parts = state.values() if isinstance(state, Mapping) else state if isinstance(state, tuple) else ()
    return sum(bytes_in(each) // VALUE + count_values(each) for each in parts)


def bytes_in(value: object) -> int:
    """Return how many characters or bytes a text or a whole number has."""
    if isinstance(value, str | bytes):
        return len(value)
    return int(value).bit_length() // 8 if isinstance(value, numbers.Integral) else 0


def is_of_torch(value: object) -> bool:
    """Return whether a value is one of PyTorch's, a class of somebody's that derives from one included."""
    return any(cls.__module__.partition(".")[0] == "torch" for cls in type(value).__mro__)


def _is_tensor(value: object) -> bool:
    return hasattr(type(value), "numel") and hasattr(type(value), "shape") and is_of_torch(value)


def is_of_library(module: str | None) -> bool:
    """Return whether a module is installed, and not somebody's own."""
    root = (module or "").partition(".")[0]
    found = sys.modules.get(root)
    places = [
        getattr(found, "__file__", None),
        *getattr(found, "__path__", ()),
    ]  # a folder without __init__ has no file
    file = str(next((each for each in places if each), ""))
    return root == "pacbayes" or not (root == "__main__" or _is_own_file(file))


@functools.lru_cache(maxsize=_FILES)
def _is_own_file(file: str) -> bool:
    """Return whether a file is neither Python's nor installed; built-in modules have none."""
    return bool(file) and not file.startswith(_STANDARD) and _INSTALLED.isdisjoint(Path(file).parts)
