"""``pacbayes watch``: losses from a pipe or a growing file, and a certificate that is current at all times."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from pacbayes._core.arguments import single
from pacbayes.certificate import Certificate
from pacbayes.certificate.words import round_up
from pacbayes.cli._output import JSON, QUIET, Output, tidy
from pacbayes.procedures import LossMonitor

__all__ = ["watch"]

_PAUSE = 0.2
_TOO_MANY = 10


@tidy
def watch(
    source: Annotated[str, typer.Argument(help="A file, or '-' for a pipe.")] = "-",
    delta: Annotated[float, typer.Option(help="Allowed probability that any of the numbers is ever wrong.")] = 0.05,
    every: Annotated[int, typer.Option(help="Print after this many lines.", min=1)] = 100,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on reading as the file grows, until interrupted.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Keep this certificate.json current.")] = None,
    as_json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Keep a guarantee current while losses come in; it holds at all times at once, so looking costs nothing.

    One line is one loss between 0 (right) and 1 (wrong), or a JSON object with "label" and "prediction". Each
    prediction must have been made before its label was known. A line that cannot be read is reported with its
    number and left out.
    """
    output = Output(as_json=as_json, quiet=quiet)
    single("watch", "delta", delta)
    _refuse_other_files(source, out)
    monitor = LossMonitor(delta)
    shown: Certificate | None = None
    try:
        for number, line in enumerate(_lines(source, follow=follow), start=1):
            if _add_line(monitor, number, line) and len(monitor) % every == 0:
                shown = _report(output, monitor, out)
    except KeyboardInterrupt:
        pass  # the usual way to end --follow
    if not len(monitor):
        raise ValueError(f"No loss could be read from {source!r}.")
    stale = shown is None or shown.n != len(monitor) or monitor.unreadable
    certificate = _report(output, monitor, out) if shown is None or stale else shown
    output.say(certificate.sentence())
    if monitor.unreadable:
        output.note(
            f"{monitor.unreadable} lines could not be read and were left out; if that depended on what they said, the "
            "guarantee does not hold."
        )


def _refuse_other_files(source: str, out: Path | None) -> None:
    if source != "-" and Path(source).is_dir():
        raise ValueError(f"{source!r} is a folder; give a file, or '-' for a pipe.")
    if out is None:
        return
    if not out.parent.is_dir():
        raise ValueError(f"There is no folder {str(out.parent)!r} for --out.")
    if out.is_dir():
        raise ValueError(f"--out must be a file. {str(out)!r} is a folder.")
    if out.exists():
        try:
            Certificate.from_json(out)
        except ValueError:
            raise ValueError(f"--out replaces certificates only, and {str(out)!r} is not one.") from None


def _add_line(monitor: LossMonitor, number: int, line: str) -> bool:
    if not line.strip():
        return False
    try:
        monitor.add(LossMonitor.loss_of(line))
    except ValueError as error:
        monitor.unreadable += 1
        typer.echo(f"pacbayes: line {number}: {error}", err=True)
        if monitor.unreadable == _TOO_MANY and not len(monitor):
            raise ValueError(f"The first {_TOO_MANY} lines are not losses. Is this the right file?") from None
        return False
    return True


def _report(output: Output, monitor: LossMonitor, out: Path | None) -> Certificate:
    certificate = monitor.certificate()
    if out is not None:
        certificate.to_json(out)
    risk = certificate.statements[0].risk
    output.result({"n": certificate.n, "observed": risk, "value": certificate.value, "skipped": monitor.unreadable})
    if not output.quiet:
        output.say(f"{certificate.n:>9} losses, observed {risk:.4f}, true loss at most {round_up(certificate.value)}")
    sys.stdout.flush()
    return certificate


def _lines(source: str, *, follow: bool) -> Iterator[str]:
    if source == "-":
        yield from sys.stdin
        return
    with Path(source).open(encoding="utf-8", errors="replace") as file:
        partial = ""
        while True:
            piece = file.readline()
            partial += piece
            if partial.endswith("\n"):
                yield partial
                partial = ""
            elif not piece and not follow:
                break
            elif not piece:
                time.sleep(_PAUSE)  # half a line waits for its end
        if partial:
            yield partial
