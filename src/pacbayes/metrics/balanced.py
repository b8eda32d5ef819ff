"""The balanced error: the mean over the classes of how often their rows are misclassified."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pacbayes.metrics.base import Judged, Observation

__all__ = ["BalancedError"]


class BalancedError:
    """The mean over the classes of the share of their rows that are misclassified.

    Each class has a limit of its own at an even share of delta; their mean is stated. A class without judged rows
    counts as 1; the classes are those that :class:`pacbayes.metrics.Judged` knows of.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import BalancedError, Judged
    >>> BalancedError().observe(Judged(np.array([0, 1, 1]), np.array([0, 0, 1]))).observed
    {'errors': [0, 1], 'rows': [1, 2]}
    """

    quantity = "balanced_error"
    needs_probabilities: ClassVar[bool] = False
    label: str | None = None

    def observe(self, judged: Judged) -> Observation:
        """Count the rows and the errors of each class."""
        wrong = np.asarray(judged.predictions != judged.labels) | judged.doubted
        places = np.searchsorted(judged.known_classes, judged.labels)
        size = judged.known_classes.size
        rows, errors = np.bincount(places, minlength=size), np.bincount(places[wrong], minlength=size)
        return Observation(len(judged.labels), {"errors": errors.tolist(), "rows": rows.tolist()})
