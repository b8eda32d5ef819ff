"""Files that were compressed: all their bytes, as they were before."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
import zlib
from pathlib import Path

from pacbayes.tables._error import TableError, one_line

__all__ = ["BROKEN", "unpack_bzip2", "unpack_gzip", "unpack_xz", "unpack_zip", "unpack_zstd"]

# what the libraries raise where a file is not whole, or not what its name says
BROKEN = (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, gzip.BadGzipFile)


def unpack_gzip(path: Path) -> bytes:
    """Return the content of a gzip file."""
    with gzip.open(path) as file:
        return file.read()


def unpack_bzip2(path: Path) -> bytes:
    """Return the content of a bzip2 file."""
    with bz2.open(path) as file:
        return file.read()


def unpack_xz(path: Path) -> bytes:
    """Return the content of an xz file."""
    with lzma.open(path) as file:
        return file.read()


def unpack_zstd(path: Path) -> bytes:
    """Return the content of a Zstandard file."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        with pa.input_stream(str(path), compression="zstd") as stream:
            return bytes(stream.read())
    except OSError as error:
        raise EOFError(one_line(error)) from None


def unpack_zip(path: Path) -> bytes:
    """Return the content of the one file in a zip archive."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if len(names) != 1:
            raise TableError(f"A zip file must hold one table. It holds {len(names)} files.")
        return archive.read(names[0])
