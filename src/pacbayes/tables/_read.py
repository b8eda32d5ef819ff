"""One file, one data frame: the format from the name, compression taken off, every failure one sentence."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pacbayes.tables._error import TableError, one_line
from pacbayes.tables._source import Description
from pacbayes.tables._unpack import BROKEN
from pacbayes.tables.formats import COMPRESSIONS, FORMATS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_table"]

_SPREADSHEETS = {".xlsx", ".xls", ".ods"}


def read_table(
    path: str | Path, *, delimiter: str | None = None, header: bool = True, missing_values: Sequence[str] = ()
) -> pd.DataFrame:
    r"""Read a table from a CSV, Parquet or Arrow file, which may be compressed.

    Parameters
    ----------
    path : path
        Its name ends in one of :data:`pacbayes.tables.FORMATS`, then possibly in one of
        :data:`pacbayes.tables.COMPRESSIONS`.
    delimiter : str, optional
        Of text files; by default the one of comma, semicolon, tab and bar that the first line has most of.
    header : bool, default=True
        Whether the first line of a text file names the columns; otherwise they are c1, c2, ...
    missing_values : sequence of str
        Texts that stand for a missing value, besides the empty text, NA, NaN, null and their like.

    Returns
    -------
    pandas.DataFrame

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
    place = Path(path)
    _check_place(place)
    suffix, packing = _split_name(place)
    try:
        source = io.BytesIO(COMPRESSIONS[packing](place)) if packing else place
        frame = FORMATS[suffix](source, Description(suffix, delimiter, header, missing_values))
    except BROKEN as error:
        raise TableError(f"{place.name} cannot be unpacked: {one_line(error)}.") from None
    except TableError as error:
        raise TableError(f"{place.name}: {error}") from None
    if frame.shape[0] == 0:
        raise TableError(f"{place.name} has column names but no rows.")
    return frame


def _check_place(place: Path) -> None:
    if place.is_dir():
        raise TableError(f"The data must be a file. {str(place)!r} is a folder.")
    if not place.exists():
        raise TableError(f"There is no file {str(place)!r}.")
    with place.open("rb") as file:
        if not file.read(1):
            raise TableError(f"{place.name} is empty.")


def _split_name(place: Path) -> tuple[str, str]:
    """Return the ending that tells the format, and the one that tells the compression or nothing."""
    packing = place.suffix.lower() if place.suffix.lower() in COMPRESSIONS else ""
    suffix = (Path(place.stem) if packing else place).suffix.lower()
    if suffix not in FORMATS:
        hint = " Save a spreadsheet as CSV first." if suffix in _SPREADSHEETS else ""
        raise TableError(
            f"The name of a table must end in one of {', '.join(sorted(FORMATS))}, then in one of "
            f"{', '.join(COMPRESSIONS)} if it is packed (table.csv.zip). Got {place.name!r} instead.{hint}"
        )
    return suffix, packing
