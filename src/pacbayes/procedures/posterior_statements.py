"""Statements about draws from a posterior: the error on all rows, and on the rows of a class or a group.

Rows of a class or a group are independent draws themselves, and the prior was fixed before them, so that the same
divergence serves for each of these statements. Which rows a statement is about must not depend on what is drawn: the
precision, which is about rows that are predicted as a class, cannot be stated.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pacbayes._core.labels import equals_text
from pacbayes._core.types import BoolArray, FloatArray, Labels
from pacbayes.certificate import QUANTITIES, Statement
from pacbayes.metrics import Grouping, Metric, Questions
from pacbayes.metrics.statements import arrange

__all__ = ["check_draws", "state_draws"]

_STATED = ("error", *(name for name, each in QUANTITIES.items() if "draw" in (each.about or ())))


def check_draws(owner: str, questions: Questions) -> None:
    """Refuse what cannot be stated of draws from a posterior."""
    for name, each in zip(questions.names, questions.metrics, strict=True):
        if each.quantity not in _STATED:
            raise ValueError(
                f"The 'metrics' of {owner}, whose certificate is about random draws, must be among "
                f"{', '.join(_STATED[:-1])} and {_STATED[-1]}. Got {name!r} instead, which CertifiedClassifier states."
            )
    if questions.names[0] != "error":
        raise ValueError(f"The 'metrics' of {owner} must begin with 'error'. Got {questions.names[0]!r} instead.")


def state_draws(
    questions: Questions, first: Statement, losses: FloatArray, labels: Labels, grouping: Grouping | None
) -> list[Statement]:
    """Return all statements, with their shares of delta.

    Parameters
    ----------
    questions : Questions
        What is asked.
    first : Statement
        About the error on all rows.
    losses : ndarray
        The probability that a draw misclassifies each judged row.
    labels : ndarray
        Of the judged rows.
    grouping : Grouping or None
        Their groups.
    """
    found = []
    for metric in questions.metrics:
        about = _rows_of(metric, labels)
        found.append(first if metric.quantity == "error" else _part(first, metric, losses[about]))
        if grouping is not None:
            found += [
                replace(_part(first, metric, losses[rows[about[rows]]]), group=dict(name))
                for rows, name in zip(grouping.rows_of(), grouping.names, strict=True)
            ]
    return arrange(found, questions)


def _rows_of(metric: Metric, labels: Labels) -> BoolArray:
    if metric.label is None:
        return np.ones(labels.size, dtype=bool)
    same = equals_text(labels, metric.label)
    return {"class": same, "others": ~same}[QUANTITIES[metric.quantity].rows or ""]  # any other is no set of labels


def _part(first: Statement, metric: Metric, losses: FloatArray) -> Statement:
    """Return the statement about some of the rows: bets on their risk alone, at the same divergence or log ratio."""
    ratio = {name: first.observed[name] for name in ("log_ratio",) if name in first.observed}
    return replace(
        first,
        quantity=metric.quantity,
        side=QUANTITIES[metric.quantity].side,
        label=metric.label,
        n=losses.size,
        observed={"errors": round(losses.sum()) if ratio else float(losses.sum()), **ratio},
        bound="betting_draw" if ratio else "betting",
        rates="one_n",
        reference=None,
        references=(),
    )
