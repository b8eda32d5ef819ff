"""The one atomic writer: a reader finds the old file or the new one, never a part."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["write_atomically"]


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a neighbouring draft and put it in place in one step, with the permissions of any new file.

    An error names ``path``, which the caller knows, not the draft.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        _replace(path, draft, data)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def _replace(path: Path, draft: Path, data: bytes) -> None:
    file = draft.open("xb")  # outside: a draft that another thread is writing is not ours to remove
    try:
        with file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
