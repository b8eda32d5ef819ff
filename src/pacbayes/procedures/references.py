"""The references of a posterior's bound: which there are by name, and their losses on the judged rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pacbayes._core.types import FloatArray
from pacbayes.learners import RecursiveLogistic, RefittedLogistic
from pacbayes.online import Geometric, OnlineReference, online_reference
from pacbayes.procedures.prior import SIGNS

__all__ = ["REFERENCES", "LearnedRows", "ReferenceKind"]

_RATIO = 1.1  # of the refits of an online reference


@dataclass(frozen=True, slots=True)
class LearnedRows:
    """All rows in their order, and what was learned from the first of them.

    Attributes
    ----------
    X, signs : rows and labels
        The learning rows first.
    count : int
        How many learning rows there are.
    weights : ndarray
        The fit on them, the intercept last.
    alpha : float
        Its penalty.
    """

    X: Any
    signs: FloatArray
    count: int
    weights: FloatArray
    alpha: float


@dataclass(frozen=True, slots=True)
class ReferenceKind:
    """A reference by the name that an estimator has for it.

    Attributes
    ----------
    kind : {"fixed", "predictable"}
        What a bound has to be proved for.
    bound : str
        The bound on its own average loss, where it is subtracted at one strength.
    judge : callable
        From :class:`LearnedRows` to its 0-1 losses on the judged rows, each from earlier rows alone.
    """

    kind: str
    bound: str
    judge: Callable[[LearnedRows], OnlineReference]


def _judge_fixed(rows: LearnedRows) -> OnlineReference:
    scores = np.asarray(rows.X[rows.count :] @ rows.weights[:-1]).ravel() + rows.weights[-1]
    losses = ((scores > 0.0) != (rows.signs[rows.count :] > 0.0)).astype(np.float64)
    return OnlineReference(losses, np.arange(losses.size), [], "fixed")


def _judge_online(rows: LearnedRows) -> OnlineReference:
    run = online_reference(
        RefittedLogistic(C=1.0 / rows.alpha),
        rows.X,
        rows.signs,
        schedule=Geometric(_RATIO, first=rows.count),
        classes=SIGNS,
        shuffle=False,
    )
    losses = run.losses[rows.count :]
    points = [point - rows.count for point in run.points]
    return OnlineReference(losses, np.arange(losses.size), points, run.kind)


def _judge_learned(rows: LearnedRows) -> OnlineReference:
    learner = RecursiveLogistic(penalty=rows.alpha)
    losses = learner.progressive_losses(rows.X, rows.signs, classes=SIGNS)[rows.count :].astype(np.float64)
    return OnlineReference(losses, np.arange(losses.size), list(range(losses.size)), "predictable")


REFERENCES = {
    "fixed": ReferenceKind("fixed", "clopper_pearson", _judge_fixed),
    "online": ReferenceKind("predictable", "betting", _judge_online),
    "learned": ReferenceKind("predictable", "betting", _judge_learned),
}
