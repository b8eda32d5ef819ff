"""``pacbayes watch``: losses from a pipe or a growing file, and a certificate that is current at all times."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from pacbayes._core.arguments import single
from pacbayes.certificate import Certificate
from pacbayes.certificate.words import round_up
from pacbayes.cli._growing import CHANGES, GrowingFile
from pacbayes.cli._interrupts import Interrupts
from pacbayes.cli._lines import LONGEST, Line, Lines, read_pipe
from pacbayes.cli._output import JSON, QUIET, Output, tidy
from pacbayes.cli._watch_state import WatchState
from pacbayes.procedures import LossMonitor

__all__ = ["watch"]

_SHOWN = 5
_TOO_MANY = 10
_UNREADABLE = ("count", "stop")
_NO_WAY_BACK = "--state needs a named file: a pipe cannot be read again."


@tidy
def watch(
    source: Annotated[str, typer.Argument(help="A file, or '-' for a pipe.")] = "-",
    delta: Annotated[float, typer.Option(help="Allowed probability that any of the numbers is ever wrong.")] = 0.05,
    every: Annotated[int, typer.Option(help="Print after this many lines.", min=1)] = 100,
    follow: Annotated[
        bool, typer.Option("--follow", help="Keep reading as the file grows, until interrupted.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Keep this certificate file up to date.")] = None,
    state: Annotated[
        Path | None,
        typer.Option(help="Continue from this file after a restart, and keep it up to date [default: OUT.state]."),
    ] = None,
    unreadable: Annotated[
        str,
        typer.Option(
            help="For lines that cannot be read: count them as wrong (loss 1), or stop.",
            metavar="count|stop",
        ),
    ] = "count",
    as_json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Update a guarantee while losses come in; it holds at all times at once, so you may look as often as you like.

    Each line is one loss between 0 (right) and 1 (wrong), or a JSON object with "label" and "prediction". Each
    prediction must have been made before its label was known. A line that cannot be read counts as wrong, because a
    guarantee over the readable lines alone would not hold; blank lines are skipped.

    With a named file and --out or --state, a restart continues where the last run stopped.

        tail -f losses.txt | pacbayes watch --every 1000
    """
    output = Output(as_json=as_json, quiet=quiet)
    single("watch", "delta", delta)
    if unreadable not in _UNREADABLE:
        raise ValueError(f"--unreadable must be count or stop. Got {unreadable!r} instead.")
    _refuse_other_files(source, out, state)
    with Interrupts() as interrupts:
        watcher = _Watcher(output, every=every, out=out, stop=unreadable == "stop", interrupts=interrupts)
        try:
            watcher.open(source, delta, follow=follow, state=state)
            watcher.run()
            watcher.close(source)
        finally:
            watcher.release()


def _refuse_other_files(source: str, out: Path | None, state: Path | None) -> None:
    if source != "-" and Path(source).is_dir():
        raise ValueError(f"{source!r} is a folder; pass a file, or '-' for a pipe.")
    if source == "-" and state is not None:
        raise ValueError(_NO_WAY_BACK)
    for name, path in (("--out", out), ("--state", state)):
        if path is not None:
            _refuse_place(name, path, source)
    if out is not None and out == state:
        raise ValueError(f"--out and --state must be two files. Got {str(out)!r} for both.")
    if out is not None and out.exists():
        try:
            Certificate.from_json(out)
        except ValueError:
            raise ValueError(f"--out replaces certificates only, and {str(out)!r} is not one.") from None


def _refuse_place(name: str, path: Path, source: str) -> None:
    if not path.parent.is_dir():
        raise ValueError(f"There is no folder {str(path.parent)!r} for {name}.")
    if path.is_dir():
        raise ValueError(f"{name} must be a file. {str(path)!r} is a folder.")
    if source != "-" and path.resolve() == Path(source).resolve():
        raise ValueError(f"{name} must be another file than the losses. Got {str(path)!r} for both.")


class _Watcher:
    """The losses so far, where they come from, and where the certificate goes."""

    def __init__(self, output: Output, *, every: int, out: Path | None, stop: bool, interrupts: Interrupts) -> None:
        self._output, self._every, self._out, self._stop = output, every, out, stop
        self._interrupts = interrupts
        self.monitor: LossMonitor | None = None
        self._file: GrowingFile | None = None
        self._state: WatchState | None = None
        self._shown: Certificate | None = None

    def open(self, source: str, delta: float, *, follow: bool, state: Path | None) -> None:
        """Find the place to begin at: that of an earlier run if there was one."""
        if source == "-":
            self._lines, self.monitor = Lines(), LossMonitor(delta)
            return
        self._source = source
        self._file = GrowingFile(Path(source), follow=follow, announce=self._announce)
        place = state if state is not None or self._out is None else self._out.with_name(f"{self._out.name}.state")
        if place is None or (state is None and not self._file.regular):
            self.monitor = LossMonitor(delta)
            return
        if not self._file.regular:
            raise ValueError(_NO_WAY_BACK)
        keeper = WatchState(place, Path(source))
        monitor = keeper.load(delta, self._file)
        self.monitor, self._state = monitor, keeper
        if len(monitor):
            self._output.note(f"continuing after {len(monitor)} losses, from {str(place)!r}")

    def run(self) -> None:
        """Take line by line; a line, its loss and its place are taken together."""
        try:
            for line in self._read():
                with self._interrupts.step():
                    if not line.ended and not line.lost:
                        self._leave_last_line_open()
                    self._take(line)
        except KeyboardInterrupt:
            pass  # the usual way to end --follow

    def _read(self) -> Iterator[Line]:
        return iter(self._file) if self._file is not None else read_pipe(sys.stdin, self._lines)

    @property
    def _place(self) -> Lines:
        return self._lines if self._file is None else self._file.lines

    def _take(self, line: Line) -> None:
        monitor = self._known()
        counted = line.content is None or bool(line.content.strip())
        if counted:
            self._add(monitor, line)
        self._place.take()
        if counted and len(monitor) % self._every == 0:
            self._report()

    def _add(self, monitor: LossMonitor, line: Line) -> None:
        try:
            monitor.add(_loss_of(line))
        except ValueError as error:
            number = self._place.number + 1
            if self._stop:
                raise ValueError(f"Line {number} cannot be read: {error} Nothing after it is counted.") from None
            monitor.add_unreadable()
            if monitor.unreadable <= _SHOWN:
                self._output.warn(f"line {number}: {error} It counts as wrong.")
            elif monitor.unreadable == _SHOWN + 1:
                self._output.warn(f"line {number}: this and further lines that cannot be read are only counted.")
            if monitor.unreadable == _TOO_MANY == len(monitor):
                raise ValueError(f"The first {_TOO_MANY} lines are not losses. Is this the right file?") from None

    def _leave_last_line_open(self) -> None:
        """Keep the place before a line whose end may still come, so that a restart does not count it twice."""
        self._save()
        self._state = None

    def _announce(self, change: str) -> None:
        self._output.note(CHANGES[change].format(source=repr(self._source)))
        self._save()

    def _save(self) -> None:
        if self._state is not None and self._file is not None:
            self._state.save(self._known(), self._file)

    def _known(self) -> LossMonitor:
        if self.monitor is None:
            raise RuntimeError("the source is not open")
        return self.monitor

    def _report(self) -> None:
        certificate = self._shown = self._known().certificate()
        self._save()
        if self._out is not None:
            certificate.to_json(self._out)
        risk, unreadable = certificate.statements[0].risk, self._known().unreadable
        self._output.result(
            {"n": certificate.n, "observed": risk, "value": certificate.value, "unreadable": unreadable}
        )
        if not self._output.quiet:
            value = round_up(certificate.value)
            self._output.say(f"{certificate.n:>9} losses, observed {risk:.4f}, true loss at most {value}")

    def close(self, source: str) -> None:
        """Say where it ended; the certificate and the state are current then."""
        monitor = self._known()
        if not len(monitor):
            raise ValueError(f"No loss could be read from {source!r}.")
        if self._shown is None or self._shown.n != len(monitor):
            self._report()
        self._save()
        if self._shown is not None:
            self._output.say(self._shown.sentence())
        if monitor.unreadable:
            self._output.note(f"{monitor.unreadable} lines could not be read and count as wrong (loss 1).")

    def release(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def _loss_of(line: Line) -> float:
    if line.lost:
        raise ValueError("its end was cut off.")
    if line.content is None:
        raise ValueError(f"it is longer than {LONGEST} bytes.")
    return LossMonitor.loss_of(line.content)
