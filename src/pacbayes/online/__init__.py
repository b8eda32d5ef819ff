"""Streams and predictable references: each example meets what was learned from earlier examples alone."""

from pacbayes.online.predictable import online_reference
from pacbayes.online.reference import OnlineReference, fixed_reference, zero_reference
from pacbayes.online.schedules import Every, Geometric, Schedule
from pacbayes.online.stochastic import LearnedReference, StochasticReference
from pacbayes.online.stream import Stream

__all__ = [
    "Every",
    "Geometric",
    "LearnedReference",
    "OnlineReference",
    "Schedule",
    "StochasticReference",
    "Stream",
    "fixed_reference",
    "online_reference",
    "zero_reference",
]
