"""What puts a number in doubt is said even where little is wanted."""

from __future__ import annotations

from pacbayes.certificate import Certificate
from pacbayes.certificate.notices import CAUTIONS
from pacbayes.certificate.words import note_words
from pacbayes.cli._output import Output

__all__ = ["note_cautions"]


def note_cautions(output: Output, certificate: Certificate) -> None:
    """Say the notes of a certificate that put its number in doubt."""
    for note in certificate.notes:
        if note.code in CAUTIONS:
            output.note(note_words(note), always=True)
