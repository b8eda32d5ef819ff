"""What a statement can bound: the one list of quantities, and what each is called."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["QUANTITIES", "Quantity"]

_CLAIM = "the true {words} of {subject}{where} is at most {limit}"


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
        What the bound means, and what a large observed value means, with places for ``percent``, and for
        ``count`` among so many ``cases``; of a quantity that is measured in the units of the labels ``limit`` and
        ``scale``.
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


_PREDICTIONS = frozenset({"predict", "given_predictions", "given_model"})
_UP_TO = "The mean error on the judged rows is {risk}, a large part of {scale}; more rows alone will not help."
QUANTITIES: dict[str, Quantity] = {
    "error": Quantity(
        "error",
        "of new cases are misclassified, at most",
        "Of {cases} new cases, on average at most {count} are misclassified.",
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
        "Of {cases} new cases, on average at most {count} are missed by more than {scale}.",
        "The model misses {percent} % of the judged rows by more than {scale}; more rows alone will not help.",
        claim="{subject}{where} misses by more than {scale} in at most {limit} of cases",
        parameter="tolerance",
        bounds=frozenset({"clopper_pearson"}),
        about=_PREDICTIONS,
    ),
}
