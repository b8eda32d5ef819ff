"""The command that is run on an alarm: once, without a shell, and told of the alarm by its environment."""

from __future__ import annotations

import math
import os
import shlex
import shutil
import subprocess
import sys

from pacbayes.cli._text import escape
from pacbayes.cli._watch_streams import Stream

__all__ = ["Hook"]


class Hook:
    """A command on alarm.

    Parameters
    ----------
    command : str
        A program and its arguments, quoted as in a shell; none is run, so that nothing in it is expanded.
    """

    def __init__(self, command: str) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError:
            raise ValueError(f"--on-alarm must be a program and its arguments. Got {command!r:.80} instead.") from None
        if not self._words or shutil.which(self._words[0]) is None:
            name = self._words[0] if self._words else command
            raise ValueError(f"--on-alarm must name a program that can be run. Got {name!r:.80} instead.")

    def run(self, stream: Stream) -> str:
        """Run the command and wait for it; return in a few words what went wrong, or nothing."""
        try:
            # what it prints goes to stderr, since stdout may be read by a machine
            done = subprocess.run(  # noqa: S603  (the user's own command)
                self._words,
                env={**os.environ, **_describe(stream)},
                stdin=subprocess.DEVNULL,
                stdout=_standard_error(),
                check=False,
            )
        except OSError as error:
            return f"could not be run: {error.strerror or error}"
        return f"ended with status {done.returncode}" if done.returncode else ""


def _standard_error() -> int:
    try:
        return sys.__stderr__.fileno() if sys.__stderr__ is not None else subprocess.DEVNULL
    except (OSError, ValueError):
        return subprocess.DEVNULL


def _describe(stream: Stream) -> dict[str, str]:
    """Return the alarm as environment variables; a key comes from the data, and is made visible."""
    monitor = stream.monitor
    if monitor is None or monitor.alarm is None:
        return {}
    recent = monitor.recent()
    found = {
        "ROW": monitor.alarm.row,
        "CHANGE": monitor.alarm.change,
        "LOG_EVIDENCE": monitor.alarm.log_evidence,
        "EVIDENCE": f"{math.exp(min(monitor.alarm.log_evidence, 700.0)):.6g}",
        "VALUE": monitor.value,
        "ALPHA": monitor.alpha,
        "KEY": "" if stream.key is None else escape(stream.key),
        "SENTENCE": monitor.sentence(),
    }
    if recent is not None:  # without its limits, which do not hold at the moment of an alarm
        found["RECENT"] = recent.observed
    return {f"PACBAYES_ALARM_{name}": str(value) for name, value in found.items()}
