"""Recheck a certificate against the data and the model: what its own arithmetic cannot prove."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from pacbayes._core.rows import take
from pacbayes.certificate import Certificate, Check, Choice, Verification, digest_of_arrays
from pacbayes.estimators import CertificateWarning, CertifiedLogisticRegression, OnlineCertifiedClassifier
from pacbayes.estimators._cautions import caution
from pacbayes.estimators._parts import model_digest

__all__ = ["recheck", "recheck_run"]

_AGREEMENT = 1e-9
_NUMBERS = ("value", "vote_value", "n", "kl", "delta", "candidates", "share", "split")
_WORDS = (
    *("kind", "bound", "reference_bound", "vote_rule", "predictor", "loss", "citation"),
    *("assumptions", "notes", "choices"),
)
_PROVES = (
    "This proves that these rows and this model give the recorded statistics and that the prior was learned from its "
    "part alone. It cannot prove how the rows were collected, or what was done with them before."
)


def recheck(certificate: Certificate, X: Any, y: Any, model: Any) -> Verification:
    """Recompute a certificate's statistics and digests from the data and the model it was issued for.

    Everything after the shuffle is run again from the model's recorded order: preprocessing, prior, posterior and
    statistics. A certificate whose statistics were changed consistently, or whose prior had seen the bound's rows,
    does not survive that.

    Parameters
    ----------
    certificate : Certificate
        The claim.
    X, y : array_like
        The rows and labels of ``fit``, in the same order; for a hold-out certificate those it was computed on; for
        an updated stream those of all fits and updates, in order.
    model : estimator
        The fitted estimator that issued it; for a hold-out certificate the predictor.

    Returns
    -------
    Verification
        True if everything held.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.verification import recheck
    >>> sample = pb.datasets.make_known_risk(500, d=2, random_state=0)
    >>> model = pb.CertifiedLogisticRegression(random_state=0).fit(sample.X, sample.y)
    >>> bool(recheck(model.certificate_, sample.X, sample.y, model))
    True
    """
    own = certificate.verify().checks
    if certificate.kind == "holdout":
        further = _holdout(certificate, X, y, model)
    elif isinstance(model, CertifiedLogisticRegression):
        further = _logistic(certificate, X, y, model)
    elif isinstance(model, OnlineCertifiedClassifier):
        further = _online(certificate, X, y, model)
    else:
        raise ValueError(
            f"The 'model' argument of recheck must be the estimator that issued this {certificate.kind} certificate. "
            f"Got {type(model).__name__} instead."
        )
    return Verification((*own, *further), _PROVES)


def recheck_run(certificate: Certificate, X: Any, y: Any, model: Any) -> Verification:
    """Fit an estimator again and compare what it issues with a certificate: for those who have no fitted model.

    Parameters
    ----------
    certificate : Certificate
        The claim.
    X, y : array_like
        The rows and labels of ``fit``, in the same order.
    model : CertifiedLogisticRegression or OnlineCertifiedClassifier
        With the parameters of then, ``random_state`` a whole number; it is fitted here.

    Returns
    -------
    Verification
        True if everything held.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.verification import recheck_run
    >>> sample = pb.datasets.make_known_risk(500, d=2, random_state=0)
    >>> claim = pb.CertifiedLogisticRegression(random_state=0).fit(sample.X, sample.y).certificate_
    >>> bool(recheck_run(claim, sample.X, sample.y, pb.CertifiedLogisticRegression(random_state=0)))
    True
    >>> bool(recheck_run(claim, sample.X, sample.y, pb.CertifiedLogisticRegression(random_state=1)))
    False
    """
    issued = model.fit(X, y).certificate_
    digests = [
        _same(f"digest of the {name}", certificate.digests.get(name), found) for name, found in issued.digests.items()
    ]
    return Verification((*certificate.verify().checks, *digests, *_compared(certificate, issued)), _PROVES)


def _logistic(certificate: Certificate, X: Any, y: Any, model: CertifiedLogisticRegression) -> list[Check]:
    checks = _order_checks(certificate, len(y), model.order_)
    if not all(check.held for check in checks):
        return checks
    again = clone(model)
    rows, labels = again._validated(X, y)  # noqa: SLF001
    again._certify(rows, labels, model.order_, model.seed_, _noticed(type(model).__name__, X, labels))  # noqa: SLF001
    digest = model_digest(model.classes_, model.prior_, model.posterior_)
    different = [name for name, read in _PARTS.items() if not _close(read(model, X), read(again, X))]
    return [
        *checks,
        _same("digest of the data", certificate.digests.get("data"), again.certificate_.digests["data"]),
        _same("digest of the model", certificate.digests.get("model"), digest),
        Check(
            "the model is what these rows teach",
            not different,
            f"these differ: {', '.join(different)}" if different else "",
        ),
        *_compared(certificate, again.certificate_),
    ]


_PARTS: dict[str, Callable[[Any, Any], Any]] = {
    "prior mean": lambda model, _: model.prior_.mean,
    "prior covariance": lambda model, _: model.prior_.covariance,
    "posterior mean": lambda model, _: model.posterior_.mean,
    "posterior covariance": lambda model, _: model.posterior_.covariance,
    "coef_": lambda model, _: np.append(model.coef_, model.intercept_),
    "classes_": lambda model, _: repr(model.classes_.tolist()),
    "decision_function": lambda model, rows: model.decision_function(rows),
    "predict": lambda model, rows: digest_of_arrays(labels=model.predict(rows)),
}


def _noticed(owner: str, X: Any, y: Any) -> tuple[str, ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)
        return tuple(caution(owner, X, y))


def _online(certificate: Certificate, X: Any, y: Any, model: OnlineCertifiedClassifier) -> list[Check]:
    size = model.order_.size
    checks = _order_checks(certificate, min(size, len(y)), model.order_)
    if not all(check.held for check in checks):
        return checks
    again = clone(model)
    rows, labels = again._validated(X, y, reset=True)  # noqa: SLF001
    first = take(rows, slice(size))
    notes = _noticed(type(model).__name__, first, labels[:size])
    again._run(first, labels[:size], model.order_, notes)  # noqa: SLF001
    if len(labels) > size:
        again.update(take(rows, slice(size, None)), labels[size:])
    last = certificate.vote_rule == "none" and hasattr(again, "last_certificate_")
    issued = again.last_certificate_ if last else again.certificate_
    return [
        *checks,
        _same("digest of the data", certificate.digests.get("data"), issued.digests["data"]),
        _same("predictions of the model", *(_predictions(each, rows) for each in (model, again))),
        *_compared(certificate, issued),
    ]


def _predictions(model: OnlineCertifiedClassifier, rows: Any) -> str:
    return digest_of_arrays(predictions=model.predict(rows), weights=model.weights_)


def _holdout(certificate: Certificate, X: Any, y: Any, model: Any) -> list[Check]:
    labels = np.asarray(y)
    losses = (labels != np.asarray(model.predict(X))).astype(np.float64)
    digest = digest_of_arrays(losses=losses)
    counted = int(losses.sum())
    return [
        _same("digest of the losses", certificate.digests.get("data"), digest),
        _same("number of examples", certificate.n, losses.size),
        _same("number of errors", certificate.statistics.get("errors"), counted),
    ]


def _order_checks(certificate: Certificate, n: int, order: Any) -> list[Check]:
    whole = np.array_equal(np.sort(order), np.arange(n))
    return [
        Check("the model's order is one of these rows", whole, "" if whole else f"it is not an order of {n} rows"),
        _same("digest of the order", certificate.digests.get("order"), digest_of_arrays(order=order)),
    ]


def _same(what: str, claimed: Any, found: Any) -> Check:
    return Check(what, claimed == found, "" if claimed == found else f"claimed is {claimed}, found {found}")


def _close(claimed: Any, found: Any) -> bool:
    if isinstance(claimed, str) or isinstance(found, str) or claimed is None or found is None:
        return bool(claimed == found)
    one, two = np.asarray(claimed, dtype=float), np.asarray(found, dtype=float)
    return one.shape == two.shape and bool(np.allclose(one, two, rtol=_AGREEMENT, atol=_AGREEMENT))


def _alike(claimed: Any, found: Any) -> bool:
    """Compare words, and in choices the numbers up to rounding."""
    if isinstance(claimed, Choice) and isinstance(found, Choice):
        one, two = (dataclasses.astuple(choice) for choice in (claimed, found))
        return all(_close(a, b) for a, b in zip(one, two, strict=True))
    if isinstance(claimed, tuple) and isinstance(found, tuple):
        return len(claimed) == len(found) and all(map(_alike, claimed, found))
    return bool(claimed == found)


def _compared(certificate: Certificate, again: Certificate) -> list[Check]:
    """Compare all numbers of a claim with those computed again."""
    checks = []
    for name in (*_NUMBERS, *_WORDS):
        claimed, found = getattr(certificate, name), getattr(again, name)
        held = _close(claimed, found) if name in _NUMBERS else _alike(claimed, found)
        checks.append(Check(name, held, "" if held else f"claimed is {claimed}, found {found}"))
    names = sorted({*certificate.statistics, *again.statistics})
    wrong = [name for name in names if not _close(certificate.statistics.get(name), again.statistics.get(name))]
    checks.append(Check("statistics from the rows", not wrong, f"these differ: {', '.join(wrong)}" if wrong else ""))
    return checks
