"""The fitted state of an object as plain values, so that two objects can be compared without asking them anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from pacbayes._core.leeway import EXACT, FITTED, Leeway, leeway_of, same_numbers

__all__ = ["State"]

_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_NAMED = (type, FunctionType, BuiltinFunctionType, MethodType, np.ufunc)
_TREES = ("KDTree", "BallTree")  # of scikit-learn: what they count while they are asked is no part of what they learned
_ABSENT = ("absent",)
_Seen: TypeAlias = dict[int, tuple[int, object]]  # by identity: a number, and the object
_TIMES = ("_time", "time_")  # of a search: how long its fits took


@dataclass(frozen=True, slots=True)
class State:
    """What an object holds: its type, its parameters and everything fitted, down to plain values.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pacbayes._core.state import State
    >>> one, two = (LogisticRegression().fit([[0.0], [1.0]], [0, 1]) for _ in range(2))
    >>> State.of(one).differs_from(State.of(two))
    >>> two.coef_ = -two.coef_
    >>> State.of(one).differs_from(State.of(two))
    'coef_'
    """

    value: object

    @classmethod
    def of(cls, thing: object) -> State:
        """Take the state of an object."""
        return cls(_flatten(thing, {}))

    def differs_from(self, other: State, leeway: Leeway = FITTED) -> str | None:
        """Return the place of the first difference from what was learned again, or None."""
        return next(_differences(self.value, other.value, leeway, (), _Owner()), None)


def _flatten(thing: Any, seen: _Seen) -> object:
    """Return plain values, named things, arrays, and lists and dictionaries of them."""
    if isinstance(thing, _PLAIN):
        return thing
    if isinstance(thing, _NAMED):
        return ("named", getattr(thing, "__module__", ""), getattr(thing, "__qualname__", repr(thing)))
    if id(thing) in seen:
        return ("seen", seen[id(thing)][0])
    seen[id(thing)] = len(seen), thing  # kept alive: another object could get the place in memory of one that is gone
    return next(make(thing, seen) for kinds, make in _KINDS if isinstance(thing, kinds))


def _flatten_sparse(matrix: Any, _: _Seen) -> object:
    rows = matrix.tocsr().sorted_indices()
    return {"sparse": matrix.format, "shape": list(matrix.shape), "data": rows.data, "places": rows.indices}


def _flatten_items(things: Any, seen: _Seen) -> object:
    ordered = sorted(things, key=repr) if isinstance(things, set | frozenset) else things
    return [type(things).__name__, *(_flatten(item, seen) for item in ordered)]


def _flatten_mapping(thing: Any, seen: _Seen) -> object:
    return {str(key): _flatten(item, seen) for key, item in thing.items() if not _is_time(key)}


def _is_time(key: object) -> bool:
    return isinstance(key, str) and key.endswith(_TIMES)


def _flatten_array(array: Any, seen: _Seen) -> object:
    if array.dtype.names:
        fields = {name: _flatten_array(array[name], seen) for name in array.dtype.names}
        if {
            "left_child",
            "missing_go_to_left",
        } <= fields.keys():  # scikit-learn leaves it unset in the leaves of a tree
            fields["missing_go_to_left"] = np.where(array["left_child"] < 0, 0, array["missing_go_to_left"])
        return fields
    if array.dtype.kind == "O":
        return ["array", list(array.shape), *(_flatten(item, seen) for item in array.ravel())]
    return np.array(array)


def _flatten_object(thing: Any, seen: _Seen) -> object:
    """Take an object apart as copying would: its type, what it is made from, and its attributes."""
    name = type(thing).__name__
    if name.startswith(_TREES):
        arrays = [item for item in thing.__getstate__() if isinstance(item, np.ndarray)]
        return {"type": name, "arrays": [_flatten_array(item, seen) for item in arrays]}
    reduced = thing.__reduce_ex__(4)
    if isinstance(reduced, str):
        return ("named", "", reduced)
    maker, arguments, *rest = reduced
    parts: dict[str, object] = {"type": f"{type(thing).__module__}.{type(thing).__qualname__}"}
    parts["made"] = [_flatten(maker, seen), *(_flatten(item, seen) for item in arguments)]
    state = rest[0] if rest else None
    if isinstance(state, Mapping):
        return parts | {str(key): _flatten(item, seen) for key, item in state.items() if not _is_time(key)}
    # the third and fourth are iterators over the items of lists and dictionaries
    items = [list(each) for each in rest[1:3] if each is not None]
    return parts | {"state": _flatten(state, seen), "items": _flatten(items, seen)}


_KINDS: tuple[tuple[Any, Callable[[Any, _Seen], object]], ...] = (
    (np.generic, lambda thing, _: thing.item()),
    (np.ndarray, _flatten_array),
    ((sp.spmatrix, sp.sparray), _flatten_sparse),
    (Mapping, _flatten_mapping),
    ((list, tuple, set, frozenset), _flatten_items),
    (object, _flatten_object),
)


@dataclass(frozen=True, slots=True)
class _Owner:
    """The object whose attributes are compared, and the way from it to here."""

    kind: str = ""
    scale: object = None
    path: tuple[str, ...] = ()


def _differences(one: Any, two: Any, leeway: Leeway, place: tuple[str, ...], owner: _Owner) -> Iterator[str]:
    """Yield where two flattened states differ, by the names of attributes on the way."""
    if isinstance(one, dict) and isinstance(two, dict):
        owner = _Owner(two["type"], two.get("scale_")) if isinstance(two.get("type"), str) else owner
        for name in dict.fromkeys([*one, *two]):
            inner = replace(owner, path=(*owner.path, name))
            asked = leeway if leeway == EXACT else leeway_of(owner.kind, ".".join(inner.path), leeway, owner.scale)
            yield from _differences(one.get(name, _ABSENT), two.get(name, _ABSENT), asked, (*place, name), inner)
    elif isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        for first, second in zip(one, two, strict=True):
            yield from _differences(first, second, leeway, place, owner)
    elif not _same(one, two, leeway):
        yield ".".join(place) or type(one).__name__


def _same(one: Any, two: Any, leeway: Leeway) -> bool:
    if isinstance(one, np.ndarray) and isinstance(two, np.ndarray):
        return same_numbers(one, two, leeway)
    if isinstance(one, float) and isinstance(two, float):
        return same_numbers(np.array(one), np.array(two), leeway)
    return type(one) is type(two) and bool(one == two)
