"""The one atomic writer: a reader finds the old file or the new one, never a part."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from pacbayes._core.drafts import LOCKS, claim, find_leftovers, make_file, sync_folder

__all__ = ["read_bounded", "write_atomically"]

_MOST_TEXT = 64 << 20  # bytes of a text that is read whole


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a neighbouring draft and put it in place in one step, with the permissions of any new file.

    Where there is a file already, others may do no more with the new one than with it. A link is replaced, not
    followed. A pipe or a device cannot be replaced, and is written to. An error names ``path``, which the caller knows,
    not the draft.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if _is_stream(path):
            _write_to_stream(path, data)
            return
        if not path.name:
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        _remove_leftovers(path)
        _replace(path, data)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def read_bounded(path: Path) -> bytes:
    """Return the bytes of a file that has an end, which is not far."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{str(path)!r} is a pipe or a device; write what comes from it into a file first.")
    with path.open("rb") as file:
        # it may grow meanwhile, and another may be at its place by now
        content = file.read(min(os.fstat(file.fileno()).st_size, _MOST_TEXT) + 1)
    if len(content) > _MOST_TEXT:
        raise ValueError(f"{path.name!r} has more than {_MOST_TEXT >> 20} MiB, which nothing that is written here has.")
    return content


def _is_stream(path: Path) -> bool:
    """Whether a path leads to a pipe or a device."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _write_to_stream(path: Path, data: bytes) -> None:
    with path.open("r+b" if os.name == "nt" else "ab", buffering=0) as file:  # which truncates nothing
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) or 0 :]


def _remove_leftovers(path: Path) -> None:
    for draft in find_leftovers(path):
        with claim(draft) as number:
            if number is not None and not stat.S_ISDIR(os.fstat(number).st_mode):
                with suppress(OSError):
                    draft.unlink()


def _replace(path: Path, data: bytes) -> None:
    draft, number = make_file(path)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            _keep_private(file.fileno(), path)
            os.fsync(file.fileno())
            if LOCKS:  # still held here, so that nobody takes the draft for a leftover
                draft.replace(path)
        if not LOCKS:  # where an open file cannot be renamed
            draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def _keep_private(number: int, path: Path) -> None:
    """Give others no permission for a new file that they do not have for the one it replaces."""
    try:
        before = path.lstat().st_mode
    except OSError:
        return
    mode = stat.S_IMODE(os.fstat(number).st_mode)
    kept = mode & (stat.S_IMODE(before) | stat.S_IRWXU)
    if stat.S_ISREG(before) and kept != mode and hasattr(os, "fchmod"):
        os.fchmod(number, kept)
