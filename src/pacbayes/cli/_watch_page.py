"""The page of ``watch``: written in one step whenever something new is to be seen."""

from __future__ import annotations

import time
from pathlib import Path

from pacbayes._core.files import write_atomically
from pacbayes.cli._watch_streams import Stream, Streams
from pacbayes.monitoring.words import ASSUMPTIONS
from pacbayes.report import WATCH_MARK, WatchRow, render_watch

__all__ = ["WatchPage"]

_START = 4096  # bytes in which a page of ours says that it is one


class WatchPage:
    """A page on disk.

    Parameters
    ----------
    path : Path
        The page; a file that is there must be one that was written here.
    source : str
        What is watched, as it was named.

    Attributes
    ----------
    written : float
        When it was last written, by the monotonic clock.
    """

    def __init__(self, path: Path, source: str) -> None:
        if path.exists():
            with path.open("rb") as file:
                if WATCH_MARK.encode() not in file.read(_START):
                    raise ValueError(f"--page replaces pages of watch only, and {str(path)!r} is not one.")
        self._path, self._source = path, "a pipe" if source == "-" else source
        self.written = 0.0

    def write(self, streams: Streams) -> None:
        """Write the page anew."""
        watching = streams.watching
        if watching.certificate is None:
            return
        only = streams.only if watching.by is None else None
        text = render_watch(
            certificate=watching.certificate,
            source=self._source,
            alpha=watching.alpha,
            rows=[_row(each) for each in streams],
            by=watching.by,
            curve=() if only is None else only.curve.points,
            sentence="" if only is None or only.monitor is None else only.monitor.sentence(),
            assumptions=ASSUMPTIONS,
        )
        write_atomically(self._path, text)
        self.written = time.monotonic()


def _row(stream: Stream) -> WatchRow:
    monitor = stream.monitor
    if monitor is None:
        raise RuntimeError("a page needs a certificate")
    alarm = monitor.alarm
    return WatchRow(
        key=stream.key or "",
        n=len(monitor),
        recent=monitor.recent(),
        value=monitor.value,
        log_evidence=monitor.log_evidence,
        alpha=monitor.alpha,
        alarm=None if alarm is None else (alarm.row, alarm.change),
    )
