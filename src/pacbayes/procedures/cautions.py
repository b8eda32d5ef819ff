"""What data can tell about the assumptions: sorted labels, a time index, repeated rows."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pacbayes._core.notes import Note
from pacbayes._core.types import RowsLike
from pacbayes.certificate.words import note_words

__all__ = ["CertificateWarning", "count_repetitions", "find_cautions", "find_repetitions"]

_MIN_ROWS = 20  # fewer labels are sorted by chance too often
_BLOCK = 8192
_LABEL = "\0label"  # no column of a table has this name


class CertificateWarning(UserWarning):
    """Something about the data puts an assumption of the certificate in doubt."""


def find_cautions(owner: str, X: RowsLike, y: ArrayLike) -> tuple[Note, ...]:
    """Warn about rows that look ordered, and return the notes that belong into the certificate."""
    notes = []
    labels = np.asarray(y)
    changes = int(np.count_nonzero(labels[1:] != labels[:-1]))
    if labels.size >= _MIN_ROWS and 0 < changes < np.unique(labels).size:
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


def find_repetitions(X: RowsLike, y: ArrayLike) -> tuple[Note, ...]:
    """Return the note about repeated rows, if there are any."""
    repeated = count_repetitions(X, y)
    return (Note("repeated_rows", {"repeated": repeated, "rows": len(np.asarray(y))}),) if repeated else ()


def count_repetitions(X: RowsLike, y: ArrayLike) -> int:
    """Return how many rows repeat an earlier one, label included (by a 64-bit hash of each row)."""
    codes = np.unique(np.asarray(y), return_inverse=True)[1].astype(np.uint64)
    if hasattr(X, "duplicated") and hasattr(X, "assign"):  # pandas
        return int(X.assign(**{_LABEL: codes}).duplicated().sum()) if codes.size else 0
    if hasattr(X, "hash_rows"):  # polars
        return int(codes.size - np.unique(X.hash_rows().to_numpy() * np.uint64(2) + codes).size)
    if not isinstance(X, np.ndarray) or X.shape[0] == 0 or X.dtype.kind not in "fiub":
        return 0
    factors = np.random.default_rng(0).integers(1, 2**63, X.shape[1] + 1, dtype=np.uint64) * 2 + 1
    hashes = np.empty(X.shape[0], dtype=np.uint64)
    for start in range(0, X.shape[0], _BLOCK):
        block = slice(start, start + _BLOCK)
        bits = (np.ascontiguousarray(X[block], dtype=np.float64) + 0.0).view(np.uint64)
        bits ^= bits >> np.uint64(29)  # round numbers have only high bits, which products would lose
        hashes[block] = _mix(bits * factors[:-1]).sum(axis=1, dtype=np.uint64) + codes[block] * factors[-1]
    return int(hashes.size - np.unique(hashes).size)


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return values ^ (values >> np.uint64(32))
