"""Progress on stderr: how many splits are done, and about how long the rest takes."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from pacbayes.reproduction.cells import Task

__all__ = ["Progress"]


class Progress:
    """Counts tasks as they are done; a line that is renewed in a terminal, a line per tenth of the work in a file."""

    def __init__(self, tasks: Sequence[Task], *, shown: bool) -> None:
        self._count, self._total = len(tasks), sum(task.cost for task in tasks)
        self._shown, self._terminal = shown, sys.stderr.isatty()
        self._number, self._cost, self._begun = 0, 0.0, time.monotonic()

    def advance(self, task: Task) -> None:
        """Count a task that is done."""
        self._number += 1
        self._cost += task.cost
        if self._shown and (self._terminal or self._is_tenth()):
            left = (time.monotonic() - self._begun) / self._cost * (self._total - self._cost)
            self._write(f"reproduction: {self._number}/{self._count} splits, {task.data}, about {_duration(left)} left")

    def _is_tenth(self) -> bool:
        """Whether another tenth of the work is done with this task."""
        return 10 * self._number // self._count > 10 * (self._number - 1) // self._count

    def _write(self, line: str) -> None:
        """Write a line; one that is renewed is padded, so that a shorter one covers a longer one."""
        renewed = self._terminal and self._number < self._count
        sys.stderr.write(line.ljust(78) + "\r" if renewed else line + "\n")
        sys.stderr.flush()


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 100 else f"{seconds:.0f} s"
