"""Every bound by name: the statistics it needs, what it assumes, where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import TypedDict, Unpack

from numpy.typing import ArrayLike

from pacbayes._core.types import FloatOrArray
from pacbayes.bounds._citations import CITATIONS
from pacbayes.bounds.bernstein import tolstikhin_seldin, unexpected_bernstein
from pacbayes.bounds.betting import betting
from pacbayes.bounds.excess import excess_kl, excess_relaxed, split_kl, vector_kl
from pacbayes.bounds.holdout import chernoff, clopper_pearson, progressive_chernoff
from pacbayes.bounds.kl_bounds import catoni, maurer, maurer_relaxed, mcallester
from pacbayes.bounds.paired import paired
from pacbayes.bounds.portfolio import portfolio
from pacbayes.bounds.sequential import sequential_from_blocks
from pacbayes.bounds.words import conditions

__all__ = ["REFERENCE_KINDS", "Entry", "catalogue", "evaluate", "get", "get_on_target", "require_sound"]

REFERENCE_KINDS = ("none", "fixed", "predictable")
_ANY = frozenset(REFERENCE_KINDS)
_FIXED = frozenset({"none", "fixed"})
_PREDICTABLE = frozenset({"predictable"})
_NO_STATISTIC = ("kl", "n", "delta")

# codes, which pacbayes.bounds.words turns into sentences
_IID = ("iid", "no_reference")
_IID_FIXED = ("iid", "fixed_reference")
_IID_PREDICTABLE = ("iid", "any_predictable_reference")
_UNSEEN = ("iid", "fixed_predictor")
_PUBLISHED = (*_IID_FIXED, "published_only_E7")


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
    valid_at : {"one_n", "all_n", "all_n_fixed_rates", "all_n_no_plan"}
        The sample sizes for which it holds at once; :func:`pacbayes.bounds.words.sample_sizes` says it in words.
    citation : str
        BibTeX.
    description : str
        One sentence.
    """

    name: str
    function: Callable[..., FloatOrArray]
    targets: frozenset[str]
    statistics: tuple[str, ...]
    assumptions: tuple[str, ...]
    citation: str
    description: str
    uses_kl: bool = True
    valid_for: frozenset[str] = _ANY
    published_for: frozenset[str] = frozenset()
    valid_at: str = "one_n"


class _Fields(TypedDict, total=False):
    targets: frozenset[str]
    statistics: tuple[str, ...]
    assumptions: tuple[str, ...]
    uses_kl: bool
    valid_for: frozenset[str]
    published_for: frozenset[str]
    valid_at: str


_RISK: _Fields = {"assumptions": _IID, "targets": frozenset({"risk"})}


def _required(function: Callable[..., FloatOrArray]) -> tuple[str, ...]:
    """Return the statistics that a bound cannot do without: what it has to be given besides kl, n and delta."""
    given = signature(function).parameters.values()
    return tuple(each.name for each in given if each.default is each.empty and each.name not in _NO_STATISTIC)


def _risk(function: Callable[..., FloatOrArray], source: str, description: str, **changes: Unpack[_Fields]) -> Entry:
    fields: _Fields = {"statistics": _required(function), **_RISK, **changes}
    return Entry(
        name=function.__name__, function=function, citation=CITATIONS[source], description=description, **fields
    )


def _excess(function: Callable[..., FloatOrArray], source: str, description: str, **changes: Unpack[_Fields]) -> Entry:
    fields: _Fields = {
        "targets": frozenset({"excess"}),
        "assumptions": _IID_FIXED,
        "valid_for": _FIXED,
    } | changes
    return _risk(function, source, description, **fields)


_HOLDOUT: _Fields = {
    "uses_kl": False,
    "targets": frozenset({"risk", "reference"}),
    "assumptions": _UNSEEN,
    "valid_for": _FIXED,
}
_THEOREM_E7: _Fields = {"assumptions": _PUBLISHED, "published_for": _PREDICTABLE}

_ENTRIES = (
    _risk(chernoff, "hoeffding", "The kl form of the Chernoff bound for one fixed predictor and any loss.", **_HOLDOUT),
    _risk(
        clopper_pearson,
        "clopper",
        "The exact binomial limit for one fixed predictor and the 0-1 loss, the hold-out baseline.",
        **_HOLDOUT,
    ),
    _risk(
        progressive_chernoff,
        "biggs",
        "The paper's bound on the average true loss of a reference.",
        **(_HOLDOUT | _THEOREM_E7 | {"targets": frozenset({"reference"})}),
    ),
    _risk(mcallester, "mcallester1999", "The square-root bound: simplest to state, loosest at small risk."),
    _risk(maurer, "maurer", "The kl bound: the tightest in common use for a risk with no variance information."),
    _risk(maurer_relaxed, "mcallester2003", "The kl bound in closed form, showing its fast rate at small risk."),
    _risk(
        catoni,
        "catoni",
        "The exponential-moment bound at a rate fixed beforehand, or the best of a grid.",
        valid_at="all_n",
    ),
    _risk(
        tolstikhin_seldin,
        "tolstikhin",
        "The empirical Bernstein bound: good where the loss varies little around its mean.",
    ),
    _excess(
        unexpected_bernstein,
        "mhammedi",
        "The second-moment bound the paper compares with; valid for online references, looser than betting.",
        assumptions=_IID_PREDICTABLE,
        valid_for=_ANY,
        valid_at="all_n_fixed_rates",
    ),
    _excess(
        vector_kl,
        "adams",
        "The kl bound for any number of error types and any weights on them.",
        targets=frozenset({"sum"}),
    ),
    _excess(excess_kl, "biggs", "The paper's main theorem: the three-way kl inverse of an excess.", **_THEOREM_E7),
    _excess(excess_relaxed, "biggs", "The main theorem in closed form, showing its fast rate.", **_THEOREM_E7),
    _excess(split_kl, "wu", "Positive and negative parts bounded separately by the binary kl."),
    _excess(
        betting,
        "jang",
        "The sound bound for online references, at all n at once; at the same rates never above unexpected Bernstein.",
        statistics=("log_growth", "rates", "weights"),  # weights have a default, and a summary has its own
        targets=frozenset({"risk", "excess", "reference"}),
        assumptions=_IID_PREDICTABLE,
        valid_for=_ANY,
        valid_at="all_n_fixed_rates",
    ),
    _risk(
        portfolio,
        "portfolio",
        "Bets over rates and strengths of a reference at once: the sound bound on a risk that needs no choice.",
        statistics=("growths", "strengths", "reference_log_growth", "rates", "weights"),
        assumptions=_IID_PREDICTABLE,
        valid_at="all_n_fixed_rates",
    ),
)
# reads losses in their order; its statistics, block by block, do not follow from a risk, so that it is not listed
_SEQUENTIAL = Entry(
    name="sequential",
    function=sequential_from_blocks,
    targets=frozenset({"risk"}),
    statistics=("block_means", "block_squares", "block_cubes", "block_growth", "planned", "rates_delta"),
    assumptions=_UNSEEN,
    citation=CITATIONS["waudby"],
    description="Bets on the losses of one fixed predictor, each adapted to the losses before it.",
    uses_kl=False,
    valid_for=_FIXED,
    valid_at="all_n_no_plan",
)
# reads the counts of two predictors, which are no statistics of one
_PAIRED = Entry(
    name="paired",
    function=paired,
    targets=frozenset({"difference"}),
    statistics=("only_first", "only_second"),
    assumptions=_UNSEEN,
    citation=CITATIONS["mcnemar"],
    description="The exact test of two fixed predictors on the rows where one of them errs, inverted into a limit.",
    uses_kl=False,
    valid_for=_FIXED,
)
_BY_NAME = {record.name: record for record in (*_ENTRIES, _SEQUENTIAL, _PAIRED)}


def catalogue() -> tuple[Entry, ...]:
    """Return every bound of a few statistics as a record: name, statistics, assumptions, citation and a sentence.

    :func:`pacbayes.bounds.sequential` is not among them, since it reads losses one by one, nor is
    :func:`pacbayes.bounds.paired`, which is about two predictors; :func:`get` knows both.

    Examples
    --------
    >>> import pacbayes as pb
    >>> for record in pb.bounds.catalogue():
    ...     if "predictable" in record.valid_for and "excess" in record.targets:
    ...         print(record.name, record.statistics, record.valid_at)
    unexpected_bernstein ('excess', 'second') all_n_fixed_rates
    betting ('log_growth', 'rates', 'weights') all_n_fixed_rates
    """
    return _ENTRIES


def get(name: str) -> Entry:
    """Return the record of one bound by its name, in which a hyphen may stand for an underscore.

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.bounds.get("excess-kl").statistics
    ('plus', 'minus')
    >>> pb.bounds.get("maurer").function is pb.bounds.maurer
    True
    """
    found = _BY_NAME.get(str(name).replace("-", "_"))
    if found is None:
        raise ValueError(f"The bound must be one of {', '.join(each.name for each in _ENTRIES)}. Got {name!r} instead.")
    return found


def get_on_target(owner: str, argument: str, name: str, target: str) -> Entry:
    """Return the record of a bound on ``target``, or say which names there are."""
    names = [record.name for record in _ENTRIES if target in record.targets]
    if name not in names:
        reason = f", which bounds {' or '.join(sorted(_BY_NAME[name].targets))}," if name in _BY_NAME else ""
        raise ValueError(
            f"The {argument!r} argument of {owner} must name a bound on the {target}: {', '.join(names)}. "
            f"Got {name!r}{reason} instead."
        )
    return _BY_NAME[name]


def require_sound(owner: str, record: Entry, kind: str, assume: str | None) -> None:
    """Refuse a bound for a kind of reference that no theorem covers, unless its publication is assumed to hold.

    Parameters
    ----------
    owner : str
        Who asks, for the message.
    record : Entry
        The bound.
    kind : {"none", "fixed", "predictable"}
        The kind of reference, one of ``REFERENCE_KINDS``.
    assume : {None, "published"}
        Whether a bound that is published for this kind but not proved is admitted.

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.bounds.require_sound("here", pb.bounds.get("betting"), "predictable", None)
    >>> pb.bounds.require_sound("here", pb.bounds.get("split_kl"), "predictable", None)
    Traceback (most recent call last):
      ...
    ValueError: here refuses 'split_kl' with a predictable reference: no theorem covers it. It needs i.i.d. examples; \
a fixed reference or none. Use 'betting'.
    """
    if assume not in (None, "published"):
        raise ValueError(f"The 'assume' argument of {owner} must be None or 'published'. Got {assume!r} instead.")
    if kind not in REFERENCE_KINDS:
        raise ValueError(f"The kind of reference in {owner} must be one of {REFERENCE_KINDS}. Got {kind!r} instead.")
    if kind in record.valid_for or (kind in record.published_for and assume == "published"):
        return
    if kind in record.published_for:
        raise ValueError(
            f"{owner} refuses {record.name!r} with a {kind} reference, for which it is published but not proved (its "
            "conditional means depend on the past: erratum E7). Use 'betting', or pass assume='published'."
        )
    raise ValueError(
        f"{owner} refuses {record.name!r} with a {kind} reference: no theorem covers it. It needs "
        f"{conditions(record.assumptions)}. Use 'betting'."
    )


def evaluate(
    record: Entry, statistics: Mapping[str, ArrayLike], n: ArrayLike, delta: ArrayLike, kl: ArrayLike = 0.0
) -> FloatOrArray:
    """Evaluate a bound on statistics given by name; ``kl`` is passed on to bounds that use it.

    Examples
    --------
    >>> import pacbayes as pb
    >>> record = pb.bounds.get("maurer")
    >>> round(pb.bounds.evaluate(record, {"risk": 0.05, "second": 0.05}, n=1000, delta=0.05, kl=10.0), 6)
    0.099974
    """
    arguments = {name: statistics[name] for name in record.statistics}
    if record.uses_kl:
        arguments["kl"] = kl
    return record.function(**arguments, n=n, delta=delta)
