"""What was chosen on the way to a certificate, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pacbayes._core.plain import name_text, visible
from pacbayes._core.units import percent_text

if TYPE_CHECKING:
    from pacbayes.certificate.statement import Choice

__all__ = ["choice_words"]

_WHAT = {
    "learning_rows": "learning rows",
    "steps": "steps, each of which judges what the one before it has not seen",
    "parts": "parts of the rows, one for each step",
    "gamma": "how much of the loss of the distribution before is subtracted",
    "learning_curve": "learning curve (rows learned from: errors or sum of losses/rows on the learning rows after "
    "them)",
    "scale": "scale, the most that an error counts",
    "scale_rule": "rule for the scale",
    "scale_rows": "rows whose labels gave the scale, the first of the learning rows",
    "tolerance": "tolerance",
    "tolerance_rule": "rule for the tolerance, a quarter of",
    "tolerance_rows": "rows whose labels gave the tolerance, the first of the learning rows",
    "prior_mean": "prior mean",
    "prior_shape": "prior shape",
    "prior_scale": "prior scale",
    "prior_variance": "prior variance",
    "posterior_step": "posterior mean, share of the way to the fit on all rows",
    "posterior_scale": "posterior scale, relative to its shape",
    "earlier_posteriors": "posteriors before the last",
    "posterior_mean": "posterior mean",
    "posterior_shape": "posterior shape and scale",
    "last_of": "snapshot, the last of",
    "expected_last": "snapshot expected to be the last at the first fit",
    "expected_rows": "rows that it was to be judged on",
    "order": "order of the rows",
    "time": "column of times",
    "judged_from": "first time among the judged rows",
    "judged_to": "last time among the judged rows",
    "refit": "second model",
    "transfer_delta": "part of delta for the disagreement on unlabelled rows",
    "classes": "classes that there are",
    "groups": "columns that rows are grouped by",
    "metric_weights": "parts of delta by metric",
    "largest_cost": "largest cost",
    "costs": "costs (true class: predicted class: cost)",
    "max_error": "most that the error among answered rows may be",
    "max_fnr": "most that the false-negative rate may be",
    "thresholds": "thresholds that are tested one after another, by scores of the learning rows in cross-validation",
    "threshold": "threshold that was kept, the last that passed",
    "largest_log_loss": "largest log loss, as which larger ones count",
    "posterior": "posterior",
    "rounds": "most rounds in which rows are picked",
    "growth": "rows picked in a round, as a share of those picked before",
    "kept_round": "round that was kept, the one with the smallest bound",
    "draws": "draws for each judged row",
    "draw_seed": "seed of the draws",
    "layers": "layers that have a Gaussian",
    "objective": "objective of the posterior",
    "held_out": "learning rows that the network did not learn from, which predicted the rate",
    "architecture": "architecture of the network",
    "voters": "number of those who vote",
    "sample_rows": "rows in the sample that each of them learned from",
    "sampling": "samples are drawn",
    "vote_weights": "weights in the vote",
}
_VALUES = {
    "even": "of one size",
    "geometric": "each as large as all before it",
    "grid": "best of a grid",
    "fit": "the fit on the learning rows",
    "gradient": "by the gradient of the bound",
    "prior": "equal to the prior",
    "initial": "the initial weights",
    "as_given": "the earliest first, not shuffled",
    "refit_on_all_rows": "the same learner, refitted on all rows and not certified by this",
    "with_replacement": "with replacement",
    "without_replacement": "without replacement",
    "optimised": "those with the smallest bound",
    "label_spread": "the distance between the 5 % and the 95 % quantile of their labels",
}
_WHERE = {
    "given": "given",
    "learning_rows": "chosen on the learning rows",
    "all_rows": "chosen on all rows",
    "earlier_parts": "chosen on the rows of their own and earlier parts",
    "schedule": "by the schedule",
    "judged_rows": "chosen on the judged rows",
    "losses": "by the values that losses can take",
}
_TEXTS = frozenset({"metric_weights", "costs"})  # which are recorded as JSON
_COSTS = {
    "none": "costs nothing",
    "all_posteriors": "costs nothing: the bound holds for all posteriors at once",
    "mixture_of_rates": "costs a mixture of {size:g} rates, inside the bound",
    "even_shares": "delta is divided by {size:g}",
    "part_of_delta": "costs {percent} of delta",
    "candidates": "delta is divided by {size:g}",
    "reference": "costs {percent} of delta, for the reference's own loss",
    "most_of_the_weight": "has {percent} of the weight of the rates; the rest is spread over a grid",
    "looks": "delta is divided by {size:g}, for each round that might have been kept",
    "all_sets": "costs nothing: the bound holds for all sets of rows at once",
    "fixed_sequence": "costs nothing: each is tested only if the one before it passed",
    "portfolio": "costs its weight among {size:g} bets, inside the bound",
}


def choice_words(choice: Choice) -> str:
    """Return in a line what was chosen, where, and what it cost."""
    value = f"`{choice.value:.6g}`" if isinstance(choice.value, float) else str(choice.value)  # a setting, as code
    value = f"`{value}`" if choice.what in _TEXTS else _VALUES.get(value, value)
    known, size = _COSTS.get(choice.cost), 0.0 if choice.size is None else min(choice.size, 1e300)
    cost = (
        name_text(choice.cost) if known is None else known.format(size=size, percent=percent_text(size))
    )  # a text from a file is no format
    what, where = _WHAT.get(choice.what), _WHERE.get(choice.where)
    what, where = what or name_text(choice.what), where or name_text(choice.where)
    return visible(f"{what}: {value} ({where}; {cost})")
