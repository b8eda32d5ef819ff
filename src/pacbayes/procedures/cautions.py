"""What data can tell about the assumptions: sorted labels, a time index, repeated rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pacbayes._core.coded_labels import CodedLabels
from pacbayes._core.notes import Note
from pacbayes._core.repetitions import (
    are_copied,
    are_seen,
    count_both,
    count_multiples,
    count_repeated,
    find_different,
)
from pacbayes._core.row_hashes import SAMPLE, chance_of_agreement, hash_labelled_rows, hash_rows
from pacbayes._core.rows import count_labels
from pacbayes._core.types import IntArray, RowsLike
from pacbayes.certificate.words import note_words

__all__ = ["CertificateWarning", "find_cautions", "find_repetitions", "find_seen"]

_MIN_ROWS = 20  # fewer labels are sorted by chance too often
_MANY_CHANGES, _RARELY = 100, 0.05  # changes of class from row to row that shuffled rows have, and so few of them
_MORE = 10.0  # times as many pairs of equal rows as among the rows that were learned from or judged
_FAR_MORE = 100.0  # times as many repeated rows as independent columns make likely, since columns are not
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
    """Return the note about repeated rows, if chance does not make so many.

    It is about all rows, and changes no number. Where the numbers of ``learning`` rows are given, judged rows that are
    copies of them are counted; where rows both learn and judge, a function counts these in the hashes of all rows, and
    how many are judged.
    """
    hashes = hash_labelled_rows(X, y)
    repeated = 0 if hashes is None else count_repeated(hashes)
    if hashes is None or repeated == 0:
        return ()
    both, judged = _count_learned(hashes, learning)
    known = None if learning is None or callable(learning) else hashes[learning]
    if not (_are_copies(X, hashes, repeated) or (known is not None and are_seen(both, judged, known))):
        return ()
    if both:
        return (Note("judged_rows_learned", {"repeated": both, "rows": judged}),)
    return (Note("repeated_rows", {"repeated": repeated, "rows": hashes.size}),)


def _count_copies(X: RowsLike, hashes: NDArray[np.uint64]) -> int:
    """Return how many rows repeat an earlier one; 0 if chance may make so many."""
    repeated = count_repeated(hashes)
    return repeated if repeated and _are_copies(X, hashes, repeated) else 0


def _are_copies(X: RowsLike, hashes: NDArray[np.uint64], repeated: int) -> bool:
    """Return whether so many rows repeat others as neither coarse columns nor any independent draws make likely."""
    expected = hashes.size**2 / 2.0 * chance_of_agreement(X, find_different(hashes, SAMPLE))
    return repeated >= _FAR_MORE * expected or are_copied(count_multiples(hashes))


def _count_learned(hashes: NDArray[np.uint64], learning: IntArray | Copies | None) -> tuple[int, int]:
    """Return how many judged rows are copies of rows that their judges learned from, and how many are judged."""
    if learning is None:
        return 0, hashes.size
    if callable(learning):
        return learning(hashes)
    return count_both(hashes, learning), hashes.size - len(learning)


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
        "unlabelled_rows_repeated": _count_copies(X, hashes) if _repeat_more(hashes, seen) else 0,
    }
    notes = [Note(code, {"repeated": count, "rows": hashes.size}) for code, count in counts.items() if count]
    for note in notes:
        warnings.warn(note_words(note), CertificateWarning, stacklevel=4)
    return tuple(notes)


def _repeat_more(hashes: NDArray[np.uint64], seen: NDArray[np.uint64] | None) -> bool:
    """Return whether rows repeat each other far more often than others of their distribution do."""
    return seen is None or _share_of_pairs(hashes) > _MORE * _share_of_pairs(seen)


def _share_of_pairs(hashes: NDArray[np.uint64]) -> float:
    """Return how many of all pairs are of equal rows."""
    counts = np.unique(hashes, return_counts=True)[1].astype(np.float64)
    return float(np.sum(counts * (counts - 1.0))) / max(hashes.size * (hashes.size - 1.0), 1.0)


def _count_seen(X: RowsLike, hashes: NDArray[np.uint64], seen: NDArray[np.uint64]) -> int:
    """Return how many rows are copies of others; 0 if chance may make so many."""
    repeated = int(np.isin(hashes, seen).sum())
    chance = chance_of_agreement(X, np.arange(hashes.size)) if repeated else 0.0
    by_columns = repeated >= _FAR_MORE * hashes.size * seen.size * chance
    return repeated if repeated and (by_columns or are_seen(repeated, hashes.size, seen)) else 0
