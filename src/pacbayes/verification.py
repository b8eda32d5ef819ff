"""Recheck a certificate against the data and the model: what its own arithmetic cannot prove."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from pacbayes import procedures
from pacbayes._core.foreign import collect
from pacbayes._core.types import Labels, RowsLike
from pacbayes.certificate import Certificate, Verification
from pacbayes.procedures import Certifier, compare_certificates

__all__ = ["recheck", "recheck_run"]


class _Fittable(Protocol):
    def fit(self, X: RowsLike, y: Labels, *, in_order: bool = False) -> Certifier: ...


def recheck(certificate: Certificate, X: RowsLike, y: Labels | None, model: object) -> Verification:
    """Recompute a certificate's statements and digests from the data and the model it was issued for.

    Everything after the shuffle is run again from the model's recorded order: preprocessing, prior, posterior and
    counts. A certificate whose numbers were changed consistently, or whose prior had seen the judged rows, does not
    survive that.

    Parameters
    ----------
    certificate : Certificate
        The claim.
    X, y : array_like
        The rows and labels of ``fit``, in the same order; for predictions those they were made on; for an updated
        stream those of all fits and updates, in order; for a transfer the unlabelled rows and None.
    model : estimator
        The fitted estimator that issued it; for predictions the predictor.

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
    procedure = procedures.get(certificate.procedure)
    checks = procedure.recheck(certificate, X, np.empty(0) if y is None else collect(y), model)
    return Verification((*certificate.verify().checks, *checks), procedure.proves)


def recheck_run(certificate: Certificate, X: RowsLike, y: Labels, model: _Fittable) -> Verification:
    """Fit an estimator again and compare what it issues with a certificate: for those who have no fitted model.

    Parameters
    ----------
    certificate : Certificate
        The claim.
    X, y : array_like
        The rows and labels of ``fit``, in the same order.
    model : certified estimator
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
    again = model.fit(X, y, in_order=certificate.in_order).certificate_
    checks = compare_certificates(certificate, again)
    return Verification((*certificate.verify().checks, *checks), procedures.get(certificate.procedure).proves)
