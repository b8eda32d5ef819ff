"""What a report is made from, and the shape of its sections."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pacbayes._core.notes import Note
from pacbayes.certificate import Certificate
from pacbayes.report.values import DeltaRow, SplitCost

__all__ = ["Contents", "Data", "Section"]

Data: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What a report is made from: what :func:`pacbayes.report.render` was given, values over delta, and notices."""

    certificate: Certificate
    deltas: Sequence[DeltaRow]
    about: Mapping[str, str]
    columns: Sequence[Mapping[str, object]]
    baseline: Mapping[str, float] | None
    trivial: Mapping[str, str | float] | None
    notes: Sequence[Note | str]
    notices: Sequence[Note]
    curve: Mapping[str, Sequence[float]] | None
    hardest: Sequence[Mapping[str, object]]
    commands: Sequence[tuple[str, str]]
    split: SplitCost | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a report.

    Attributes
    ----------
    name : str
        Of its template, and its anchor in the page.
    title : str
        Its heading.
    fill : callable
        Returns what its template shows, or None where there is nothing to show.
    """

    name: str
    title: str
    fill: Callable[[Contents], Data | None]
