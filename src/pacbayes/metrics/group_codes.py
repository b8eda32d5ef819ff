"""Values of a column as numbers of the texts that they are: millions of rows, of which few are different.

Whatever a column holds, its values are bytes of one width: numbers, texts of numpy, or where an object is. Rows of the
same bytes have the same value. They are found by a hash, and each is compared with the row that it is taken for, byte
by byte, so that nothing rests on the hash. Equal values of other bytes, such as 1 and 1.0, meet where they become text.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.arguments import refuse_masked
from pacbayes._core.exact import exact_array
from pacbayes._core.labels import label_text, refuse_nul
from pacbayes._core.types import IntArray

__all__ = ["code_values", "find_distinct", "hold_column"]

_ROWS = 1 << 13  # that are looked at together: they stay in the cache
_SLOTS = 20  # bits
_MOST = 1 << 14  # different values; of more groups there is no certificate
_LISTED = 1 << 16  # texts in a list
_JOINT = 2**53
_SMALL = 2**16
_MISSING = label_text(None)
_WHOLE = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def hold_column(values: Any) -> Any:
    """Return a column as :func:`code_values` takes it: of pandas what has numbers for its texts, else an array."""
    refuse_masked("The groups of rows", values)
    own = getattr(values, "array", values) if type(values).__module__.split(".")[0] == "pandas" else values
    if _is_coded(own):
        return own
    array = exact_array(values)
    listed = array.dtype.kind == "U" and isinstance(values, list | tuple)  # numpy dropped NUL
    return np.array(values, dtype=object) if listed else array


def _is_coded(values: Any) -> bool:
    """Return whether these are categories that are text, or texts, of pandas, which numbers them itself."""
    kind = getattr(getattr(values, "categories", values), "dtype", None)
    if hasattr(values, "categories"):
        return hasattr(values, "codes") and getattr(kind, "type", None) in (str, np.object_)
    exact = getattr(kind, "storage", None) != "python"  # pandas 2 ends those at a NUL
    return exact and hasattr(values, "factorize") and getattr(kind, "type", None) is str


def code_values(values: Any) -> tuple[list[str], IntArray]:
    """Return the distinct values as text, sorted, and the position of each value among them.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics.group_codes import code_values
    >>> texts, places = code_values(np.array(["b", 1, None, 1.0], dtype=object))
    >>> texts, places.tolist()
    (['1', 'b', 'missing'], [1, 0, 2, 0])
    """
    held = hold_column(values)
    if _is_coded(held):
        codes, texts = (held.codes, held.categories) if hasattr(held, "codes") else held.factorize()
        return _sort_texts([*texts, None], np.asarray(codes))  # -1, of what is missing, is the last
    array = np.ascontiguousarray(held)
    if _is_dense(array):
        return _dense_codes(array)
    words = _words_of(array)
    found = None if words is None else find_distinct(words)
    if found is not None:
        return _sort_texts(array[found[0]].tolist(), found[1])
    return _sort_texts(*(_number_values(array) if array.dtype.kind in "biuf" else _number_texts(array)))


def _sort_texts(distinct: list[Any], codes: NDArray[Any]) -> tuple[list[str], IntArray]:
    """Return the texts of those values that occur, sorted, and for each code where its text is."""
    occurs = np.zeros(len(distinct), dtype=bool)
    occurs[codes] = True
    occurring = np.flatnonzero(occurs)
    keys = [_key(distinct[each]) for each in occurring.tolist()]
    refuse_nul("The groups of rows", keys)
    if None in keys and _MISSING in keys:
        raise ValueError(
            f"The groups of rows must not be called {_MISSING!r} where values are missing, since these have that name. "
            "Got both; call the group otherwise."
        )
    named = [_MISSING if each is None else each for each in keys]
    _refuse_alike([distinct[each] for each in occurring.tolist()], named)
    texts, again = np.unique(np.array(named), return_inverse=True)
    numbers = np.zeros(len(distinct), dtype=np.int64)
    numbers[occurring] = np.reshape(again, -1)
    return texts.tolist(), numbers.take(codes)


def _refuse_alike(values: list[Any], named: list[str]) -> None:
    """Refuse a text that another value, such as a number, is written like: the groups of both would be one."""
    texts = {each for each in values if isinstance(each, str)}
    others = (each for each, name in zip(values, named, strict=True) if name in texts and not isinstance(each, str))
    if texts and (odd := next(others, None)) is not None:
        raise ValueError(
            "The groups of rows must not be both a text and another value that is written like it. "
            f"Got {label_text(odd)!r:.40} and {odd!r:.40}; write both in one way, or call one group otherwise."
        )


def _key(value: object) -> str | None:
    """Return a value as text, and None for what is missing."""
    text = label_text(value)
    return None if text == _MISSING and not isinstance(value, str) else text


def _words_of(array: NDArray[Any]) -> NDArray[Any] | None:
    """Return the bytes of each value as a row of whole numbers; None where these do not tell what the value is."""
    kind, size = array.dtype.kind, array.dtype.itemsize
    if array.ndim != 1 or not array.size or not size or not array.dtype.isnative:
        return None
    if kind == "O":  # where the objects are: the same place is the same object
        return np.frombuffer(array, dtype=np.uintp).reshape(-1, 1)
    if kind == "U":
        return array.view(np.uint64 if size % 8 == 0 else np.uint32).reshape(array.size, -1)
    return array.view(_WHOLE[size]).reshape(-1, 1) if kind in "biuf" and size in _WHOLE else None


def find_distinct(words: NDArray[Any]) -> tuple[IntArray, IntArray] | None:
    """Return where each different row is first, and for each row which of these it equals; None if there are too many.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics.group_codes import find_distinct
    >>> [each.tolist() for each in find_distinct(np.array([[7, 1], [7, 2], [7, 1]], dtype=np.uint32))]
    [[0, 1], [0, 1, 0]]
    """
    table = _Table(words)
    places = np.empty(len(words), dtype=np.int64)
    for start in range(0, len(words), _ROWS):
        found = table.look_up(start)
        if found is None:
            return None
        places[start : start + _ROWS] = found
    return np.array(table.first), places


class _Table:
    """Different rows by their hash: a slot for each of its first bits, which one row has, and a dict for the others."""

    def __init__(self, words: NDArray[Any]) -> None:
        self._words = words
        generator = np.random.default_rng(0)
        drawn = generator.integers(0, 2**63, words.shape[1], dtype=np.uint64)
        self._factors = drawn * np.uint64(2) + np.uint64(1)
        self._slots = np.zeros(1 << _SLOTS, dtype=np.int64)  # empty ones have the first row, of which the hash differs
        self._hashes = np.zeros(_MOST, dtype=np.uint64)
        self._rows = np.zeros((_MOST, words.shape[1]), dtype=words.dtype)
        self._known: dict[int, int] = {}
        self.first: list[int] = []
        self._add(int(self._hash(words[:1])[0]), 0)

    def look_up(self, start: int) -> IntArray | None:
        """Return the numbers of the rows of a block; None if too many are different, or two have the same hash."""
        block = self._words[start : start + _ROWS]
        hashes = self._hash(block)
        slots = (hashes >> np.uint64(64 - _SLOTS)).view(np.int64)
        codes = self._slots.take(slots)
        missed = np.flatnonzero(self._hashes.take(codes) != hashes)
        if missed.size:
            different, where, which = np.unique(hashes[missed], return_index=True, return_inverse=True)
            if len(self.first) + different.size > _MOST:
                return None
            rows = (start + missed[where]).tolist()
            own = [self._add(*each) for each in zip(different.tolist(), rows, strict=True)]
            codes[missed] = np.array(own)[which.reshape(-1)]
        return codes if np.array_equal(self._rows.take(codes, axis=0), block) else None

    def _hash(self, block: NDArray[Any]) -> NDArray[np.uint64]:
        return np.asarray(block.astype(np.uint64, copy=False) @ self._factors)

    def _add(self, own: int, row: int) -> int:
        """Return the number of the row with a hash; a new one if there is none yet."""
        if own not in self._known:
            number = self._known[own] = len(self.first)
            self.first.append(row)
            self._hashes[number], self._rows[number] = own, self._words[row]
            slot = own >> (64 - _SLOTS)
            if not self._slots[slot]:
                self._slots[slot] = number
        return self._known[own]


def _is_dense(array: NDArray[Any]) -> bool:
    """Whether these are whole numbers in a range that is not much larger than how many they are."""
    if array.dtype.kind not in "iu" or not array.size:
        return False
    low, high = int(array.min()), int(array.max())
    return high - low < max(_SMALL, 4 * array.size) and low > -_JOINT and high < _JOINT


def _dense_codes(array: NDArray[Any]) -> tuple[list[str], IntArray]:
    """Return what :func:`code_values` does of whole numbers in a small range, part by part: no copy of them is made."""
    low, size = int(array.min()), int(array.max()) - int(array.min()) + 1
    step = max(_SMALL, size)
    parts = [slice(start, start + step) for start in range(0, array.size, step)]
    occurs = np.zeros(size, dtype=bool)
    for part in parts:
        occurs[array[part].astype(np.int64) - low] = True
    distinct = np.flatnonzero(occurs)
    texts, again = np.unique(np.array([label_text(each) for each in (distinct + low).tolist()]), return_inverse=True)
    lookup = np.zeros(size, dtype=np.int64)
    lookup[distinct] = again
    places = np.empty(array.size, dtype=np.int64)
    for part in parts:
        places[part] = lookup[array[part].astype(np.int64) - low]
    return texts.tolist(), places


def _number_values(array: NDArray[Any]) -> tuple[list[Any], IntArray]:
    """Return the distinct numbers of an array, and the position of each value among them."""
    found, places = np.unique(array, return_inverse=True)
    return found.tolist(), np.asarray(places).reshape(-1)


def _number_texts(array: NDArray[Any]) -> tuple[list[Any], IntArray]:
    """Return a value for each distinct text of an array, and which of them each is; hashed, faster than sorting.

    Values of other kinds are told apart as :func:`label_text` writes them, since 1 and True are equal and their texts
    are not.
    """
    known = _Numbers()
    places = np.empty(array.size, dtype=np.int64)
    for start in range(0, array.size, _LISTED):  # lists of texts are large
        listed = array[start : start + _LISTED].tolist()
        keys = [each if type(each) is str else (_key(each),) for each in listed]
        places[start : start + len(keys)] = np.fromiter(map(known.__getitem__, keys), np.int64, len(keys))
    one = np.empty(len(known), dtype=np.int64)
    one[places] = np.arange(array.size)
    return array[one].tolist(), places


class _Numbers(dict[Any, int]):
    """Texts, and those of other values, numbered as they come."""

    def __missing__(self, key: Any) -> int:
        number = self[key] = len(self)
        return number
