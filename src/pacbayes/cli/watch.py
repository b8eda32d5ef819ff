"""``pacbayes watch``: losses from a pipe or a growing file, a certificate that is current, and an alarm."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pacbayes._core.arguments import DOMAINS
from pacbayes._core.near import RUN_FOLDERS, require_files
from pacbayes.certificate import Certificate
from pacbayes.cli._cautions import note_high_delta
from pacbayes.cli._interrupts import Interrupts
from pacbayes.cli._output import JSON, QUIET, Output, tidy
from pacbayes.cli._watch_hook import Hook
from pacbayes.cli._watch_page import WatchPage
from pacbayes.cli._watch_streams import Watching
from pacbayes.cli._watcher import NO_WAY_BACK, Watcher

__all__ = ["ALARMED", "watch"]

ALARMED = 3
_UNREADABLE = ("count", "stop")


Source = Annotated[str, typer.Argument(help="A file, or '-' for a pipe.")]
Delta = Annotated[float, typer.Option(help="Allowed probability that any of the numbers is ever wrong.")]
Every = Annotated[int, typer.Option(help="Print after this many lines.", min=1)]
Follow = Annotated[bool, typer.Option("--follow", help="Keep reading as the file grows, until interrupted.")]
Out = Annotated[Path | None, typer.Option(help="Keep this certificate file up to date.")]
State = Annotated[
    Path | None,
    typer.Option(help="Continue from this file after a restart, and keep it up to date [default: OUT.state]."),
]
Unreadable = Annotated[
    str,
    typer.Option(help="For lines that cannot be read: count them as wrong (loss 1), or stop.", metavar="count|stop"),
]
Certified = Annotated[
    Path | None, typer.Option(help="Raise an alarm when this folder or certificate.json is no longer true.")
]
FalseAlarm = Annotated[
    float | None,
    typer.Option(help="Allowed probability of a false alarm, over all lines that ever come [default: 0.01]."),
]
OnAlarm = Annotated[
    str | None,
    typer.Option(help="A program and its arguments, run once on an alarm; PACBAYES_ALARM_ROW and others tell it."),
]
UntilAlarm = Annotated[bool, typer.Option("--until-alarm", help="End with the alarm.")]
Recent = Annotated[int, typer.Option(help="Lines that the recent risk is about.", min=1, max=100_000)]
Page = Annotated[
    Path | None, typer.Option(help="Keep this HTML page current; it shows the curve and loads itself again.")
]
By = Annotated[
    str | None, typer.Option(help="A stream for each value under this name; all lines are then objects or CSV.")
]
Columns = Annotated[
    str | None,
    typer.Option(help="The lines are CSV with these columns, such as label,prediction; a header of them is skipped."),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="With --columns: the first line is a header, whatever it says, or a row [default: told by what it says].",
    ),
]
Most = Annotated[
    int | None,
    typer.Option(help="The most streams, with equal shares [default: any number, later ones a smaller share]."),
]


@tidy
def watch(
    source: Source = "-",
    delta: Delta = 0.05,
    every: Every = 100,
    follow: Follow = False,
    out: Out = None,
    state: State = None,
    unreadable: Unreadable = "count",
    certificate: Certified = None,
    alarm: FalseAlarm = None,
    on_alarm: OnAlarm = None,
    until_alarm: UntilAlarm = False,
    window: Recent = 1000,
    page: Page = None,
    by: By = None,
    streams: Most = None,
    columns: Columns = None,
    header: Header = None,
    as_json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Update a guarantee while losses come in; it holds at all times at once, so you may look as often as you like.

    Each line is one loss between 0 (right) and 1 (wrong), or a JSON object with "label" and "prediction" or with
    "loss" (not both), or a row of CSV whose --columns are named like these. Each prediction must have been made before
    its label was known. A line that cannot be read counts as wrong, because a guarantee over the readable lines alone
    would not hold; blank lines are skipped.

    With --certificate there is an alarm, status 3, when the losses say that the certificate is no longer true. If the
    risk of each line, given those before it, never exceeds the certified number, an alarm has at most the probability
    --alarm, ever. Labels may come late: lines are judged in the order in which they come, and how long a label takes
    must not depend on whether the prediction was right. Labels may come for a sample only, if it is chosen at
    random, or by a rule that ignores everything about the case. A line that cannot be read is never evidence for an
    alarm.

    With --by there is a stream for each key, with a share of delta and of the alarm; all of them hold together.

    With a named file and --out or --state, a restart continues where the last run stopped. Lines that are there are
    read many at once, one that comes alone is answered at once; a report costs about a millisecond.

    \b
        tail -f losses.txt | pacbayes watch --every 1000
        pacbayes watch orders.csv --columns shop,label,prediction --by shop
    """  # noqa: D301  (the mark of lines to keep)
    for option, share, usual in (("--delta", delta, "0.05"), ("--alarm", alarm, "0.01")):
        if share is not None and not DOMAINS["delta"].low <= share < 1.0:
            raise ValueError(f"{option} must lie between 0 and 1, such as {usual}. Got {share:g} instead.")
    if unreadable not in _UNREADABLE:
        raise ValueError(f"--unreadable must be count or stop. Got {unreadable!r} instead.")
    require_files(None if source == "-" else Path(source))
    require_files(certificate, endings=RUN_FOLDERS)
    _refuse_other_files(source, {"--out": out, "--state": state, "--page": page})
    _refuse_options(certificate, {"--alarm": alarm, "--on-alarm": on_alarm, "--page": page}, until_alarm=until_alarm)
    _refuse_streams(by, streams, out)
    if header is not None and columns is None:
        raise ValueError("--header and --no-header need --columns, which say that the lines are CSV.")
    certified, alpha = _read_certificate(certificate), 0.01 if alarm is None else alarm
    watching = Watching(
        delta=delta,
        certificate=certified,
        alpha=alpha,
        window=window,
        by=by,
        most=streams,
        columns=_read_columns(columns, by),
        header=header,
    )
    watching.begin(None, 1)  # what cannot be watched is refused before anything is read
    hook = None if on_alarm is None else Hook(on_alarm)
    shown = None if page is None else WatchPage(page, source)
    output = Output(as_json=as_json, quiet=quiet)
    note_high_delta(output, delta)
    with Interrupts() as interrupts:
        watcher = Watcher(output, watching, every=every, out=out, stop=unreadable == "stop", interrupts=interrupts)
        watcher.prepare(hook=hook, page=shown, until_alarm=until_alarm)
        _watch_to_the_end(watcher, source, follow=follow, state=state)
    if watcher.alarmed:
        raise typer.Exit(ALARMED)


def _watch_to_the_end(watcher: Watcher, source: str, *, follow: bool, state: Path | None) -> None:
    try:
        watcher.open(source, follow=follow, state=state)
        watcher.run()
        watcher.close(source)
    finally:
        watcher.release()


def _read_certificate(place: Path | None) -> Certificate | None:
    if place is None:
        return None
    return Certificate.from_json(place / "certificate.json" if place.is_dir() else place)


def _refuse_options(certificate: Path | None, options: dict[str, object], *, until_alarm: bool) -> None:
    named = [name for name, value in options.items() if value is not None] + ["--until-alarm"] * until_alarm
    if certificate is None and named:
        raise ValueError(f"{named[0]} needs --certificate, which says what may stop being true.")


def _refuse_streams(by: str | None, streams: int | None, out: Path | None) -> None:
    if streams is not None and by is None:
        raise ValueError("--streams needs --by, the name of what tells streams apart.")
    if streams is not None and not 1 <= streams <= 1_000_000:
        raise ValueError(f"--streams must lie between 1 and 1000000. Got {streams} instead.")
    if by is not None and not by:
        raise ValueError("--by must be the name of what tells streams apart. It is empty.")
    if by is not None and out is not None:
        raise ValueError("--out is one certificate, and --by makes many streams; keep them with --state.")


def _read_columns(columns: str | None, by: str | None) -> tuple[str, ...] | None:
    """Return the columns; refuse those from which no loss, or no key, could be read."""
    if columns is None:
        return None
    names = tuple(name.strip() for name in columns.split(","))
    pair = {"label", "prediction"} & set(names)
    if len(set(names)) != len(names) or not all(names):
        raise ValueError(f"--columns must be different names with commas between them. Got {columns!r:.60} instead.")
    if len(pair) == 1 or (not pair and "loss" not in names):
        raise ValueError(f"--columns must have 'loss', or 'label' and 'prediction'. Got {columns!r:.60} instead.")
    if pair and "loss" in names:  # which might say something else
        raise ValueError(
            "--columns must have 'loss', or 'label' and 'prediction', not both: give what is not meant another name. "
            f"Got {columns!r:.60} instead."
        )
    if by is not None and by not in names:
        raise ValueError(f"--columns must have {by!r:.60}, the name of --by. Got {columns!r:.60} instead.")
    return names


def _refuse_other_files(source: str, files: dict[str, Path | None]) -> None:
    if source != "-" and Path(source).is_dir():
        raise ValueError(f"{source!r} is a folder; give a file, or '-' for a pipe.")
    if source == "-" and files["--state"] is not None:
        raise ValueError(NO_WAY_BACK)
    given = {name: path for name, path in files.items() if path is not None}
    for name, path in given.items():
        _refuse_place(name, path, source)
    names = list(given)
    for place, name in enumerate(names):
        for other in names[place + 1 :]:
            if given[name] == given[other]:
                raise ValueError(f"{name} and {other} must be two files. Got {str(given[name])!r} for both.")
    out = files["--out"]
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
