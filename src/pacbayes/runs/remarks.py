"""What a certificate says beyond what its procedure knows: the period of its judged rows, and what was noticed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pacbayes._core.notes import Note
from pacbayes.certificate import Certificate, add_period
from pacbayes.procedures import Certifier
from pacbayes.tables import Table, show_time

__all__ = ["annotate"]


def annotate(model: Certifier, table: Table, time: str | None, earlier: Sequence[Note] = ()) -> Certificate:
    """Return the certificate of a fitted estimator with the period of its judged rows and the notes on its table.

    It is a function of table and settings but for ``earlier``, notes on runs before this one, so that whoever verifies
    gets the same.
    """
    certificate = model.certificate_
    if time is not None and table.times is not None:
        first, last = (show_time(table.times, row) for row in (-certificate.n, -1))
        certificate = add_period(certificate, time, first, last)
    notes = (*certificate.notes, *table.notes, *earlier)
    return replace(certificate, notes=notes, digest="")
