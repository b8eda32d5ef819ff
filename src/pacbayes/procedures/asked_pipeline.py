"""What a fitted pipeline is asked with: rows of a block that are prepared once, however many batches they come in.

Our own preprocessing looks up or scales each value by itself: what becomes of a row is the same, bit for bit, in every
batch. Whether the model behind it answers row by row is another question, and that one is asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from pacbayes._core.rows import take
from pacbayes._core.types import IntArray, Rows
from pacbayes.tables import ColumnPreprocessor

__all__ = ["PreparedBlock", "answer", "prepare_block"]

_PARAMETERS = {"steps", "transform_input", "memory", "verbose"}


class PreparedBlock:
    """Rows of a block as the last step of a pipeline takes them.

    Parameters
    ----------
    values : rows
        What the first step makes of the block.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.procedures.asked_pipeline import PreparedBlock
    >>> PreparedBlock(np.arange(6.0).reshape(3, 2)).take(np.array([2])).tolist()
    [[4.0, 5.0]]
    """

    def __init__(self, values: Any) -> None:
        self.values = values
        self.shape = values.shape

    def take(self, part: IntArray) -> Any:
        """Return a copy of some rows, laid out as all of them; all of them, which are asked for last, themselves."""
        if 1 < part.size == self.shape[0] and np.array_equal(part, np.arange(part.size)):
            return self.values
        found = take(self.values, part)
        by_column = isinstance(found, np.ndarray) and not self.values.flags.c_contiguous
        return np.asfortranarray(found) if by_column else found


def prepare_block(model: Any, rows: Rows) -> Any:
    """Return the rows of a block prepared, if this is a pipeline of ours that prepares each by itself, or as they are.

    Parameters
    ----------
    model : predictor
        Fitted.
    rows : rows
        Nobody changes them.
    """
    if not (type(model) is Pipeline and len(model.steps) == 2 and vars(model).keys() <= _PARAMETERS):
        return rows
    first = model.steps[0][1]
    if not (type(first) is ColumnPreprocessor and first.goes_row_by_row(rows)):
        return rows
    return PreparedBlock(first.transform(rows))


def answer(model: Any, method: str, rows: Any, part: IntArray) -> Any:
    """Return what a method of a predictor gives for some rows of a block, which may be a prepared one.

    The predictor gets a copy that it may change; one that makes its own gets all of the rows themselves.
    """
    if isinstance(rows, PreparedBlock):
        return getattr(model.steps[-1][1], method)(rows.take(part))
    makes_its_own = type(model) is Pipeline and type(model.steps[0][1]) is ColumnPreprocessor
    whole = makes_its_own and part.size == int(rows.shape[0]) and np.array_equal(part, np.arange(part.size))
    return getattr(model, method)(rows if whole else take(rows, part))
