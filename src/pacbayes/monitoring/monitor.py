"""A certificate and the losses that came after it: an alarm when they say that it is no longer true."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pacbayes._core.arguments import check_range, to_floats
from pacbayes._core.rounding import log_inverse
from pacbayes._core.types import BoolArray, FloatArray
from pacbayes.certificate import QUANTITIES, Certificate
from pacbayes.monitoring._losses import read_losses, read_sizes
from pacbayes.monitoring._stored import read_count, read_floats, refuse
from pacbayes.monitoring.evidence import Crossing, Evidence, add_together
from pacbayes.monitoring.recent import RecentRisk, Window
from pacbayes.monitoring.words import alarm_words, brief_words, state_words

__all__ = ["Alarm", "Monitor"]

_SMALLEST = 1e-12  # a certified value below is none that rows could give
_LARGEST_WINDOW = 100_000


@dataclass(frozen=True, slots=True)
class Alarm:
    """The moment when the evidence against a certificate was enough.

    Attributes
    ----------
    row : int
        The row that raised the alarm, counted from 1.
    change : int
        The row at which the change is estimated to have begun: from there on the evidence grew most.
    log_evidence : float
        Natural logarithm of the evidence at that row, rounded down.
    """

    row: int
    change: int
    log_evidence: float


class Monitor:
    """Watches whether a certificate is still true: while it is, the probability of ever an alarm is at most alpha.

    Every row bets that the risk now exceeds the certified value ``v``: ``prod_i (1 + lam (l_i - v))`` for rates from
    small changes to large ones and from every row on, so that a change is found after a long good time, too. Together
    they are an e-process: as long as the risk of each row, given all rows before it, is at most ``v``, the evidence
    ever reaches ``1/alpha`` with a probability of at most ``alpha``, however many rows come and however often one
    looks. The certificate itself may be wrong with its own delta: if nothing has changed since it was issued, an alarm
    has a probability of at most ``alpha + delta``.

    Parameters
    ----------
    certificate : Certificate or float
        What is watched: its value for ``predict``, in [0, 1] also where its sentence has other units; or that value.
        Its first statement has to be about a loss that every row has: of a rate of one class, or of an error among
        answered rows, pass the number, and the losses of these rows alone.
    alpha : float, default=0.01
        Allowed probability of a false alarm, over all rows that will ever come.
    window : int, default=1000
        The number of rows that :meth:`recent` is about.
    delta : float, default=0.05
        Allowed probability that the limits of :meth:`recent` are wrong, at one time fixed beforehand.

    Attributes
    ----------
    value : float
        The certified value.
    alpha, delta : float
    digest : str
        The digest of the certificate; empty if the value was given.
    alarm : Alarm or None
        The alarm; once raised it stays.

    Notes
    -----
    A row's prediction must have been made before its label was known. Where labels come late, rows are judged in the
    order in which their labels come, and how long a label takes must not depend on whether the prediction was right.
    Where only a sample of rows is labelled, it must be chosen at random, or by a rule that ignores everything about
    the row.

    References
    ----------
    Shin, Ramdas and Rinaldo, "E-detectors: a nonparametric framework for sequential change detection", 2024.
    Shafer, "Testing by betting: a strategy for statistical and scientific communication", 2021.

    Examples
    --------
    >>> import numpy as np
    >>> import pacbayes as pb
    >>> certificate = pb.certify_predictions([0, 1] * 500, [0, 1] * 480 + [1, 1] * 20)
    >>> monitor = pb.Monitor(certificate, alpha=0.01)
    >>> rng = np.random.default_rng(0)
    >>> monitor.update(rng.random(5000) < 0.02) is None
    True
    >>> monitor.update(rng.random(1000) < 0.12)  # doctest: +ELLIPSIS
    Alarm(row=5209, change=5046, log_evidence=4.96...)
    >>> monitor
    <Monitor of 2.90 %: 6000 rows, recent mean loss 12.00 %, alarm at row 5209>
    >>> print(monitor.sentence())  # doctest: +ELLIPSIS
    Alarm at row 5209: the risk has exceeded the certified 2.90 %, since about row 5046. ...
    """

    def __init__(
        self, certificate: Certificate | float, alpha: float = 0.01, *, window: int = 1000, delta: float = 0.05
    ) -> None:
        self.value, self.digest, graded = _read_certificate(certificate)
        self.alpha = _single_probability("alpha", alpha)
        self.delta = _single_probability("delta", delta)
        if isinstance(window, bool) or not isinstance(window, int | np.integer) or not 1 <= window <= _LARGEST_WINDOW:
            raise ValueError(
                f"The 'window' argument of Monitor must be a whole number from 1 to {_LARGEST_WINDOW}. "
                f"Got {window!r:.60} instead."
            )
        self.alarm: Alarm | None = None
        self._level = float(log_inverse(np.asarray(self.alpha)))
        self._evidence = Evidence.begin(self.value)
        self._window = Window(int(window), np.zeros(0), 0 if graded else None)
        self._unreadable = 0

    def __len__(self) -> int:
        return self._evidence.rows

    def __repr__(self) -> str:
        return brief_words(self.value, len(self), self.recent(), None if self.alarm is None else self.alarm.row)

    def __copy__(self) -> Monitor:
        """Return one that goes on from here by itself; no array of either is changed in place."""
        made = object.__new__(Monitor)
        made.__dict__.update(self.__dict__)
        made._evidence, made._window = copy(self._evidence), copy(self._window)
        return made

    @property
    def log_evidence(self) -> float:
        """Natural logarithm of the evidence now, rounded down; 0 at the beginning, and usually below."""
        return self._evidence.log_value

    @property
    def evidence(self) -> float:
        """The evidence now: the factor by which a fair bet against the certificate has grown; infinite above 1e300."""
        return math.exp(self.log_evidence) if self.log_evidence < 690.0 else math.inf

    @property
    def change(self) -> int:
        """The row from which on the evidence has grown most, be it much or little."""
        return self._evidence.change

    @property
    def window(self) -> int:
        """The number of rows that :meth:`recent` is about."""
        return self._window.size

    @property
    def unreadable(self) -> int:
        """How many losses could not be read."""
        return self._unreadable

    def update(self, losses: ArrayLike, unreadable: ArrayLike | None = None) -> Alarm | None:
        """Take the losses of further rows, one or many; it makes no difference how they are divided into calls.

        Parameters
        ----------
        losses : array_like
            In [0, 1], such as ``prediction != label``, in the order in which the labels came.
        unreadable : array_like of bool, optional
            Which of them could not be read. Such a row is no evidence: it counts as right for the alarm, and on the
            unfavourable side for each limit on the recent risk.

        Returns
        -------
        Alarm or None
            The alarm, if there has been one.
        """
        values, lost = read_losses(losses, unreadable)
        rows, level = len(self), self._level if self.alarm is None else math.inf
        (crossing,) = add_together([self._evidence], np.where(lost, 0.0, values), [values.size], [level])
        self._take(values, lost, rows, crossing)
        return self.alarm

    def _take(self, losses: FloatArray, unreadable: BoolArray, rows: int, crossing: Crossing | None) -> None:
        """Take losses that the evidence has taken, and the alarm if they raised it."""
        self._window.add(losses, unreadable, rows)
        self._unreadable += int(np.count_nonzero(unreadable))
        if crossing is not None:
            self.alarm = Alarm(rows + crossing.first + 1, crossing.change, crossing.log_evidence)

    @classmethod
    def update_together(
        cls, monitors: Sequence[Monitor], losses: ArrayLike, unreadable: ArrayLike, sizes: Sequence[int]
    ) -> None:
        """Take the losses of further rows of several streams, with the same outcome as :meth:`update` for each.

        Parameters
        ----------
        monitors : sequence of Monitor
            All different.
        losses, unreadable : array_like
            Those of the first monitor, then those of the second, and so on.
        sizes : sequence of int
            How many belong to each.

        Examples
        --------
        >>> import pacbayes as pb
        >>> shops = [pb.Monitor(0.05), pb.Monitor(0.05)]
        >>> pb.Monitor.update_together(shops, [0.0] * 20 + [1.0] * 10, [False] * 30, [20, 10])
        >>> shops[0].alarm is None, shops[1].alarm.row
        (True, 4)
        """
        values, lost = read_losses(losses, unreadable)
        sizes = read_sizes(sizes, len(monitors), values.size)
        before = [len(each) for each in monitors]
        levels = [each._level if each.alarm is None else math.inf for each in monitors]  # noqa: SLF001
        evidences = [each._evidence for each in monitors]  # noqa: SLF001
        found, end = add_together(evidences, np.where(lost, 0.0, values), sizes, levels), 0
        for each, size, rows, crossing in zip(monitors, sizes, before, found, strict=True):
            start, end = end, end + size
            each._take(values[start:end], lost[start:end], rows, crossing)  # noqa: SLF001

    def recent(self) -> RecentRisk | None:
        """Return the mean loss of the last rows with limits on its true value; None before the first row.

        Examples
        --------
        >>> import pacbayes as pb
        >>> monitor = pb.Monitor(0.05, window=100)
        >>> _ = monitor.update([0.0, 0.0, 0.0, 1.0] * 50)
        >>> recent = monitor.recent()
        >>> recent.n, recent.observed, round(recent.lower, 4), round(recent.upper, 4)
        (100, 0.25, 0.1688, 0.3466)
        """
        return self._window.risk(len(self), self.delta)

    def sentence(self) -> str:
        """Return what there is to say in words."""
        if self.alarm is None:
            return state_words(self.value, len(self), self.log_evidence, self.recent())
        alarm = self.alarm
        return alarm_words(alarm.row, alarm.change, alarm.log_evidence, self.value, self.alpha, self.recent())

    def to_dict(self) -> dict[str, object]:
        """Return all that is needed to go on elsewhere, as plain values in full precision.

        Examples
        --------
        >>> import pacbayes as pb
        >>> monitor = pb.Monitor(0.05)
        >>> _ = monitor.update([0.0, 1.0] * 100)
        >>> pb.Monitor.from_dict(monitor.to_dict()).log_evidence == monitor.log_evidence
        True
        """
        alarm = self.alarm
        return {
            "certificate": self.digest,
            "alpha": self.alpha.hex(),
            "delta": self.delta.hex(),
            "evidence": self._evidence.to_dict(),
            "window": self._window.to_dict(),
            "unreadable": self._unreadable,
            "alarm": None if alarm is None else [alarm.row, alarm.change, alarm.log_evidence.hex()],
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, object]) -> Monitor:
        """Go on from what :meth:`to_dict` returned; anything else is refused with a ValueError."""
        evidence, digest = record.get("evidence"), record.get("certificate")
        if not isinstance(evidence, Mapping) or not isinstance(digest, str):
            refuse()
        stored = Evidence.from_dict(evidence)
        alpha, delta = read_floats([record.get("alpha"), record.get("delta")], 2).tolist()
        made = cls(stored.value, alpha, delta=delta)
        if set(record) != set(made.to_dict()):
            refuse()
        made.digest, made._evidence = digest, stored
        made._window = Window.from_dict(record["window"], stored.rows)
        made._unreadable = read_count(record["unreadable"])
        made.alarm = made._read_alarm(record["alarm"])
        if made._unreadable > stored.rows:
            refuse()
        return made

    def _read_alarm(self, stored: object) -> Alarm | None:
        if stored is None:
            return None
        if not isinstance(stored, list) or len(stored) != 3:
            refuse()
        row, change = read_count(stored[0]), read_count(stored[1])
        (log_evidence,) = read_floats(stored[2:], 1).tolist()
        if not 1 <= change <= row <= len(self) or log_evidence < self._level:
            refuse()
        return Alarm(row, change, log_evidence)


def _single_probability(name: str, value: float) -> float:
    number = to_floats("Monitor", name, value)
    if number.ndim:
        raise ValueError(f"The {name!r} argument of Monitor must be one number. Got {value!r:.60} instead.")
    check_range("Monitor", name, number, 1e-290, float(np.nextafter(1.0, 0.0)), "lie strictly between 0 and 1")
    return float(number)


def _read_certificate(certificate: Any) -> tuple[float, str, bool]:
    """Return the value that is watched, the digest, and whether losses between 0 and 1 are to come."""
    if isinstance(certificate, Certificate):
        value, digest, graded = _verify(certificate)
    else:
        if isinstance(certificate, bool) or not isinstance(certificate, int | float | np.floating):
            raise ValueError(  # noqa: TRY004
                "The 'certificate' argument of Monitor must be a Certificate or a number. "
                f"Got {certificate!r:.60} instead."
            )
        value, digest, graded = float(certificate), "", False
    if not _SMALLEST <= value < 1.0:
        raise ValueError(
            f"The 'certificate' argument of Monitor must have a value between {_SMALLEST:g} and 1, so that there is "
            f"something to watch. Got {value!r} instead."
        )
    return value, digest, graded


@lru_cache(maxsize=8)
def _verify(certificate: Certificate) -> tuple[float, str, bool]:
    """Check a certificate; once, since there may be many streams."""
    first = certificate.statements[0]
    if first.side != "upper" or not certificate.verify():
        raise ValueError("The 'certificate' argument of Monitor must hold and be an upper limit. This one is not.")
    if not QUANTITIES[first.quantity].is_mean_over_rows:
        raise ValueError(
            "The 'certificate' argument of Monitor must begin with a limit on a loss that every row has. This one "
            f"begins with the {first.words}; of a limit on some of the rows pass the number, and their losses alone."
        )
    value = certificate.value if certificate.vote_value is None else certificate.vote_value
    return value, certificate.digest, QUANTITIES[first.quantity].is_graded
