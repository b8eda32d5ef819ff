"""A stored run checked: its arithmetic, that predictor and certificate belong together, and with the data all of it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from pacbayes import procedures
from pacbayes._core.types import Predictor, Rows
from pacbayes.certificate import Certificate, Check, Verification, compare
from pacbayes.estimators import CertificateWarning
from pacbayes.procedures import compare_certificates
from pacbayes.runs.folder import MODEL, StoredRun, load_run, read_certificate
from pacbayes.runs.methods import estimator_for
from pacbayes.runs.models import MODELS
from pacbayes.runs.predictors import ChangedPredictorError
from pacbayes.runs.run import Progress, load_table, silent
from pacbayes.tables import LinearTerms, Table

__all__ = ["Verified", "verify_folder", "verify_run"]

_AGREEMENT = 1e-9


@dataclass(frozen=True, slots=True)
class Verified:
    """A certificate, what was checked of it, and what was not.

    Attributes
    ----------
    certificate : Certificate
    result : Verification
    unchecked : tuple of str
        Codes of what was not looked at: "data", "predictor", "predictor_numbers", "losses".
    """

    certificate: Certificate
    result: Verification
    unchecked: tuple[str, ...] = ()


def verify_folder(
    place: str | Path,
    *,
    data: str | Path | None = None,
    model: str | Path | None = None,
    trust: tuple[str, ...] = (),
    threads: int = 1,
    progress: Progress = silent,
) -> Verified:
    """Check a certificate in a folder: its arithmetic, a predictor beside it, and with the data everything.

    Parameters
    ----------
    place : path
        The folder, or its certificate.json.
    data : path, optional
        The table it was made from; then everything is run again and compared.
    model : path, optional
        The predictor's model.json or its folder; by default beside the certificate.
    trust : tuple of str
        Dotted paths of models outside scikit-learn that may be imported and loaded.
    threads : int, default=1
        For linear algebra and boosting.
    progress : callable, optional
        Called with what is being done; returns a context manager that is open meanwhile.

    Returns
    -------
    Verified

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import pacbayes as pb
    >>> from pacbayes.runs import verify_folder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "certificate.json"
    ...     text = pb.certify_predictions([0, 1] * 50, [0, 1] * 50).to_json(path)
    ...     checked = verify_folder(path)
    >>> bool(checked.result), checked.unchecked
    (True, ('data', 'predictor'))
    """
    path = Path(place)
    certificate = read_certificate(path)
    procedure = procedures.get(certificate.procedure)
    if data is not None and not procedure.repeatable:
        raise ValueError("A certificate from watch cannot be run again from data.")
    with progress("Checking ..."):
        return _verify(certificate, path, data, model, trust, threads)


def _verify(
    certificate: Certificate,
    path: Path,
    data: str | Path | None,
    model: str | Path | None,
    trust: tuple[str, ...],
    threads: int,
) -> Verified:
    procedure, own = procedures.get(certificate.procedure), certificate.verify()
    beside = (path if path.is_dir() else path.parent) / MODEL
    found = Path(model) if model is not None else (beside if data is not None or beside.is_file() else None)
    proves = ("arithmetic", "not_data" if procedure.repeatable else "not_losses")
    unchecked = ("data", "predictor" if found is None else "predictor_numbers") if procedure.repeatable else ("losses",)
    if found is None or (data is not None and not own):
        return Verified(certificate, Verification(own.checks, proves), () if data is not None else unchecked)
    try:
        stored = load_run(found)
    except ChangedPredictorError:
        return Verified(certificate, Verification((*own.checks, Check("file", held=False))), unchecked)
    if data is None:
        belongs = _check_belongs(certificate, stored)
        return Verified(certificate, Verification((*own.checks, belongs), (*proves, "belongs")), unchecked)
    table = load_table(data, stored.settings)
    return Verified(certificate, verify_run(certificate, stored, table, trust=trust, threads=threads, own=own))


def _check_belongs(certificate: Certificate, stored: StoredRun) -> Check:
    """Check that a predictor is the one that a certificate was issued with."""
    return compare("belongs", certificate.digest, stored.certificate)


def verify_run(
    certificate: Certificate,
    stored: StoredRun,
    table: Table,
    *,
    trust: tuple[str, ...] = (),
    threads: int = 1,
    own: Verification | None = None,
) -> Verification:
    """Run everything again from the table and the stored settings, and compare with certificate and predictor.

    Parameters
    ----------
    certificate : Certificate
        The claim.
    stored : StoredRun
        The predictor, from :func:`load_run`.
    table : Table
        The rows it was made from, in the same order.
    trust : tuple of str
        Dotted paths of models outside scikit-learn that may be imported because the stored settings name them.
    threads : int, default=1
        As for :func:`certify_table`.
    own : Verification, optional
        The certificate's own, if it has been computed already.

    Returns
    -------
    Verification
    """
    _check_trust(stored, trust)
    arithmetic = certificate.verify() if own is None else own
    first = [*arithmetic.checks, _check_belongs(certificate, stored), *_check_table(stored, table)]
    if not all(check.held for check in first):
        return Verification(tuple(first))
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)
        again = estimator_for(table, stored.settings).fit(table.X, table.y)
        checks = compare_certificates(certificate, again.certificate_)
        last = _check_predictor(stored, again.issued_.stored, table.X, trust)
    return Verification((*first, *checks, last), procedures.get(certificate.procedure).proves)


def _check_trust(stored: StoredRun, trust: tuple[str, ...]) -> None:
    """An untrusted file must not choose what is imported here."""
    name = stored.settings.model
    if name not in MODELS and not name.startswith("sklearn.") and name not in trust:
        raise ValueError(
            f"The predictor asks for the model {name!r}, which is not of scikit-learn. If you trust it, give "
            f"--trust {name}."
        )


def _check_table(stored: StoredRun, table: Table) -> list[Check]:
    found = tuple((column.name, column.kind) for column in table.columns)
    return [
        compare("rows", stored.rows, len(table.y)),
        Check("columns", found == stored.columns, claimed=_differing(stored.columns, found)),
        compare("classes", stored.classes, table.classes),
    ]


def _differing(claimed: tuple[tuple[str, str], ...], found: tuple[tuple[str, str], ...]) -> str | None:
    return ", ".join(sorted({name for name, _ in set(claimed) ^ set(found)}))[:120] or None


def _check_predictor(stored: StoredRun, again: Mapping[str, Any], rows: Rows, trust: tuple[str, ...]) -> Check:
    """Check that the stored predictor is what the rows teach."""
    if isinstance(stored.predictor, LinearTerms):
        form = again.get("linear")
        if form is None:
            return Check("predictor", held=False, claimed="linear")
        terms = LinearTerms.of(form.preprocessing, form.weights, form.intercept)
        if len(terms.terms) != len(stored.predictor.terms):
            return Check("predictor", held=False, claimed="terms")
        close = np.allclose(stored.predictor.scores(rows), terms.scores(rows), rtol=_AGREEMENT, atol=1e-7)
        return Check("predictor", bool(close), claimed=None if close else "weights")
    models = stored.models(trust)
    if set(models) != set(again):
        return Check("predictor", held=False, claimed=", ".join(sorted(models)))
    same = all(_agree(models[name], again[name], rows) for name in again)
    return Check("predictor", same, claimed=None if same else "predictions")


def _agree(one: Any, two: Any, rows: Rows) -> bool:
    """Whether two stored parts agree: lists part by part, arrays in numbers, models in what they predict."""
    if isinstance(two, list):
        return len(one) == len(two) and all(_agree(a, b, rows) for a, b in zip(one, two, strict=True))
    if isinstance(two, np.ndarray):
        return bool(np.array_equal(one, two))
    return _predict_alike(one, two, rows)


def _predict_alike(one: Predictor, two: Predictor, rows: Rows) -> bool:
    """Whether two models predict the same, with the same probabilities where they have such."""
    if not np.array_equal(one.predict(rows), two.predict(rows)):
        return False
    if not (hasattr(one, "predict_proba") and hasattr(two, "predict_proba")):
        return True
    first, second = one.predict_proba(rows), two.predict_proba(rows)
    return first.shape == second.shape and bool(np.allclose(first, second, rtol=_AGREEMENT, atol=_AGREEMENT))
