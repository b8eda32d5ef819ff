"""What rows of a single class teach, which most classifiers refuse to learn from."""

from __future__ import annotations

import numpy as np

from pacbayes._core.types import FloatArray, Labels, Rows

__all__ = ["OneClass"]


class OneClass:
    """A predictor of one label, whatever the row.

    Parameters
    ----------
    label : object
        A number or a text.

    Attributes
    ----------
    classes_ : ndarray, shape (1,)
        The label.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.learners import OneClass
    >>> OneClass("yes").predict(np.zeros((2, 3))).tolist()
    ['yes', 'yes']
    """

    def __init__(self, label: object) -> None:
        self.classes_ = np.array([label])

    def predict(self, X: Rows) -> Labels:
        """Return the label for each row."""
        return np.repeat(self.classes_, X.shape[0])

    def predict_proba(self, X: Rows) -> FloatArray:
        """Return a probability of one for each row."""
        return np.ones((X.shape[0], 1))
