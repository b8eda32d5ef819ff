"""Which of many numbers are the same: found part by part, by their first bits, so that little besides is in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import poisson

from pacbayes._core.types import BoolArray, IntArray

__all__ = [
    "are_copied",
    "are_seen",
    "count_both",
    "count_copied",
    "count_learned_before",
    "count_multiples",
    "count_repeated",
    "find_different",
]

_PART = 1 << 20  # numbers of a part, about
_CHUNK = 1 << 16  # that are looked at together
_MOST = 1000  # times that a number occurs, of which it matters how often
_SURE = 1e-9  # how improbable what is found has to be
_AWAY = 2.0  # how far the root of a count may be off, whose standard deviation is one half
_FAR = 3.5  # and where copies come in clusters


def _parts(hashes: NDArray[np.uint64]) -> Iterator[IntArray]:
    """Yield positions, ascending, such that the same numbers are in the same part.

    All numbers are looked at again for each part, which takes little time; to note the part of each would take a byte.
    """
    bits = max(hashes.size // _PART, 1).bit_length() - 1
    for part in range(1 << bits):
        yield _find_part(hashes, part, bits) if bits else np.arange(hashes.size)


def _find_part(hashes: NDArray[np.uint64], part: int, bits: int) -> IntArray:
    """Return the positions of the numbers with these first bits."""
    small = np.int32 if hashes.size < 2**31 else np.int64
    found: list[Any] = []
    for start in range(0, hashes.size, _CHUNK):
        first = hashes[start : start + _CHUNK] >> np.uint64(64 - bits)
        found.append((np.flatnonzero(first == np.uint64(part)) + start).astype(small))
    return np.concatenate(found)


def count_repeated(hashes: NDArray[np.uint64]) -> int:
    """Return how many numbers repeat another.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.repetitions import count_repeated
    >>> count_repeated(np.array([3, 5, 3, 3], dtype=np.uint64))
    2
    """
    total = 0
    for part in _parts(hashes):
        ordered = hashes[part]
        ordered.sort()
        total += int(np.count_nonzero(ordered[1:] == ordered[:-1]))
    return total


def count_multiples(hashes: NDArray[np.uint64]) -> IntArray:
    """Return how many different numbers occur once, twice and so on, from position 1 on, up to a thousand times.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.repetitions import count_multiples
    >>> count_multiples(np.array([3, 5, 3, 4], dtype=np.uint64))[:4].tolist()
    [0, 2, 1, 0]
    """
    total: IntArray = np.zeros(_MOST + 2, dtype=np.int64)
    for part in _parts(hashes):
        counts = np.unique(hashes[part], return_counts=True)[1]
        total += np.bincount(np.minimum(counts, _MOST + 1), minlength=_MOST + 2)
    return total


def are_copied(multiples: IntArray) -> bool:
    """Return whether more numbers occur a certain number of times than independent draws of any distribution allow.

    Of independent draws ``f(m) = m! E[N(m)]``, with ``N(m)`` the numbers that occur ``m`` times, is a sequence of
    moments, ``f(m)^2 <= f(m - 1) f(m + 1)``: numbers that occur twice come with some that occur three times, and with
    many that occur once. A table that was appended to itself has twice what is there, and nothing on either side.

    Parameters
    ----------
    multiples : ndarray
        From :func:`count_multiples`.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.repetitions import are_copied, count_multiples
    >>> rows = np.random.default_rng(0).integers(0, 3000, 1000).astype(np.uint64)
    >>> [are_copied(count_multiples(np.tile(rows, copies))) for copies in (1, 2, 3)]
    [False, True, True]
    """
    m = np.arange(2, multiples.size - 2)  # the last two are not exact
    before, here, after = (multiples[m + step].astype(np.float64) for step in (-1, 0, 1))
    here = np.maximum(np.sqrt(here) - _AWAY, 0.0) ** 2
    expected = here**2 * m / ((m + 1.0) * (np.sqrt(before) + _AWAY) ** 2)
    return bool(np.any(poisson.cdf(after, expected) < _SURE))


def are_seen(found: int, rows: int, hashes: NDArray[np.uint64]) -> bool:
    """Return whether more of further rows are among earlier ones than of these are among the others.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.repetitions import are_seen
    >>> earlier = np.arange(1000, dtype=np.uint64)
    >>> are_seen(3, 500, earlier), are_seen(30, 500, earlier)
    (False, True)
    """
    share = (np.sqrt(count_copied(hashes)) + _FAR) ** 2 / max(hashes.size, 1)
    return bool(poisson.sf(found - 1, rows * min(share, 1.0)) < _SURE)


def find_different(hashes: NDArray[np.uint64], about: int) -> IntArray:
    """Return the positions of numbers that none before equals, ascending: about so many, evenly, or all if fewer.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.repetitions import find_different
    >>> find_different(np.array([3, 5, 3, 4], dtype=np.uint64), 100).tolist()
    [0, 1, 3]
    """
    is_first: BoolArray = np.zeros(hashes.size, dtype=bool)
    for part in _parts(hashes):
        is_first[part[np.unique(hashes[part], return_index=True)[1]]] = True
    step = max(1, int(np.count_nonzero(is_first)) // about)
    found, before = [], 0
    for start in range(0, hashes.size, _PART):
        places = start + np.flatnonzero(is_first[start : start + _PART])
        found.append(places[-before % step :: step])
        before += places.size
    return np.concatenate(found)


def count_both(hashes: NDArray[np.uint64], learning: IntArray) -> int:
    """Return how many numbers outside some positions are the same as one at them.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.repetitions import count_both
    >>> count_both(np.array([3, 5, 3, 3], dtype=np.uint64), np.array([0, 1]))
    2
    """
    learns: BoolArray = np.zeros(hashes.size, dtype=bool)
    learns[learning] = True
    total = 0
    for part in _parts(hashes):
        own = learns[part]
        total += int(np.count_nonzero(np.isin(hashes[part[~own]], hashes[part[own]])))
    return total


def count_copied(hashes: NDArray[np.uint64]) -> int:
    """Return how many numbers are the same as one at another position.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.repetitions import count_copied
    >>> count_copied(np.array([3, 5, 3, 3], dtype=np.uint64))
    3
    """
    total = 0
    for part in _parts(hashes):
        counts = np.unique(hashes[part], return_counts=True)[1]
        total += int(counts[counts > 1].sum())
    return total


def count_learned_before(hashes: NDArray[np.uint64], points: Sequence[int]) -> int:
    """Return how many numbers from the first of some points on are the same as one before the last point up to them.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.repetitions import count_learned_before
    >>> count_learned_before(np.array([3, 5, 4, 4, 3, 4], dtype=np.uint64), [1, 4])
    2
    """
    total = 0
    for part in _parts(hashes):
        _, first, codes = np.unique(hashes[part], return_index=True, return_inverse=True)
        past = np.asarray(points)[np.searchsorted(points, part, side="right") - 1]  # of what comes before all, the last
        total += int(np.count_nonzero((part[first][codes] < past) & (part >= points[0])))
    return total
