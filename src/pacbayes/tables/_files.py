"""Which files a name stands for: one, those of a folder, or those that a pattern finds."""

from __future__ import annotations

import re
from pathlib import Path

from pacbayes.tables._error import TableError

__all__ = ["COLUMNAR", "find_files"]

# formats of which several files can be one table, since each tells the types of its columns
COLUMNAR = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
_PATTERN = re.compile(r"[*?\[]")
_DIGITS = re.compile(r"(\d+)")


def find_files(place: Path) -> tuple[Path, ...] | None:
    """Return the files of a folder or a pattern in their order, or None where the name is that of a single file.

    The order is that of the names, with numbers in them by their value ("part-2" before "part-10"): it does not depend
    on when files were written or how a system lists them, so that the same files are the same table everywhere. Files
    whose names begin with a dot or an underscore, and those that are no tables of columns, are left out.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from pacbayes.tables._files import find_files
    >>> with TemporaryDirectory() as folder:
    ...     for name in ("part-10.parquet", "part-2.parquet", "_SUCCESS", "notes.txt"):
    ...         _ = (Path(folder) / name).write_bytes(b"")
    ...     [path.name for path in find_files(Path(folder))]
    ['part-2.parquet', 'part-10.parquet']
    """
    if place.is_dir():
        found, what = list(place.iterdir()), f"The folder {str(place)!r}"
    elif _PATTERN.search(place.name) and not place.exists():
        found, what = list(place.parent.glob(place.name)), f"The pattern {str(place)!r}"
    else:
        return None
    files = [each for each in found if each.suffix.lower() in COLUMNAR and each.name[0] not in "._" and each.is_file()]
    if not files:
        hint = " Folders inside it are not looked into." if any(each.is_dir() for each in found) else ""
        raise TableError(
            f"{what} must hold files of one table, in Parquet ({_list('parquet')}) or Arrow ({_list('arrow')}). "
            f"There is none.{hint}"
        )
    if len({COLUMNAR[each.suffix.lower()] for each in files}) > 1:
        raise TableError(f"{what} must hold files of one format. Got Parquet and Arrow.")
    return tuple(sorted(files, key=_by_name))


def _by_name(path: Path) -> tuple[list[tuple[int, int, str]], str]:
    parts = [part for part in _DIGITS.split(path.name) if part]
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts], path.name


def _list(kind: str) -> str:
    return ", ".join(ending for ending, each in COLUMNAR.items() if each == kind)
