"""The model that a run refitted on all rows: its certificate by transfer, and how it is checked."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pacbayes.certificate import Certificate, Check, Verification
from pacbayes.estimators import CertificateWarning, CertifiedClassifier
from pacbayes.procedures import Transfer, compare_certificates, compare_with_source, transfer_delta
from pacbayes.runs.predictors import ModelsFile, compare_models
from pacbayes.runs.settings import Settings
from pacbayes.runs.table import load_rows
from pacbayes.runs.words import refitted_name
from pacbayes.tables import Table, TableError, align_rows

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "TRANSFER",
    "Refitting",
    "check_again",
    "check_stored",
    "check_transfer",
    "issue_transfer",
    "load_unlabelled",
    "require_source",
    "require_split",
]

TRANSFER = "transfer.json"


def require_split(model: object, settings: Settings) -> CertifiedClassifier:
    """Return the estimator of a run with a refit, or say which runs can have one."""
    if not isinstance(model, CertifiedClassifier):
        raise ValueError(  # noqa: TRY004
            f"--refit and --unlabelled go with a split of the rows. Got the method {settings.method!r} instead."
        )
    return model


def load_unlabelled(
    path: str | Path,
    settings: Settings,
    table: Table,
    max_memory: int | str | None = None,
    data: Path | None = None,
) -> pd.DataFrame:
    """Read rows without labels as the columns of a table, from another file; a target among them is not looked at."""
    if data is not None and Path(path).resolve() == data.resolve():
        raise ValueError(f"--unlabelled must be another file than the data. Got {str(path)!r} for both.")
    columns = tuple((column.name, column.kind) for column in table.columns)
    frame = load_rows(path, settings, columns, max_memory)
    try:
        rows = align_rows(frame, columns, missing=settings.missing, ignore=settings.not_used).X
    except TableError as error:
        raise TableError(f"{Path(path).name}: {error}") from None
    if not len(rows):
        raise TableError(f"{Path(path).name}: a transfer needs at least one unlabelled row. There is none.")
    return rows


def issue_transfer(model: CertifiedClassifier, certificate: Certificate, rows: pd.DataFrame) -> Certificate:
    """Certify the refitted model by its disagreements with the certified one on unlabelled rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)  # the certificate carries the same as notes
        return Transfer(source=certificate, delta=transfer_delta(certificate)).certify_models(model.models(), rows)


@dataclass(frozen=True, slots=True)
class Refitting:
    """What there is to check of a refitted model: its certificate, and the unlabelled rows if they are given.

    Attributes
    ----------
    transfer : Certificate
    path : path or None
        The file of unlabelled rows.
    rows : DataFrame or None
        The unlabelled rows, once they are read.
    """

    transfer: Certificate
    path: str | Path | None = None
    rows: pd.DataFrame | None = None

    @property
    def proves(self) -> tuple[str, ...]:
        """Codes of what checks with the data prove of it."""
        return ("transferred",) if self.rows is None else ("transferred", "disagreements_counted")

    def load(self, settings: Settings, table: Table, max_memory: int | str | None) -> Refitting:
        """Return the same with the rows of the file."""
        if self.path is None:
            return self
        return replace(self, rows=load_unlabelled(self.path, settings, table, max_memory))


def require_source(transfer: Certificate, certificate: Certificate) -> Certificate:
    """Return the certificate of a refitted model, or say that it does not follow from the run's own."""
    if not check_transfer(transfer, certificate).held:
        raise ValueError(f"The refitted model's {TRANSFER} does not hold: see pacbayes verify.")
    return transfer


def check_transfer(transfer: Certificate, certificate: Certificate) -> Check:
    """Check that a transfer holds in itself, and that it starts from this certificate."""
    try:
        checks = (*transfer.verify().checks, *compare_with_source(transfer, certificate))
    except (ValueError, KeyError):  # no transfer at all, or none of this certificate
        return Check("transfer", held=False)
    wrong = Verification(tuple(checks)).failed
    return Check("transfer", not wrong, claimed=wrong[0].code if wrong else None)


def check_stored(certificate: Certificate, refitted: ModelsFile | None, transfer: Certificate | None) -> list[Check]:
    """Check that the file of a refitted model is called what it is, and that its certificate follows from the run's."""
    expected = None if refitted is None else refitted_name(transfer)
    named = Check("refitted_name", refitted is not None and refitted.name == expected)
    return [named, *([] if transfer is None else [check_transfer(transfer, certificate)])]


def check_again(
    certificate: Certificate, refitted: ModelsFile | None, again: CertifiedClassifier, refit: Refitting | None
) -> list[Check]:
    """Check a stored refitted model, which is never called, and its certificate against models learned again."""
    transfer = None if refit is None else refit.transfer
    checks = check_stored(certificate, refitted, transfer)
    if refitted is None or not hasattr(again, "refitted_"):
        return [*checks, Check("refitted", held=False)]
    difference = compare_models(refitted, {"predictor": again.refitted_})
    checks.append(Check("refitted", difference is None, claimed=None if difference is None else difference.place))
    if refit is None or refit.rows is None or not all(check.held for check in checks):
        return checks
    return [*checks, _count_again(refit.transfer, certificate, again, refit.rows)]


def _count_again(
    transfer: Certificate, certificate: Certificate, again: CertifiedClassifier, rows: pd.DataFrame
) -> Check:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)
        own = Transfer(source=certificate, delta=transfer_delta(transfer)).certify_models(again.models(), rows)
    wrong = Verification(tuple(compare_certificates(transfer, own))).failed
    return Check("disagreements", not wrong, claimed=wrong[0].code if wrong else None)
