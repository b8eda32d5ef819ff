"""What data can tell about the assumptions: sorted labels, a time index, repeated rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

__all__ = ["CertificateWarning", "caution", "repeated_rows", "repetition_note"]

_MIN_ROWS = 20  # fewer labels are sorted by chance too often
_BLOCK = 8192
_LABEL = "\0label"  # no column of a table has this name


class CertificateWarning(UserWarning):
    """Something about the data puts an assumption of the certificate in doubt."""


def caution(owner: str, X: Any, y: Any) -> list[str]:
    """Warn about rows that look ordered, and return the notes that belong into the certificate."""
    notes = []
    labels = np.asarray(y)
    changes = int(np.count_nonzero(labels[1:] != labels[:-1]))
    if labels.size >= _MIN_ROWS and 0 < changes < np.unique(labels).size:
        notes.append("The rows came sorted by label; rows that were collected class by class are not i.i.d.")
    kind = getattr(getattr(getattr(X, "index", None), "dtype", None), "kind", "")
    if kind == "M":
        notes.append("The rows carry a time index; rows that drift with time are not i.i.d.")
    for note in notes:
        warnings.warn(
            f"{owner}: {note} The certificate assumes that they are independent draws from the law it speaks about.",
            CertificateWarning,
            stacklevel=3,
        )
    return notes


def repetition_note(X: Any, y: Any) -> tuple[str, ...]:
    """Return the note about repeated rows, if there are any."""
    repeated = repeated_rows(X, y)
    if not repeated:
        return ()
    return (f"{repeated} of {len(y)} rows repeat an earlier one; copies made by hand are not i.i.d.",)


def repeated_rows(X: Any, y: Any) -> int:
    """Return how many rows repeat an earlier one, label included (by a 64-bit hash of each row)."""
    codes = np.unique(np.asarray(y), return_inverse=True)[1].astype(np.uint64)
    if hasattr(X, "duplicated"):  # pandas
        return int(X.assign(**{_LABEL: codes}).duplicated().sum()) if X.shape[0] else 0
    if hasattr(X, "hash_rows"):  # polars
        return int(X.shape[0] - np.unique(X.hash_rows().to_numpy() * np.uint64(2) + codes).size)
    if X.shape[0] == 0 or not isinstance(X, np.ndarray) or X.dtype != np.float64:
        return 0
    factors = np.random.default_rng(0).integers(1, 2**63, X.shape[1] + 1, dtype=np.uint64) * 2 + 1
    hashes = np.empty(X.shape[0], dtype=np.uint64)
    for start in range(0, X.shape[0], _BLOCK):
        block = slice(start, start + _BLOCK)
        bits = (np.ascontiguousarray(X[block]) + 0.0).view(np.uint64)
        bits ^= bits >> np.uint64(29)  # round numbers have only high bits, which products would lose
        hashes[block] = _mixed(bits * factors[:-1]).sum(axis=1, dtype=np.uint64) + codes[block] * factors[-1]
    return int(hashes.size - np.unique(hashes).size)


def _mixed(values: Any) -> Any:
    return values ^ (values >> np.uint64(32))
