"""The words of the rivals' tables, figure and page."""

from __future__ import annotations

__all__ = [
    "CERTIFICATE_NOTES",
    "DETERMINISTIC_NOTES",
    "KINDS",
    "LEARNERS",
    "RIVALS_TITLE",
    "ROWS_NOTES",
    "SECONDS_NOTES",
    "SUMMARY_NOTES",
    "TEST_NOTES",
    "certificate_title",
]

RIVALS_TITLE = "The rivals: one learner, many certificates"

# What a number is about, by the code that the method carries: a column of the tables.
KINDS = {"randomised": "R", "deterministic": "D"}
LEARNERS = {
    "logistic": "logistic regression on scaled columns, C = 1 where nothing else is said",
    "forest": "a random forest of 100 trees",
}


def certificate_title(repeats: int) -> str:
    """Return the title of the table of certificates."""
    return f"Certificates: means (standard deviations) over {repeats} repeat{'' if repeats == 1 else 's'}"


CERTIFICATE_NOTES = (
    "Upper limits on the true error with probability at least 95 %; the smallest sound one of each data set is marked.",
    "R: about a randomised predictor, which draws a model for each row; D: about a deterministic one.",
    "Ours assumes the published theorem for online references, whose proof fails (erratum E7); all others are sound.",
)
TEST_NOTES = (
    "Mean share of test rows misclassified by the very predictor that the certificate is about.",
    "Of a randomised one it is the expectation over its draws, in closed form or over all its members.",
)
DETERMINISTIC_NOTES = (
    "Mean certificates of a deterministic predictor: of a randomised method its vote, at twice the certificate.",
    "The smallest sound one of each data set is marked.",
)
ROWS_NOTES = (
    "Mean share of the training rows, in percent, that the predictor is a function of, or was trained on.",
    "Pick-to-learn and compression: the first part and what was picked. Progressive: the average snapshot.",
)
SECONDS_NOTES = ("Seconds of one core for fit, certificate and test; means over repeats.",)
SUMMARY_NOTES = (
    "Ratio to the certificate of the hold-out of the same learner, geometric mean over data sets; below 1 is tighter.",
    "Slack: certificate minus test error of the same predictor, mean over data sets.",
    "Smallest: on how many data sets it is the smallest sound certificate; in brackets, of a deterministic predictor.",
)
