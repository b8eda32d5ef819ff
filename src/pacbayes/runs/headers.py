"""The header of an array as numpy stores it, which is a Python expression."""

from __future__ import annotations

from typing import IO, Any

import numpy as np

__all__ = ["read_header"]

_TRIES = 8


def read_header(file: IO[bytes], most: int = 10_000) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return shape, whether the order is Fortran's, and type of the array that a file begins with, of a short header.

    numpy has the expression parsed by Python, which before 3.13 counts how deep the parsers of all threads are together
    and takes a thread that was interrupted for an error of its own: it is parsed again then.

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> from pacbayes.runs.headers import read_header
    >>> file = io.BytesIO()
    >>> np.save(file, np.zeros((2, 3)))
    >>> _ = file.seek(0)
    >>> read_header(file)
    ((2, 3), False, dtype('float64'))
    """
    version = np.lib.format.read_magic(file)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in readers:
        raise ValueError(f"an array has the version {version} of its format")
    start = file.tell()
    for left in reversed(range(_TRIES)):
        try:
            return readers[version](file, max_header_size=most)
        except SystemError:
            if not left:
                raise
            file.seek(start)
    raise AssertionError
