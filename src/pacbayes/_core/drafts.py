"""Drafts: what is written beside the place it will take, under a name that nobody can guess, locked by its writer.

A draft whose lock is free was left by a process that was killed; the next writer of the same file or folder removes it.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows, where leftovers stay
    fcntl = None  # type: ignore[assignment]

__all__ = ["LOCKS", "claim", "find_leftovers", "is_draft", "make_file", "make_folder", "open_folder", "sync_folder"]

LOCKS = fcntl is not None
_LONGEST = 200  # bytes of a name that a draft repeats, so that its own name is not too long where the other is not
_TRIES = 10
_OLD = 86_400.0  # seconds after which a draft counts as left, on a file system without locks
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | _SAFE
_LOOK = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _SAFE


def make_file(path: Path) -> tuple[Path, int]:
    """Make a new empty draft of a file; return its path and its descriptor, which holds the lock until it is closed."""
    for _ in range(_TRIES):
        draft = _choose_name(path)
        number = os.open(draft, _NEW, 0o666)
        if _hold(number, draft):
            return draft, number
        os.close(number)
        draft.unlink(missing_ok=True)
    raise FileExistsError(f"No draft of {path.name!r} could be made.")


def make_folder(path: Path) -> tuple[Path, int]:
    """Make a new empty draft of a folder; its descriptor is -1 where folders cannot be opened."""
    for _ in range(_TRIES):
        draft = _choose_name(path)
        draft.mkdir()
        number = open_folder(draft)
        if number < 0 and draft.is_dir():
            return draft, number
        if number >= 0 and _hold(number, draft):
            return draft, number
        if number >= 0:  # taken for a leftover before it was locked
            os.close(number)
        with suppress(OSError):
            draft.rmdir()
    raise FileExistsError(f"No draft of {path.name!r} could be made.")


def open_folder(folder: Path) -> int:
    """Return a descriptor of a folder that is not a link, or -1 where there is none to be had."""
    try:
        return os.open(folder, _LOOK | getattr(os, "O_DIRECTORY", 0))
    except OSError:
        return -1


def _choose_name(path: Path) -> Path:
    return path.with_name(f".{_stem(path)}.{secrets.token_hex(8)}.draft")


def _stem(path: Path) -> str:
    stem = path.name
    while len(os.fsencode(stem)) > _LONGEST:
        stem = stem[:-1]
    return stem


def _hold(number: int, path: Path) -> bool:
    """Lock a new draft; false if somebody took it for a leftover in the moment before."""
    if LOCKS:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)  # not waiting: another user could hold it for ever
        except BlockingIOError:
            return False
        except OSError:
            return True  # a file system without locks: it is left alone because it is young
    return _is_there(number, path)


def _is_there(number: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(number), path.lstat())
    except FileNotFoundError:
        return False


def is_draft(name: str) -> bool:
    """Whether a name is one as drafts have."""
    return re.fullmatch(r"\..+\.[0-9a-f]{16}\.(draft|old)", name, re.ASCII | re.DOTALL) is not None


def find_leftovers(path: Path, ending: str = "draft") -> list[Path]:
    """Return what lies beside a path under a name as drafts of it have."""
    name = re.compile(rf"\.{re.escape(_stem(path))}\.[0-9a-f]{{16}}\.{ending}", re.ASCII)
    try:
        with os.scandir(path.parent) as entries:
            return sorted(path.with_name(each.name) for each in entries if name.fullmatch(each.name))
    except OSError:
        return []


@contextmanager
def claim(path: Path) -> Iterator[int | None]:
    """Hold a leftover meanwhile: its descriptor, or None if it is of another user or its writer is alive."""
    try:
        number = os.open(path, _LOOK)
    except OSError:
        yield None
        return
    try:
        yield number if _is_ours(os.fstat(number)) and _is_free(number) and _is_there(number, path) else None
    finally:
        os.close(number)


def _is_ours(found: os.stat_result) -> bool:
    own = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
    return own and (stat.S_ISDIR(found.st_mode) or (stat.S_ISREG(found.st_mode) and found.st_nlink == 1))


def _is_free(number: int) -> bool:
    if LOCKS:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return time.time() - os.fstat(number).st_mtime > _OLD
    return True


def sync_folder(folder: Path) -> None:
    """Wait until what happened to the names in a folder is on disk, where the system can say so."""
    number = open_folder(folder)
    if number < 0:
        return
    try:
        os.fsync(number)
    except OSError:
        pass  # some file systems refuse it for folders, and what was written is in place already
    finally:
        os.close(number)
