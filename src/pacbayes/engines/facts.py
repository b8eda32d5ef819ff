"""What is found out about each partition of a Dask collection, on a worker: facts that merge."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pacbayes._core.arguments import refuse_masked
from pacbayes._core.digests import data_digest, find_exact
from pacbayes.engines.errors import EngineError, one_line

__all__ = ["Facts", "look_at"]


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about partitions that follow each other.

    Attributes
    ----------
    lengths : tuple of int
        Rows of each.
    prints : tuple of bytes
        A fingerprint of the rows of each, by which it is known again.
    exact : bool or tuple of bool
        Whether doubles hold all values, or those of each column, exactly.
    """

    lengths: tuple[int, ...]
    prints: tuple[bytes, ...]
    exact: bool | tuple[bool, ...]

    @staticmethod
    def merge(parts: Sequence[Facts]) -> Facts:
        """Return the facts about several stretches of partitions as one.

        Examples
        --------
        >>> from pacbayes.engines.facts import Facts
        >>> Facts.merge([Facts((3,), (b"a",), (True, True)), Facts((0, 2), (b"b", b"c"), (True, False))])
        Facts(lengths=(3, 0, 2), prints=(b'a', b'b', b'c'), exact=(True, False))
        """
        flags = [part.exact for part in parts]
        by_column = [flag for flag in flags if isinstance(flag, tuple)]
        exact = tuple(map(all, zip(*by_column, strict=True))) if by_column else all(flags)
        lengths = tuple(length for part in parts for length in part.lengths)
        return Facts(lengths, tuple(each for part in parts for each in part.prints), exact)


def look_at(partition: Any, number: int, empty: Any) -> tuple[Any, Facts]:
    """Return the rows of a partition without their index, and the facts about it; refuse what was not declared."""
    rows = _read_frame(partition, number, empty) if hasattr(empty, "columns") else _read_array(partition, number, empty)
    return rows, Facts((len(rows),), (_fingerprint(rows, number),), find_exact(rows))


def _read_frame(partition: Any, number: int, empty: Any) -> Any:
    names = list(getattr(partition, "columns", ())) if hasattr(partition, "iloc") else None
    if names != list(empty.columns):
        got = type(partition).__name__ if names is None else f"the columns {names!r:.100}"
        raise EngineError(
            f"Each partition of a Dask frame must be a frame with the columns that it declares. Partition {number} is "
            f"not: it has {got}."
        )
    for name, found, declared in zip(names, partition.dtypes, empty.dtypes, strict=True):
        if not _is_same(found, declared):
            raise EngineError(
                "Each partition of a Dask frame must have the types that it declares. Partition "
                f"{number} has {found} in the column {name!r} and not {declared}{_advice(declared)}."
            )
    return partition.reset_index(drop=True)


def _is_same(found: Any, declared: Any) -> bool:
    if hasattr(found, "categories") and hasattr(declared, "categories"):  # the same also in their order
        return bool(found == declared and list(found.categories) == list(declared.categories))
    return bool(found == declared)


def _advice(declared: Any) -> str:
    return " with these categories; call categorize() before" if hasattr(declared, "categories") else ""


def _read_array(partition: Any, number: int, empty: Any) -> Any:
    refuse_masked("The rows in 'X'", partition)
    found = np.asarray(partition) if hasattr(partition, "__array__") and not hasattr(partition, "tocsr") else None
    if found is None or found.ndim != 2 or found.shape[1] != empty.shape[1] or found.dtype != empty.dtype:
        got = type(partition).__name__ if found is None else f"{found.dtype} of shape {found.shape}"
        raise EngineError(
            f"Each chunk of a Dask array must hold {empty.dtype} in {empty.shape[1]} columns, as it declares. "
            f"Chunk {number} does not: it is {got}."
        )
    return found


def _fingerprint(rows: Any, number: int) -> bytes:
    """Return a hash of rows; where there is no fast one, that of the canonical form that certificates have of data."""
    try:
        fast = _hash_frame(rows) if hasattr(rows, "columns") else rows if rows.dtype.kind in "biuf" else None
        if fast is not None:
            return hashlib.sha256(np.ascontiguousarray(fast).data).digest()[:16]
        return bytes.fromhex(data_digest(rows, np.empty(0)))[:16]
    except Exception as error:  # whatever an object in a cell raises when it is asked for its text
        raise EngineError(
            f"The values of a Dask collection must have texts, by which rows are known again. Those of partition "
            f"{number} have none: compute it, or turn them into numbers or texts ({one_line(error)})."
        ) from None


def _hash_frame(rows: Any) -> Any:
    """Return a hash of each row of a frame; None where that of pandas tells less than all values, or there is none."""
    from pandas.api.types import infer_dtype  # noqa: PLC0415
    from pandas.util import hash_pandas_object  # noqa: PLC0415

    objects = [place for place, kind in enumerate(rows.dtypes) if isinstance(kind, np.dtype) and kind.kind == "O"]
    if any(infer_dtype(rows.iloc[:, place], skipna=False) != "string" for place in objects):
        return None  # pandas takes 1 for "1", and refuses lists
    try:
        return np.asarray(hash_pandas_object(rows, index=False))
    except TypeError:
        return None
