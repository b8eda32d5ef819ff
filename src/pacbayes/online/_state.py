"""Fitted state as bytes without pickle: numbers, text, arrays, and objects of classes that the reader knows already.

One line of JSON, then the bytes of the arrays. A class is looked up among those that the caller hands over, never
imported by name, and an object is made of its attributes without a call of anything of its own.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np

__all__ = ["StateError", "name_classes", "pack", "unpack"]

_PLAIN = re.compile(r"[<>|=][biufcSU]\d{1,9}")
_DEEPEST = 50
Classes: TypeAlias = Mapping[str, type]


class StateError(ValueError):
    """State that cannot be stored, or stored state that is not as this version writes it."""


def name_classes(classes: Iterable[type]) -> dict[str, type]:
    """Return classes by the names under which their objects are stored."""
    return {f"{each.__module__}.{each.__qualname__}": each for each in classes}


def pack(value: object, classes: Classes) -> bytes:
    """Return the bytes of a value, or say what in it cannot be stored."""
    writer = _Writer(classes)
    tree = writer.node(value, 0)
    head = {"tree": tree, "arrays": [[each.dtype.str, list(each.shape), order] for each, order in writer.arrays]}
    parts = [each.tobytes(order) for each, order in writer.arrays]  # type: ignore[arg-type]
    return b"".join([json.dumps(head, allow_nan=False).encode(), b"\n", *parts])


def unpack(content: bytes, classes: Classes) -> object:
    """Return the value that :func:`pack` was given."""
    head, _, rest = content.partition(b"\n")
    try:
        whole = json.loads(head)
        return _Reader(classes, _read_arrays(whole["arrays"], rest)).value(whole["tree"])
    except StateError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError, AttributeError) as error:
        raise StateError(f"it is not as this version writes it ({type(error).__name__})") from None


class _Writer:
    def __init__(self, classes: Classes) -> None:
        self._names = {kind: name for name, kind in classes.items()}
        self.arrays: list[tuple[np.ndarray, str]] = []

    def node(self, value: object, depth: int) -> list[object]:
        """Return a value as a tag and what belongs to it."""
        if depth > _DEEPEST:
            raise StateError(f"its state is nested more than {_DEEPEST} deep")
        if value is None or type(value) in {bool, int, str}:
            return ["plain", value]
        if type(value) is float:
            return ["float", value.hex()]
        if type(value) in {list, tuple}:
            return [type(value).__name__, [self.node(each, depth + 1) for each in value]]  # type: ignore[attr-defined]
        if type(value) is dict:
            return ["dict", [[self.node(k, depth + 1), self.node(v, depth + 1)] for k, v in value.items()]]
        if isinstance(value, np.ndarray | np.generic):
            return self._array(value, depth)
        return self._object(value, depth)

    def _array(self, value: np.ndarray | np.generic, depth: int) -> list[object]:
        array = np.asarray(value)
        if type(value) is np.ndarray and array.dtype == object:
            return ["objects", list(array.shape), [self.node(each, depth + 1) for each in array.ravel().tolist()]]
        if not _PLAIN.fullmatch(array.dtype.str) or isinstance(value, np.ndarray) != (type(value) is np.ndarray):
            raise StateError(f"its state holds an array of {array.dtype}")
        order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
        self.arrays.append((array, order))
        return ["scalar" if isinstance(value, np.generic) else "array", len(self.arrays) - 1]

    def _object(self, value: object, depth: int) -> list[object]:
        name = self._names.get(type(value))
        if name is None or not hasattr(value, "__dict__"):
            raise StateError(f"its state holds {type(value).__name__}")
        fields = [[key, self.node(each, depth + 1)] for key, each in vars(value).items()]
        return ["object", name, fields]


class _Reader:
    def __init__(self, classes: Classes, arrays: list[np.ndarray]) -> None:
        self._classes, self._arrays = classes, arrays

    def value(self, node: list[object]) -> object:
        """Return the value of a tag and what belongs to it."""
        tag, *parts = node
        return getattr(self, f"_{_TAGS[str(tag)]}")(*parts)

    def _from_plain(self, value: object) -> object:
        if value is not None and type(value) not in {bool, int, str}:
            raise TypeError
        return value

    def _from_float(self, text: str) -> float:
        return float.fromhex(text)

    def _from_list(self, items: list[list[object]]) -> list[object]:
        return [self.value(each) for each in items]

    def _from_tuple(self, items: list[list[object]]) -> tuple[object, ...]:
        return tuple(self._from_list(items))

    def _from_dict(self, items: list[list[list[object]]]) -> dict[object, object]:
        return {self.value(key): self.value(each) for key, each in items}

    def _from_array(self, index: int) -> np.ndarray:
        return self._arrays[index]

    def _from_scalar(self, index: int) -> object:
        return self._arrays[index][()]

    def _from_objects(self, shape: list[int], items: list[list[object]]) -> np.ndarray:
        array = np.empty(len(items), dtype=object)
        array[:] = [self.value(each) for each in items]
        return array.reshape(shape)

    def _from_object(self, name: str, fields: list[tuple[str, list[object]]]) -> object:
        kind = self._classes[name]
        if any(callable(getattr(kind, str(key), None)) for key, _ in fields):
            raise StateError("it holds a number in the place of a method")
        made = object.__new__(kind)
        vars(made).update({str(key): self.value(each) for key, each in fields})
        return made


_TAGS = {
    each: f"from_{each}" for each in ("plain", "float", "list", "tuple", "dict", "array", "scalar", "objects", "object")
}


def _read_arrays(descriptions: list[tuple[str, list[int], str]], content: bytes) -> list[np.ndarray]:
    arrays, start = [], 0
    for text, shape, order in descriptions:
        if not _PLAIN.fullmatch(text) or order not in {"C", "F"} or any(type(k) is not int or k < 0 for k in shape):
            raise StateError("it holds an array of another kind")
        dtype, count = np.dtype(text), math.prod(shape)
        stop = start + count * dtype.itemsize
        if stop > len(content):
            raise StateError("it is cut short")
        flat = np.frombuffer(content[start:stop], dtype=dtype, count=count) if count else np.empty(0, dtype)
        arrays.append(flat.reshape(shape, order=order).copy(order=order))  # type: ignore[call-overload]
        start = stop
    if start != len(content):
        raise StateError("it goes on after its end")
    return arrays
