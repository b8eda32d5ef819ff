"""A statement: one number about one predictor, and everything it follows from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pacbayes import bounds
from pacbayes._core.plain import to_plain
from pacbayes._core.units import in_units
from pacbayes.certificate.quantities import QUANTITIES

__all__ = ["AS_GIVEN", "REFIT", "Choice", "Consequence", "Reference", "Source", "Statement"]


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that was chosen on the way to a certificate.

    Attributes
    ----------
    what : str
        Its code, such as "alpha".
    value : str, float or None
        What was chosen.
    where : str
        What it was chosen on: "given", "learning_rows", "all_rows", "schedule".
    cost : str
        What the bound lost by it: "none", or a code such as "mixture_of_rates".
    size : float or None
        The number that belongs to the cost: how many rates, which part of delta.
    """

    what: str
    value: str | float | None
    where: str
    cost: str = "none"
    size: float | None = None


AS_GIVEN = Choice("order", "as_given", "given")  # of rows that were not shuffled
REFIT = Choice("refit", "refit_on_all_rows", "given")  # of a second model, which the certificate is not about


@dataclass(frozen=True, slots=True)
class Consequence:
    """What follows from a statement on the same event: a bound on the risk of another predictor.

    Attributes
    ----------
    about : str
        Whose risk: a code of :data:`pacbayes.certificate.SUBJECTS`.
    rule : {"same", "twice"}
        How its value follows from the statement's.
    value : float
    """

    about: str
    rule: str
    value: float


@dataclass(frozen=True, slots=True)
class Reference:
    """The reference that was subtracted, and how its own loss was bounded.

    Attributes
    ----------
    kind : {"fixed", "predictable"}
    strength : float
        Which part of its losses was subtracted, in (0, 1].
    bound : str
        The bound on its average true loss.
    split : float
        Share of the statement's delta for the excess; the rest is for the reference.
    """

    kind: str
    strength: float
    bound: str
    split: float = 0.5


@dataclass(frozen=True, slots=True)
class Source:
    """The certified predictor that a statement about another one starts from, and how its own error was bounded.

    Attributes
    ----------
    n : int
        Labelled rows that it was judged on.
    errors : int
        Its errors on them.
    bound : str
        The bound on its true error.
    split : float
        Share of the statement's delta for that bound; the rest is for the disagreement of the two predictors.
    """

    n: int
    errors: int
    bound: str
    split: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A bound on one quantity of one predictor.

    Attributes
    ----------
    about : str
        Whose: a code of :data:`pacbayes.certificate.SUBJECTS`.
    quantity : {"error", "loss", "absolute_error", "squared_error", "miss"}
        What is bounded: the true error, or the true mean of a loss in [0, 1]. For predictions that are numbers the loss
        is their absolute or squared error, counted up to ``scale`` and divided by it (by its square), or whether they
        miss by more than ``scale``.
    side : {"upper"}
        From which side.
    value : float
        The bound, with probability at least ``1 - delta * share / candidates``.
    n : int
        Examples that it is computed on.
    observed : mapping
        What was observed on them. For losses of 0 and 1 counts, from which all else follows: "errors", with a reference
        also "reference_errors" and "both" (for a posterior expected numbers of errors; for a portfolio one of each per
        reference); for other losses "risk" and "log_growth", or for bets that adapt, block by block, "block_means",
        "block_squares", "block_cubes" and "block_growth"; of a predictor with a source "disagreements" with it.
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
    references : tuple of {"fixed", "predictable"}
        Kinds of the references of a portfolio, which bets on all strengths at once.
    source : Source or None
        The certified predictor whose bound the disagreement is added to.
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
    share: float = 1.0
    kl: float = 0.0
    rates: str | float | None = None
    reference: Reference | None = None
    scale: float | None = None
    references: tuple[str, ...] = ()
    source: Source | None = None
    consequences: tuple[Consequence, ...] = ()
    assumptions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "observed", to_plain(self.observed))

    @property
    def risk(self) -> float:
        """The observed risk; not a number if nothing like it was recorded, which no verification lets through.

        Of a predictor with a source it is the most that was observed of it: errors of the source, and disagreements.
        """
        if self.source is not None:
            apart = self.observed.get("disagreements")
            shares = (self.source.errors / self.source.n, apart / self.n if isinstance(apart, int) else math.nan)
            return min(sum(shares), 1.0)
        errors, risk = self.observed.get("errors"), self.observed.get("risk")
        if isinstance(errors, int | float):
            return errors / self.n
        return float(risk) if isinstance(risk, int | float) else math.nan

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
        record = to_plain(asdict(self))
        if not isinstance(record, dict):
            return {}
        for name in ("references", "source", "scale"):  # fields that came later: without them older digests stay
            if not record[name]:
                del record[name]
        return record

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Statement:
        """Read what :meth:`to_dict` gave."""
        given = dict(record)
        reference, source = given.pop("reference"), given.pop("source", None)
        consequences: Sequence[Mapping[str, Any]] = given.pop("consequences")
        return cls(
            **given | {"assumptions": tuple(given["assumptions"]), "references": tuple(given.get("references", ()))},
            reference=None if reference is None else Reference(**reference),
            source=None if source is None else Source(**source),
            consequences=tuple(Consequence(**each) for each in consequences),
        )
