"""Fast solvers: logistic regression that is quick to refit, and one that learns from one example at a time.

Beside them, what other learners need around them: numbered labels, and rows of a single class.
"""

from pacbayes.learners.encoded import EncodedClassifier
from pacbayes.learners.one_class import OneClass
from pacbayes.learners.recursive import RecursiveLogistic
from pacbayes.learners.refitted import RefittedLogistic

__all__ = ["EncodedClassifier", "OneClass", "RecursiveLogistic", "RefittedLogistic"]
