"""The role of a procedure: how rows become a certificate, and how anyone can have that done again.

To add one: a file beside this one with a frozen dataclass of its options that derives from :class:`Procedure`, and
its class in ``PROCEDURES`` of ``procedures/__init__.py``. :func:`pacbayes.procedures.certify_rows` then runs it on
rows, and ``recheck`` runs it again; docs/architecture.md names the few places that ask for one by its name. If its
statements are about a kind of predictor that no other procedure knows, that kind is added to
``certificate/subjects.py``, with the bounds that are proved for it.
"""

from __future__ import annotations

import numbers
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from sklearn.utils import check_random_state

from pacbayes._core.digests import data_digest, digest_of_arrays
from pacbayes._core.leeway import ADDED, Leeway, same_numbers
from pacbayes._core.leeway import FITTED as FITTED_NUMBERS
from pacbayes._core.notes import Note
from pacbayes._core.places import permute
from pacbayes._core.state import State
from pacbayes._core.types import IntArray, Labels, RandomState, Rows, RowsLike
from pacbayes._core.versions import current_versions
from pacbayes.certificate import Certificate, Check, compare
from pacbayes.metrics import Grouping

__all__ = [
    "FITTED",
    "MODEL_DIGESTS",
    "Certifier",
    "Issued",
    "Procedure",
    "Sample",
    "check_order",
    "compare_certificates",
    "compare_numbers",
    "draw_order",
    "find_seed",
    "learn_again",
    "version_differences",
]

# numbers of a certificate that follow from fitted ones agree to this between versions of the numerical libraries
FITTED = 1e-6
# Answers and shares of votes are sums, or added up: they round in terms of the largest. Gaussians come in units of
# their own spread, of which a millionth changes no answer that the draws do not change a million times as often.
_UNITS = Leeway(1e-6, floor=1e-6)
_GAUSSIAN = ("prior mean", "prior correlation", "posterior mean", "posterior correlation", "coef_")
_LEEWAYS = dict.fromkeys(("predict", "decision_function", "mean", "weights_"), ADDED) | dict.fromkeys(_GAUSSIAN, _UNITS)
MODEL_DIGESTS = ("model", "network")  # digests of what was fitted
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SAME_WORDS = ("procedure", "delta", "candidates", "seed", "choices", "notes")


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows and labels, and the order in which a procedure takes them.

    Attributes
    ----------
    X, y : rows and labels
        As they were given.
    order : ndarray
        Row numbers in random order, or as they came.
    seed : int
        Of whatever else is drawn.
    random_state : int or None
        The seed that order and ``seed`` follow from; None if they cannot be drawn again, and no recheck can pass.
    notes : tuple of Note
        What was noticed about the rows; what has to be said about order and parameters is added here.
    in_order : bool
        Whether the rows are taken as they came, the earliest first, and not shuffled.
    fit_parameters : mapping
        Further values, one per row, that a learner's ``fit`` is given for its learning rows: sample weights. They play
        no part in what is judged.
    learning_only : tuple of str
        Names of options that play no part in what is judged either: class weights.
    grouping : Grouping or None
        Which group each row is in, where that is not told by columns of X.
    """

    X: Rows
    y: Labels
    order: IntArray
    seed: int = 0
    random_state: int | None = None
    notes: tuple[Note, ...] = ()
    in_order: bool = False
    fit_parameters: Mapping[str, Labels] = field(default_factory=dict)
    learning_only: tuple[str, ...] = ()
    grouping: Grouping | None = None

    def __post_init__(self) -> None:
        drawn_again = self.random_state is not None or self.in_order
        notes = [] if drawn_again else [Note("order_not_reproducible")]
        names = (*self.fit_parameters, *self.learning_only)
        if names:
            notes.append(Note("learning_only", {"names": ", ".join(names)}))
        object.__setattr__(self, "notes", (*self.notes, *notes))

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of data and order, and of what else is given to ``fit``."""
        given = {"fit_parameters": digest_of_arrays(**self.fit_parameters)} if self.fit_parameters else {}
        if self.grouping is not None:
            given["grouping"] = self.grouping.digest
        return {"data": data_digest(self.X, self.y), "order": digest_of_arrays(order=self.order), **given}


def find_seed(random_state: RandomState) -> int:
    """Return a whole number as it is, and of whatever else draws a seed that it draws.

    It is recorded, so that everybody can draw the order of the rows again: one that no seed gives may have been chosen
    after a look at them.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.procedures.base import find_seed
    >>> find_seed(7), find_seed(np.random.RandomState(0)) == find_seed(np.random.RandomState(0))
    (7, True)
    """
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


def draw_order(random_state: RandomState, rows: int, *, in_order: bool = False) -> tuple[IntArray, int]:
    """Return the order of rows and the seed of whatever else is drawn, as a random state gives them.

    Where rows are taken ``in_order``, their order is the one in which they came, and the seed is the same.
    """
    generator = check_random_state(random_state)
    drawn = permute(generator, rows)  # whether it is used or not, so that the seed is the same
    order = np.arange(rows, dtype=drawn.dtype) if in_order else drawn
    return order, int(generator.randint(2**31))


@dataclass(frozen=True, slots=True)
class Issued:
    """What a procedure results in.

    Attributes
    ----------
    certificate : Certificate
    fitted : mapping
        What an estimator keeps of it, under the names of its attributes.
    stored : mapping
        The predictor's stored form: named parts, each a fitted estimator, an array or a list of them. A recheck
        without an estimator compares these.
    """

    certificate: Certificate
    fitted: Mapping[str, Any] = field(default_factory=dict)
    stored: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class Certifier(Protocol):
    """An estimator that issued a certificate and can do so again."""

    certificate_: Certificate
    order_: IntArray
    seed_: int

    def reissue(self, X: RowsLike, y: Labels) -> Certifier:
        """Return a new estimator, fitted on these rows in the recorded order."""

    def fitted_numbers(self, X: RowsLike) -> dict[str, Any]:
        """Return every fitted number and what is predicted for these rows, by name."""

    def fitted_digests(self) -> dict[str, str]:
        """Return the SHA-256 of fitted numbers, under the names that certificates have for them."""


class _Ordered(Protocol):
    order_: IntArray
    seed_: int


class Procedure(ABC):
    """How a certificate comes about: options in its fields, the same few things in every subclass.

    Attributes
    ----------
    name : str
        Under which certificates record it.
    made : str
        How the number came about, in plain sentences for a report; whether rows were shuffled is said before it.
    proves : tuple of str
        Codes of what a recheck proves and what not; ``certificate/verdicts.py`` has their sentences.
    repeatable : bool
        Whether the rows are at hand for whoever verifies.
    grows : bool
        Whether further rows may follow those of the recorded order, as those of an update do.
    """

    name: ClassVar[str]
    made: ClassVar[str]
    proves: ClassVar[tuple[str, ...]] = ("learned_apart", "not_collection")
    repeatable: ClassVar[bool] = True
    grows: ClassVar[bool] = False

    @abstractmethod
    def run(self, sample: Sample) -> Issued:
        """Issue the certificate; a function of sample and options alone, so that running it again verifies it.

        Rows are used in ``sample.order``, further draws come from ``sample.seed``, and ``sample.digests()`` goes into
        the certificate: a recheck compares the digests of data and order.
        """

    @classmethod
    def recheck(cls, certificate: Certificate, X: RowsLike, y: Labels, model: object) -> list[Check]:
        """Run again on the rows with the estimator that issued a certificate, and compare everything."""
        return learn_again(certificate, X, y, model, grows=cls.grows)


def learn_again(certificate: Certificate, X: RowsLike, y: Labels, model: object, *, grows: bool = False) -> list[Check]:
    """Run a procedure again on the rows with the estimator that issued a certificate, and compare everything."""
    if not isinstance(model, Certifier):
        raise ValueError(  # noqa: TRY004
            f"The 'model' argument of recheck must be the estimator that issued this {certificate.procedure} "
            f"certificate. Got {type(model).__name__} instead."
        )
    checks = check_order(certificate, len(y), model, grows=grows)
    if not all(check.held for check in checks):
        return checks
    again = model.reissue(X, y)
    numbers = compare_numbers(model.fitted_numbers(X), again.fitted_numbers(X))
    named = {name: certificate.digests[name] for name in MODEL_DIGESTS if name in certificate.digests}
    model_digest = compare("model", named, model.fitted_digests())
    return [*checks, model_digest, numbers, *compare_certificates(certificate, again.certificate_)]


def check_order(certificate: Certificate, rows: int, model: _Ordered, *, grows: bool = False) -> list[Check]:
    """The order has to be one of all these rows, the recorded one, and the one that the recorded seed gives.

    Without a seed nobody can tell that the order, or what else is drawn, was not chosen after a look at the rows; and a
    certificate of some rows is none of the table that they were picked from. What ``grows`` has the order of its first
    rows, those of the first fit.
    """
    order = model.order_
    counted = order.size == rows or (grows and order.size < rows)
    whole = counted and np.array_equal(np.sort(order), np.arange(order.size))
    checks = [
        Check("order_of_rows", bool(whole)),
        compare("order", certificate.digests.get("order"), digest_of_arrays(order=order)),
    ]
    in_order = certificate.in_order
    if certificate.seed is None:
        return [*checks, Check("order_of_seed", held=False)]
    expected, seed = draw_order(certificate.seed, order.size, in_order=in_order)
    code = "order_as_given" if in_order else "order_of_seed"
    return [*checks, Check(code, np.array_equal(order, expected) and model.seed_ == seed)]


def compare_numbers(claimed: Mapping[str, Any], found: Mapping[str, Any]) -> Check:
    """Compare fitted numbers by name; those that differ are named. Where there are none, nothing was proved."""
    different = sorted(name for name in {*claimed, *found} if not _close(name, claimed.get(name), found.get(name)))
    return Check("predictor", bool(claimed) and not different, claimed=", ".join(different) or None)


def _close(name: str, claimed: object, found: object) -> bool:
    """Whether fitted numbers agree but for what other versions of the numerical libraries may change."""
    if claimed is None or found is None:
        return False
    if isinstance(claimed, State) and isinstance(found, State):
        return claimed.differs_from(found) is None
    one, two = np.asarray(claimed), np.asarray(found)
    if not (one.dtype.kind == two.dtype.kind == "f"):  # labels and counts
        return bool(np.array_equal(one, two))
    return bool(np.isfinite(one).all()) and same_numbers(one, two, _LEEWAYS.get(name, FITTED_NUMBERS))


def compare_certificates(claimed: Certificate, found: Certificate) -> list[Check]:
    """Compare everything that a certificate says with one that was issued again, but for times and versions.

    Counts and codes have to be equal; fitted numbers, and values that follow from them, up to what other versions of
    the numerical libraries may change. The digest of fitted numbers is therefore left to whoever has the model, but for
    that there is one where one is issued.
    """
    one, two = claimed.to_dict(), found.to_dict()
    names = sorted({*claimed.digests, *found.digests} - {"model"})
    digests = [compare(name, claimed.digests.get(name), found.digests.get(name)) for name in names]
    digests += _missing_model(claimed, found)
    words = [compare(name, one[name], two[name], within=FITTED) for name in _SAME_WORDS]
    count = max(len(one["statements"]), len(two["statements"]))
    pairs = ([*record["statements"], *[None] * (count - len(record["statements"]))] for record in (one, two))
    return [*digests, *words, *(compare("statement", a, b, within=FITTED) for a, b in zip(*pairs, strict=True))]


def _missing_model(claimed: Certificate, found: Certificate) -> list[Check]:
    """Return a failed check if there is no digest of fitted numbers where one is issued, or one where none is."""
    expected, stated = "model" in found.digests, claimed.digests.get("model")
    held = stated is not None and _SHA256.fullmatch(stated) is not None if expected else stated is None
    return [] if held else [Check("model", held=False, claimed=stated)]


def version_differences(certificate: Certificate) -> dict[str, tuple[str, str]]:
    """Return the packages that a certificate was issued with in another version than is installed here."""
    here = current_versions()
    return {
        name: (issued, here.get(name, "none"))
        for name, issued in certificate.versions.items()
        if name != "python" and here.get(name) != issued
    }
