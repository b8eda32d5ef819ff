"""Interrupts that wait until a step is done, so that what belongs together changes together."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Self

__all__ = ["Interrupts"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Turns SIGINT and SIGTERM into KeyboardInterrupt: at once, or after the step that is under way.

    ``with interrupts.step():`` marks a step. A second signal during the same step ends the process as it would by
    itself.
    """

    def __init__(self) -> None:
        self._busy = self._wanted = False
        self._before: dict[int, object] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # signals are handled nowhere else
            heeded = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]  # as under nohup
            self._before = {number: signal.signal(number, self._handle) for number in heeded}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    @contextmanager
    def step(self) -> Iterator[None]:
        """Mark a step that is done as a whole."""
        self._busy = True
        try:
            yield
        finally:
            self._busy = False
        if self._wanted:
            self._wanted = False
            raise KeyboardInterrupt

    def _handle(self, number: int, _: FrameType | None) -> None:
        if not self._busy:
            raise KeyboardInterrupt
        if self._wanted:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        self._wanted = True
