"""What every network that predicts has: scores, predictions, probabilities, and which rows are too close to call."""

from __future__ import annotations

from math import prod
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import nn

from pacbayes._core.types import BoolArray, FloatArray, Labels
from pacbayes.torch.architectures import describe
from pacbayes.torch.arrays import Loaded, read_rows
from pacbayes.torch.outputs import TIE, module_outputs, near_ties, probabilities
from pacbayes.torch.row_kinds import RowKind
from pacbayes.torch.states import form_digest, state_digest

__all__ = ["NetworkPredictor", "check_shape"]


def check_shape(owner: str, found: tuple[int, ...], expected: tuple[int, ...]) -> None:
    """Refuse rows of another shape than a network takes; flat rows of as many numbers are taken."""
    if found not in (expected, (prod(expected),)):
        raise ValueError(f"The 'X' argument of {owner} must have rows of shape {expected}. Got {found} instead.")


class NetworkPredictor:
    """A module with the labels that its outputs stand for and the shape of the rows that it takes.

    Subclasses set ``module_``, ``classes_`` and ``input_shape_``, and ``row_kind_`` where other rows are refused.
    """

    module_: nn.Module
    classes_: Labels
    input_shape_: tuple[int, ...]
    row_kind_: RowKind | None = None

    def scores(self, X: Loaded) -> FloatArray:
        """Return the outputs for each row, one for each of ``classes_``, as doubles.

        The module is evaluated without gradients, dropout or changes of batch normalisation.
        """
        owner = type(self).__name__
        rows, _, shape = read_rows(owner, X, labelled=False)
        check_shape(owner, shape, self.input_shape_)
        if self.row_kind_ is not None:
            self.row_kind_.check(owner, X, rows)
        return self._score(rows)

    def _score(self, rows: NDArray[Any]) -> FloatArray:
        device = next((each.device for each in self.module_.parameters()), torch.device("cpu"))
        count, owner = len(self.classes_), type(self).__name__
        return module_outputs(self.module_, rows, self.input_shape_, device=device, classes=count, owner=owner)

    def predict(self, X: Loaded) -> Labels:
        """Return for each row the class with the largest output."""
        return np.asarray(self.classes_[np.argmax(self.scores(X), axis=1)])

    def predict_proba(self, X: Loaded) -> FloatArray:
        """Return the softmax of the outputs; NaN for a row with an output that is not finite."""
        return probabilities(self.scores(X))

    def near_ties(self, X: Loaded, tolerance: float = TIE) -> BoolArray:
        """Return for each row whether its two largest outputs are too close to call, or one is not finite.

        Another machine's rounding may order them otherwise: on judged rows they count as errors.
        """
        return near_ties(self.scores(X), tolerance)

    @property
    def network_digest(self) -> str:
        """SHA-256 of the weights, as safetensors."""
        return state_digest(self.module_)

    @property
    def network_digests(self) -> dict[str, str]:
        """SHA-256 of the weights, and of what makes a predictor of them, by their names in certificates."""
        form = form_digest(describe(self.module_), self.classes_, self.input_shape_)
        return {"network": self.network_digest, "network_form": form}

    def read_rows(self, owner: str, X: Loaded, y: ArrayLike | None) -> tuple[NDArray[Any], Labels, tuple[int, ...]]:
        """Return rows in two dimensions, their labels, and the shape of one row."""
        rows, labels, shape = read_rows(owner, X, y)
        if self.row_kind_ is not None:
            self.row_kind_.check(owner, X, rows)
        return rows, np.asarray(labels), shape

    def with_shape(self, shape: tuple[int, ...]) -> Self:
        """Return this predictor, for rows of a shape that it takes."""
        check_shape(type(self).__name__, shape, self.input_shape_)
        return self
