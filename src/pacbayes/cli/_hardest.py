"""The rows that a predictor gets wrong with the greatest certainty, for those who ask to see them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pacbayes.runs import Run

__all__ = ["hardest_rows"]

_LONGEST = 300


def hardest_rows(run: Run, count: int) -> list[dict[str, Any]]:
    """Return up to ``count`` wrong rows, worst first: number, true label, prediction and values."""
    if count == 0:
        return []
    rows, labels, model = run.table.X, run.table.y, run.model
    predicted = np.asarray(model.predict(rows))
    wrong = np.flatnonzero(predicted != labels)
    if hasattr(model, "predict_proba") and wrong.size:
        chances = np.asarray(model.predict_proba(rows.iloc[wrong]))
        true = np.searchsorted(model.classes_, labels[wrong])
        known = np.minimum(true, chances.shape[1] - 1)
        wrong = wrong[np.argsort(chances[np.arange(wrong.size), known], kind="stable")]
    return [_shown(run, int(row), predicted[row]) for row in wrong[:count]]


def _shown(run: Run, row: int, predicted: Any) -> dict[str, Any]:
    values = ", ".join(f"{name} = {value}" for name, value in run.table.X.iloc[row].items())
    return {
        "row": row + 1,
        "label": str(run.table.y[row]),
        "predicted": str(predicted),
        "values": values if len(values) <= _LONGEST else values[:_LONGEST] + " ...",
    }
