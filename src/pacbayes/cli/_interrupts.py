"""Interrupts that wait until a step is done, so that what belongs together changes together."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType, TracebackType
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
        self._before: list[object] = []

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # signals are handled nowhere else
            self._before = [signal.signal(number, self._handle) for number in _SIGNALS]
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in zip(_SIGNALS, self._before, strict=False):
            signal.signal(number, handler)  # type: ignore[arg-type]

    def step(self) -> _Step:
        """Mark a step that is done as a whole."""
        return _Step(self)

    def _handle(self, number: int, _: FrameType | None) -> None:
        if not self._busy:
            raise KeyboardInterrupt
        if self._wanted:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        self._wanted = True

    def _leave(self) -> None:
        self._busy = False
        if self._wanted:
            self._wanted = False
            raise KeyboardInterrupt


class _Step:
    def __init__(self, interrupts: Interrupts) -> None:
        self._interrupts = interrupts

    def __enter__(self) -> None:
        self._interrupts._busy = True

    def __exit__(self, kind: type[BaseException] | None, _: object, __: TracebackType | None) -> None:
        if kind is None:
            self._interrupts._leave()
        self._interrupts._busy = False
