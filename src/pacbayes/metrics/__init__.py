"""What is certified, one file per family, all with the role that ``metrics/base.py`` states."""

from pacbayes.metrics.balanced import BalancedError
from pacbayes.metrics.base import Judged, Metric, Observation
from pacbayes.metrics.coded import CodedJudged, observe_parts
from pacbayes.metrics.cost import Cost, CostTable, read_costs
from pacbayes.metrics.error import Error
from pacbayes.metrics.grouping import Grouping, group_rows, group_values, read_group_columns
from pacbayes.metrics.probabilities import LARGEST_LOG_LOSS, Brier, LogLoss
from pacbayes.metrics.questions import METRICS, Questions, get, metric_forms, read_metrics, read_questions
from pacbayes.metrics.rates import FalseNegativeRate, FalsePositiveRate, Precision, Recall, Specificity
from pacbayes.metrics.regression import (
    LOSSES,
    AbsoluteError,
    Loss,
    LossRule,
    Miss,
    SquaredError,
    get_loss,
    label_spread,
)
from pacbayes.metrics.texts import parse_costs, parse_metrics

__all__ = [
    "LARGEST_LOG_LOSS",
    "LOSSES",
    "METRICS",
    "AbsoluteError",
    "BalancedError",
    "Brier",
    "CodedJudged",
    "Cost",
    "CostTable",
    "Error",
    "FalseNegativeRate",
    "FalsePositiveRate",
    "Grouping",
    "Judged",
    "LogLoss",
    "Loss",
    "LossRule",
    "Metric",
    "Miss",
    "Observation",
    "Precision",
    "Questions",
    "Recall",
    "Specificity",
    "SquaredError",
    "get",
    "get_loss",
    "group_rows",
    "group_values",
    "label_spread",
    "metric_forms",
    "observe_parts",
    "parse_costs",
    "parse_metrics",
    "read_costs",
    "read_group_columns",
    "read_metrics",
    "read_questions",
]
