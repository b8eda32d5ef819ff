"""What a certificate says beyond what its procedure knows: the period of its judged rows, and what was noticed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pacbayes._core.notes import Note
from pacbayes.certificate import Certificate, add_period
from pacbayes.certificate.words import note_words
from pacbayes.procedures import Certifier
from pacbayes.report import headline_value
from pacbayes.runs.folder import load_run, read_certificate
from pacbayes.runs.settings import Settings
from pacbayes.tables import Table, find_leaks, show_time

__all__ = ["EARLIER", "StrictError", "annotate", "find_earlier_seeds", "refuse_notes", "trivial_answer"]

EARLIER = "several_seeds"  # about runs before this one: nobody who verifies can find it out again
_NO_DOUBT = frozenset({"time_orders_rows"})  # says what was asked for


class StrictError(ValueError):
    """Something was noticed, and notes were to be refused."""


def refuse_notes(notes: Sequence[Note]) -> None:
    """Raise an error that says all notes that put a certificate in doubt, if there are any."""
    doubts = [note_words(note) for note in notes if note.code not in _NO_DOUBT]
    if doubts:
        raise StrictError(f"--strict refuses a certificate where something was noticed. {' '.join(doubts)}")


def annotate(model: Certifier, table: Table, time: str | None, earlier: Sequence[Note] = ()) -> Certificate:
    """Return the certificate of a fitted estimator with the period of its judged rows and all notes on its table.

    It is a function of table and settings but for ``earlier``, notes on runs before this one, so that whoever verifies
    gets the same. Notes that go by labels see learning rows alone; that on the most common answer is about the number
    itself and the labels of the whole table, and changes neither.
    """
    certificate = model.certificate_
    learning = model.order_[: len(table.y) - certificate.n]
    notes = [*certificate.notes, *table.notes, *find_leaks(table, learning), *_compare(certificate, table)]
    if time is not None and table.times is not None:
        first = -certificate.n
        certificate = add_period(certificate, time, show_time(table.times, first), show_time(table.times, -1))
        if learning.size and table.times[first] == table.times[first - 1]:
            notes.append(Note("cut_within_a_time", {"time": show_time(table.times, first)}))
    return replace(certificate, notes=(*notes, *earlier), digest="")


def trivial_answer(table: Table) -> dict[str, Any]:
    """Return the most common label, and the share of rows on which always answering it would be wrong."""
    most = max(range(len(table.counts)), key=table.counts.__getitem__)
    return {"label": table.classes[most], "share": 1.0 - table.counts[most] / len(table.y)}


def _compare(certificate: Certificate, table: Table) -> list[Note]:
    trivial = trivial_answer(table)
    if headline_value(certificate) < trivial["share"]:
        return []
    return [Note("no_better_than_common", {"label": trivial["label"], "percent": 100.0 * trivial["share"]})]


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
