"""What data can tell about the assumptions: sorted labels, a time index, repeated rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pacbayes._core.coded_labels import CodedLabels
from pacbayes._core.notes import Note
from pacbayes._core.repetitions import count_both, count_repeated, find_different
from pacbayes._core.rows import BLOCK_ROWS, count_labels, distinct_labels, is_stored, map_blocks, take
from pacbayes._core.types import IntArray, RowsLike
from pacbayes.certificate.words import note_words

__all__ = ["CertificateWarning", "find_cautions", "find_repetitions", "find_seen", "hash_rows"]

_MIN_ROWS = 20  # fewer labels are sorted by chance too often
_MANY_CHANGES, _RARELY = 100, 0.05  # changes of class from row to row that shuffled rows have, and so few of them
_FAR_MORE = 100.0  # times as many repeated rows as independent columns make likely, since columns are not
_SAMPLE = 5000
_BLOCK = 8192
_ROWS = 1 << 16  # that are hashed at once
_LABEL = "\0label"  # no column of a table has this name
Copies: TypeAlias = Callable[[NDArray[np.uint64]], tuple[int, int]]


class CertificateWarning(UserWarning):
    """Something about the data puts an assumption of the certificate in doubt."""


def find_cautions(owner: str, X: RowsLike, y: ArrayLike, *, of_numbers: bool = False) -> tuple[Note, ...]:
    """Warn about rows that look ordered, and return the notes that belong into the certificate.

    Labels are classes, or ``of_numbers``.
    """
    notes = []
    labels = y.codes if isinstance(y, CodedLabels) else np.asarray(y)
    changes = int(np.count_nonzero(labels[1:] != labels[:-1]))
    if _is_monotone(labels) if of_numbers else _is_sorted(labels, changes):
        notes.append(Note("sorted_by_label"))
    kind = getattr(getattr(getattr(X, "index", None), "dtype", None), "kind", "")
    if kind == "M":
        notes.append(Note("time_index"))
    for note in notes:
        warnings.warn(
            f"{owner}: {note_words(note)} The certificate assumes that they are independent draws from the "
            "distribution it speaks about.",
            CertificateWarning,
            stacklevel=4,
        )
    return tuple(notes)


def _is_monotone(labels: NDArray[Any]) -> bool:
    """Return whether numbers go up or down almost only; shuffled ones do both about as often."""
    up, down = (int(np.count_nonzero(each)) for each in (labels[1:] > labels[:-1], labels[1:] < labels[:-1]))
    return bool(labels.size >= _MIN_ROWS and min(up, down) < _RARELY * (up + down))


def _is_sorted(labels: NDArray[Any], changes: int) -> bool:
    """Return whether rows come class by class, or change class far more rarely than shuffled ones would."""
    counts = count_labels(labels)[1]
    expected = labels.size - np.sum(counts**2.0) / max(labels.size, 1)
    few = 0 < changes < counts.size or (expected >= _MANY_CHANGES and changes < _RARELY * expected)
    return bool(labels.size >= _MIN_ROWS and few)


def find_repetitions(X: RowsLike, y: ArrayLike, learning: IntArray | Copies | None = None) -> tuple[Note, ...]:
    """Return the note about repeated rows, if there are more than columns as coarse as these make likely.

    It is about all rows, and changes no number. Where the numbers of ``learning`` rows are given, judged rows that are
    copies of them are counted; where rows both learn and judge, a function counts these in the hashes of all rows, and
    how many are judged.
    """
    hashes = _hash_rows(X, y)
    repeated = 0 if hashes is None else _count_copies(X, hashes)
    if hashes is None or repeated == 0:
        return ()
    both, judged = _count_learned(hashes, learning)
    if both:
        return (Note("judged_rows_learned", {"repeated": both, "rows": judged}),)
    return (Note("repeated_rows", {"repeated": repeated, "rows": hashes.size}),)


def _count_copies(X: RowsLike, hashes: NDArray[np.uint64]) -> int:
    """Return how many rows repeat an earlier one; 0 if columns as coarse as these make so many likely."""
    repeated = count_repeated(hashes)
    if not repeated:
        return 0
    expected = hashes.size**2 / 2.0 * _chance_of_agreement(X, find_different(hashes, _SAMPLE))
    return 0 if repeated < _FAR_MORE * expected else repeated


def _count_learned(hashes: NDArray[np.uint64], learning: IntArray | Copies | None) -> tuple[int, int]:
    """Return how many judged rows are copies of rows that their judges learned from, and how many are judged."""
    if learning is None:
        return 0, hashes.size
    if callable(learning):
        return learning(hashes)
    return count_both(hashes, learning), hashes.size - len(learning)


def hash_rows(X: RowsLike) -> NDArray[np.uint64] | None:
    """Return a 64-bit number for each row, the same for the same; None where rows are not looked into."""
    return _hash_rows(X, np.zeros(int(np.shape(X)[0])))


def find_seen(X: RowsLike, seen: NDArray[np.uint64] | None) -> tuple[Note, ...]:
    """Return notes on rows that should be fresh: that they are copies of others, or of each other, if not by chance.

    Parameters
    ----------
    X : rows
        That nobody should have looked at.
    seen : ndarray or None
        From :func:`hash_rows`, of the rows that were learned from or judged.
    """
    hashes = hash_rows(X)
    if hashes is None:
        return ()
    counts = {
        "unlabelled_rows_seen": 0 if seen is None else _count_seen(X, hashes, seen),
        "unlabelled_rows_repeated": _count_copies(X, hashes),
    }
    notes = [Note(code, {"repeated": count, "rows": hashes.size}) for code, count in counts.items() if count]
    for note in notes:
        warnings.warn(note_words(note), CertificateWarning, stacklevel=4)
    return tuple(notes)


def _count_seen(X: RowsLike, hashes: NDArray[np.uint64], seen: NDArray[np.uint64]) -> int:
    """Return how many rows are copies of others; 0 if columns as coarse as these make so many likely."""
    repeated = int(np.isin(hashes, seen).sum())
    chance = _chance_of_agreement(X, np.arange(hashes.size)) if repeated else 0.0
    return 0 if repeated < _FAR_MORE * hashes.size * seen.size * chance else repeated


def _chance_of_agreement(X: Any, different: IntArray) -> float:
    """Return how likely two rows agree in all columns, if these were independent: by pairs of rows that differ."""
    chance, chosen = 1.0, different[:: max(1, different.size // _SAMPLE)]
    part: Any = take(X, chosen)
    for position in range(X.shape[1]):
        values = np.asarray(part.iloc[:, position] if hasattr(part, "iloc") else part[:, position])
        texts = values.astype(str) if values.dtype.kind not in "fiub" else values
        counts = np.unique(texts, return_counts=True)[1]
        chance *= float(np.sum(counts * (counts - 1.0))) / max(chosen.size * (chosen.size - 1.0), 1.0)
    return chance


def _hash_rows(X: Any, y: ArrayLike) -> NDArray[np.uint64] | None:
    """Return a number for each row and its label, the same for the same; None where rows are not looked into."""
    labels = y.codes if isinstance(y, CodedLabels) else np.asarray(y)
    if labels.size == 0 or not hasattr(X, "shape"):
        return None
    if not is_stored(X) and hasattr(X, "hash_rows"):  # polars
        codes = np.unique(labels, return_inverse=True)[1].astype(np.uint64)
        return np.asarray(X.hash_rows().to_numpy() * np.uint64(2) + codes)
    classes, hashes, start = distinct_labels(labels), np.empty(labels.size, dtype=np.uint64), 0
    size = BLOCK_ROWS if hasattr(X, "map_blocks") else _ROWS  # here the memory counts, elsewhere the number of tasks
    for found in map_blocks(X, _hash_block, _code_blocks(labels, classes, size), None, size):
        if found is None:
            return None
        hashes[start : start + found.size] = found
        start += found.size
    return hashes


def _code_blocks(labels: NDArray[Any], classes: NDArray[Any], size: int) -> Iterator[NDArray[Any]]:
    """Yield the positions of labels among the classes, block by block and in few bytes."""
    small = np.min_scalar_type(classes.size)
    for start in range(0, labels.size, size):
        yield np.searchsorted(classes, labels[start : start + size]).astype(small)


def _hash_block(rows: Any, codes: NDArray[Any], common: None) -> NDArray[np.uint64] | None:
    """Return a number for each row of a block and its label."""
    del common
    if hasattr(rows, "duplicated") and hasattr(rows, "assign"):  # pandas
        import pandas as pd  # noqa: PLC0415
        from pandas.util import hash_pandas_object  # noqa: PLC0415

        try:  # to assign a column of a frame with hundreds of them would warn that it is fragmented
            labels = pd.Series(codes.astype(np.uint64), index=rows.index, name=_LABEL)
            return np.asarray(hash_pandas_object(pd.concat([rows, labels], axis=1), index=False))
        except TypeError:  # lists and the like in cells
            return None
    if not isinstance(rows, np.ndarray) or rows.dtype.kind not in "fiub":
        return None
    factors = np.random.default_rng(0).integers(1, 2**63, rows.shape[1] + 1, dtype=np.uint64) * 2 + 1
    hashes = np.empty(rows.shape[0], dtype=np.uint64)
    for start in range(0, rows.shape[0], _BLOCK):
        block = slice(start, start + _BLOCK)
        bits = (np.ascontiguousarray(rows[block], dtype=np.float64) + 0.0).view(np.uint64)
        bits ^= bits >> np.uint64(29)  # round numbers have only high bits, which products would lose
        own = codes[block].astype(np.uint64) * factors[-1]
        hashes[block] = _mix(bits * factors[:-1]).sum(axis=1, dtype=np.uint64) + own
    return hashes


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return values ^ (values >> np.uint64(32))
