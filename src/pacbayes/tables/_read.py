"""One file, one data frame: the format from the name, compression taken off, every failure one sentence."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TableError", "read_table"]

_TEXT = {".csv", ".tsv", ".txt", ".data"}
_COLUMNAR = {".parquet", ".pq", ".arrow", ".feather", ".ipc"}
_PACKED = {".gz", ".bz2", ".xz", ".zst", ".zip"}
_DELIMITERS = ",;\t|"
_PEEK = 1 << 16


class TableError(ValueError):
    """A file that is not a table that can be used; the message says what was expected and what came."""


def read_table(
    path: str | Path, *, delimiter: str | None = None, header: bool = True, missing_values: Sequence[str] = ()
) -> pd.DataFrame:
    r"""Read a table from a CSV, Parquet or Arrow file, which may be compressed.

    Parameters
    ----------
    path : path
        Ends in .csv, .tsv, .txt, .data, .parquet, .pq, .arrow, .feather or .ipc, then possibly in .gz, .bz2, .xz,
        .zst or .zip.
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
    packing = place.suffix.lower() if place.suffix.lower() in _PACKED else ""
    kind = (Path(place.stem) if packing else place).suffix.lower()
    if kind not in _TEXT | _COLUMNAR:
        known = ", ".join(sorted(_TEXT | _COLUMNAR))
        hint = " Save a spreadsheet as CSV first." if kind in {".xlsx", ".xls", ".ods"} else ""
        raise TableError(
            f"The name of a table must end in one of {known}, then .gz, .zip and the like if it is packed "
            f"(table.csv.zip). Got {place.name!r} instead.{hint}"
        )
    try:
        source = _unpacked(place, packing) if packing else place
        frame = _columnar(source, kind) if kind in _COLUMNAR else _text(source, delimiter, header, missing_values)
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, gzip.BadGzipFile) as error:
        raise TableError(f"{place.name} cannot be unpacked: {_line(error)}.") from None
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


def _unpacked(place: Path, packing: str) -> io.BytesIO:
    if packing == ".zip":
        with zipfile.ZipFile(place) as archive:
            names = archive.namelist()
            if len(names) != 1:
                raise TableError(f"A zip file must hold one table. It holds {len(names)} files.")
            return io.BytesIO(archive.read(names[0]))
    if packing == ".zst":
        import pyarrow as pa  # noqa: PLC0415

        try:
            with pa.input_stream(str(place), compression="zstd") as stream:
                return io.BytesIO(stream.read())
        except OSError as error:
            raise EOFError(_line(error)) from None
    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    with openers[packing](place) as file:
        return io.BytesIO(file.read())


def _columnar(source: Any, kind: str) -> pd.DataFrame:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import feather, parquet  # noqa: PLC0415

    try:
        if kind in {".parquet", ".pq"}:
            file = parquet.ParquetFile(source)
            _refuse_duplicates(file.schema_arrow.names)
            table = file.read()
        else:
            table = feather.read_table(source)
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, PermissionError):
            raise
        raise TableError(f"it is not a whole {kind[1:]} file ({_line(error)}).") from None
    _refuse_duplicates(table.column_names)
    # each column of Arrow is given up as soon as it is copied, so that the table is in memory once
    return table.to_pandas(self_destruct=True, split_blocks=True)


def _text(source: Any, delimiter: str | None, header: bool, missing_values: Sequence[str]) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415

    first = _first_line(source)
    separator = delimiter or max(_DELIMITERS, key=first.count)
    names = next(csv.reader([first], delimiter=separator, skipinitialspace=True), [])
    if header:
        _refuse_duplicates([name.strip() for name in names])
    try:
        frame = pd.read_csv(
            source,
            sep=separator,
            header=0 if header else None,
            names=None if header else [f"c{i + 1}" for i in range(len(names))],
            na_values=list(missing_values),
            index_col=False,
            skipinitialspace=True,
            low_memory=False,
            **_exact_numbers(pd),
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError, csv.Error) as error:
        raise TableError(f"it is not a table of text separated by {separator!r} ({_line(error)}).") from None
    except pd.errors.ParserWarning:
        raise TableError(f"its rows have more fields than its first line, separated by {separator!r}.") from None
    frame.columns = [str(name).strip() for name in frame.columns]
    return frame


def _exact_numbers(pd: Any) -> dict[str, Any]:
    """Return what makes text and binary files give the same doubles; pandas 3 does so by itself."""
    return {"float_precision": "round_trip"} if int(pd.__version__.partition(".")[0]) < 3 else {}


def _first_line(source: Any) -> str:
    """Return the first line of text, and leave the source at its start; refuse what is not text."""
    if isinstance(source, Path):
        with source.open("rb") as file:
            start = file.read(_PEEK)
    else:
        start = source.read(_PEEK)
        source.seek(0)
    if b"\0" in start:
        raise TableError("it is not text: it holds zero bytes.")
    try:
        text = start.decode("utf-8-sig", errors="strict" if len(start) < _PEEK else "ignore")
    except UnicodeDecodeError as error:
        raise TableError(f"it is not text in UTF-8; save it as UTF-8 first ({_line(error)}).") from None
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise TableError("it has no text in it.")
    return lines[0]


def _refuse_duplicates(names: Sequence[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(f"column names must differ. {twice[0]!r} occurs more than once.")


def _line(error: BaseException) -> str:
    """Return an error's message on one line, without its last full stop."""
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
