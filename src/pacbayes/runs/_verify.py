"""A stored run checked against its data: everything is run again, in the recorded order."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from pacbayes.certificate import Certificate, Check, Verification, data_digest
from pacbayes.estimators import CertificateWarning
from pacbayes.runs._certify import estimator, pipeline, split
from pacbayes.runs._models import MODELS
from pacbayes.runs._settings import Settings
from pacbayes.runs._store import Stored
from pacbayes.tables import LinearTerms, Table
from pacbayes.verification import recheck, recheck_run

__all__ = ["belongs", "verify_run"]

_AGREEMENT = 1e-9
_NEVER = "It cannot prove how the rows were collected, or what was done with them before."
_PROVES = {
    "online": "This proves that the model, predicting each of these rows before it learned from it, gives the recorded "
    f"statistics, and that the stored predictor is what came of it. {_NEVER}",
    "holdout": "This proves that the stored predictor was learned from the other rows alone, and that on the rows held "
    f"out it makes the recorded number of errors. {_NEVER}",
}


def belongs(certificate: Certificate, stored: Stored) -> list[Check]:
    """Check that a predictor is the one that a certificate was issued with."""
    same = stored.certificate == certificate.digest
    detail = "" if same else f"it names {stored.certificate[:12]}, this is {certificate.digest[:12]}"
    return [Check("the predictor belongs to this certificate", same, detail)]


def verify_run(
    certificate: Certificate, stored: Stored, table: Table, *, trust: tuple[str, ...] = (), threads: int = 1
) -> Verification:
    """Run everything again from the table and the stored settings, and compare with certificate and predictor.

    Parameters
    ----------
    certificate : Certificate
        The claim.
    stored : Stored
        The predictor, from :func:`read_run`.
    table : Table
        The rows it was made from, in the same order.
    trust : tuple of str
        Dotted paths of models outside scikit-learn that may be imported because the stored settings name them.
    threads : int, default=1
        As for :func:`certify_table`.

    Returns
    -------
    Verification
    """
    settings = stored.settings
    _check_trust(settings, trust)
    first = [*belongs(certificate, stored), *_same_columns(stored, table)]
    if not all(check.held for check in first):
        return Verification(tuple(first), "")
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)
        if settings.method == "holdout":
            result, last = _held_out(certificate, stored, table)
        else:
            model = estimator(table, settings)
            result = recheck_run(certificate, table.X, table.y, model)
            last = _stored_predictor(stored, table, model)
    return Verification((*first, *result.checks, last), _PROVES.get(certificate.kind, result.proves))


def _check_trust(settings: Settings, trust: tuple[str, ...]) -> None:
    """A file from a stranger must not choose what is imported here."""
    name = settings.model
    if name not in MODELS and not name.startswith("sklearn.") and name not in trust:
        raise ValueError(
            f"The predictor asks for the model {name!r}, which is not of scikit-learn. If you trust it, give "
            f"--trust {name}."
        )


def _same_columns(stored: Stored, table: Table) -> list[Check]:
    found = tuple((column.name, column.kind) for column in table.columns)
    wrong = [name for name, _ in set(found) ^ set(stored.columns)]
    rows, expected = len(table.y), stored.rows
    return [
        Check(
            "number of rows",
            expected in {None, rows},
            "" if expected in {None, rows} else f"{rows} instead of {expected}",
        ),
        Check(
            "columns and their kinds",
            found == stored.columns,
            f"these differ: {', '.join(sorted(set(wrong)))}"[:120] * bool(wrong),
        ),
        Check("classes", table.classes == stored.classes),
    ]


def _stored_predictor(stored: Stored, table: Table, model: Any) -> Check:
    what = "the stored predictor is what these rows teach"
    if stored.terms is not None:
        again = LinearTerms.of(model.preprocessing_, model.coef_[0], model.intercept_[0])
        if len(again.terms) != len(stored.terms.terms):
            return Check(what, held=False, detail="it has other terms")
        close = np.allclose(stored.terms.scores(table.X), again.scores(table.X), rtol=_AGREEMENT, atol=1e-7)
        return Check(what, bool(close), "" if close else "its weights differ")
    if stored.models is None or "snapshots" not in stored.models:
        return Check(what, held=False, detail="it holds no snapshots")
    snapshots = stored.models["snapshots"]
    same = len(snapshots) == len(model.snapshots_) and all(
        _agree(one, two, table.X) for one, (_, two) in zip(snapshots, model.snapshots_, strict=True)
    )
    return Check(what, same, "" if same else "its predictions differ")


def _agree(one: Any, two: Any, rows: Any) -> bool:
    """Whether two models predict the same, with the same probabilities where they have such."""
    if not np.array_equal(one.predict(rows), two.predict(rows)):
        return False
    if not (hasattr(one, "predict_proba") and hasattr(two, "predict_proba")):
        return True
    first, second = one.predict_proba(rows), two.predict_proba(rows)
    return first.shape == second.shape and bool(np.allclose(first, second, rtol=_AGREEMENT, atol=_AGREEMENT))


def _held_out(certificate: Certificate, stored: Stored, table: Table) -> tuple[Verification, Check]:
    if stored.models is None or "predictor" not in stored.models:
        raise ValueError("The predictor of a hold-out certificate must be a fitted model.")
    train, test = split(table, stored.settings)
    predictor, rows = stored.models["predictor"], table.X.iloc[test]
    result = recheck(certificate, rows, table.y[test], predictor)
    claimed, found = certificate.digests.get("table", ""), data_digest(table.X, table.y)
    whole = Check("digest of the table", claimed == found, "" if claimed == found else "values or their order differ")
    result = replace(result, checks=(*result.checks, whole))
    again = pipeline(table, stored.settings).fit(table.X.iloc[train], table.y[train])
    same = _agree(predictor, again, table.X)
    return result, Check("the stored predictor is what its rows teach, and they are not those held out", same)
