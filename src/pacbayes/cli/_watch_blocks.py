"""Blocks of lines into their streams: whatever is due at a line is done at that line, and the rest at once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from pacbayes._core.types import FloatArray, IntArray
from pacbayes.cli._line_blocks import LOSS, BlockReader, ReadLines
from pacbayes.cli._lines import Line, Lines
from pacbayes.cli._watch_streams import MOST_WAITING, Stream, Streams
from pacbayes.monitoring import Monitor

__all__ = ["BlockTaker", "Taking"]


class Taking(Protocol):
    """What takes lines one by one, and does what is due after them."""

    @property
    def streams(self) -> Streams:
        """The streams so far."""

    @property
    def place(self) -> Lines:
        """The place that was reached."""

    @property
    def saves(self) -> int:
        """How often a state was saved, after which nothing waits to be judged."""

    def take_line(self, line: Line) -> bool:
        """Take a line by itself; return whether to go on."""

    def touch(self, stream: Stream) -> None:
        """Remember that a stream has losses that wait to be judged."""

    def settle(self, stream: Stream) -> None:
        """Forget that a stream has losses that wait: they were judged, and there was no alarm."""

    def finish(self, stream: Stream) -> bool:
        """Do what is due at a stream after a loss of it; return whether to go on."""


@dataclass(slots=True)
class BlockTaker:
    """Takes blocks of lines, with the same outcome as line by line.

    Attributes
    ----------
    reader : BlockReader
        What reads them.
    every : int
        After how many losses a stream is reported.
    watcher : Taking
        What takes lines one by one.
    """

    reader: BlockReader
    every: int
    watcher: Taking

    def take(self, content: bytes) -> None:
        """Take the lines of a block, up to where the watcher ends."""
        while content:
            read, forms = self.reader.read(content), self.reader.count
            start = 0
            for line in [*self._lines_alone(read), read.ends.size]:
                if not self._take_run(content, read, start, line):
                    return
                start = min(line + 1, read.ends.size)
                if line == start:
                    break
                piece = content[_start_of(read, line) : read.ends[line]]
                self.watcher.place.hold(piece)
                if not self.watcher.take_line(Line(piece)):
                    return
                if self.reader.count != forms:  # a form was learned: the rest of the block may have it
                    break
            content = content[_start_of(read, start) :]

    def _lines_alone(self, read: ReadLines) -> list[int]:
        """Return the lines that are to be read by themselves: odd ones, and the first of each new stream."""
        known = read.kinds == LOSS
        losses = np.flatnonzero(known)
        numbers, first = np.unique(read.keys[losses], return_index=True)
        names, streams = self.reader.names, self.watcher.streams
        begins = [place for number, place in zip(numbers, first, strict=True) if streams.find(names[number]) is None]
        known[losses[begins]] = False
        return np.flatnonzero(~known).tolist()

    def _take_run(self, content: bytes, read: ReadLines, start: int, stop: int) -> bool:
        """Take lines that are all read, of streams that have all begun; return whether to go on.

        Between two reports, judgements without an alarm change nothing that could be seen, so that all of them are made
        at once; where one raises the alarm, the lines up to the next report are taken judgement by judgement.
        """
        while start < stop:
            saves, due = self.watcher.saves, (self._find_due(read.keys[start:stop], alarms=False) + start).tolist()
            for line in [*due, None]:
                end = stop if line is None else line + 1
                if not self._add(content, read, start, end):
                    if not self._take_slowly(content, read, start, end):
                        return False
                    start = end
                    break
                start = end
                if line is not None and not self.watcher.finish(self._stream(int(read.keys[line]))):
                    return False
                if self.watcher.saves != saves:  # nothing waits any more
                    break
        return True

    def _take_slowly(self, content: bytes, read: ReadLines, start: int, stop: int) -> bool:
        """Take lines with every judgement at its line; return whether to go on."""
        while start < stop:
            saves, due = self.watcher.saves, (self._find_due(read.keys[start:stop], alarms=True) + start).tolist()
            for line in [*due, None]:
                end = stop if line is None else line + 1
                last = None if line is None else self._stream(int(read.keys[line]))
                self._add(content, read, start, end, last)
                start = end
                if last is not None and not self.watcher.finish(last):
                    return False
                if self.watcher.saves != saves:  # nothing waits any more, so that others are due
                    break
        return True

    def _find_due(self, keys: IntArray, *, alarms: bool) -> IntArray:
        """Return the lines after which a stream is to be reported, or judged if there may be an alarm; ascending."""
        due: list[IntArray] = []
        numbers, counts = np.unique(keys, return_counts=True)
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            stream = self._stream(number)
            room = MOST_WAITING - stream.waiting if alarms and stream.monitor is not None else None
            ranks = _ranks_due(count, self.every - len(stream) % self.every, self.every, room)
            if ranks:
                due.append(np.flatnonzero(keys == number)[np.array(ranks) - 1])
        return np.sort(np.concatenate(due)) if due else np.zeros(0, dtype=np.int64)

    def _add(self, content: bytes, read: ReadLines, start: int, stop: int, last: Stream | None = None) -> bool:
        """Add lines, none of which is followed by a report but the last; return False if one raises an alarm.

        ``last`` is the stream that the last line makes due, which is judged after it.
        """
        if start >= stop:
            return True
        keys = read.keys[start:stop]
        order = np.argsort(keys, kind="stable")
        numbers = keys[order]
        cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), keys.size]
        parts = [_Part(self._stream(int(numbers[low])), order[low:high]) for low, high in pairwise(cuts)]
        losses = read.losses[start:stop]
        for each in parts:
            if each.stream is not last:
                each.monitor = each.stream.foresee(losses[each.lines])
                if each.monitor is None and each.stream.monitor is not None:
                    return False
        self._put(parts, losses, last)
        self.watcher.place.take_many(content[_start_of(read, start) : read.ends[stop - 1]], stop - start)
        return True

    def _put(self, parts: list[_Part], losses: FloatArray, last: Stream | None) -> None:
        """Put losses into their streams, and remember which of them wait, in the order in which they came to."""
        waits: list[tuple[int, Stream]] = []
        for each in parts:
            stream, lines = each.stream, each.lines
            if stream is last:
                stream.add_waiting(losses[lines])
            elif stream.add_many(losses[lines], each.monitor):
                self.watcher.settle(stream)
            if stream.waiting:
                waits.append((int(lines[max(lines.size - stream.waiting, 0)]), stream))
        for _, stream in sorted(waits, key=lambda pair: pair[0]):
            self.watcher.touch(stream)

    def _stream(self, number: int) -> Stream:
        return self.watcher.streams.get(self.reader.names[number])


@dataclass(slots=True)
class _Part:
    """The lines of one stream, and its monitor after them."""

    stream: Stream
    lines: IntArray
    monitor: Monitor | None = None


def _start_of(read: ReadLines, line: int) -> int:
    return int(read.ends[line - 1]) if line else 0


def _ranks_due(count: int, report: int, every: int, room: int | None) -> list[int]:
    """Return after which of so many losses of a stream it is to be reported, or judged because so many wait.

    A report judges whatever waits.
    """
    found: list[int] = []
    rank = 0
    full = room
    while True:
        step = report if full is None else min(report, full)
        rank += step
        if rank > count:
            return found
        found.append(rank)
        report = every if step == report else report - step
        full = None if full is None else MOST_WAITING
