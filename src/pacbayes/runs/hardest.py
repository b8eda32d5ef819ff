"""The rows that a predictor gets wrong with the greatest certainty, for those who ask to see them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pacbayes._core.types import Predictor
from pacbayes.tables import Table

__all__ = ["Hard", "find_hardest"]

_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Hard:
    """A row that is misclassified: its number, true label, prediction and values."""

    row: int
    label: str
    predicted: str
    values: str


def find_hardest(model: Predictor, table: Table, count: int) -> list[Hard]:
    """Return up to ``count`` misclassified rows, worst first."""
    if count == 0:
        return []
    rows, labels = table.X, table.y
    predicted = np.asarray(model.predict(rows))
    wrong = np.flatnonzero(predicted != labels)
    if hasattr(model, "predict_proba") and hasattr(model, "classes_") and wrong.size:
        chances = np.asarray(model.predict_proba(rows.iloc[wrong]))
        true = np.searchsorted(model.classes_, labels[wrong])
        known = np.minimum(true, chances.shape[1] - 1)
        wrong = wrong[np.argsort(chances[np.arange(wrong.size), known], kind="stable")]
    return [
        Hard(table.row_number(int(row)), str(labels[row]), str(predicted[row]), _show_values(table, int(row)))
        for row in wrong[:count]
    ]


def _show_values(table: Table, row: int) -> str:
    text = ", ".join(f"{name} = {value}" for name, value in table.X.iloc[row].items())
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " ..."
