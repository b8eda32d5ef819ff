"""Worker processes that end with the process that gave them work, however that ended."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import select
import threading
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["WorkerCall"]

P = ParamSpec("P")
R = TypeVar("R")

_PAUSE = 0.2  # seconds between two looks, where the system does not tell
_MILLISECONDS = 1000
_FAILED = 1
_LOCK = threading.Lock()
_WATCHED: set[int] = set()


class WorkerCall:
    """Calls a function, in this process or in a worker; a worker then ends when this process does.

    Killed workers would go on computing and writing beside the run that was started in place of this one.
    """

    def __init__(self) -> None:
        self._sender = os.getpid()

    def __call__(self, function: Callable[P, R], *arguments: P.args, **options: P.kwargs) -> R:
        """Call the function."""
        parent = multiprocessing.parent_process()
        # only a child of the sender: processes of a cluster, and those of a user, live and end as their owner wants
        if parent is not None and parent.pid == self._sender != os.getpid():
            _end_with(self._sender, parent.sentinel)
        return function(*arguments, **options)


def _end_with(parent: int, sentinel: int | None) -> None:
    """Watch the parent from a thread, once per process."""
    with _LOCK:
        if parent in _WATCHED:
            return
        _WATCHED.add(parent)
    direct = os.name != "nt" and os.getppid() == parent
    if not direct and sentinel is None:
        if os.name != "nt":  # gone before this began; on Windows a worker ends after its task
            os._exit(_FAILED)
        return
    watch, argument = (_watch_parent, parent) if direct else (_watch_sentinel, sentinel)
    threading.Thread(target=watch, args=(argument,), daemon=True, name="pacbayes-parent").start()


def _watch_parent(parent: int) -> None:
    try:
        waiting = select.poll()
        waiting.register(os.pidfd_open(parent), select.POLLIN)
    except (AttributeError, OSError):  # not on Linux
        waiting = None
    while os.getppid() == parent:
        time.sleep(_PAUSE) if waiting is None else waiting.poll(_MILLISECONDS)
    os._exit(_FAILED)


def _watch_sentinel(sentinel: int) -> None:
    """Wait for the parent where another process started this one on its behalf."""
    multiprocessing.connection.wait([sentinel])
    os._exit(_FAILED)
