"""Blocks of lines into their streams: whatever is due at a line is done at that line, and the rest at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

import numpy as np

from pacbayes._core.types import IntArray
from pacbayes.cli._line_blocks import LOSS, BlockReader, ReadLines
from pacbayes.cli._lines import Line, Lines
from pacbayes.cli._watch_parts import Part, foresee, put
from pacbayes.cli._watch_streams import MOST_WAITING, Stream, Streams

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
    _begun: list[Stream | None] = field(default_factory=list)  # by the number of its key

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
        """Return the lines that are to be read by themselves: odd ones, and first ones of streams that may be too many.

        Where there are too many streams, it has to be said at its line.
        """
        known = read.kinds == LOSS
        losses = np.flatnonzero(known)
        numbers = np.flatnonzero(np.bincount(read.keys[losses]))
        new = [number for number in numbers.tolist() if self._find(number) is None]
        if len(new) + known.size - losses.size > self.watcher.streams.room:
            keys = read.keys[losses]
            known[losses[[int(np.argmax(keys == number)) for number in new]]] = False
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
                last = None if line is None else int(read.keys[line])
                self._add(content, read, start, end, last)
                start = end
                if last is not None and not self.watcher.finish(self._stream(last)):
                    return False
                if self.watcher.saves != saves:  # nothing waits any more, so that others are due
                    break
        return True

    def _find_due(self, keys: IntArray, *, alarms: bool) -> IntArray:
        """Return the lines after which a stream is to be reported, or judged if there may be an alarm; ascending."""
        due: list[IntArray] = []
        counts = np.bincount(keys)
        numbers = np.flatnonzero(counts).tolist()
        alarms = alarms and self.watcher.streams.watching.certificate is not None
        for number, count in zip(numbers, counts[numbers].tolist(), strict=True):
            stream = self._find(number)
            left = self.every - (0 if stream is None else len(stream)) % self.every
            room = MOST_WAITING - (0 if stream is None else stream.waiting) if alarms else None
            if count >= left or (room is not None and count >= room):
                ranks = _ranks_due(count, left, self.every, room)
                due.append(np.flatnonzero(keys == number)[np.array(ranks) - 1])
        return np.sort(np.concatenate(due)) if due else np.zeros(0, dtype=np.int64)

    def _add(self, content: bytes, read: ReadLines, start: int, stop: int, last: int | None = None) -> bool:
        """Add lines, none of which is followed by a report but the last; return False if one raises an alarm.

        ``last`` is the number of the stream that the last line makes due, which is judged after it.
        """
        if start >= stop:
            return True
        keys = read.keys[start:stop]
        order = np.argsort(keys.astype(np.uint16) if keys.max() < 2**16 else keys, kind="stable")  # short ones are fast
        keys, losses = keys[order], read.losses[start:stop][order]
        cuts = [0, *(np.flatnonzero(np.diff(keys)) + 1).tolist(), keys.size]
        numbers = keys[cuts[:-1]].tolist()
        streams = [self._find(number) for number in numbers]
        new = self._begin(numbers, order[cuts[:-1]]) if None in streams else {}
        parts = [
            Part(new[number] if stream is None else stream, low, high)
            for number, stream, (low, high) in zip(numbers, streams, pairwise(cuts), strict=True)
        ]
        alarms = self.watcher.streams.watching.certificate is not None
        if alarms and not foresee(parts, losses, MOST_WAITING, None if last is None else numbers.index(last)):
            return False
        for stream in new.values():
            self.watcher.streams.restore(stream)
        waited = [part.stream.waiting > 0 for part in parts] if alarms else []
        put(parts, losses, MOST_WAITING)
        if alarms:
            self._remember(parts, waited, order)
        self.watcher.place.take_many(content[_start_of(read, start) : read.ends[stop - 1]], stop - start)
        return True

    def _begin(self, numbers: list[int], first: IntArray) -> dict[int, Stream]:
        """Return streams that begin, in the order of their first lines; they are not among the others yet."""
        streams = self.watcher.streams
        lines = zip(first.tolist(), numbers, strict=True)
        new = sorted((line, number) for line, number in lines if self._find(number) is None)
        return {
            number: streams.watching.begin(self.reader.names[number], streams.count + place)
            for place, (_, number) in enumerate(new, start=1)
        }

    def _remember(self, parts: list[Part], waited: list[bool], order: IntArray) -> None:
        """Remember which streams have losses that wait, in the order in which they came to."""
        waits: list[tuple[int, Stream]] = []
        for part, before in zip(parts, waited, strict=True):
            stream = part.stream
            if part.monitor is not None:
                self.watcher.settle(stream)
            if stream.waiting and (not before or part.monitor is not None):
                waits.append((int(order[max(part.high - stream.waiting, part.low)]), stream))
        for _, stream in sorted(waits, key=lambda pair: pair[0]):
            self.watcher.touch(stream)

    def _find(self, number: int) -> Stream | None:
        """Return the stream of a key, if it has begun."""
        begun = self._begun
        if number >= len(begun):
            begun.extend([None] * (len(self.reader.names) - len(begun)))
        if begun[number] is None:
            begun[number] = self.watcher.streams.find(self.reader.names[number])
        return begun[number]

    def _stream(self, number: int) -> Stream:
        return self.watcher.streams.get(self.reader.names[number])


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
