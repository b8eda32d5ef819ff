"""From losses and references to the handful of numbers a bound needs, which add up over examples."""

from pacbayes.summary._summary import Summary

__all__ = ["Summary"]
