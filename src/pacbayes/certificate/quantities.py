"""What a statement can bound: the one list of quantities, what each is called, and how its number is written."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext

__all__ = ["QUANTITIES", "Quantity", "number_words", "round_up"]

_CLAIM = "the true {words} of {subject}{where} is at most {limit}"
_DIGITS = 4
_EXACT = 3000  # digits that a product of three doubles may have
_LONGEST = 15  # places of a number that is written without an exponent


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a statement bounds, in words.

    Attributes
    ----------
    words : str
        Its name, as a sentence has it after "the true".
    unit : str
        What stands in a report beside the large number.
    verdict, often : str
        What the bound means, and what a large observed value means, with a place for ``percent``; of a quantity that
        is measured in the units of the labels ``limit`` and ``scale``.
    claim : str
        The sentence without its confidence.
    parameter : {"scale", "tolerance"} or None
        What its losses are measured by, where labels are numbers: the most that an error counts, or what a miss
        exceeds.
    power : int or None
        The power of the scale that turns a mean loss in [0, 1] into the units of the labels; None for a share.
    is_graded : bool
        Whether its losses take values between 0 and 1, so that they are recorded block by block or as growth.
    bounds : frozenset of str or None
        The bounds that are proved for it; None if those for its subject are.
    about : frozenset of str or None
        The subjects that it is stated of; None if any.
    """

    words: str
    unit: str
    verdict: str
    often: str
    claim: str = _CLAIM
    parameter: str | None = None
    power: int | None = None
    is_graded: bool = False
    bounds: frozenset[str] | None = None
    about: frozenset[str] | None = None

    @property
    def noun(self) -> str:
        """Its name, as a heading has it."""
        return f"true {self.words}" if self.parameter is None else self.words

    def in_units(self, value: float, scale: float | None) -> Decimal:
        """Return a number in [0, 1] in the units of the labels, exactly; a share as it is.

        Examples
        --------
        >>> from pacbayes.certificate import QUANTITIES
        >>> QUANTITIES["absolute_error"].in_units(0.25, 5.0), QUANTITIES["error"].in_units(0.25, None)
        (Decimal('1.25'), Decimal('0.25'))
        """
        with localcontext(prec=_EXACT):
            return Decimal(value) * Decimal(1.0 if scale is None else scale) ** (self.power or 0)

    def limit_words(self, value: float, scale: float | None) -> str:
        """Return a bound as text, rounded up: in the units of the labels, as a percentage, or as it is.

        Examples
        --------
        >>> from pacbayes.certificate import QUANTITIES
        >>> [QUANTITIES[name].limit_words(0.123456, 5.0) for name in ("absolute_error", "squared_error", "miss")]
        ['0.6173', '3.087', '12.35 %']
        """
        if self.parameter is None:
            return round_up(value)
        if self.power is None:
            return f"{number_words(round_up(100.0 * value, 2))} %"
        return _significant(self.in_units(value, scale))


def round_up(value: float | Decimal, digits: int = _DIGITS) -> str:
    """Return a bound as text, rounded up so that it stays one."""
    return str(Decimal(value).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_CEILING))


def _significant(value: Decimal) -> str:
    """Return a positive number with four significant digits, rounded up."""
    if not value:
        return "0"
    with localcontext(prec=_EXACT):
        rounded = value.quantize(Decimal(1).scaleb(value.adjusted() - _DIGITS + 1), rounding=ROUND_CEILING)
    return number_words(str(rounded))


def number_words(number: float | str) -> str:
    """Return a number as text: no zeros at its end, and an exponent only where it would be very long.

    Examples
    --------
    >>> from pacbayes.certificate.quantities import number_words
    >>> number_words(5.0), number_words(0.1), number_words(250_000.0), number_words(1e-300)
    ('5', '0.1', '250000', '1E-300')
    """
    exact = Decimal(repr(number) if isinstance(number, float) else number).normalize()
    return f"{exact:f}" if -_LONGEST < exact.adjusted() < _LONGEST else str(exact)


_PREDICTIONS = frozenset({"predict", "given_predictions", "given_model"})
_UP_TO = "The mean error on the judged rows is {risk}, a large part of {scale}; more rows alone will not help."
QUANTITIES: dict[str, Quantity] = {
    "error": Quantity(
        "error",
        "of new cases are misclassified, at most",
        "Of 100 new cases, on average at most {percent} are misclassified.",
        "The model misclassifies {percent} % of the judged rows; more rows alone will not help.",
    ),
    "loss": Quantity(
        "loss",
        "mean loss on new cases, at most",
        "On new cases the loss, which lies between 0 and 100 %, is on average at most {percent} %.",
        "The loss on the judged rows is {percent} % on average; more rows alone will not help.",
        is_graded=True,
        about=frozenset({"given_losses", "watched"}),
    ),
    "absolute_error": Quantity(
        "mean absolute error",
        "mean absolute error on new cases, at most",
        "On new cases predictions are on average at most {limit} away from the truth, each counted as at most {scale}.",
        _UP_TO,
        claim="the mean absolute error of {subject}{where}, counted up to {scale}, is at most {limit}",
        parameter="scale",
        power=1,
        is_graded=True,
        bounds=frozenset({"sequential"}),
        about=_PREDICTIONS,
    ),
    "squared_error": Quantity(
        "mean squared error",
        "mean squared error on new cases, at most",
        "On new cases the squared error is on average at most {limit}, each error counted as at most {scale}.",
        _UP_TO,
        claim="the mean squared error of {subject}{where}, each error counted up to {scale}, is at most {limit}",
        parameter="scale",
        power=2,
        is_graded=True,
        bounds=frozenset({"sequential"}),
        about=_PREDICTIONS,
    ),
    "miss": Quantity(
        "share of misses",
        "of new cases are missed by more than the tolerance, at most",
        "Of 100 new cases, on average at most {percent} are missed by more than {scale}.",
        "The model misses {percent} % of the judged rows by more than {scale}; more rows alone will not help.",
        claim="{subject}{where} misses by more than {scale} in at most {limit} of cases",
        parameter="tolerance",
        bounds=frozenset({"clopper_pearson"}),
        about=_PREDICTIONS,
    ),
}
