"""``pacbayes watch``: losses from a pipe or a growing file, and a certificate that is current at all times."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from pacbayes._core.arguments import single
from pacbayes.certificate import Certificate
from pacbayes.certificate._words import rounded_up
from pacbayes.cli._output import JSON, QUIET, Output, tidy
from pacbayes.runs import LossStream

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
    stream = LossStream(delta)
    shown: Any = None
    try:
        for number, line in enumerate(_lines(source, follow=follow), start=1):
            if _taken(stream, number, line) and len(stream) % every == 0:
                shown = _report(output, stream, out)
    except KeyboardInterrupt:
        pass  # the usual way to end --follow
    if not len(stream):
        raise ValueError(f"No loss could be read from {source!r}.")
    fresh = shown is not None and shown.n == len(stream) and not stream.skipped
    certificate = shown if fresh else _report(output, stream, out)
    output.say(certificate.sentence())
    if stream.skipped:
        output.note(
            f"{stream.skipped} lines could not be read and were left out; if that depended on what they said, the "
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
            raise ValueError(f"--out replaces certificates only, and {str(out)!r} is none.") from None


def _taken(stream: LossStream, number: int, line: str) -> bool:
    if not line.strip():
        return False
    try:
        stream.add(LossStream.loss_of(line))
    except ValueError as error:
        stream.skipped += 1
        typer.echo(f"pacbayes: line {number}: {error}", err=True)
        if stream.skipped == _TOO_MANY and not len(stream):
            raise ValueError(f"The first {_TOO_MANY} lines are no losses. Is this the right file?") from None
        return False
    return True


def _report(output: Output, stream: LossStream, out: Path | None) -> Any:
    certificate = stream.certificate()
    if out is not None:
        certificate.to_json(out)
    risk = float(certificate.statistics["risk"])
    output.result({"n": certificate.n, "observed": risk, "value": certificate.value, "skipped": stream.skipped})
    if not output.quiet:
        output.say(f"{certificate.n:>9} losses, observed {risk:.4f}, true loss at most {rounded_up(certificate.value)}")
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
