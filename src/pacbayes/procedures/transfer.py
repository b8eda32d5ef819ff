"""A certificate moved to another predictor: what is known of one, and how rarely the two disagree on fresh rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pacbayes._core.digests import data_digest
from pacbayes._core.notes import Note
from pacbayes._core.predictions import class_numbers
from pacbayes._core.prefit import refuse_growth
from pacbayes._core.rows import take
from pacbayes._core.steadiness import ask_row_by_row
from pacbayes._core.types import IntArray, Labels, Predictor, Rows, RowsLike
from pacbayes.certificate import COUNT_BOUNDS, TRANSFER_DELTA, Certificate, Check, Choice, Source, Statement, issue
from pacbayes.metrics.statements import ASKED
from pacbayes.procedures.base import Issued, Procedure, Sample, compare_certificates
from pacbayes.procedures.cautions import CertificateWarning, find_seen

__all__ = ["Pair", "Transfer", "compare_with_source", "count_disagreements", "transfer_delta"]

_FIFTH = 5  # by which the certificate's delta is divided for what the disagreement's bound adds to it by default
FOUND = frozenset({"unlabelled_rows_seen", "unlabelled_rows_repeated"})  # notes on the unlabelled rows
_RENEWED = frozenset({"delta_above_half"})  # a note that is about delta, and is made anew


@runtime_checkable
class _Transferring(Protocol):
    def transfer(self, X_unlabelled: RowsLike, delta: float | None = None) -> Certificate: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two predictors that were fixed before the unlabelled rows were looked at.

    Attributes
    ----------
    certified, other : Predictor
        The one that the source certificate is about, and the one that the new one is to be about.
    classes : ndarray
        What they may predict, ascending.
    seed : sequence of int
        Of the batches that they are asked in: one that no predictor knows.
    seen : ndarray or None
        Hashes of the rows that either may have seen, from :func:`pacbayes._core.row_hashes.hash_rows`.
    """

    certified: Predictor
    other: Predictor
    classes: Labels
    seed: Sequence[int]
    seen: NDArray[np.uint64] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer(Procedure):
    """The error of a predictor ``g``, from the certificate of another, ``f``: ``R(g) <= u + P(f != g)``.

    ``u`` is what the certificate says of ``f``, with its delta. The probability of disagreement is bounded by
    Clopper-Pearson on fresh rows without labels, with a delta of its own. Given the labelled rows, ``f`` and ``g`` are
    fixed and the fresh rows independent of them, so that both bounds hold at once but for the sum of the two deltas,
    which is the delta of the new certificate. ``g`` may have learned from any labelled row.

    Attributes
    ----------
    source : Certificate
        Of ``f``: a split's.
    delta : float
        What the bound on the disagreement adds to the probability of failure.
    """

    source: Certificate
    delta: float

    name: ClassVar[str] = "transfer"
    proves: ClassVar[tuple[str, ...]] = ("disagreements_again", "not_collection")
    made: ClassVar[str] = (
        "A second model was trained on all rows, also on those that judged the first. Its error is at most that of the "
        "first, which is certified, and the share of cases in which the two disagree. The number is the sum of both "
        "limits; the second is computed on further rows, which need no labels."
    )

    def __post_init__(self) -> None:
        own, total = self._certified_delta(), self.total
        if not 0.0 < self.delta < 1.0 or not own < total < 1.0:
            raise ValueError(
                "The 'delta' argument of transfer must be a float in (0, 1) that leaves the sum with the "
                f"certificate's, {own:g}, below 1. Got {self.delta!r} instead."
            )

    @property
    def total(self) -> float:
        """The delta of the new certificate."""
        # as decimals, so that 0.05 and 0.01 are 0.06 in the sentence; what the two bounds use adds up to this number
        return float(Decimal(repr(float(self._certified_delta()))) + Decimal(repr(float(self.delta))))

    def run(self, sample: Sample) -> Issued:
        """Certify by the labels that two predictors gave, which are the two columns of X."""
        given = np.asarray(sample.X)
        different = int(np.count_nonzero(given[:, 0] != given[:, 1]))
        return Issued(self.certify(different, len(given), data_digest(sample.X, [])))

    def certify_models(self, pair: Pair, X: Rows) -> Certificate:
        """Certify a predictor by how often it disagrees with the certified one on rows that neither has seen."""
        count = int(X.shape[0])
        if count < 1:
            raise ValueError("The 'X_unlabelled' argument of transfer must have at least one row. Got none.")
        with refuse_growth([pair.certified, pair.other], count):  # one could repeat what the other answered
            different = count_disagreements(pair.certified, pair.other, X, pair.classes, pair.seed)
        return self.certify(different, count, data_digest(X, []), find_seen(X, pair.seen))

    def certify(self, disagreements: int, n: int, unlabelled: str, notes: tuple[Note, ...] = ()) -> Certificate:
        """Certify by a number of disagreements among ``n`` rows, of which a digest is recorded."""
        then, first = self.source, self._certified_statement()
        split = self._certified_delta() / self.total
        statement = Statement(
            about="refitted",
            n=n,
            observed={"disagreements": disagreements},
            bound="clopper_pearson",
            source=Source(first.n, int(first.observed["errors"]), first.bound, split),
            assumptions=(*first.assumptions, "fresh_unlabelled"),
        )
        added = Choice(TRANSFER_DELTA, float(self.delta), "given", "part_of_delta", 1.0 - split)
        return issue(
            self.name,
            [statement],
            delta=self.total,
            candidates=then.candidates,
            choices=[*(each for each in then.choices if each.what not in ASKED), added],
            notes=(*(note for note in then.notes if note.code not in _RENEWED), *notes),
            digests={
                **{name: value for name, value in then.digests.items() if name != "model"},
                "certificate": then.digest,
                "unlabelled": unlabelled,
            },
            seed=then.seed,
        )

    def _certified_statement(self) -> Statement:
        for each in self.source.statements:
            about_all = each.quantity == "error" and each.group is None and not each.groups
            if about_all and each.about == "predict" and each.bound in COUNT_BOUNDS:
                return each
        raise ValueError("A certificate is transferred from one on the true error of `predict`.")

    def _certified_delta(self) -> float:
        return self.source.delta * self._certified_statement().share

    @classmethod
    def recheck(cls, certificate: Certificate, X: RowsLike, y: Labels, model: object) -> list[Check]:
        """Count the disagreements on the unlabelled rows again; the certificate it starts from has to be the model's.

        That one, and with it both models, is rechecked by itself on the labelled rows.
        """
        if len(y):
            raise ValueError("The 'y' argument of recheck must be None for a transfer: its rows have no labels.")
        if not isinstance(model, _Transferring):
            raise ValueError(  # noqa: TRY004
                "The 'model' argument of recheck must be the estimator that issued this transfer certificate. "
                f"Got {type(model).__name__} instead."
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CertificateWarning)
            again = model.transfer(X, transfer_delta(certificate))
        return compare_certificates(certificate, again)


def compare_with_source(certificate: Certificate, source: Certificate) -> list[Check]:
    """Compare a transfer with what the certificate that it starts from gives at the same number of disagreements.

    Whether the two predictors disagree as often is checked by whoever has them and the unlabelled rows.
    """
    first, notes = certificate.statements[0], tuple(note for note in certificate.notes if note.code in FOUND)
    own = Transfer(source=source, delta=transfer_delta(certificate))
    again = own.certify(first.observed["disagreements"], first.n, certificate.digests["unlabelled"], notes)
    return compare_certificates(certificate, again)


def transfer_delta(certificate: Certificate) -> float:
    """Return what the disagreement's bound added to the delta of a transfer; by default a fifth of the first delta.

    Parameters
    ----------
    certificate : Certificate
        A transfer, or the certificate that one is to start from.
    """
    chosen = [each.value for each in certificate.choices if each.what == TRANSFER_DELTA]
    if certificate.procedure != Transfer.name:
        return certificate.delta / _FIFTH
    if len(chosen) != 1 or not isinstance(chosen[0], float):
        raise ValueError("A transfer must record which part of delta was for the disagreement.")
    return chosen[0]


def count_disagreements(certified: Predictor, other: Predictor, X: Rows, classes: Labels, seed: Sequence[int]) -> int:
    """Count the rows on which two predictors disagree.

    Both are asked in several batches, and about some rows alone. A row whose answer depends on its batch counts as a
    disagreement, and so does an answer that is none of the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from pacbayes.procedures.transfer import count_disagreements
    >>> rows = np.arange(100.0)[:, None]
    >>> one, two = (GaussianNB().fit(rows, rows[:, 0] > cut) for cut in (30.0, 50.0))
    >>> count_disagreements(one, two, rows, np.array([False, True]), [0])
    20
    """

    def ask(model: Predictor, part: IntArray) -> IntArray:
        return class_numbers(type(model).__name__, model.predict(take(X, part)), classes, part.size)

    count = int(X.shape[0])
    one, two = (ask_row_by_row(model, ask, count, seed) for model in (certified, other))
    unsteady = one.different(0.0) | two.different(0.0)
    unknown = (one.together < 0) | (two.together < 0)
    return int(np.count_nonzero((one.together != two.together) | unsteady | unknown))
