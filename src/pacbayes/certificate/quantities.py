"""What a statement can bound: the one list of quantities, and what each is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["COUNT_BOUNDS", "QUANTITIES", "Quantity", "check_count_bound"]

COUNT_BOUNDS = frozenset({"clopper_pearson", "chernoff"})  # on a number of errors of one fixed predictor

_CLAIM = "the true {words} of {subject}{where} is at most {limit}"
_AT_LEAST = "the true {words} of {subject}{where} is at least {limit}"


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a statement bounds, in words.

    Attributes
    ----------
    words : str
        Its name, as a sentence has it after "the true"; of a rate of one class with a place for ``label``.
    unit : str
        What stands in a report beside the large number.
    verdict, often : str
        What the bound means, and what a large share of errors means, with places for ``label``, for ``percent``, and
        for ``count`` among so many ``cases``; of a quantity that is measured in units of its own ``limit`` and
        ``scale``.
    claim : str
        The sentence without its confidence.
    side : {"upper", "lower", "both"}
        From which side it is bounded. Of what is bounded from below the errors are counted, and 1 minus their bound is
        the limit.
    rows : {"all", "class", "others", "taken"} or None
        Which rows it is about: "all", those of one "class", those of all "others", or those that are "taken" for the
        class; a metric of a class that is about other rows adds a word. Verification compares how many they are with
        the rows of other quantities; None if it compares them with none.
    is_counted_by_class : bool
        Whether its errors are counted class by class, and the bounds of the classes averaged.
    is_difference : bool
        Whether it is the first of two predictors' minus the second's, between -1 and 1.
    parameter : str or None
        What its losses are measured by: the choice that fixes the most that an error counts, or what a miss exceeds.
    power : int or None
        The power of the scale that turns a mean loss in [0, 1] into units of its own; None for a share.
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
    side: str = "upper"
    rows: Literal["all", "class", "others", "taken"] | None = None
    is_counted_by_class: bool = False
    is_difference: bool = False
    parameter: str | None = None
    power: int | None = None
    is_graded: bool = False
    bounds: frozenset[str] | None = None
    about: frozenset[str] | None = None

    @property
    def noun(self) -> str:
        """Its name, as a heading has it; of a rate of one class with a place for ``label``."""
        return f"true {self.words}" if self.parameter is None else self.words

    @property
    def has_label(self) -> bool:
        """Whether it is about one class."""
        return self.rows not in {None, "all"}

    @property
    def is_share(self) -> bool:
        """Whether its errors are counted on one set of rows, so that groups of rows can be compared by it."""
        return not (self.is_graded or self.is_counted_by_class or self.is_difference)

    @property
    def is_mean_over_rows(self) -> bool:
        """Whether it is the mean of a loss that every row has, so that a stream of all rows tells about it."""
        return not (self.has_label or self.is_counted_by_class or self.is_difference or self.about == _ANSWERS)


_PREDICTIONS = frozenset({"predict", "given_predictions", "given_model"})
_SHIFTED = frozenset({"shifted"})
_ANSWERS = frozenset({"answers"})
_RATED = _PREDICTIONS | {"draw", "kept_draw"}  # whose errors are counted on rows that do not depend on what is drawn
_COUNTED = COUNT_BOUNDS | {"betting", "betting_draw"}
_BETS = frozenset({"sequential"})
_UP_TO = "The mean error on the judged rows is {risk}, a large part of {scale}; more rows alone will not help."
QUANTITIES: dict[str, Quantity] = {
    "error": Quantity(
        "error",
        "of new cases are misclassified, at most",
        "Of {cases} new cases, on average at most {count} are misclassified.",
        "The model misclassifies {percent} % of the judged rows; more rows alone will not help.",
        rows="all",
    ),
    "selective_error": Quantity(
        "error among answered rows",
        "of new cases that are answered are misclassified, at most",
        "Of {cases} new cases that are answered, on average at most {count} are misclassified.",
        "The model misclassifies {percent} % of the judged rows that it answers; more rows alone will not help.",
        claim="the true error of {subject}{where} among the rows that it answers is at most {limit}",
        bounds=frozenset({"clopper_pearson"}),
        about=_ANSWERS,
    ),
    "coverage": Quantity(
        "share of answered rows",
        "of new cases are answered, at least",
        "Of {cases} new cases, on average at least {count} are answered.",
        "The model does not answer {percent} % of the judged rows.",
        claim="{subject}{where} answers at least {limit} of rows",
        side="lower",
        bounds=frozenset({"clopper_pearson"}),
        about=_ANSWERS,
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
        bounds=_BETS,
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
        bounds=_BETS,
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
    "recall": Quantity(
        "recall of class {label}",
        "of new cases of class {label} are recognised, at least",
        "Of {cases} new cases of class {label}, on average at least {count} are recognised.",
        "The model misses {percent} % of the judged rows of class {label}; more rows alone will not help.",
        claim=_AT_LEAST,
        side="lower",
        rows="class",
        bounds=_COUNTED,
        about=_RATED,
    ),
    "fnr": Quantity(
        "false-negative rate of class {label}",
        "of new cases of class {label} are missed, at most",
        "Of {cases} new cases of class {label}, on average at most {count} are missed.",
        "The model misses {percent} % of the judged rows of class {label}; more rows alone will not help.",
        rows="class",
        bounds=_COUNTED,
        about=_RATED | _SHIFTED,
    ),
    "fpr": Quantity(
        "false-positive rate of class {label}",
        "of new cases of other classes are taken for {label}, at most",
        "Of {cases} new cases of other classes, on average at most {count} are taken for class {label}.",
        "The model takes {percent} % of the judged rows of other classes for {label}; more rows alone will not help.",
        rows="others",
        bounds=_COUNTED,
        about=_RATED | _SHIFTED,
    ),
    "specificity": Quantity(
        "specificity of class {label}",
        "of new cases of other classes are not taken for {label}, at least",
        "Of {cases} new cases of other classes, on average at least {count} are not taken for class {label}.",
        "The model takes {percent} % of the judged rows of other classes for {label}; more rows alone will not help.",
        claim=_AT_LEAST,
        side="lower",
        rows="others",
        bounds=_COUNTED,
        about=_RATED,
    ),
    "precision": Quantity(
        "precision of class {label}",
        "of new cases that are taken for {label} are of it, at least",
        "Of {cases} new cases that are taken for class {label}, on average at least {count} are of it.",
        "Of the judged rows that the model takes for {label}, {percent} % are not; more rows alone will not help.",
        claim=_AT_LEAST,
        side="lower",
        rows="taken",
        bounds=COUNT_BOUNDS,
        about=_PREDICTIONS,
    ),
    "balanced_error": Quantity(
        "balanced error",
        "mean over the classes of how often new cases are misclassified, at most",
        "Averaged over the classes, at most {count} of {cases} new cases are misclassified.",
        "Averaged over the classes, the model misclassifies {percent} % of the judged rows; more rows alone will not "
        "help.",
        rows="all",
        is_counted_by_class=True,
        bounds=COUNT_BOUNDS,
        about=_PREDICTIONS,
    ),
    "cost": Quantity(
        "mean cost",
        "mean cost of a new case, at most",
        "On new cases the cost is on average at most {limit}; the largest is {scale}.",
        "The mean cost on the judged rows is {risk}, a large part of {scale}; more rows alone will not help.",
        claim="the mean cost of {subject}{where}, at costs up to {scale}, is at most {limit}",
        rows="all",
        parameter="largest_cost",
        power=1,
        is_graded=True,
        bounds=_BETS,
        about=_PREDICTIONS,
    ),
    "brier": Quantity(
        "Brier score",
        "Brier score on new cases, at most",
        "On new cases the Brier score, which lies between 0 and 100 %, is on average at most {percent} %.",
        "The Brier score on the judged rows is {percent} %; more rows alone will not help.",
        rows="all",
        is_graded=True,
        bounds=_BETS,
        about=_PREDICTIONS,
    ),
    "log_loss": Quantity(
        "mean log loss",
        "mean log loss on new cases, at most",
        "On new cases the log loss is on average at most {limit}, each counted as at most {scale}.",
        "The mean log loss on the judged rows is {risk}, a large part of {scale}; more rows alone will not help.",
        claim="the mean log loss of {subject}{where}, counted up to {scale}, is at most {limit}",
        rows="all",
        parameter="largest_log_loss",
        power=1,
        is_graded=True,
        bounds=_BETS,
        about=_PREDICTIONS,
    ),
    "error_difference": Quantity(
        "difference of the errors",
        "difference of the true errors",
        "Of 100 new cases the first model misclassifies on average at most {percent} more than the second.",
        "The two differ by {percent} % of the judged rows; more rows would sharpen it.",
        claim="the true errors of {subject}{where} differ by {limit}",
        side="both",
        is_difference=True,
        bounds=frozenset({"paired", "betting"}),
        about=frozenset({"compared_predictions", "compared_models", "compared_losses"}),
    ),
    "loss_difference": Quantity(
        "difference of the mean losses",
        "difference of the mean losses",
        "On new cases the first model's loss is on average at most {percent} points larger than the second's.",
        "The mean losses differ by {percent} % on the judged rows; more rows would sharpen it.",
        claim="the mean losses of {subject}{where} differ by {limit}",
        side="both",
        is_difference=True,
        is_graded=True,
        bounds=frozenset({"sequential", "betting"}),
        about=frozenset({"compared_losses"}),
    ),
}


def check_count_bound(bound: str) -> str:
    """Return a bound on a number of errors as it is, or say which there are.

    Examples
    --------
    >>> from pacbayes.certificate import check_count_bound
    >>> check_count_bound("sequential")
    Traceback (most recent call last):
      ...
    ValueError: The bound on a number of errors must be one of chernoff, clopper_pearson. Got 'sequential' instead.
    """
    if bound not in COUNT_BOUNDS:
        known = ", ".join(sorted(COUNT_BOUNDS))
        raise ValueError(f"The bound on a number of errors must be one of {known}. Got {bound!r:.40} instead.")
    return bound
