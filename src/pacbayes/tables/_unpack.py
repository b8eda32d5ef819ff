"""Files that were compressed: all their bytes, as they were before, as long as they stay below a limit."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from pathlib import Path
from typing import Protocol

from pacbayes.tables._error import TableError, one_line
from pacbayes.tables._limits import check_limit

__all__ = ["BROKEN", "unpack_bzip2", "unpack_gzip", "unpack_xz", "unpack_zip", "unpack_zstd"]

# what the libraries raise where a file is not whole, or not what its name says
BROKEN = (
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    NotImplementedError,
    RuntimeError,
    OverflowError,
)
_CHUNK = 1 << 20


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def unpack_gzip(path: Path, limit: int) -> io.BytesIO:
    """Return the content of a gzip file."""
    with gzip.open(path) as file:
        return _unpack(file, limit)


def unpack_bzip2(path: Path, limit: int) -> io.BytesIO:
    """Return the content of a bzip2 file."""
    try:
        with bz2.open(path) as file:
            return _unpack(file, limit)
    except (OSError, ValueError) as error:
        raise _broken(error) from None


def unpack_xz(path: Path, limit: int) -> io.BytesIO:
    """Return the content of an xz file."""
    with lzma.open(path) as file:
        return _unpack(file, limit)


def unpack_zstd(path: Path, limit: int) -> io.BytesIO:
    """Return the content of a Zstandard file."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        with pa.input_stream(str(path), compression="zstd") as stream:
            return _unpack(stream, limit)
    except (OSError, pa.ArrowException) as error:
        raise _broken(error) from None


def unpack_zip(path: Path, limit: int) -> io.BytesIO:
    """Return the content of the one file in a zip archive."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if len(names) != 1:
            raise TableError(f"A zip file must hold one table. It holds {len(names)} files.")
        with archive.open(names[0]) as file:
            return _unpack(file, limit)


def _unpack(file: _Readable, limit: int) -> io.BytesIO:
    """Read to the end, or to the limit: what a file unpacks to is not known before."""
    content = io.BytesIO()
    while chunk := file.read(_CHUNK):
        content.write(chunk)
        check_limit(content.tell(), limit)
    content.seek(0)
    return content


def _broken(error: Exception) -> Exception:
    """Return the error of a file that is not whole, and a refusal or an error of the system as it is."""
    own = isinstance(error, TableError) or (isinstance(error, OSError) and error.errno is not None)
    return error if own else EOFError(one_line(error))
