"""The streams that ``watch`` reads: one, or one for each key, with a running limit and perhaps an alarm."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from pacbayes._core.notes import Note
from pacbayes._core.types import FloatArray
from pacbayes.certificate import Certificate
from pacbayes.cli._watch_curve import Curve
from pacbayes.monitoring import Monitor, stream_share
from pacbayes.procedures import LossMonitor

__all__ = ["MOST_WAITING", "UNREADABLE", "Stream", "Streams", "Watching"]

UNREADABLE = -1.0  # stands among waiting losses for one that could not be read
MOST_WAITING = 256
_ZERO_ONE = frozenset({"error", "loss"})  # what label and prediction tell; a loss may be that, too
_MOST_STREAMS = 10_000  # without --streams; memory is flat for each, so that junk as keys must not go on for ever


@dataclass(frozen=True, slots=True, kw_only=True)
class Watching:
    """What is asked of every stream.

    Attributes
    ----------
    delta : float
        Allowed probability that any running limit is ever wrong.
    certificate : Certificate or None
        What may stop being true; None if there is no alarm.
    alpha : float
        Allowed probability of any false alarm.
    window : int
        Rows that the recent risk is about.
    by : str or None
        The name of the key of a stream; None for one stream.
    most : int or None
        The number of streams, if it was fixed beforehand.
    columns : tuple of str or None
        The columns, if the lines are rows of CSV.
    header : bool or None
        Whether the first of them is a header; None if that is to be told by what it says.
    """

    delta: float
    certificate: Certificate | None = None
    alpha: float = 0.01
    window: int = 1000
    by: str | None = None
    most: int | None = None
    columns: tuple[str, ...] | None = None
    header: bool | None = None

    def share(self, position: int) -> float:
        """Return the share of alpha and delta of the stream that came as the ``position``-th."""
        return 1.0 if self.by is None else stream_share(position, self.most)

    def check_loss(self, given: object, line: int) -> None:
        """Refuse label and prediction where the certificate is about another loss than whether they differ."""
        first = None if self.certificate is None else self.certificate.statements[0]
        if first is None or first.quantity in _ZERO_ONE or not (isinstance(given, dict) and "label" in given):
            return
        raise ValueError(
            f"Line {line} has label and prediction, which tell an error, and the certificate is about the "
            f'{first.words}: write {{"loss": ...}}, divided by its scale and cut at 1.'
        )

    def begin(self, key: str | None, position: int) -> Stream:
        """Return a stream before its first loss."""
        share = self.share(position)
        monitor = None
        if self.certificate is not None:
            monitor = Monitor(self.certificate, self.alpha * share, window=self.window)
        return Stream(key, LossMonitor(self.delta * share), monitor)


@dataclass(slots=True)
class Stream:
    """One stream.

    Attributes
    ----------
    key : str or None
        None if it is the only one.
    limit : LossMonitor
        Its running limit.
    monitor : Monitor or None
        Its alarm, where there is a certificate.
    told : bool
        Whether the command on alarm was run.
    shown : int
        After how many losses it was last reported.
    curve : Curve
        What was reported so far, thinned out.
    packed : str
        How it was last stored, among many; empty if it has changed since.
    """

    key: str | None
    limit: LossMonitor
    monitor: Monitor | None = None
    told: bool = False
    shown: int = 0
    curve: Curve = field(default_factory=Curve)
    packed: str = ""
    _waiting: array[float] = field(default_factory=lambda: array("d"))

    def __len__(self) -> int:
        return len(self.limit)

    @property
    def is_full(self) -> bool:
        """Whether so many losses wait to be judged that it is time."""
        return len(self._waiting) >= MOST_WAITING

    def add(self, loss: float) -> None:
        """Take a loss."""
        self.packed = ""
        self.limit.add(loss)
        if self.monitor is not None:
            self._waiting.append(loss)

    @property
    def waiting(self) -> int:
        """How many losses wait to be judged."""
        return len(self._waiting)

    def waiting_losses(self) -> FloatArray:
        """Return the losses that wait to be judged."""
        return np.array(self._waiting)

    def wait(self, losses: bytes) -> None:
        """Let losses wait to be judged."""
        self._waiting.frombytes(losses)

    def settle(self, monitor: Monitor, judged: int) -> None:
        """Go on with a monitor that has seen so many of the losses that wait."""
        self.monitor, self._waiting = monitor, self._waiting[judged:]

    def add_unreadable(self) -> None:
        """Count something that could not be read: as wrong in the limit, and as no evidence for an alarm."""
        self.packed = ""
        self.limit.add_unreadable()
        if self.monitor is not None:
            self._waiting.append(UNREADABLE)

    def judge(self) -> bool:
        """Let the monitor see the losses that wait; return whether it raised the alarm now."""
        if self.monitor is None or not self._waiting:
            return False
        losses, before = np.frombuffer(self._waiting), self.monitor.alarm
        raised = self.monitor.update(losses, losses == UNREADABLE)
        self._waiting = array("d")
        return before is None and raised is not None

    def to_dict(self) -> dict[str, object]:
        """Return all that is needed to go on; nothing may wait."""
        record: dict[str, object] = {"monitor": self.limit.to_dict()}
        if self.monitor is not None:
            alarm = {"monitor": self.monitor.to_dict(), "told": self.told, "curve": self.curve.to_list()}
            record["alarm"] = alarm
        return record

    @classmethod
    def from_dict(cls, record: Mapping[str, object], key: str | None) -> Stream:
        """Go on from what :meth:`to_dict` returned; anything else is refused with a ValueError."""
        limit, alarm = record.get("monitor"), record.get("alarm")
        made = cls(key, LossMonitor.from_dict(limit if isinstance(limit, dict) else {}))
        made.shown = len(made.limit)
        if alarm is not None:
            if not isinstance(alarm, dict) or set(alarm) != {"monitor", "told", "curve"}:
                raise ValueError("The alarm must be one that was stored. Got something else instead.")
            made.monitor = Monitor.from_dict(alarm["monitor"] if isinstance(alarm["monitor"], dict) else {})
            made.told, made.curve = alarm["told"] is True, Curve.from_list(alarm["curve"])
            if len(made.monitor) != len(made.limit):
                raise ValueError("An alarm and a limit must be about the same losses. Got others instead.")
        return made


class Streams:
    """All streams so far, in the order in which they came."""

    def __init__(self, watching: Watching) -> None:
        self.watching = watching
        self.unassigned = 0  # lines without a key
        self.replaced = 0  # how often the file was cut or replaced by other lines
        self._streams: dict[str | None, Stream] = {}
        if watching.by is None:
            self.get(None)

    def __iter__(self) -> Iterator[Stream]:
        return iter(self._streams.values())

    def __len__(self) -> int:
        """Return how many losses there were in all streams."""
        return sum(map(len, self._streams.values()))

    @property
    def count(self) -> int:
        """How many streams there are."""
        return len(self._streams)

    @property
    def only(self) -> Stream:
        """The stream, where there is no key."""
        return self._streams[None]

    @property
    def room(self) -> int:
        """How many streams may still begin."""
        most = self.watching.most
        return (_MOST_STREAMS if most is None else most) - self.count

    @property
    def unreadable(self) -> int:
        """How many losses could not be read, in all streams and in none."""
        return self.unassigned + sum(each.limit.unreadable for each in self)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What certificates say of the file."""
        return (Note("file_replaced", {"times": self.replaced}),) if self.replaced else ()

    @property
    def alarms(self) -> list[Stream]:
        """The streams with an alarm."""
        return [each for each in self if each.monitor is not None and each.monitor.alarm is not None]

    def find(self, key: str | None) -> Stream | None:
        """Return the stream of a key, if it has begun."""
        return self._streams.get(key)

    def get(self, key: str | None) -> Stream:
        """Return the stream of a key; begin it where it is new."""
        found = self._streams.get(key)
        if found is None:
            self._refuse_too_many()
            found = self._streams[key] = self.watching.begin(key, self.count + 1)
        return found

    def restore(self, stream: Stream) -> None:
        """Put a stored stream in its place, which is the next."""
        self._streams[stream.key] = stream

    def _refuse_too_many(self) -> None:
        most = self.watching.most
        if most is not None and self.count >= most:
            raise ValueError(f"There are more than {most} streams. Each has its share; name a larger --streams.")
        if most is None and self.count >= _MOST_STREAMS:
            raise ValueError(
                f"There are more than {_MOST_STREAMS} streams. If that is so, say how many with --streams."
            )
