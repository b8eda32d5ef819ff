"""Whole folders in one step: a reader finds the old folder or the new one, never a mixture, and a user's files stay."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pacbayes._core.drafts import claim, find_leftovers, make_folder, open_folder, sync_folder
from pacbayes._core.system import exchange

__all__ = ["check_writable", "draft_folder", "look_into", "probe_folder", "put_in_place", "recover_folder"]

_TRIES = 5
_PROBE_NAME = "pacbayes-probe"
_PROBE = 1 << 20  # bytes that must be free before the work begins


@contextmanager
def draft_folder(folder: Path) -> Iterator[Path]:
    """Yield a new empty folder beside the place of another, locked meanwhile; what is left of it is removed.

    Parents that are lacking are made, and removed again if the folder does not come into being.
    """
    made: list[Path] = []
    number = -1
    try:
        draft, number = _make_draft(folder, made)
        mark = draft.lstat()
        try:
            yield draft
        finally:
            _remove_draft(draft, mark)
    finally:
        if number >= 0:
            os.close(number)
        if not os.path.lexists(folder):
            _remove_empty(made)


def _remove_draft(draft: Path, mark: os.stat_result) -> None:
    """Remove a draft, unless the old folder has its name after an exchange, perhaps with a user's files in it."""
    with suppress(OSError):
        if os.path.samestat(mark, draft.lstat()):
            if ~mark.st_mode & stat.S_IRWXU:  # which the umask took away
                draft.chmod(stat.S_IRWXU)
            shutil.rmtree(draft, ignore_errors=True)


def _make_draft(folder: Path, made: list[Path]) -> tuple[Path, int]:
    for left in reversed(range(_TRIES)):
        try:
            for parent in reversed([each for each in folder.parents if not each.exists()]):
                parent.mkdir()
                made.append(parent)
            return make_folder(folder)
        except (FileNotFoundError, FileExistsError):  # another process has just removed or made a parent
            if not left:
                raise
    raise AssertionError


def _remove_empty(made: list[Path]) -> None:
    for parent in reversed(made):
        with suppress(OSError):
            parent.rmdir()


def probe_folder(folder: Path, ours: Collection[str]) -> None:
    """Do what writing a folder will do, as far as it can fail before the work, and undo it."""
    with draft_folder(folder) as draft:
        with suppress(FileNotFoundError):
            folder.lstat()  # which says whether the name is too long
        # by a name that recover_folder knows, and the longest
        with (draft / max(ours, key=len)).open("xb") as file:
            file.write(bytes(_PROBE))
            file.flush()
            os.fsync(file.fileno())


def look_into(place: Path, is_ours: Callable[[Path], bool]) -> tuple[dict[str, bool], set[str]]:
    """Return the names in a folder, each with whether it is a plain file, and those of plain files that are ours.

    Another writer who replaces the folder meanwhile removes its files one by one, and a part of them is not what is
    there: a folder that was replaced is looked into again.
    """
    while True:
        before = place.stat()
        with os.scandir(place) as found:
            entries = {each.name: each.is_file(follow_symlinks=False) for each in found}
        gone: FileNotFoundError | None = None
        try:
            ours = {name for name, is_plain in entries.items() if is_plain and is_ours(place / name)}
        except FileNotFoundError as error:
            gone = error
        if os.path.samestat(before, place.stat()):
            if gone is not None:
                raise gone
            return entries, ours


def check_writable(folder: Path) -> None:
    """Refuse, before the work, a folder in which no file could be written; it need not be there yet."""
    place = Path(os.path.realpath(folder))
    inside = place / _PROBE_NAME
    try:
        for each in (place, inside):
            recover_folder(each, {_PROBE_NAME})
        probe_folder(inside if place.exists() else place, {_PROBE_NAME})
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from error


def put_in_place(draft: Path, folder: Path, ours: Collection[str], *, replace: bool) -> None:
    """Give a complete draft its name; one that has files is exchanged for it if that is wanted.

    Of the folder that was there, the files named in ``ours`` are removed, and any others carried over.
    """
    _finish(draft, folder)
    if not (replace and os.path.lexists(folder)) and _rename(draft, folder, replace=replace):
        sync_folder(folder.parent)
        return
    before = draft if exchange(draft, folder) else _rename_both(draft, folder)
    sync_folder(folder.parent)
    number = open_folder(before)
    try:
        _dissolve(before, folder, ours, number)
    finally:
        if number >= 0:
            os.close(number)


def _finish(draft: Path, folder: Path) -> None:
    """Bring every file to the disk, and give others no permission that they do not have for the folder replaced."""
    for path in draft.iterdir():
        with path.open("r+b" if os.name == "nt" else "rb") as file:
            os.fsync(file.fileno())
    sync_folder(draft)
    if folder.is_dir():
        mode = stat.S_IMODE(draft.stat().st_mode)
        kept = mode & (stat.S_IMODE(folder.stat().st_mode) | stat.S_IRWXU)
        if kept != mode:
            draft.chmod(kept)


def _rename(draft: Path, folder: Path, *, replace: bool) -> bool:
    """Rename a draft; false if a folder with files has come into its place and may be replaced."""
    if os.name == "nt":  # where even an empty folder is not replaced
        with suppress(OSError):
            folder.rmdir()
    try:
        draft.rename(folder)
    except OSError as error:
        if not replace or error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        return False
    return True


def _rename_both(draft: Path, folder: Path) -> Path:
    """Move the old folder aside and the new one in; a kill between the two is for :func:`recover_folder`."""
    aside = draft.with_suffix(".old")
    with claim(folder):  # so that nobody takes it for a leftover meanwhile
        folder.rename(aside)
        try:
            draft.rename(folder)
        except BaseException:
            with suppress(OSError):
                aside.rename(folder)
            raise
    return aside


def recover_folder(folder: Path, ours: Collection[str]) -> None:
    """Mend what a killed process left of a folder: one that was moved aside comes back, drafts are removed."""
    for aside in find_leftovers(folder, "old"):
        with claim(aside) as number:
            if number is not None and not os.path.lexists(folder):
                with suppress(OSError):
                    aside.rename(folder)
            elif number is not None:
                _dissolve(aside, folder, ours, number)
    for draft in find_leftovers(folder):
        with claim(draft) as number:
            if number is not None:
                _dissolve(draft, folder, ours, number)


def _dissolve(old: Path, folder: Path, ours: Collection[str], number: int) -> None:
    """Remove the files of ours from a folder that was replaced, and carry any others over to the new one."""
    # by descriptor where that can be had: a path that is exchanged for a link meanwhile would lead elsewhere
    by_number = number >= 0 and os.unlink in os.supports_dir_fd
    for name in ours:
        with suppress(OSError):
            os.unlink(name, dir_fd=number) if by_number else (old / name).unlink()
    with suppress(OSError):
        for left in sorted(old.iterdir()):
            if folder.is_dir() and not os.path.lexists(folder / left.name):
                left.rename(folder / left.name)
    with suppress(OSError):
        old.rmdir()
