"""Predictable references: each example compared with what was learned from earlier examples alone."""

from pacbayes.online._run import online_reference
from pacbayes.online.logistic import RefittedLogistic
from pacbayes.online.recursive import RecursiveLogistic
from pacbayes.online.reference import OnlineReference, fixed_reference, zero_reference
from pacbayes.online.schedules import Every, Geometric, Schedule
from pacbayes.online.stochastic import LearnedReference, StochasticReference

__all__ = [
    "Every",
    "Geometric",
    "LearnedReference",
    "OnlineReference",
    "RecursiveLogistic",
    "RefittedLogistic",
    "Schedule",
    "StochasticReference",
    "fixed_reference",
    "online_reference",
    "zero_reference",
]
