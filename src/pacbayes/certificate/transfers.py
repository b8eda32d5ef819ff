"""What must be so of a certificate that was transferred from one predictor to another, whatever the data were."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pacbayes.certificate.checks import AGREEMENT
from pacbayes.certificate.quantities import COUNT_BOUNDS
from pacbayes.certificate.statement import Source, Statement
from pacbayes.certificate.subjects import SUBJECTS

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate

__all__ = ["TRANSFER_DELTA", "is_own_source", "wrong_disagreements"]

TRANSFER_DELTA = "transfer_delta"  # the choice of what the disagreement's bound adds to delta
_NEEDED = {"certificate", "unlabelled"}  # digests of what it starts from, and of the rows of the disagreements


def is_own_source(record: Certificate, statement: Statement, source: Source) -> bool:
    """Return whether a source is as the library takes it: for the subjects that have one, at the recorded delta.

    Whether its numbers are those of the certificate that it names is checked by whoever has that certificate.
    """
    added = [each.value for each in record.choices if each.what == TRANSFER_DELTA and each.where == "given"]
    fits = len(added) == 1 and isinstance(added[0], float) and _agree(added[0], source.split, record.delta)
    alone = len(record.statements) == 1 and statement.quantity == "error" and SUBJECTS[statement.about].has_source
    return alone and fits and source.bound in COUNT_BOUNDS and set(record.digests) >= _NEEDED


def _agree(added: float, split: float, delta: float) -> bool:
    return 0.0 < added < delta and abs(added - delta * (1.0 - split)) <= AGREEMENT * delta


def wrong_disagreements(statement: Statement) -> str | None:
    """Return what no two predictors can have given; None if there is nothing of the kind."""
    given, source = statement.observed, statement.source
    if set(given) != {"disagreements"} or source is None:
        return "names"
    count = given["disagreements"]
    if type(count) is not int or not 0 <= count <= statement.n:
        return "disagreements"
    return None if 0 <= source.errors <= source.n else "errors"
