"""What a certificate says of its table beyond what its procedure knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pacbayes._core.notes import Note
from pacbayes.certificate import Certificate, add_period
from pacbayes.procedures import Certifier
from pacbayes.report import headline_value
from pacbayes.tables import Table, find_leaks, show_time

__all__ = ["EARLIER", "annotate", "trivial_answer"]

EARLIER = "several_seeds"  # about runs before this one: nobody who verifies can find it out again


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
    labels = table.y[table.learning or 0 :]  # where the judged rows came in a table of their own, of those
    classes, counts = np.unique(labels, return_counts=True)
    most = int(counts.argmax())
    return {"label": str(classes[most]), "share": 1.0 - float(counts[most]) / len(labels)}


def _compare(certificate: Certificate, table: Table) -> list[Note]:
    trivial = trivial_answer(table)
    if headline_value(certificate) < trivial["share"]:
        return []
    return [Note("no_better_than_common", {"label": trivial["label"], "percent": 100.0 * trivial["share"]})]
