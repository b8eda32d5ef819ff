"""What a statement records besides its numbers: choices, consequences, references, draws, where a transfer starts."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["AS_GIVEN", "POSTERIOR_IS_PRIOR", "REFIT", "Choice", "Consequence", "Drawn", "Reference", "Source"]


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
POSTERIOR_IS_PRIOR = Choice("posterior", "prior", "given")  # settled before the judged rows were looked at


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


@dataclass(frozen=True, slots=True)
class Drawn:
    """Errors that were counted on draws from a posterior, since their expected number is not known exactly.

    Attributes
    ----------
    errors : int
        Errors of all draws, a fresh one for each judged row and each pass over them.
    draws : int
        How many draws there were: a multiple of the number of judged rows.
    share : float
        Share of the statement's delta for the bound on the expected error, given the rows; the rest is for the bound
        on the true error.
    """

    errors: int
    draws: int
    share: float
