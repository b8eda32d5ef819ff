"""Solvers: logistic regression that is quick to refit, one by the example, and one that needs no settings.

Beside them, what other learners need around them: numbered labels, and rows of a single class.
"""

from pacbayes.learners.cross_validated import CrossValidatedLogistic
from pacbayes.learners.encoded import EncodedClassifier
from pacbayes.learners.one_class import OneClass
from pacbayes.learners.recursive import RecursiveLogistic
from pacbayes.learners.refitted import RefittedLogistic

__all__ = ["CrossValidatedLogistic", "EncodedClassifier", "OneClass", "RecursiveLogistic", "RefittedLogistic"]
