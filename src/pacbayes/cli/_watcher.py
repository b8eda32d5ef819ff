"""The loop of ``watch``: lines into their streams, and reports, alarms and states as they are due."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

from pacbayes.certificate import Certificate
from pacbayes.cli._growing import CHANGES, GrowingFile
from pacbayes.cli._interrupts import Interrupts
from pacbayes.cli._line_blocks import BlockReader
from pacbayes.cli._lines import LONGEST, Block, Line, Lines, read_pipe
from pacbayes.cli._output import Output
from pacbayes.cli._watch_blocks import BlockTaker
from pacbayes.cli._watch_header import WORDS, judge_first_line, refuse_unclear_header
from pacbayes.cli._watch_hook import Hook
from pacbayes.cli._watch_page import WatchPage
from pacbayes.cli._watch_parts import judge_together
from pacbayes.cli._watch_state import WatchState
from pacbayes.cli._watch_streams import Stream, Streams, Watching
from pacbayes.cli._watch_words import last_words, report_line, report_record
from pacbayes.procedures import decode_line, decode_row, key_in, loss_in

__all__ = ["NO_WAY_BACK", "Watcher"]

NO_WAY_BACK = "--state needs a named file: a pipe cannot be read again."
_SHOWN = 5
_TOO_MANY = 10
_PAUSE = 1.0  # seconds between two states of many streams, which are large, or two pages
_MOST_KNOWN, _LONGEST_KNOWN = 10_000, 200  # lines that are remembered with what they say, and their bytes


class Watcher:
    """The losses so far, where they come from, and where the certificate goes."""

    def __init__(
        self,
        output: Output,
        watching: Watching,
        *,
        every: int,
        out: Path | None,
        stop: bool,
        interrupts: Interrupts,
    ) -> None:
        self._output, self._every, self._out, self._stop = output, every, out, stop
        self._interrupts, self._watching = interrupts, watching
        self._hook: Hook | None = None
        self._page: WatchPage | None = None
        self._until_alarm = self._ended = False
        self._streams = Streams(watching)
        self._file: GrowingFile | None = None
        self._state: WatchState | None = None
        self._shown: Certificate | None = None
        self._known: dict[bytes, tuple[str | None, float]] = {}
        self._changed: dict[str | None, Stream] = {}  # with losses that wait to be judged
        self._saved, self.saves = 0.0, 0
        self._reader = BlockReader(watching.by, watching.columns)
        self._blocks = BlockTaker(self._reader, every, self)

    def prepare(self, *, hook: Hook | None, page: WatchPage | None, until_alarm: bool) -> None:
        """Say what is to be done on an alarm, and where the page is."""
        self._hook, self._page, self._until_alarm = hook, page, until_alarm

    @property
    def alarmed(self) -> bool:
        """Whether there was an alarm, be it in an earlier run."""
        return bool(self._streams.alarms)

    def open(self, source: str, *, follow: bool, state: Path | None) -> None:
        """Find the place to begin at: that of an earlier run if there was one."""
        if source == "-":
            self._lines = Lines()
        else:
            self._source = source
            self._file = GrowingFile(Path(source), follow=follow, announce=self._announce)
            self._open_state(self._file, source, state)
            columns = self._watching.columns
            if columns is not None and self._watching.header is None and self._file.regular and not self.place.number:
                refuse_unclear_header(Path(source), columns)
        self._show_page(at_once=True)
        for stream in self._streams.alarms:
            self._tell(stream)

    def _open_state(self, file: GrowingFile, source: str, state: Path | None) -> None:
        place = state if state is not None or self._out is None else self._out.with_name(f"{self._out.name}.state")
        if place is None or (state is None and not file.regular):
            return
        if not file.regular:
            raise ValueError(NO_WAY_BACK)
        keeper = WatchState(place, Path(source))
        self._streams = keeper.load(self._watching, file)
        self._state = keeper
        if len(self._streams):
            self._output.note(f"going on after {len(self._streams)} losses, from {str(place)!r}")

    def run(self) -> None:
        """Take lines, as they come one by one or many at once; a line, its loss and its place are taken together."""
        if self._until_alarm and self.alarmed:
            return
        step = self._interrupts.step()
        try:
            for line in self._read():
                with step:
                    if line is None:
                        self._rest()
                    elif isinstance(line, Block):
                        self._blocks.take(line.content)
                    else:
                        if not line.ended and not line.lost:
                            self._leave_last_line_open()
                        self.take_line(line)
                if self._ended:
                    break
        except KeyboardInterrupt:
            pass  # the usual way to end --follow

    def _read(self) -> Iterator[Line | Block | None]:
        return iter(self._file) if self._file is not None else read_pipe(sys.stdin, self._lines)

    @property
    def place(self) -> Lines:
        """The place that was reached."""
        return self._lines if self._file is None else self._file.lines

    @property
    def streams(self) -> Streams:
        """The streams so far."""
        return self._streams

    def take_line(self, line: Line) -> bool:
        """Take a line by itself; return whether to go on."""
        first = self.place.number == 0
        known = None if line.content is None or line.lost or first else self._known.get(line.content)
        if known is not None:
            stream: Stream | None = self._streams.get(known[0])
            stream.add(known[1])  # type: ignore[union-attr]
        else:
            counted = line.content is None or bool(line.content.strip())
            stream = self._add(line) if counted and not self._is_header(line) else None
        self.place.take()
        if stream is None:
            return True
        self.touch(stream)
        return self.finish(stream)

    def _is_header(self, line: Line) -> bool:
        """Return whether a line is the header of a file of CSV; what could be a row and is not counted is said."""
        columns = self._watching.columns
        if columns is None or self.place.number or line.content is None or line.lost:
            return False
        kind = judge_first_line(line.content, columns, header=self._watching.header)
        if kind in WORDS:
            shown = line.content.decode("utf-8", "backslashreplace").strip()
            say = self._output.warn if kind == "skipped" else self._output.note
            say(WORDS[kind].format(line=shown))
        return kind in {"header", "skipped"}

    def touch(self, stream: Stream) -> None:
        """Remember that a stream has losses that wait to be judged."""
        if stream.monitor is not None:
            self._changed[stream.key] = stream

    def settle(self, stream: Stream) -> None:
        """Forget that a stream has losses that wait: they were judged, and there was no alarm."""
        self._changed.pop(stream.key, None)

    def finish(self, stream: Stream) -> bool:
        """Judge and report a stream if that is due after a loss of it; return whether to go on."""
        reported = stream.is_full and self._judge(stream)
        if len(stream) % self._every == 0 and not reported:
            self._report(stream)
        return not self._ended

    def _add(self, line: Line) -> Stream | None:
        """Count a line that was not seen before; return its stream, if it belongs to one."""
        stream = self._streams.only if self._watching.by is None else None
        try:
            given = _decode(line, self._watching.columns)
            if given is None and self._watching.columns is not None:
                return None  # a header
            key = None if self._watching.by is None else key_in(given, self._watching.by)
        except ValueError as error:
            self._count_unreadable(stream, error)
            return stream
        stream = self._streams.get(key)
        self._watching.check_loss(given, self.place.number + 1)
        try:
            loss = loss_in(given, line.content or b"")
        except ValueError as error:
            self._count_unreadable(stream, error)
            return stream
        stream.add(loss)
        if line.content is not None and line.ended:
            self._reader.learn(line.content, given)
        if line.content is not None and len(line.content) <= _LONGEST_KNOWN and len(self._known) < _MOST_KNOWN:
            self._known[line.content] = key, loss
        return stream

    def _count_unreadable(self, stream: Stream | None, error: ValueError) -> None:
        number = self.place.number + 1
        if self._stop:
            raise ValueError(f"Line {number} cannot be read: {error} Nothing after it is counted.") from None
        if stream is None:
            self._streams.unassigned += 1
        else:
            stream.add_unreadable()
        unreadable, what = self._streams.unreadable, "It counts as wrong." if stream else "It belongs to no stream."
        if unreadable <= _SHOWN:
            self._output.warn(f"line {number}: {error} {what}")
        elif unreadable == _SHOWN + 1:
            self._output.warn(f"line {number}: this and further lines that cannot be read are only counted.")
        if unreadable == _TOO_MANY == len(self._streams) + self._streams.unassigned:
            raise ValueError(f"The first {_TOO_MANY} lines are not losses. Is this the right file?") from None

    def _rest(self) -> None:
        """Judge all that has come, before waiting for more."""
        self._judge_all()
        if self._watching.by is not None and time.monotonic() > self._saved + _PAUSE:
            self._save()
        self._show_page()

    def _judge_all(self) -> None:
        waiting = list(self._changed.values())
        if len(waiting) > 1 and judge_together(waiting):
            self._changed.clear()
            return
        for stream in waiting:
            self._judge(stream)

    def _judge(self, stream: Stream) -> bool:
        """Judge the losses that wait; return whether there was an alarm, with which the stream is reported."""
        self._changed.pop(stream.key, None)
        if not stream.judge() or stream.monitor is None:
            return False
        self._ended = self._until_alarm
        name = "" if stream.key is None else f"{stream.key}: "
        self._output.warn(f"{name}{stream.monitor.sentence()}")
        self._report(stream)
        self._save()
        self._tell(stream)
        return True

    def _tell(self, stream: Stream) -> None:
        """Run the command on alarm, unless it has been; one state says that it is due, the next that it is done."""
        if self._hook is None or stream.told:
            return
        failure = self._hook.run(stream)
        if failure:
            self._output.warn(f"the command on alarm {failure}.")
        stream.told, stream.packed = True, ""
        self._save()

    def _leave_last_line_open(self) -> None:
        """Keep the place before a line whose end may still come, so that a restart does not count it twice."""
        self._save()
        self._state = None

    def _announce(self, change: str) -> None:
        words = CHANGES[change].format(source=repr(self._source))
        if change in {"cut", "replaced"}:
            self._streams.replaced += 1
            self._output.warn(words)
        else:
            self._output.note(words)
        if change != "held":
            self._save()

    def _save(self) -> None:
        if self._state is not None and self._file is not None:
            self._judge_all()  # nothing waits in a state
            self._state.save(self._streams, self._file)
            self._saved = time.monotonic()
            self.saves += 1

    def _show_page(self, *, at_once: bool = False) -> None:
        if self._page is not None and (at_once or time.monotonic() > self._page.written + _PAUSE):
            self._page.write(self._streams)

    def _report(self, stream: Stream) -> None:
        if self._judge(stream):
            return
        stream.shown = len(stream)
        if stream.key is not None and self._output.quiet and not self._output.as_json:
            self._keep(None)  # nobody sees the numbers
            self._show_page()
            return
        certificate = stream.limit.certificate(self._streams.notes)
        if stream.key is None:
            self._shown = certificate
            self._keep_point(stream)
        self._keep(certificate)
        self._output.result(report_record(stream, certificate))
        if not self._output.quiet:
            self._output.say(report_line(stream, certificate))
        self._show_page()

    def _keep(self, certificate: Certificate | None) -> None:
        """Write what is kept, if it is time: the state, and the certificate."""
        if self._watching.by is None or time.monotonic() > self._saved + _PAUSE:
            self._save()
        if self._out is not None and certificate is not None:
            certificate.to_json(self._out)

    def _keep_point(self, stream: Stream) -> None:
        recent = None if stream.monitor is None else stream.monitor.recent()
        if stream.monitor is not None and recent is not None:
            evidence = stream.monitor.log_evidence
            stream.curve.add((len(stream), evidence, recent.observed, recent.lower, recent.upper))

    def close(self, source: str) -> None:
        """Say where it ended; the certificate and the state are current then."""
        self._judge_all()
        if not len(self._streams):
            raise ValueError(f"No loss could be read from {source!r}.")
        for stream in self._streams:
            if stream.shown != len(stream) or (stream.key is None and self._shown is None):
                self._report(stream)
        self._save()
        self._show_page(at_once=True)
        self._output.say(*last_words(self._streams, self._shown))
        if self._streams.unreadable - self._streams.unassigned:
            lines = self._streams.unreadable - self._streams.unassigned
            self._output.note(f"Lines that could not be read and count as wrong (loss 1): {lines}.")
        if self._streams.unassigned:
            self._output.note(f"Lines that have no readable key and belong to no stream: {self._streams.unassigned}.")
        if self._file is not None and self._file.holds_back:
            self._output.warn(CHANGES["held"].format(source=repr(self._source)))

    def release(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def _decode(line: Line, columns: tuple[str, ...] | None) -> object:
    if line.lost:
        raise ValueError("its end was cut off.")
    if line.content is None:
        raise ValueError(f"it is longer than {LONGEST} bytes.")
    return decode_line(line.content) if columns is None else decode_row(line.content, columns)
