"""Recheck a certificate against the data and the model: what its own arithmetic cannot prove."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from pacbayes import procedures
from pacbayes._core.alignment import refuse_other_order
from pacbayes._core.foreign import collect
from pacbayes._core.rows import rows_of
from pacbayes._core.types import Labels, RowsLike
from pacbayes.certificate import GROUP_COLUMNS, Certificate, Check, Verification
from pacbayes.estimators.asked import Groups, find_groups
from pacbayes.procedures import Certifier, compare_certificates
from pacbayes.procedures.given import Given

__all__ = ["recheck", "recheck_run"]


class _Fittable(Protocol):
    def fit(self, X: RowsLike, y: Labels, *, in_order: bool = False) -> Certifier: ...


def recheck(
    certificate: Certificate, X: RowsLike, y: Labels | None, model: object, *, groups: Groups | None = None
) -> Verification:
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
    groups : array_like, mapping or data frame, optional
        For certificates of :func:`pacbayes.certify` and :func:`pacbayes.certify_predictions`: the groups as they were
        given there, unless they were columns of X, which are found by themselves.

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
    if X is None:
        raise ValueError("The 'X' argument of recheck must be the rows of the certificate. Got None instead.")
    procedure = procedures.get(certificate.procedure)
    labels = np.empty(0) if y is None else collect(y)
    if groups is None:
        checks = procedure.recheck(certificate, X, labels, model)
    else:
        refuse_other_order("recheck", {"X": X, "y": y, "groups": groups})
        checks = _recheck_groups(certificate, X, labels, model, groups)
    return Verification((*certificate.verify().checks, *checks), procedure.proves)


def _recheck_groups(certificate: Certificate, X: RowsLike, y: Labels, model: object, groups: Groups) -> list[Check]:
    """Recheck a certificate for given predictions or a given model; every other has its groups in the model."""
    procedure = procedures.get(certificate.procedure)
    if not issubclass(procedure, Given) or all(each.what != GROUP_COLUMNS for each in certificate.choices):
        raise ValueError(
            "The 'groups' argument of recheck must be left out, unless the certificate is by group and of certify or "
            f"certify_predictions. Got a certificate of the procedure {certificate.procedure!r:.40}."
        )
    grouping = find_groups("recheck", groups, np.asarray(y).size, rows_of(X, in_blocks=True))[1]
    return procedure.recheck(certificate, X, y, model, grouping)


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
