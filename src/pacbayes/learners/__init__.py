"""Solvers: logistic regression that is quick to refit, one by the example, and one that needs no settings.

Beside them, what other learners need around them: numbered labels, rows of a single class, thresholds, and votes.
"""

from pacbayes.learners.cross_validated import CrossValidatedLogistic
from pacbayes.learners.delegates import can_score, find_pairing
from pacbayes.learners.encoded import EncodedClassifier
from pacbayes.learners.one_class import OneClass
from pacbayes.learners.recursive import RecursiveLogistic
from pacbayes.learners.refitted import RefittedLogistic
from pacbayes.learners.scores import class_score, confidence_of, margin_of
from pacbayes.learners.thresholded import AbstainingClassifier, ShiftedClassifier
from pacbayes.learners.voting import WeightedVote

__all__ = [
    "AbstainingClassifier",
    "CrossValidatedLogistic",
    "EncodedClassifier",
    "OneClass",
    "RecursiveLogistic",
    "RefittedLogistic",
    "ShiftedClassifier",
    "WeightedVote",
    "can_score",
    "class_score",
    "confidence_of",
    "find_pairing",
    "margin_of",
]
