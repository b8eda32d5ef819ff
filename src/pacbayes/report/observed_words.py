"""What was observed, in words: a line of a report for each number that a statement may hold."""

from __future__ import annotations

__all__ = ["OBSERVED"]

OBSERVED = {
    "errors": "Errors on these rows",
    "size": "Rows that the model picked to learn from",
    "looks": "Rounds that might have been kept",
    "disagreements": "Disagreements with the certified model on these rows",
    "reference_errors": "Errors of the reference",
    "both": "Errors of both together",
    "log_ratio": "Log ratio of the densities of posterior and prior at the draw, in nats",
    "risk": "Mean loss on these rows",
    "only_first": "Rows on which only the first model errs",
    "only_second": "Rows on which only the second model errs",
    "gibbs": "Weighted mean of the error rates of those who vote, each on rows that it has not learned from",
    "tandem": "Weighted share of such rows on which both of two err",
    "disagreement": "Weighted share of such rows on which exactly one of two errs",
    "n_pairs": "Rows of this kind for each two of them, at least",
    "first_risk": "Share of errors of the first distribution, which was fixed before these rows",
    "step_n": "Rows of each later step",
    "step_risk": "Share of errors of its distribution on them",
    "step_worse": "Share of rows on which only it errs",
    "step_better": "Share of rows on which only the distribution before errs",
    "step_kl": "Divergence from the distribution before, in nats",
    "gamma": "How much of the loss of the distribution before is subtracted",
    "unsteady": "Rows on which an answer depends on the batch or is no label that occurs, counted against each limit",
}
