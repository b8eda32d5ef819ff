"""The numbers of a report, all computed by the library: what a bound is made of, and how it changes with delta."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NotRequired, Protocol, TypedDict, runtime_checkable

from pacbayes import bounds
from pacbayes._core.types import IntArray
from pacbayes.certificate import Certificate, Statement, evaluate_statement
from pacbayes.certificate.arithmetic import consequence_value
from pacbayes.certificate.words import confidence_words, limit_words

__all__ = ["DeltaRow", "Part", "Refit", "SplitCost", "composition", "delta_values", "value_at"]

_DELTAS = (
    *(0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.075, 0.05, 0.04, 0.03, 0.025, 0.02, 0.015, 0.01),
    *(0.005, 0.0025, 0.001, 0.0005, 0.0001, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9),
)


class DeltaRow(TypedDict):
    """The first statement's bound at one delta, and that of the vote where one follows; ``shown`` is rounded up."""

    delta: float
    confidence: str
    value: float
    shown: str
    vote: NotRequired[float]
    vote_shown: NotRequired[str]


class Part(TypedDict):
    """What one cause adds to a bound."""

    name: str
    adds: float


class _Point(Protocol):
    @property
    def learned(self) -> int: ...
    @property
    def errors(self) -> float: ...
    @property
    def rows(self) -> int: ...


@runtime_checkable
class _SplitModel(Protocol):
    order_: IntArray
    n_learning_: int
    curve_: Sequence[_Point]
    refit: bool


@dataclass(frozen=True, slots=True)
class Refit:
    """A second model that was trained on all rows; ``transfer`` is its certificate, if it has one."""

    transfer: Certificate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitCost:
    """What a split of the rows into learning and judged ones cost, and what a refit on all of them is certified for.

    Attributes
    ----------
    rows : int
        How many there are in all.
    learned : int
        How many the certified model learned from.
    curve : sequence of (learned, errors, rows)
        Of snapshots: the rows each learned from, and its errors on so many of the later learning rows. Empty if the
        share was fixed beforehand.
    refit : Refit or None
    """

    rows: int
    learned: int
    curve: Sequence[tuple[int, int, int]] = ()
    refit: Refit | None = None

    @property
    def has_transfer(self) -> bool:
        """Whether the second model has a certificate of its own."""
        return self.refit is not None and self.refit.transfer is not None

    @classmethod
    def of(cls, model: object, transfer: Certificate | None = None) -> SplitCost | None:
        """Return what a fitted estimator's split cost; None where it has neither a learning curve nor a refit.

        Examples
        --------
        >>> import pacbayes as pb
        >>> from pacbayes.report import SplitCost
        >>> sample = pb.datasets.make_known_risk(500, d=2, random_state=0)
        >>> found = SplitCost.of(pb.CertifiedClassifier(random_state=0).fit(sample.X, sample.y))
        >>> found.rows, found.learned < 500, found.refit
        (500, True, None)
        """
        if not isinstance(model, _SplitModel) or not (model.curve_ or model.refit):
            return None
        refit = Refit(transfer) if model.refit else None
        curve = [(each.learned, int(each.errors), each.rows) for each in model.curve_]
        return cls(rows=model.order_.size, learned=model.n_learning_, curve=curve, refit=refit)


def value_at(
    certificate: Certificate, delta: float, *, kl: float | None = None, candidates: int | None = None
) -> float:
    """Evaluate the first statement's bound on what was observed, at another delta.

    Parameters
    ----------
    certificate : Certificate
        Its recorded values play no part.
    delta : float
        In place of the certificate's own, in (0, 1).
    kl : float, optional
        In place of the recorded divergence.
    candidates : int, optional
        In place of the recorded number of settings that were compared.

    Returns
    -------
    float
        An upper bound on the risk, in [0, 1].

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.report import value_at
    >>> certificate = pb.certify_predictions([0, 1] * 100, [0, 1] * 95 + [1, 1] * 5)
    >>> round(value_at(certificate, 0.05), 4), round(value_at(certificate, 0.01), 4)
    (0.0518, 0.0642)
    """
    sharing = certificate.candidates if candidates is None else candidates
    return evaluate_statement(
        certificate.statements[0],
        delta / sharing,
        grid_delta=certificate.delta / certificate.candidates,  # the grid of rates stays as it was
        kl=kl,
    )


def delta_values(certificate: Certificate) -> list[DeltaRow]:
    """Return the first statement's bound at twenty-five deltas and at the certificate's own, largest delta first.

    Parameters
    ----------
    certificate : Certificate
        Its first statement is evaluated anew at each delta.

    Returns
    -------
    list of dict
        "delta", "confidence" in words, "value", and "shown" (and "vote", "vote_shown" where there is a vote), rounded
        up for display.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.report import delta_values
    >>> certificate = pb.certify_predictions([0, 1] * 100, [0, 1] * 95 + [1, 1] * 5)
    >>> [(row["delta"], row["shown"]) for row in delta_values(certificate)[6:9]]
    [(0.1, '4.59 %'), (0.075, '4.85 %'), (0.05, '5.19 %')]
    """
    deltas = sorted({*_DELTAS, certificate.delta}, reverse=True)
    return [_row(certificate.statements[0], delta, value_at(certificate, delta)) for delta in deltas]


def _row(statement: Statement, delta: float, value: float) -> DeltaRow:
    row = DeltaRow(delta=delta, confidence=confidence_words(delta), value=value, shown=limit_words(statement, value))
    votes = {each.about: consequence_value(value, each.rule, statement.side) for each in statement.consequences}
    if "vote" in votes:
        row["vote"], row["vote_shown"] = votes["vote"], limit_words(statement, votes["vote"])
    return row


def composition(certificate: Certificate) -> list[Part]:
    """Return what the first statement's value is made of: observed risk, then what each cause adds to it.

    The causes are "confidence" (the judged rows are a sample), "inference" (besides, the bound reads other numbers than
    the errors themselves, such as those of the voters one by one), "draws" (expected errors were estimated),
    "complexity" (the divergence) and "union" (several candidates); the last three occur where they add
    something.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.report import composition
    >>> certificate = pb.certify_predictions([0, 1] * 100, [0, 1] * 95 + [1, 1] * 5)
    >>> [(part["name"], round(part["adds"], 4)) for part in composition(certificate)]
    [('observed', 0.025), ('confidence', 0.0268)]
    """
    statement = certificate.statements[0]
    with_confidence = max(value_at(certificate, certificate.delta, kl=0.0, candidates=1), statement.risk)
    with_complexity = max(value_at(certificate, certificate.delta, candidates=1), with_confidence)
    chance = "confidence" if bounds.get(statement.bound).reads_summary else "inference"
    parts = [_part("observed", statement.risk), _part(chance, with_confidence - statement.risk)]
    if statement.drawn is not None:
        known = max(_value_without_draws(certificate), statement.risk)
        parts = [parts[0], _part("confidence", known - statement.risk), _part("draws", with_confidence - known)]
    if statement.kl > 0.0:
        parts.append(_part("complexity", with_complexity - with_confidence))
    if certificate.candidates > 1:
        parts.append(_part("union", certificate.value - with_complexity))
    return parts


def _value_without_draws(certificate: Certificate) -> float:
    """Return the bound of the part "confidence", had the share of errors among draws been the expected one."""
    first = certificate.statements[0]
    known = replace(first, observed={"errors": first.risk * first.n}, drawn=None)
    return evaluate_statement(known, certificate.delta, grid_delta=certificate.delta / certificate.candidates, kl=0.0)


def _part(name: str, adds: float) -> Part:
    return Part(name=name, adds=min(max(adds, 0.0), 1.0))
