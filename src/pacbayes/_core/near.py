"""Names that are close to one that there is not: a misspelt name is answered with the one that was meant."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

__all__ = ["RUN_FOLDERS", "absent_words", "did_you_mean", "near_file", "require_files"]

RUN_FOLDERS = ("-certificate", "-comparison")  # how the folders end that commands write beside a table by default
_MOST = 1_000  # names of a folder that are compared, which takes up to a third of a second if they are long and alike
_PATTERN = "*?["


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a sentence that suggests the closest of some names, with a blank before it; empty if none is close.

    Of a mapping, what belongs to the closest name is suggested.

    Examples
    --------
    >>> from pacbayes._core.near import did_you_mean
    >>> did_you_mean("logistics", ["logistic", "svc"]), did_you_mean("svm", {"svc": "sklearn.svm.SVC"})
    (" Did you mean 'logistic'?", " Did you mean 'sklearn.svm.SVC'?")
    """
    near = _closest(name, names)
    return _ask(names[near] if near is not None and isinstance(names, Mapping) else near)


def _closest(name: str, names: Iterable[str]) -> str | None:
    from difflib import get_close_matches  # noqa: PLC0415

    folded = {each.lower(): each for each in names}
    near = get_close_matches(name.lower(), list(folded), n=1)
    return folded[near[0]] if near else None


def _ask(name: object) -> str:
    return f" Did you mean {str(name)!r}?" if name is not None else ""


def near_file(path: Path, endings: Collection[str] = ()) -> str:
    """Return a sentence that suggests a file or folder beside one that there is not, as :func:`did_you_mean` does.

    Parameters
    ----------
    path : Path
        What was looked for.
    endings : collection of str
        The name itself with one of these at its end is suggested first, such as the folder that a run of it has.
    """
    if not path.name:
        return ""
    for own in (path.with_name(f"{path.name.partition('.')[0]}{ending}") for ending in endings):
        if own.exists():
            return _ask(own)
    names: list[str] = []
    with suppress(OSError, ValueError), os.scandir(path.parent) as found:
        names = [each.name for each in islice(found, _MOST) if each.name[0] != "." or path.name[0] == "."]
    near = _closest(path.name, sorted(set(names) - {path.name}))  # a link that leads nowhere has that name
    return _ask(near and path.with_name(near))


def absent_words(path: Path, endings: Collection[str] = ()) -> str:
    """Return that there is no such file, or not even its folder, and which file may have been meant.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pacbayes._core.near import absent_words
    >>> absent_words(Path("a.csv"))
    "There is no file 'a.csv'."
    """
    if not path.parent.exists():
        return f"There is no folder {str(path.parent)!r}."
    return f"There is no file {str(path)!r}.{near_file(path, endings)}"


def require_files(*paths: Path | None, endings: Collection[str] = ()) -> None:
    """Refuse files and folders that are not there, before anything that their absence would come to; None is none.

    A pattern of several files is left to whoever reads them.
    """
    for path in paths:
        if path is not None and not path.exists() and not any(mark in path.name for mark in _PATTERN):
            raise ValueError(absent_words(path, endings))
