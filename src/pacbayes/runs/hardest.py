"""The rows that a predictor gets wrong with the greatest certainty, for those who ask to see them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pacbayes._core.rows import is_stored, read_blocks, take
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
    labels = np.asarray(table.y)
    blocks = [table.X] if is_stored(table.X) else read_blocks(table.X)
    predicted = np.concatenate([np.asarray(model.predict(rows)) for rows in blocks])
    wrong = np.flatnonzero(predicted != labels)
    if hasattr(model, "predict_proba") and hasattr(model, "classes_") and wrong.size:
        chances = np.asarray(model.predict_proba(take(table.X, wrong)))
        true = np.searchsorted(model.classes_, labels[wrong])
        known = np.minimum(true, chances.shape[1] - 1)
        wrong = wrong[np.argsort(chances[np.arange(wrong.size), known], kind="stable")]
    chosen = wrong[:count]
    values = [_show_values(record) for record in take(table.X, chosen).to_dict("records")]  # type: ignore[attr-defined]
    return [
        Hard(table.row_number(int(row)), str(labels[row]), str(predicted[row]), shown)
        for row, shown in zip(chosen, values, strict=True)
    ]


def _show_values(record: dict[str, object]) -> str:
    text = ", ".join(f"{name} = {value}" for name, value in record.items())
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " ..."
