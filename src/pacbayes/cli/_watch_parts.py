"""Losses of many streams at once: all judgements that they make due, and none if one of them raises an alarm."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np

from pacbayes._core.types import FloatArray
from pacbayes.cli._watch_streams import UNREADABLE, Stream
from pacbayes.monitoring import Monitor
from pacbayes.procedures import LossMonitor

__all__ = ["Part", "foresee", "judge_together", "put"]


@dataclass(slots=True)
class Part:
    """The losses of one stream among those of others.

    Attributes
    ----------
    stream : Stream
        The stream.
    low, high : int
        Where its losses are.
    monitor : Monitor or None
        Its monitor after all judgements that they make due; None if none is.
    """

    stream: Stream
    low: int
    high: int
    monitor: Monitor | None = None


def foresee(parts: Sequence[Part], losses: FloatArray, most: int, left_out: int | None) -> bool:
    """Judge all that becomes due where so many wait, but in one part; return False if a judgement raised the alarm.

    The streams themselves are not changed: where there is an alarm, it has to come at its line.
    """
    due = [part for part in parts if part.stream.waiting + part.high - part.low >= most]
    if left_out is not None:
        due = [part for part in due if part is not parts[left_out]]
    together = []
    for part in due:
        waits = np.concatenate([part.stream.waiting_losses(), losses[part.low : part.high]])
        together.append(waits[: waits.size - waits.size % most])
    made = _judge([part.stream for part in due], together)
    if made is None:
        return False
    for part, monitor in zip(due, made, strict=True):
        part.monitor = monitor
    return True


def put(parts: Sequence[Part], losses: FloatArray, most: int) -> None:
    """Put losses into their streams, with the monitors that were foreseen; what is not judged waits."""
    LossMonitor.add_together([part.stream.limit for part in parts], losses, [part.high - part.low for part in parts])
    content = losses.tobytes()
    for part in parts:
        stream = part.stream
        stream.packed = ""
        if stream.monitor is not None:
            stream.wait(content[8 * part.low : 8 * part.high])
        if part.monitor is not None:
            stream.settle(part.monitor, stream.waiting - stream.waiting % most)


def judge_together(streams: Sequence[Stream]) -> bool:
    """Let the monitors see all that waits; return False, with nothing changed, if one would raise the alarm."""
    made = _judge(streams, [each.waiting_losses() for each in streams])
    if made is None:
        return False
    for stream, monitor in zip(streams, made, strict=True):
        stream.settle(monitor, stream.waiting)
    return True


def _judge(streams: Sequence[Stream], losses: Sequence[FloatArray]) -> list[Monitor] | None:
    """Return the monitors after some losses; None if one of them raised the alarm."""
    made = [copy(each.monitor) for each in streams if each.monitor is not None]
    if made:
        before, together = [each.alarm for each in made], np.concatenate(losses)
        Monitor.update_together(made, together, together == UNREADABLE, [each.size for each in losses])
        if any(each.alarm is not alarm for each, alarm in zip(made, before, strict=True)):
            return None
    return made
