"""Whether what belongs together is in one order: rows and classes are matched by position, not by an index or names.

An index of other values says nothing, such as a fresh one after ``reset_index``. One of the same values in another
order says that the rows at one position are not the same, and a certificate of them would be about no row that exists.
Indexes of Dask are summed up where their partitions are, in numbers that do not depend on how they are partitioned.
Names of classes that stand beside numbers have to be all classes in their order, unless they only count the positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from pacbayes._core.foreign import is_distributed, map_indexes
from pacbayes._core.labels import label_text
from pacbayes._core.types import Labels

__all__ = ["find_index", "refuse_other_classes", "refuse_other_order"]


def refuse_other_order(owner: str, given: Mapping[str, object]) -> None:
    """Refuse an argument whose index has the same values as that of one before it, in another order.

    Parameters
    ----------
    owner : str
        Who was given them, for the message.
    given : mapping
        Arguments by their names; what is not of pandas or Dask has no index, and is in order.

    Examples
    --------
    >>> import pandas as pd
    >>> from pacbayes._core.alignment import refuse_other_order
    >>> y = pd.Series([0, 1, 1])
    >>> refuse_other_order("me", {"y": y, "groups": y.rename(index={2: 7}), "more": [1, 2, 3]})
    >>> refuse_other_order("me", {"y": y, "groups": y[::-1]})
    Traceback (most recent call last):
        ...
    ValueError: The 'groups' argument of me must have its rows in the order of 'y'. Its index has the same values in \
another order; align it, as by groups.loc[y.index], or pass groups.to_numpy() if its order is meant.
    """
    known: dict[str, Any] = {}
    for name, value in _list_objects(given):
        index = _SpreadIndex(value) if is_distributed(value) and hasattr(type(value), "index") else find_index(value)
        if index is None or any(index is each for each in known.values()):
            continue
        for other, before in known.items():
            if _is_reordered(index, before):
                spread = isinstance(index, _SpreadIndex)
                way = "as columns of one table" if spread else f"as by {name}.loc[{other}.index]"
                raise ValueError(
                    f"The {name!r} argument of {owner} must have its rows in the order of {other!r}. Its index has the "
                    f"same values in another order; align it, {way}, or pass "
                    f"{name}.{'to_dask_array' if spread else 'to_numpy'}() if its order is meant."
                )
        known[name] = index


def _list_objects(given: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yield all objects with their names, also those in a mapping."""
    for name, value in given.items():
        if isinstance(value, Mapping):
            yield from _list_objects({f"{name}[{key!r}]": each for key, each in value.items()})
        else:
            yield name, value


def find_index(value: object) -> Any:
    """Return the index of an object of pandas, or of what was made of one; None of anything else."""
    index = None if is_distributed(value) else getattr(value, "index", None)
    return index if hasattr(index, "equals") and hasattr(index, "nlevels") else None


def _is_reordered(one: Any, two: Any) -> bool:
    """Return whether two indexes have the same values, each as often, in another order."""
    if isinstance(one, _SpreadIndex) or isinstance(two, _SpreadIndex):
        first, second = _sum_of(one), _sum_of(two)
        return None not in (first, second) and first != second and tuple(first or ())[:3] == tuple(second or ())[:3]
    if len(one) != len(two) or one.equals(two):
        return False
    if hasattr(one, "step") and hasattr(two, "step"):  # ranges, as rows have that were never numbered
        return bool((one.min(), one.max()) == (two.min(), two.max()))
    kinds = {getattr(each.dtype, "kind", "O") in "iuf" for each in (one, two)}
    return len(kinds) == 1 and _add_hashes(one, of_numbers=True in kinds) == _add_hashes(two, of_numbers=True in kinds)


def _add_hashes(index: Any, *, of_numbers: bool) -> int:
    """Return the sum of a hash of each value, the same in any order; other values have it once in 2**64."""
    return int(_hash(index, of_numbers=of_numbers).sum(dtype=np.uint64))


def _hash(index: Any, *, of_numbers: bool) -> Any:
    """Return a hash of each value."""
    from pandas.util import hash_array, hash_pandas_object  # noqa: PLC0415  (there is an index, and so pandas)

    if of_numbers:  # the whole number 1 and the fraction 1.0 are the same value
        return hash_array(np.asarray(index, dtype=np.float64))
    return hash_pandas_object(index, index=False).to_numpy()


class _Sum(NamedTuple):
    """An index in few numbers; the first three are the same in any order."""

    of_numbers: bool
    length: int
    hashes: int  # their sum, modulo 2**64
    placed: int  # the sum of each times its position, modulo 2**64


class _SpreadIndex:
    """The index of a collection of Dask, which is summed up once, when it is first compared with another one."""

    def __init__(self, values: Any) -> None:
        self._values, self._sums = values, list[_Sum | None]()

    @property
    def sum(self) -> _Sum | None:
        """The whole index in few numbers; None where its partitions are of several kinds, or cannot be computed."""
        if not self._sums:
            parts = [part for part in map_indexes(self._values, _sum_of) if part is not None]
            self._sums.append(_join(parts))
        return self._sums[0]


def _sum_of(index: Any) -> _Sum | None:
    """Return an index, or that of a partition, in few numbers; None of what has none."""
    if isinstance(index, _SpreadIndex):
        return index.sum
    of_numbers = getattr(index.dtype, "kind", "O") in "iuf"
    hashes = _hash(index, of_numbers=of_numbers)
    places = np.arange(len(index), dtype=np.uint64)
    return _Sum(of_numbers, len(index), int(hashes.sum(dtype=np.uint64)), int((hashes * places).sum(dtype=np.uint64)))


def _join(parts: list[_Sum]) -> _Sum | None:
    """Return the sums of partitions that follow each other as one."""
    filled = [part for part in parts if part.length]
    if len({part.of_numbers for part in filled}) != 1:
        return None
    length = hashes = placed = 0
    for part in filled:
        placed += part.placed + length * part.hashes
        length, hashes = length + part.length, hashes + part.hashes
    return _Sum(filled[0].of_numbers, length, hashes % 2**64, placed % 2**64)


def refuse_other_classes(what: str, part: str, names: Iterable[object] | None, classes: Labels) -> None:
    """Refuse names that are not the classes in their order; those that count positions, as of a new frame, are none.

    Parameters
    ----------
    what, part : str
        Of what and of which part of it these are the names, for the message.
    names : iterable or None
        As many as there are classes; None where there are none.
    classes : ndarray
        The classes that there are, in their order.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.alignment import refuse_other_classes
    >>> classes = np.array(["ill", "well"])
    >>> refuse_other_classes("The 'cost' of me", "rows", ["ill", "well"], classes)
    >>> refuse_other_classes("The 'cost' of me", "rows", [0, 1], classes)
    >>> refuse_other_classes("The 'cost' of me", "rows", ["well", "ill"], classes)
    Traceback (most recent call last):
        ...
    ValueError: The 'cost' of me must have its rows in the order of the classes ill, well. They are named well, ill; \
put them in that order, or pass an array without names if it is meant by position.
    """
    given = [] if names is None else list(names)
    texts, wanted = [label_text(each) for each in given], [label_text(each) for each in classes]
    if names is None or texts == wanted or (set(texts) != set(wanted) and _count_positions(given)):
        return
    raise ValueError(
        f"{what} must have its {part} in the order of the classes {_list_few(wanted)}. They are named "
        f"{_list_few(texts)}; put them in that order, or pass an array without names if it is meant by position."
    )


def _count_positions(names: list[object]) -> bool:
    """Return whether names are those that pandas or polars gives to columns without names."""
    numbered = all(isinstance(each, int | np.integer) and not isinstance(each, bool) for each in names)
    return (numbered and names == list(range(len(names)))) or names == [f"column_{k}" for k in range(len(names))]


def _list_few(texts: list[str]) -> str:
    return ", ".join(f"{each:.40}" for each in texts[:6]) + (" ..." if len(texts) > 6 else "")
