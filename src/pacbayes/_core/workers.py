"""Worker processes that end with the process that gave them work, however that ended."""

from __future__ import annotations

import multiprocessing
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
            _end_with(self._sender)
        return function(*arguments, **options)


def _end_with(parent: int) -> None:
    """Watch the parent from a thread, once per process."""
    with _LOCK:
        if parent in _WATCHED:
            return
        _WATCHED.add(parent)
    if os.name == "nt":  # where a child does not see it, and the worker ends after its task
        return
    threading.Thread(target=_watch, args=(parent, _open(parent)), daemon=True, name="pacbayes-parent").start()
    if os.getppid() != parent:  # gone before this began
        os._exit(_FAILED)


def _open(parent: int) -> int:
    """Return a descriptor that can be waited for, or -1."""
    try:
        return os.pidfd_open(parent)
    except (AttributeError, OSError):
        return -1


def _watch(parent: int, number: int) -> None:
    if number >= 0 and hasattr(select, "poll"):
        waiting = select.poll()
        waiting.register(number, select.POLLIN)
        while os.getppid() == parent:
            waiting.poll(1000)
    while os.getppid() == parent:
        time.sleep(_PAUSE)
    os._exit(_FAILED)
