"""The one table of statistics, and every statistic from the outcomes of 0-1 losses."""

from pacbayes.statistics.outcomes import from_frequencies, from_outcomes
from pacbayes.statistics.table import STRENGTHS, TABLE, Block, ExpectedLosses, Mean, RealLosses, Statistic, means

__all__ = [
    "STRENGTHS",
    "TABLE",
    "Block",
    "ExpectedLosses",
    "Mean",
    "RealLosses",
    "Statistic",
    "from_frequencies",
    "from_outcomes",
    "means",
]
