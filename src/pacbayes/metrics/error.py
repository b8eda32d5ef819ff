"""The error: the share of rows that are misclassified."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pacbayes.metrics.base import Judged, Observation

__all__ = ["Error"]


class Error:
    """The share of rows that are misclassified.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import Error, Judged
    >>> found = Error().observe(Judged(np.array([0, 1, 1]), np.array([0, 0, 1])))
    >>> found.n, found.observed
    (3, {'errors': 1})
    """

    quantity = "error"
    needs_probabilities: ClassVar[bool] = False
    label: str | None = None

    def observe(self, judged: Judged) -> Observation:
        """Count the rows on which prediction and label differ, and those whose prediction depends on the batch."""
        wrong = np.asarray(judged.predictions != judged.labels)
        if judged.unsteady is None:
            return Observation(wrong.size, {"errors": int(wrong.sum())})
        errors, doubted = int((wrong | judged.unsteady).sum()), int(judged.unsteady.sum())
        return Observation(wrong.size, {"errors": errors}, doubted=doubted)
