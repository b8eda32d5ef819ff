"""What the operating system can do and Python does not name: exchanging two folders, and where disks are mounted."""

from __future__ import annotations

import ctypes
import errno
import os
import re
import sys
from pathlib import Path

__all__ = ["exchange", "is_mount_point"]

_AT_CWD = -100
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
# the last where a sandbox forbids what it does not know; where it means the folder, renaming fails in the same way
_UNKNOWN = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM)


def exchange(one: Path, other: Path) -> bool:
    """Exchange two folders of one file system in one step; false where that cannot be done."""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        names = os.fsencode(one), os.fsencode(other)
        if sys.platform == "darwin":
            failed = library.renamex_np(*names, _EXCHANGE)
        else:
            failed = library.renameat2(_AT_CWD, names[0], _AT_CWD, names[1], _EXCHANGE)
    except (AttributeError, TypeError, OSError):  # a system or a C library without it
        return False
    number = ctypes.get_errno()
    if failed and number not in _UNKNOWN:
        raise OSError(number, os.strerror(number), str(one), None, str(other))
    return not failed


def is_mount_point(folder: Path) -> bool:
    """Whether another disk or folder is mounted there, so that it cannot be renamed."""
    if os.path.ismount(folder):
        return True
    try:
        lines = Path("/proc/self/mountinfo").read_bytes().splitlines()  # which knows also folders of the same disk
    except OSError:
        return False
    wanted = os.fsencode(folder)
    # a blank in a name is written as \040 there
    return any(re.sub(rb"\\([0-7]{3})", _character, line.split(b" ")[4]) == wanted for line in lines)


def _character(octal: re.Match[bytes]) -> bytes:
    return bytes([int(octal[1], 8)])
