"""What all certified estimators share: fit is checks, a shuffle, one run of a procedure, and keeping what it gives."""

from __future__ import annotations

import numbers
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike
from sklearn.base import clone

from pacbayes._core.alignment import refuse_other_order
from pacbayes._core.arguments import finite_double, show_number
from pacbayes._core.prefit import refuse_growth
from pacbayes._core.types import IntArray, Labels, RandomState, Rows, RowsLike
from pacbayes.certificate import Certificate, restrict_to_later
from pacbayes.metrics import Grouping
from pacbayes.procedures import CertificateWarning, Issued, Procedure, Sample, draw_order, find_cautions, find_seed

__all__ = ["CertifiedEstimator", "check_candidates", "check_delta", "check_fraction"]

_MOST_CANDIDATES = 2**53  # delta is divided by a double, which holds all whole numbers up to here


class CertifiedEstimator(ABC):
    """A scikit-learn face over a procedure: subclasses check their input and say which procedure it is."""

    random_state: RandomState
    certificate_: Certificate
    order_: IntArray
    seed_: int
    order_seed_: int  # the recorded one, that order and seed follow from
    in_order_: bool
    _of_numbers: ClassVar[bool] = False  # whether labels are numbers, not classes
    fit_params_: Mapping[str, Labels] = MappingProxyType({})  # further values, one per row, for learning alone
    grouping_: Grouping | None = None  # which group each row is in, where columns of X do not tell

    @abstractmethod
    def _validate(self, X: RowsLike, y: ArrayLike | None) -> tuple[Rows, Labels]:
        """Check parameters, rows and labels."""

    @abstractmethod
    def _procedure(self, rows: int) -> Procedure:
        """Return the procedure with the options of this estimator, for so many rows."""

    def _learning_only(self) -> tuple[str, ...]:
        """Return the names of parameters that play a part in learning and none in what is judged."""
        return ()

    def _what_learns(self) -> list[Any]:
        """Return the unfitted estimators whose classes and modules must keep nothing of the rows."""
        return []

    @abstractmethod
    def fitted_numbers(self, X: RowsLike) -> dict[str, Any]:
        """Return every fitted number and what is predicted for these rows, for whoever runs the fit again."""

    def fitted_digests(self) -> dict[str, str]:
        """Return the SHA-256 of fitted numbers, under the names that certificates have for them."""
        return {}

    def fit(self, X: RowsLike, y: ArrayLike | None, *, in_order: bool = False) -> Self:
        """Learn the predictor and issue its certificate.

        Parameters
        ----------
        X : array_like or data frame, shape (n, d)
            Rows.
        y : array_like, shape (n,)
            Labels.
        in_order : bool, default=False
            Whether to take the rows as they come, the earliest first, instead of shuffling them: the first learn, the
            later judge, and the certificate is about rows like the later ones.
        """
        self._forget("certificate_")
        refuse_other_order(f"{type(self).__name__}.fit", {"X": X, "y": y})
        _refuse_repeated_names(f"{type(self).__name__}.fit", X)
        rows, labels = self._validate(X, y)
        self.in_order_ = bool(in_order)
        self.order_seed_ = find_seed(self.random_state)
        return self._certify(X, rows, labels, *draw_order(self.order_seed_, len(labels), in_order=self.in_order_))

    def reissue(self, X: RowsLike, y: Labels) -> Self:
        """Return a new estimator, fitted on these rows in the order of this one: how a certificate is rechecked."""
        again: Self = clone(self)
        again.fit_params_, again.grouping_, again.order_seed_ = self.fit_params_, self.grouping_, self.order_seed_
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CertificateWarning)
            rows, labels = again._validate(X, y)
            again.in_order_ = self.in_order_
            again._certify(X, rows, labels, self.order_, self.seed_)
        return again

    def _certify(self, given: RowsLike, rows: Rows, labels: Labels, order: IntArray, seed: int) -> Self:
        """Everything after the shuffle, which is a function of data, parameters, order and seed alone."""
        cautions = find_cautions(type(self).__name__, given, labels, of_numbers=self._of_numbers)
        options = (cautions, self.in_order_, self.fit_params_, self._learning_only(), self.grouping_)
        sample = Sample(rows, labels, order, seed, self.order_seed_, *options)
        procedure = self._procedure(len(labels))
        with refuse_growth(self._what_learns(), len(labels)):
            issued = procedure.run(sample)
        self.order_, self.seed_ = order, seed
        self._keep(issued)
        return self

    def _keep(self, issued: Issued) -> None:
        if self.in_order_:
            issued = replace(issued, certificate=restrict_to_later(issued.certificate))
        for name, value in issued.fitted.items():
            setattr(self, name, value)
        self.issued_ = issued
        self.certificate_ = issued.certificate

    def _forget(self, *names: str) -> None:
        """Remove what an earlier fit left, so that a fit that fails leaves nothing that could be taken for its own."""
        for name in names:
            if hasattr(self, name):
                delattr(self, name)

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._certificate_html()  # type: ignore[misc]

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += self._certificate_html()
        return bundle

    def _certificate_html(self) -> str:
        """The certificate goes below scikit-learn's own diagram of an estimator."""
        certificate = getattr(self, "certificate_", None)
        return "" if certificate is None else str(certificate._repr_html_())


def check_candidates(owner: str, candidates: object) -> int:
    """Return the number of settings compared from outside, or say what it must be."""
    if isinstance(candidates, bool) or not isinstance(candidates, numbers.Integral) or candidates < 1:
        raise ValueError(
            f"The 'candidates' parameter of {owner} must be a whole number of at least 1. Got {candidates!r} instead."
        )
    if int(candidates) > _MOST_CANDIDATES:
        raise ValueError(f"The 'candidates' parameter of {owner} must be at most 2**53. Got a larger number instead.")
    return int(candidates)


def check_delta(owner: str, delta: object) -> float:
    """Return delta as a float, or say what it must be."""
    return check_fraction(owner, "delta", delta)


def _refuse_repeated_names(owner: str, X: object) -> None:
    """Refuse a frame with two columns of one name, which scikit-learn refuses in words of its own."""
    names = list(getattr(X, "columns", ())) if hasattr(type(X), "dtypes") else []
    if len(set(names)) != len(names):
        twice = next(each for place, each in enumerate(names) if each in names[:place])
        raise ValueError(
            f"The 'X' argument of {owner} must have columns of different names. {twice!r:.60} occurs twice."
        )


def check_fraction(owner: str, name: str, value: object) -> float:
    """Return a parameter strictly between 0 and 1 as a float, or say what it must be."""
    number = finite_double(value)
    if number is None or not 0.0 < number < 1.0:
        raise ValueError(
            f"The {name!r} parameter of {owner} must be a float in (0, 1). Got {show_number(value)} instead."
        )
    return number
