"""The record of a bound: what it reads, what it assumes, where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import TypedDict, Unpack

from pacbayes._core.types import FloatOrArray
from pacbayes.bounds._citations import CITATIONS

__all__ = [
    "ANY",
    "FIXED",
    "IID",
    "IID_FIXED",
    "IID_PREDICTABLE",
    "PREDICTABLE",
    "PUBLISHED",
    "REFERENCE_KINDS",
    "UNSEEN",
    "Entry",
    "Fields",
    "Number",
    "excess_entry",
    "own_entry",
    "risk_entry",
]

REFERENCE_KINDS = ("none", "fixed", "predictable")
ANY = frozenset(REFERENCE_KINDS)
FIXED = frozenset({"none", "fixed"})
PREDICTABLE = frozenset({"predictable"})
_NO_STATISTIC = ("kl", "n", "delta")

# codes, which pacbayes.bounds.words turns into sentences
IID = ("iid", "no_reference")
IID_FIXED = ("iid", "fixed_reference")
IID_PREDICTABLE = ("iid", "any_predictable_reference")
UNSEEN = ("iid", "fixed_predictor")
PUBLISHED = (*IID_FIXED, "published_only_E7")


@dataclass(frozen=True, slots=True)
class Number:
    """A number that one bound reads and that is not a statistic of a summary.

    Attributes
    ----------
    help : str
        One sentence.
    per : str or None
        What there is one of each for, if it is several numbers: "step".
    """

    help: str
    per: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One bound of the catalogue.

    Attributes
    ----------
    name : str
        Its name, also that of the function in :mod:`pacbayes.bounds`.
    function : callable
        The bound itself.
    targets : frozenset of str
        What it can bound: "risk", "excess", "reference", "sum" (any weighted sum of error types) or "difference" (of
        the errors of two predictors).
    statistics : tuple of str
        The arguments it needs besides ``kl`` (if it has one), ``n`` and ``delta``.
    uses_kl : bool
        Whether it is for a posterior; otherwise for one fixed predictor or a reference.
    assumptions : tuple of str
        As codes; :func:`pacbayes.bounds.words.conditions` says them in words.
    valid_for, published_for : frozenset of str
        Kinds of reference for which it is proved, and for which it is only published.
    valid_at : {"one_n", "all_n", "all_n_fixed_rates", "all_n_no_plan", "draw_n_and_later"}
        The sample sizes for which it holds at once; :func:`pacbayes.bounds.words.sample_sizes` says it in words.
    citation : str
        BibTeX.
    description : str
        One sentence.
    numbers : mapping
        The arguments among ``statistics`` that are the bound's own, and not statistics of a summary. Usually all are;
        a bound for one kept draw reads statistics of that draw besides.
    """

    name: str
    function: Callable[..., FloatOrArray]
    targets: frozenset[str]
    statistics: tuple[str, ...]
    assumptions: tuple[str, ...]
    citation: str
    description: str
    uses_kl: bool = True
    valid_for: frozenset[str] = ANY
    published_for: frozenset[str] = frozenset()
    valid_at: str = "one_n"
    numbers: Mapping[str, Number] = field(default_factory=dict)

    @property
    def reads_summary(self) -> bool:
        """Whether its arguments are statistics of a summary, as :data:`pacbayes.statistics.TABLE` lists them."""
        return not self.numbers

    @property
    def reads_own_numbers(self) -> bool:
        """Whether all of its arguments are numbers of its own."""
        return bool(self.numbers) and set(self.statistics) <= set(self.numbers)


class Fields(TypedDict, total=False):
    """What of a record may differ from the default of its kind."""

    targets: frozenset[str]
    statistics: tuple[str, ...]
    assumptions: tuple[str, ...]
    uses_kl: bool
    valid_for: frozenset[str]
    published_for: frozenset[str]
    valid_at: str
    numbers: Mapping[str, Number]


_RISK: Fields = {"assumptions": IID, "targets": frozenset({"risk"})}


def _required(function: Callable[..., FloatOrArray]) -> tuple[str, ...]:
    """Return the statistics that a bound cannot do without: what it has to be given besides kl, n and delta."""
    given = signature(function).parameters.values()
    return tuple(each.name for each in given if each.default is each.empty and each.name not in _NO_STATISTIC)


def risk_entry(
    function: Callable[..., FloatOrArray], source: str, description: str, **changes: Unpack[Fields]
) -> Entry:
    """Return the record of a bound on a risk without a reference."""
    fields: Fields = {"statistics": _required(function), **_RISK, **changes}
    return Entry(
        name=function.__name__, function=function, citation=CITATIONS[source], description=description, **fields
    )


def excess_entry(
    function: Callable[..., FloatOrArray], source: str, description: str, **changes: Unpack[Fields]
) -> Entry:
    """Return the record of a bound on an excess, proved for a fixed reference or none."""
    fields: Fields = {
        "targets": frozenset({"excess"}),
        "assumptions": IID_FIXED,
        "valid_for": FIXED,
    } | changes
    return risk_entry(function, source, description, **fields)


def own_entry(function: Callable[..., FloatOrArray], source: str, description: str, **changes: Unpack[Fields]) -> Entry:
    """Return the record of a bound on a risk that reads ``numbers`` of its own, given in the order of its arguments."""
    fields: Fields = {"statistics": tuple(changes["numbers"]), "valid_for": frozenset({"none"})}
    return risk_entry(function, source, description, **(fields | changes))
