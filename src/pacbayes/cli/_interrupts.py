"""Interrupts that wait until a step is done, so that what belongs together changes together."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType
from typing import Self

__all__ = ["Interrupts"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Step:
    """A step of some interrupts; one object for all steps, since there is one for every line of a stream."""

    def __init__(self, owner: Interrupts) -> None:
        self._owner = owner

    def __enter__(self) -> None:
        self._owner.begin()

    def __exit__(self, kind: object, *_: object) -> None:
        self._owner.end(failed=kind is not None)


class Interrupts:
    """Turns SIGINT and SIGTERM into KeyboardInterrupt: at once, or after the step that is under way.

    ``with interrupts.step():`` marks a step. A second signal during the same step ends the process as it would by
    itself.
    """

    def __init__(self) -> None:
        self._busy = self._wanted = False
        self._step = _Step(self)
        self._before: dict[int, object] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # signals are handled nowhere else
            heeded = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]  # as under nohup
            self._before = {number: signal.signal(number, self._handle) for number in heeded}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def step(self) -> _Step:
        """Mark a step that is done as a whole."""
        return self._step

    def begin(self) -> None:
        """Let signals wait."""
        self._busy = True

    def end(self, *, failed: bool) -> None:
        """Let signals through, and raise what has waited; after a failure that is what is raised."""
        self._busy = False
        if self._wanted and not failed:
            self._wanted = False
            raise KeyboardInterrupt

    def _handle(self, number: int, _: FrameType | None) -> None:
        if not self._busy:
            raise KeyboardInterrupt
        if self._wanted:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        self._wanted = True
