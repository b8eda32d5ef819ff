"""Rates of one class: among the rows of a class, of all others, or of those that are taken for it.

Which rows a rate is about follows from each row alone (its label, or the prediction of a predictor that was fixed
before), so that given how many they are, their errors are independent and the exact binomial limit holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pacbayes._core.types import BoolArray
from pacbayes.metrics.base import Judged, Observation

__all__ = ["FalseNegativeRate", "FalsePositiveRate", "Precision", "Recall", "Specificity"]


def _count(about: BoolArray, wrong: BoolArray, doubted: BoolArray) -> Observation:
    errors = int(np.count_nonzero(about & wrong))
    return Observation(int(about.sum()), {"errors": errors}, doubted=int(np.count_nonzero(about & wrong & doubted)))


@dataclass(frozen=True, slots=True)
class FalseNegativeRate:
    """The share of the rows of a class for which another class is predicted.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import FalseNegativeRate, Judged
    >>> found = FalseNegativeRate("1").observe(Judged(np.array([0, 1, 1]), np.array([1, 0, 1])))
    >>> found.n, found.observed
    (2, {'errors': 1})
    """

    label: str
    quantity: ClassVar[str] = "fnr"
    needs_probabilities: ClassVar[bool] = False

    def observe(self, judged: Judged) -> Observation:
        """Count the misses among the rows of the class."""
        true, predicted = judged.of_class(self.label)
        return _count(true, judged.doubted | ~predicted, judged.doubted)


@dataclass(frozen=True, slots=True)
class Recall:
    """The share of the rows of a class that are recognised; misses are counted, and 1 minus their limit is stated.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import Judged, Recall
    >>> Recall("1").observe(Judged(np.array([0, 1, 1]), np.array([1, 0, 1]))).observed
    {'errors': 1}
    """

    label: str
    quantity: ClassVar[str] = "recall"
    needs_probabilities: ClassVar[bool] = False

    def observe(self, judged: Judged) -> Observation:
        """Count the misses among the rows of the class."""
        return FalseNegativeRate(self.label).observe(judged)


@dataclass(frozen=True, slots=True)
class FalsePositiveRate:
    """The share of the rows of other classes that are taken for a class.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import FalsePositiveRate, Judged
    >>> found = FalsePositiveRate("1").observe(Judged(np.array([0, 1, 1]), np.array([1, 0, 1])))
    >>> found.n, found.observed
    (1, {'errors': 1})
    """

    label: str
    quantity: ClassVar[str] = "fpr"
    needs_probabilities: ClassVar[bool] = False

    def observe(self, judged: Judged) -> Observation:
        """Count the rows of other classes that are taken for the class."""
        true, predicted = judged.of_class(self.label)
        return _count(~true, judged.doubted | predicted, judged.unsure)


@dataclass(frozen=True, slots=True)
class Specificity:
    """The share of the rows of other classes that are not taken for a class.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import Judged, Specificity
    >>> Specificity("1").observe(Judged(np.array([0, 1, 1]), np.array([1, 0, 1]))).n
    1
    """

    label: str
    quantity: ClassVar[str] = "specificity"
    needs_probabilities: ClassVar[bool] = False

    def observe(self, judged: Judged) -> Observation:
        """Count the rows of other classes that are taken for the class."""
        return FalsePositiveRate(self.label).observe(judged)


@dataclass(frozen=True, slots=True)
class Precision:
    """The share of the rows that are taken for a class which are of it.

    A row that is answered differently in another batch counts as taken for the class, and as an error.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.metrics import Judged, Precision
    >>> found = Precision("1").observe(Judged(np.array([0, 1, 1]), np.array([1, 0, 1])))
    >>> found.n, found.observed
    (2, {'errors': 1})
    """

    label: str
    quantity: ClassVar[str] = "precision"
    needs_probabilities: ClassVar[bool] = False

    def observe(self, judged: Judged) -> Observation:
        """Count the rows of other classes among those that are taken for the class."""
        true, predicted = judged.of_class(self.label)
        return _count(judged.doubted | predicted, judged.doubted | ~true, judged.unsure)
