"""Certificates as procedures issue them: values computed, versions and time filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from numbers import Integral

from pacbayes._core.notes import Note
from pacbayes._core.versions import current_versions
from pacbayes.certificate.arithmetic import consequence_value
from pacbayes.certificate.at_once import Limits, evaluate_many
from pacbayes.certificate.certificate import Certificate
from pacbayes.certificate.statement import Choice, Consequence, Statement
from pacbayes.certificate.subjects import SUBJECTS

__all__ = ["issue"]

_HALF = 0.5


def issue(
    procedure: str,
    statements: Sequence[Statement],
    *,
    delta: float,
    candidates: int = 1,
    choices: Sequence[Choice] = (),
    notes: Sequence[Note] = (),
    digests: Mapping[str, str] | None = None,
    seed: int | None = None,
) -> Certificate:
    """Evaluate the bounds of statements and return the certificate that holds them.

    Parameters
    ----------
    procedure : str
        How it came about: a name of :mod:`pacbayes.procedures`.
    statements : sequence of Statement
        Their values and the values of their consequences are filled in here.
    delta, candidates, choices, notes, digests, seed
        As :class:`Certificate` has them.
    """
    if isinstance(candidates, bool) or not isinstance(candidates, Integral) or candidates < 1:
        raise ValueError(f"The number of candidates must be a whole number of at least 1. Got {candidates!r} instead.")
    limits = evaluate_many(statements, delta / candidates)
    return Certificate(
        procedure=procedure,
        statements=tuple(_valued(each, found) for each, found in zip(statements, limits, strict=True)),
        delta=float(delta),
        candidates=int(candidates),
        choices=tuple(choices),
        notes=(*notes, *find_high_delta(delta)),
        digests=dict(digests or {}),
        seed=seed,
        versions=current_versions(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def find_high_delta(delta: float) -> tuple[Note, ...]:
    """Return the note on a delta with which a guarantee may be wrong more often than right.

    Examples
    --------
    >>> from pacbayes.certificate.issue import find_high_delta
    >>> len(find_high_delta(0.05)), len(find_high_delta(0.9))
    (0, 1)
    """
    return (Note("delta_above_half", {"delta": float(delta)}),) if delta > _HALF else ()


def _valued(statement: Statement, limits: Limits) -> Statement:
    value, lower = limits
    consequences = tuple(
        Consequence(about, rule, consequence_value(value, rule, statement.side))
        for about, rule in SUBJECTS[statement.about].consequences
    )
    return replace(statement, value=value, lower=lower, consequences=consequences)
