"""What is certified, one file per family, all with the role that ``metrics/base.py`` states."""

from pacbayes.metrics.base import Judged, Metric, Observation
from pacbayes.metrics.error import Error
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

__all__ = [
    "LOSSES",
    "METRICS",
    "AbsoluteError",
    "Error",
    "Judged",
    "Loss",
    "LossRule",
    "Metric",
    "Miss",
    "Observation",
    "SquaredError",
    "get",
    "get_loss",
    "label_spread",
]

METRICS: dict[str, type[Metric]] = {"error": Error}  # of predicted labels; LOSSES has those of predicted numbers


def get(name: str) -> Metric:
    """Return a metric by its name, or say which there are.

    Examples
    --------
    >>> from pacbayes import metrics
    >>> metrics.get("error").quantity
    'error'
    """
    known: dict[str, type[Metric]] = {**METRICS, **LOSSES}
    if name not in known:
        raise ValueError(f"The metric must be one of {', '.join(known)}. Got {name!r:.60} instead.")
    return known[name]()
