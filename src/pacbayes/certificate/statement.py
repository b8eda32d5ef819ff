"""A statement: one number about one predictor, and everything it follows from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any

from pacbayes import bounds
from pacbayes._core.plain import name_text, to_plain, visible
from pacbayes._core.units import in_units
from pacbayes.certificate.quantities import QUANTITIES, Quantity
from pacbayes.certificate.records import AS_GIVEN, REFIT, Choice, Consequence, Drawn, Reference, Source

__all__ = [
    "AS_GIVEN",
    "REFIT",
    "Choice",
    "Consequence",
    "Drawn",
    "Reference",
    "Source",
    "Statement",
    "metric_name",
    "observed_difference",
    "observed_share",
]


_LATER = (
    "references",
    "source",
    "drawn",
    "scale",
    "target",
    "lower",
    "label",
    "group",
    "groups",
    "compared",
)  # absent where there is nothing to say


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A bound on one quantity of one predictor.

    Attributes
    ----------
    about : str
        Whose: a code of :data:`pacbayes.certificate.SUBJECTS`.
    quantity : str
        What is bounded: a code of :data:`pacbayes.certificate.QUANTITIES`, such as "error" or "recall". The loss of
        predictions that are numbers is their absolute or squared error, counted up to ``scale`` and divided by it (by
        its square), or whether they miss by more than ``scale``.
    side : {"upper", "lower", "both"}
        From which side. A difference is bounded from both.
    value : float
        The bound, with probability at least ``1 - delta * share / candidates``; of a difference the upper one.
    lower : float or None
        Of a difference: the lower bound, on the same event.
    label : str or None
        The class that a rate is about, as text.
    group : mapping or None
        The rows that it is about: a value by column. All judged rows if there is none.
    groups : tuple of mapping
        The groups that are compared, if what is bounded is the largest difference of the quantity between any two of
        them.
    compared : tuple of str
        The names of two predictors, if what is bounded is the first one's error or mean loss minus the second one's.
    n : int
        Examples that it is computed on; none for a class or group without judged rows.
    observed : mapping
        What was observed on them. For losses of 0 and 1 counts, from which all else follows: "errors", with a reference
        also "reference_errors" and "both" (for a posterior expected numbers of errors; for a portfolio one of each per
        reference); by class or by group "errors" and "rows", a number for each, and between groups "unsteady" where
        the answer on some rows depends on their batch, which count against each limit; for other losses "risk" and
        "log_growth", or for bets that adapt, block by block, "block_means", "block_squares", "block_cubes" and
        "block_growth"; of one kept draw besides "log_ratio", the logarithm of the posterior's density at it over the
        prior's; of a predictor with a source "disagreements" with it. Of two predictors "only_first" and
        "only_second", rows on which one of them errs, and "unsteady", rows on which the answer of one depends on its
        batch, which count against each limit; for other losses what is bet on, once for each limit.
    bound : str
        Name in :func:`pacbayes.bounds.catalogue`.
    share : float
        Part of ``delta/candidates`` that this statement uses.
    kl : float
        Divergence of the posterior from the prior.
    rates : str, float or None
        Of a bound that bets: "one_n" or "all_n" for the library's own rates, or one rate chosen on learning rows; a
        portfolio with references has its bets around it (:func:`pacbayes.bounds.learned_bets`).
    reference : Reference or None
        The one that was subtracted at a strength chosen beforehand.
    scale : float or None
        What errors of predictions that are numbers are measured by, in the units of the labels.
    target : float or None
        Of a limit that is tested at a sequence of thresholds (:mod:`pacbayes.certificate.sequences`): what is stated if
        the first of them passes, fixed beforehand. What was observed is then "rows_along" and "errors_along", a number
        per threshold, and how many "passed"; of what is stated besides, "errors" and the number of "steps".
    references : tuple of {"fixed", "predictable"}
        Kinds of the references of a portfolio, which bets on all strengths at once.
    source : Source or None
        The certified predictor whose bound the disagreement is added to.
    drawn : Drawn or None
        Errors of draws from a posterior, where the expected number of errors was estimated; nothing else is then
        observed.
    consequences : tuple of Consequence
        What holds along with it, on the same event.
    assumptions : tuple of str
        Codes of what has to be true for it to hold.
    """

    about: str
    n: int
    observed: Mapping[str, Any]
    bound: str
    value: float = 1.0
    quantity: str = "error"
    side: str = "upper"
    lower: float | None = None
    label: str | None = None
    group: Mapping[str, str] | None = None
    groups: tuple[Mapping[str, str], ...] = ()
    compared: tuple[str, ...] = ()
    share: float = 1.0
    kl: float = 0.0
    rates: str | float | None = None
    reference: Reference | None = None
    scale: float | None = None
    target: float | None = None
    references: tuple[str, ...] = ()
    source: Source | None = None
    drawn: Drawn | None = None
    consequences: tuple[Consequence, ...] = ()
    assumptions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "observed", to_plain(self.observed))

    @property
    def name(self) -> str:
        """What it is about, as ``metrics=`` and :meth:`pacbayes.Certificate.statement` have it: "recall:yes"."""
        return metric_name(self.quantity, self.label)

    @property
    def kind(self) -> Quantity:
        """What it bounds; its own name for what this version does not know."""
        known = QUANTITIES.get(self.quantity)
        if known is not None:
            return known
        words = visible(self.quantity).replace("{", "(").replace("}", ")")
        return Quantity(words, words, words, words)

    @property
    def words(self) -> str:
        """What it bounds, in the words of its sentence: "recall of class yes"."""
        return self.kind.words.format(label=name_text(self.label or ""))

    @property
    def has_parts(self) -> bool:
        """Whether its bound is put together from parts of its rows: classes, or groups that are compared."""
        return bool(self.groups) or self.kind.is_counted_by_class

    @property
    def is_step(self) -> bool:
        """Whether it is about a threshold that was kept by testing: tested itself, or stated besides."""
        return self.target is not None or "steps" in self.observed

    @property
    def is_vacuous(self) -> bool:
        """Whether it says nothing: an upper bound of 1, or a lower bound of 0; of two predictors both, 1 and -1."""
        if self.compared:
            return self.value >= 1.0 and (self.lower is None or self.lower <= -1.0)
        return self.value <= 0.0 if self.side == "lower" else self.value >= 1.0

    @property
    def risk(self) -> float:
        """What was observed of the quantity; not a number if it was not, or on no rows at all.

        Of a predictor with a source it is the most that was observed of it: errors of the source, and disagreements.
        Of what is bounded from below, such as recall, it is the share that is right; of two predictors the difference.
        """
        if self.compared:
            return observed_difference(self)
        if self.source is not None:
            apart = self.observed.get("disagreements")
            shares = (self.source.errors / self.source.n, apart / self.n if isinstance(apart, int) else math.nan)
            return min(sum(shares), 1.0)
        wrong = observed_share(self)
        return 1.0 - wrong if self.side == "lower" else wrong

    @property
    def limit(self) -> float:
        """The bound as its sentence has it: in the units of the labels, where there is a scale; otherwise the value."""
        known = QUANTITIES.get(self.quantity)
        if known is None or self.scale is None or not known.power:
            return self.value
        exact = in_units(self.value, self.scale, known.power)
        found = float(exact)
        return found if found >= exact else math.nextafter(found, math.inf)

    @property
    def citation(self) -> str:
        """BibTeX of the bound."""
        return bounds.get(self.bound).citation

    @property
    def anytime(self) -> bool:
        """Whether it holds for all numbers of examples at once."""
        return self.rates == "all_n"

    def value_about(self, about: str) -> float | None:
        """Return the bound for a predictor that the statement or one of its consequences is about."""
        values = {self.about: self.value} | {each.about: each.value for each in self.consequences}
        return values.get(about)

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, numbers and text, as the schema has them."""
        return {
            name: value
            for name in _names()
            if (value := _to_plain(getattr(self, name))) not in (None, []) or name not in _LATER
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Statement:
        """Read what :meth:`to_dict` gave."""
        given = dict(record)
        reference, source, drawn = given.pop("reference"), given.pop("source", None), given.pop("drawn", None)
        consequences: Sequence[Mapping[str, Any]] = given.pop("consequences")
        return cls(
            **given
            | {name: tuple(given.get(name, ())) for name in ("assumptions", "references", "groups", "compared")},
            reference=None if reference is None else Reference(**reference),
            source=None if source is None else Source(**source),
            drawn=None if drawn is None else Drawn(**drawn),
            consequences=tuple(Consequence(**each) for each in consequences),
        )


@cache
def _names() -> tuple[str, ...]:
    """Return the fields of a statement; asked for once, since there may be thousands of statements."""
    return tuple(each.name for each in fields(Statement))


def _to_plain(value: object) -> object:
    """Return a field of a statement as plain values; a few of them have fields of their own."""
    if value is None or type(value) is str:
        return value
    if isinstance(value, tuple):
        return [_to_plain(each) for each in value]
    if isinstance(value, Reference | Source | Drawn | Consequence):
        return to_plain(asdict(value))
    return to_plain(value)


def metric_name(quantity: str, label: str | None) -> str:
    """Return what a metric is called by whoever asks for it: "balanced-error", "recall:yes"."""
    plain = quantity.replace("_", "-")
    return plain if label is None else f"{plain}:{label}"


def observed_share(statement: Statement) -> float:
    """Return the share of errors, or the mean loss, that was observed; averaged over classes, or the range of groups.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.statement import observed_share
    >>> observed_share(pb.certify_predictions([0, 1], [0, 0]).statements[0])
    0.5
    """
    if statement.drawn is not None:
        return statement.drawn.errors / statement.drawn.draws
    if statement.target is not None:
        passed = statement.observed["passed"]
        kept = (statement.observed[name][passed - 1] for name in ("errors_along", "rows_along"))
        return next(kept) / next(kept) if passed else math.nan
    errors, risk, rows = (statement.observed.get(name) for name in ("errors", "risk", "rows"))
    if isinstance(errors, list) and isinstance(rows, list):
        shares = [count / each for count, each in zip(errors, rows, strict=False) if each]
        if not shares:
            return math.nan
        return float(max(shares) - min(shares) if statement.groups else sum(shares) / len(shares))
    if isinstance(errors, int | float):
        left = statement.n - statement.observed.get("size", 0)  # rows that were picked to learn from are not judged
        return float(errors / left) if left else (0.0 if statement.n else math.nan)
    return float(risk) if isinstance(risk, int | float) else math.nan


def observed_difference(statement: Statement) -> float:
    """Return by how much more the first of two predictors erred than the second, or how much larger its mean loss was.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.statement import observed_difference
    >>> observed_difference(pb.compare_predictions([0, 1, 1, 0], [0, 0, 0, 0], [0, 1, 0, 0]).statements[0])
    0.25
    """
    names = ("only_first", "only_second") if "only_first" in statement.observed else ("upper_risk", "lower_risk")
    first, second = (statement.observed.get(name) for name in names)
    if not isinstance(first, int | float) or not isinstance(second, int | float) or not statement.n:
        return math.nan
    return float((first - second) / (statement.n if "only_first" in statement.observed else 1))
