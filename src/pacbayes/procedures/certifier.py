"""A procedure run by itself, without an estimator around it, such that its certificate can be rechecked."""

from __future__ import annotations

import numbers
import warnings
from dataclasses import dataclass
from typing import Any

from pacbayes._core.rows import labels_of, rows_of
from pacbayes._core.state import State
from pacbayes._core.types import IntArray, Labels, RowsLike
from pacbayes.certificate import Certificate
from pacbayes.procedures.base import MODEL_DIGESTS, Issued, Procedure, Sample, draw_order
from pacbayes.procedures.cautions import CertificateWarning, find_cautions

__all__ = ["ProcedureCertifier", "certify_rows"]


@dataclass(frozen=True, slots=True)
class ProcedureCertifier:
    """A procedure, the sample it was run on, and what it issued: a :class:`pacbayes.procedures.Certifier`.

    Attributes
    ----------
    procedure : Procedure
    sample : Sample
    issued : Issued
    """

    procedure: Procedure
    sample: Sample
    issued: Issued

    @property
    def certificate_(self) -> Certificate:
        """What was issued."""
        return self.issued.certificate

    @property
    def order_(self) -> IntArray:
        """The row numbers in the order in which they were used."""
        return self.sample.order

    @property
    def seed_(self) -> int:
        """The seed of whatever else was drawn."""
        return self.sample.seed

    def fitted_digests(self) -> dict[str, str]:
        """Return the SHA-256 of fitted numbers, as the run computed them."""
        given = self.issued.certificate.digests
        return {name: given[name] for name in MODEL_DIGESTS if name in given}

    def reissue(self, X: RowsLike, y: Labels) -> ProcedureCertifier:
        """Run the procedure again on these rows, in the same order."""
        then = self.sample
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CertificateWarning)
            return _run(self.procedure, X, y, then.order, then.seed, then.random_state)

    def fitted_numbers(self, X: RowsLike) -> dict[str, Any]:
        """Return the fitted state of the stored parts; the rows play no part."""
        del X
        return {name: State.of(part) for name, part in self.issued.stored.items()}


def certify_rows(procedure: Procedure, X: RowsLike, y: Labels, random_state: int = 0) -> ProcedureCertifier:
    """Shuffle rows, run a procedure on them, and keep what is needed to recheck its certificate.

    Parameters
    ----------
    procedure : Procedure
        With its options.
    X, y : array_like
        Rows and labels.
    random_state : int
        Of the shuffle; the order is that of a certified estimator with the same ``random_state``.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.procedures import ClassifierLearner, FixedFraction, Split, certify_rows
    >>> from pacbayes.verification import recheck
    >>> from sklearn.naive_bayes import GaussianNB
    >>> sample = pb.datasets.make_known_risk(500, d=2, random_state=0)
    >>> split = Split(learner=ClassifierLearner(GaussianNB()), stop=FixedFraction(0.5), delta=0.05)
    >>> run = certify_rows(split, sample.X, sample.y, random_state=0)
    >>> round(run.certificate_.value, 4), bool(recheck(run.certificate_, sample.X, sample.y, run))
    (0.2248, True)
    """
    if not isinstance(random_state, numbers.Integral):
        raise ValueError(  # noqa: TRY004
            f"The 'random_state' of certify_rows must be a whole number. Got {random_state!r:.60} instead."
        )
    return _run(procedure, X, y, *draw_order(random_state, len(y)), int(random_state))


def _run(
    procedure: Procedure, X: RowsLike, y: Labels, order: IntArray, seed: int, random_state: int | None
) -> ProcedureCertifier:
    owner, rows = type(procedure).__name__, rows_of(X)
    labels = labels_of(owner, rows, y)
    sample = Sample(rows, labels, order, seed, random_state, find_cautions(owner, X, labels))
    return ProcedureCertifier(procedure, sample, procedure.run(sample))
