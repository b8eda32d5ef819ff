"""Fast solvers: logistic regression that is quick to refit, and one that learns from one example at a time."""

from pacbayes.learners.one_class import OneClass
from pacbayes.learners.recursive import RecursiveLogistic
from pacbayes.learners.refitted import RefittedLogistic

__all__ = ["OneClass", "RecursiveLogistic", "RefittedLogistic"]
