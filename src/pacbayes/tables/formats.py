"""The one table of file formats: which ending of a name is read how.

To add one, write a function ``read_...`` in a module ``_read_....py`` beside this one, and its row here; a compression
is a function ``unpack_...`` in ``_unpack.py``. Messages, the help of the command line and the tests read these tables.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pacbayes.tables._read_columnar import read_arrow, read_parquet
from pacbayes.tables._read_excel import read_excel
from pacbayes.tables._read_svmlight import read_svmlight
from pacbayes.tables._read_text import read_text
from pacbayes.tables._source import Description, Source
from pacbayes.tables._unpack import unpack_bzip2, unpack_gzip, unpack_xz, unpack_zip, unpack_zstd

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COMPRESSIONS", "FORMATS", "Reader", "Unpacker"]

Reader: TypeAlias = "Callable[[Source, Description], pd.DataFrame]"
Unpacker: TypeAlias = Callable[[Path, int], io.BytesIO]

FORMATS: Mapping[str, Reader] = {
    ".csv": read_text,
    ".tsv": read_text,
    ".txt": read_text,
    ".data": read_text,
    ".parquet": read_parquet,
    ".pq": read_parquet,
    ".arrow": read_arrow,
    ".feather": read_arrow,
    ".ipc": read_arrow,
    ".xlsx": read_excel,
    ".xlsm": read_excel,
    ".svm": read_svmlight,
    ".svmlight": read_svmlight,
    ".libsvm": read_svmlight,
}

COMPRESSIONS: Mapping[str, Unpacker] = {
    ".gz": unpack_gzip,
    ".bz2": unpack_bzip2,
    ".xz": unpack_xz,
    ".zst": unpack_zstd,
    ".zip": unpack_zip,
}
