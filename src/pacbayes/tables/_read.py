"""One file, one data frame: the format from the name, compression taken off, every failure one sentence."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pacbayes.tables._error import TableError, one_line
from pacbayes.tables._files import find_files
from pacbayes.tables._limits import check_limit, refuse_size, to_bytes
from pacbayes.tables._read_columnar import join_files
from pacbayes.tables._source import Description, check_encoding
from pacbayes.tables._unpack import BROKEN
from pacbayes.tables.formats import COMPRESSIONS, FORMATS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["describe_file", "read_table"]

_SPREADSHEETS = {".xls", ".xlsb", ".ods", ".numbers"}


def read_table(
    path: str | Path,
    *,
    delimiter: str | None = None,
    header: bool = True,
    missing_values: Sequence[str] = (),
    encoding: str | None = None,
    decimal: str = ".",
    max_memory: int | str | None = None,
    texts: Sequence[str] = (),
) -> pd.DataFrame:
    r"""Read a table from a text, Parquet, Arrow, Excel or svmlight file, which may be packed and need not be trusted.

    A file that is damaged, or made to crash or to fill the memory of whoever reads it, is refused in one sentence.

    Parameters
    ----------
    path : path
        Its name ends in one of :data:`pacbayes.tables.FORMATS`, then possibly in one of
        :data:`pacbayes.tables.COMPRESSIONS`. A folder of Parquet or Arrow files, or a pattern that finds such, is one
        table too: see :func:`open_table`.
    delimiter : str, optional
        Of text files; by default the one of comma, semicolon, tab and bar that the first line has most of.
    header : bool, default=True
        Whether the first line of a text file names the columns; otherwise they are c1, c2, ...
    missing_values : sequence of str
        Texts that stand for a missing value, besides the empty text, NA, NaN, null and their like.
    encoding : str, optional
        Of text files, such as "latin-1" or "utf-16"; by default UTF-8.
    decimal : {".", ","}, default="."
        What separates the decimals of numbers in text files; with a comma, columns are not separated by commas unless
        ``delimiter`` says so.
    max_memory : int or str, optional
        Bytes that the file may unpack to, and its cells may take at eight bytes each: a number, or a text such as
        "500MB" or "4GiB"; by default 4 GiB, or half of the memory that there is if that is less.

    texts : sequence of str
        Columns of a text file that are kept as they are written, even if they read like numbers.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    TableError
        If the file is not a table that can be used, with the reason in one sentence.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from pacbayes.tables import read_table
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "small.csv"
    ...     _ = file.write_text("age;job\n31;cook\n44;?\n")
    ...     read_table(file, missing_values=["?"]).isna().sum().tolist()
    [0, 1]
    """
    place, options = Path(path), (delimiter, header, missing_values, encoding, decimal, texts)
    files, description, packing = describe_file(place, to_bytes(max_memory), *options)
    try:
        frame = _read(files, packing, description)
    except BROKEN as error:
        raise TableError(f"{place.name} cannot be unpacked: {one_line(error)}.") from None
    except TableError as error:
        raise type(error)(f"{place.name}: {error}") from None
    if frame.shape[1] == 0:
        raise TableError(f"{place.name} has no columns.")
    if frame.shape[0] == 0:
        raise TableError(f"{place.name} has column names but no rows.")
    return frame


def describe_file(
    place: Path,
    limit: int,
    delimiter: str | None = None,
    header: bool = True,
    missing_values: Sequence[str] = (),
    encoding: str | None = None,
    decimal: str = ".",
    texts: Sequence[str] = (),
) -> tuple[tuple[Path, ...], Description, str]:
    """Return the files of a table, how they are to be read, and how one is packed; or say why there is none."""
    several = find_files(place)
    for file in several or (place,):
        _check_place(file)
    suffix, packing = _split_name(several[0] if several else place)
    check_encoding(encoding)
    description = Description(suffix, delimiter, header, missing_values, encoding, decimal, texts, limit)
    return several or (place,), description, packing


def _read(files: tuple[Path, ...], packing: str, description: Description) -> pd.DataFrame:
    """Unpack and read; whatever else than a refusal or an error of the system is raised on the way becomes one."""
    place = files[0]
    try:
        check_limit(sum(file.stat().st_size for file in files), description.limit)
        if len(files) > 1:
            return join_files(files, description)
        source = COMPRESSIONS[packing](place, description.limit) if packing else place
        return FORMATS[description.suffix](source, description)
    except MemoryError:
        raise refuse_size(description.limit) from None
    except (TableError, ImportError, *BROKEN):
        raise
    except OSError as error:
        if error.errno is not None:  # of the system, such as a disk that cannot be read
            raise
        raise TableError(f"it cannot be read ({one_line(error)}).") from None
    except Exception as error:  # libraries raise what they like on a file that nobody has foreseen
        raise TableError(f"it cannot be read ({one_line(error)}).") from None


def _check_place(place: Path) -> None:
    if not place.exists():
        raise TableError(f"There is no file {str(place)!r}.")
    # a named pipe that nobody writes to would keep us waiting
    with os.fdopen(os.open(place, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise TableError(
                f"The data must be a regular file. {str(place)!r} is a pipe or a device; write what comes from it "
                "into a file first."
            )
        if not file.read(1):
            raise TableError(f"{place.name} is empty.")


def _split_name(place: Path) -> tuple[str, str]:
    """Return the ending that tells the format, and the one that tells the compression or nothing."""
    packing = place.suffix.lower() if place.suffix.lower() in COMPRESSIONS else ""
    suffix = (Path(place.stem) if packing else place).suffix.lower()
    if suffix not in FORMATS:
        hint = " Save the spreadsheet as .xlsx or CSV first." if suffix in _SPREADSHEETS else ""
        raise TableError(
            f"The name of a table must end in one of {', '.join(sorted(FORMATS))}, then in one of "
            f"{', '.join(COMPRESSIONS)} if it is packed (table.csv.zip). Got {place.name!r} instead.{hint}"
        )
    return suffix, packing
