"""What puts a number in doubt is said even where little is wanted."""

from __future__ import annotations

from collections.abc import Iterable

from pacbayes._core.notes import Note
from pacbayes.certificate import Certificate
from pacbayes.certificate.issue import find_high_delta
from pacbayes.certificate.notices import CAUTIONS
from pacbayes.certificate.words import note_words
from pacbayes.cli._output import Output

__all__ = ["note_cautions", "note_high_delta"]


def note_cautions(output: Output, certificate: Certificate, but: str = "") -> None:
    """Say the notes of a certificate that put its number in doubt, but for one."""
    _say(output, [note for note in certificate.notes if note.code in CAUTIONS and note.code != but])


def note_high_delta(output: Output, *deltas: float) -> None:
    """Say of deltas that a guarantee may be wrong more often than right, of several of the largest alone."""
    _say(output, find_high_delta(max(deltas)))


def _say(output: Output, notes: Iterable[Note]) -> None:
    for note in notes:
        output.note(note_words(note), always=True)
