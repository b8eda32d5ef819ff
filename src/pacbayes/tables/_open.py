"""A table that fits into memory is read; a larger one is opened, and stays in its files."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pacbayes.tables._batches import Batches
from pacbayes.tables._error import SizeError
from pacbayes.tables._files import COLUMNAR
from pacbayes.tables._limits import to_bytes
from pacbayes.tables._prepare import Table, prepare_table
from pacbayes.tables._read import describe_file, read_table
from pacbayes.tables._read_text import name_text_columns, read_text
from pacbayes.tables._scan import scan_table
from pacbayes.tables._text_batches import convert_text
from pacbayes.tables.formats import FORMATS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AT_ONCE", "IN_MEMORY", "list_columns", "open_table"]

AT_ONCE = 1 << 24  # bytes of files up to which a table is read at once; the reader then has all of it, too
IN_MEMORY = 1 << 28  # bytes of a file, or of its cells, from which on a table stays in its files


def open_table(
    path: str | Path,
    target: str,
    *,
    drop: Sequence[str] = (),
    positive: str | None = None,
    missing: str = "refuse",
    groups: Sequence[str] = (),
    max_memory: int | str | None = None,
    in_memory: int | None = None,
    **reading: Any,
) -> Table:
    """Return the table of a file, of the files in a folder, or of those that a pattern finds, of any length.

    Up to 256 MiB, rows are in memory, as :func:`read_table` and :func:`prepare_table` have them. Those of larger
    tables in Parquet, Arrow or text stay in their files and are read in batches; everything else about the table is
    the same. A file of text is written into a temporary one of Arrow for that.

    Parameters
    ----------
    path : path
        A file, a folder of Parquet or Arrow files, or a pattern such as ``"parts/*.parquet"``. Several files are one
        table, in the order of their names, with numbers in them by their value.
    target, drop, positive, missing, groups
        As for :func:`prepare_table`.
    max_memory : int or str, optional
        As for :func:`read_table`; of a table in files it limits a batch, the rows in memory, and 64 bytes per row.
    in_memory : int, optional
        Bytes up to which rows are in memory, if not 256 MiB; what is never in files is so whatever its size.
    **reading
        As for :func:`read_table`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> from pacbayes.tables import open_table
    >>> frame = pd.DataFrame({"age": range(40), "ill": ["no", "yes"] * 20})
    >>> with TemporaryDirectory() as folder:
    ...     for part in range(4):
    ...         frame[10 * part : 10 * part + 10].to_parquet(Path(folder) / f"part-{part}.parquet")
    ...     table = open_table(folder, "ill")
    >>> len(table.y), table.counts
    (40, (20, 20))
    """
    options: dict[str, Any] = {"drop": drop, "positive": positive, "missing": missing, "groups": groups}
    most = IN_MEMORY if in_memory is None else in_memory
    found = _read_or_open(Path(path), max_memory, most, reading)
    if isinstance(found, Batches):
        may = sum(file.stat().st_size for file in found.files) <= most  # else they would be given up on the way
        return scan_table(found, target, **options, most=min(to_bytes(max_memory), most) if may else 0)
    return prepare_table(found, target, **options)


def list_columns(path: str | Path, *, max_memory: int | str | None = None, **reading: Any) -> list[str]:
    r"""Return the names of the columns, of text, Parquet and Arrow without reading all rows.

    Parameters
    ----------
    path, max_memory, **reading
        As for :func:`read_table`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from pacbayes.tables import list_columns
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "small.csv"
    ...     _ = file.write_text("age;job\n31;cook\n")
    ...     list_columns(file)
    ['age', 'job']
    """
    place, limit = Path(path), to_bytes(max_memory)
    files, description, packing = describe_file(place, limit, **reading)
    kind = COLUMNAR.get(description.suffix)
    if packing or (kind is None and FORMATS[description.suffix] is not read_text):
        return [str(name) for name in read_table(place, max_memory=limit, **reading).columns]
    if kind is None:
        return name_text_columns(place, description)
    with closing(Batches(kind, files, description, place.name).frames()) as frames:
        return [str(name) for name in next(frames).columns]


def _read_or_open(
    place: Path, max_memory: int | str | None, most: int, reading: dict[str, Any]
) -> pd.DataFrame | Batches:
    limit = to_bytes(max_memory)
    files, description, packing = describe_file(place, limit, **reading)
    kind = COLUMNAR.get(description.suffix)
    if packing or (kind is None and FORMATS[description.suffix] is not read_text):
        return read_table(place, max_memory=limit, **reading)
    size = sum(file.stat().st_size for file in files)
    if kind is None:
        return convert_text(place, description) if size > most else read_table(place, max_memory=limit, **reading)
    opened = Batches(kind, files, description, place.name)
    if size > min(AT_ONCE, most):
        return opened
    try:
        return read_table(place, max_memory=min(limit, most), **reading)
    except SizeError:
        return opened
