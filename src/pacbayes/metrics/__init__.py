"""What is certified, one file per family, all with the role that ``metrics/base.py`` states."""

from pacbayes.metrics.base import Judged, Metric, Observation
from pacbayes.metrics.error import Error

__all__ = ["METRICS", "Error", "Judged", "Metric", "Observation", "get"]

METRICS: dict[str, type[Metric]] = {"error": Error}


def get(name: str) -> Metric:
    """Return a metric by its name, or say which there are.

    Examples
    --------
    >>> from pacbayes import metrics
    >>> metrics.get("error").quantity
    'error'
    """
    if name not in METRICS:
        raise ValueError(f"The metric must be one of {', '.join(METRICS)}. Got {name!r:.60} instead.")
    return METRICS[name]()
