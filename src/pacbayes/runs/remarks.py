"""Runs before this one that were a search for a seed, and the refusal of what was noticed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pacbayes._core.notes import Note
from pacbayes.certificate.words import note_words
from pacbayes.runs.folder import load_run, read_certificate
from pacbayes.runs.settings import Settings
from pacbayes.runs.table import EARLIER

__all__ = ["StrictError", "find_earlier_seeds", "refuse_notes"]

# say what was asked for, where was looked, and what only the user can know: a town is written like a patient
_NO_DOUBT = frozenset({"time_orders_rows", "noted_first_rows", "rows_may_belong_together"})


class StrictError(ValueError):
    """Something was noticed, and notes were to be refused."""


def refuse_notes(notes: Sequence[Note]) -> None:
    """Raise an error that says all notes that put a certificate in doubt, if there are any."""
    doubts = [note_words(note) for note in notes if note.code not in _NO_DOUBT]
    if doubts:
        raise StrictError(f"--strict refuses a certificate where something was noticed. {' '.join(doubts)}")


def find_earlier_seeds(folder: Path, settings: Settings, data: str | None) -> tuple[Note, ...]:
    """Return the note that a run in a folder, which is to be replaced, differs in its seed alone.

    More than one seed in sight of the numbers is a search among certificates. Whatever happened in other folders nobody
    can tell; candidates that were counted are no search.

    Parameters
    ----------
    folder : Path
        With the run that is to be replaced, or nothing.
    settings : Settings
        Of the run that replaces it, with its method.
    data : str or None
        The digest of its data.
    """
    try:
        stored, certificate = load_run(folder), read_certificate(folder)
    except (ValueError, OSError):  # no run, or one of another version
        return ()
    then = stored.settings
    if certificate.digests.get("data") != data or _without_seed(then) != _without_seed(settings):
        return ()
    noted = [note.numbers.get("count") for note in certificate.notes if note.code == EARLIER]
    before = max((int(count) for count in noted if isinstance(count, int)), default=1)
    count = before + (then.seed != settings.seed)
    return (Note(EARLIER, {"count": count}),) if count > settings.candidates else ()


def _without_seed(settings: Settings) -> Settings:
    return replace(settings, seed=0, candidates=1)
