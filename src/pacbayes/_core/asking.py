"""What a predictor is asked about the rows of one block: alone, in small batches, and at once; here or elsewhere.

Nothing here knows of other blocks, so that blocks may be asked about in any place and in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from pacbayes._core.rows import take
from pacbayes._core.types import BoolArray, IntArray, Rows

__all__ = [
    "AskRows",
    "Asked",
    "Found",
    "Parts",
    "Prepare",
    "Task",
    "answer_alone",
    "answer_block",
    "differ",
    "draw_batches",
    "keep_different",
    "sentence",
]

_BATCH = 64  # mean size of a small batch, while there are not too many of them

Model = TypeVar("Model")
Prepare = Callable[[Model, Any], Any]  # rows of a block, once for all batches
AskRows = Callable[[Model, Rows, IntArray], Any]  # about some of the rows, by their places
Parts = list[tuple[IntArray, Any]]  # answers about the rows at some places


class Task(NamedTuple):
    """What is asked about a block.

    Attributes
    ----------
    inside : ndarray or None
        Which rows of the block are asked about, in their order; None for all of them.
    alone : ndarray
        Places among those rows that are asked one at a time.
    state : tuple
        Of the random numbers that cut the rows into small batches.
    batches : int
        The most small batches.
    """

    inside: IntArray | None
    alone: IntArray
    state: Any = None
    batches: int = 0


class Found(NamedTuple):
    """What was answered: about all rows at once, and the other answers that are not the same."""

    together: Any
    alone: Parts
    others: Parts


class Asked(Generic[Model]):
    """A predictor, a copy of it that answers for few rows, and how it is asked; sent elsewhere, it is copied there."""

    def __init__(self, model: Model, ask: AskRows[Model], verb: str, prepare: Prepare[Model] | None = None) -> None:
        self.model, self.ask, self.verb, self.prepare = model, ask, verb, prepare
        self.copy = _copy_of(model)

    def __reduce__(self) -> tuple[Any, ...]:
        return Asked, (self.model, self.ask, self.verb, self.prepare)

    def take(self, block: Rows, inside: IntArray | None) -> Any:
        """Return the rows of a block that are asked about, prepared if they are to be."""
        rows = block if inside is None else take(block, inside)
        return rows if self.prepare is None else self.prepare(self.model, rows)


def answer_block(block: Rows, task: Task, asked: Asked[Any]) -> Found:
    """Ask about the rows of a block: few alone and all in small batches, which the copy answers, and all at once."""
    rows = asked.take(block, task.inside)
    count = int(rows.shape[0])
    generator = np.random.RandomState()
    generator.set_state(task.state)
    try:
        alone = _ask_singly(asked, rows, task.alone)
        others = [(part, asked.ask(asked.copy, rows, part)) for part in draw_batches(generator, count, task.batches)]
    except Exception as error:
        asked.ask(asked.model, rows, np.arange(count))  # what fails for all rows says so itself
        reason = f"It fails for a few rows: {_line(error)}"
        raise ValueError(sentence(asked.model, asked.verb, reason)) from error
    together = asked.ask(asked.model, rows, np.arange(count))
    return Found(together, keep_different(together, alone), keep_different(together, others))


def answer_alone(block: Rows, task: Task, asked: Asked[Any]) -> Parts:
    """Ask about some rows of a block one at a time."""
    return _ask_singly(asked, asked.take(block, task.inside), task.alone)


def draw_batches(generator: np.random.RandomState, size: int, most: int) -> list[IntArray]:
    """Return all places of a block of so many rows in random order, cut at random into at most so many."""
    order, count = generator.permutation(size), min(max(-(-size // _BATCH), 2), most, size)
    cuts = np.sort(generator.permutation(size - 1)[: count - 1] + 1)
    return np.split(order, cuts.tolist())


def sentence(model: object, verb: str, reason: str) -> str:
    """Return what is wrong with a predictor that does not answer row by row."""
    return f"{type(model).__name__} must {verb} each row by itself. {reason}"


def _ask_singly(asked: Asked[Any], rows: Rows, places: IntArray) -> Parts:
    """Return what is answered about rows that come one at a time; nothing where there are none."""
    if not places.size:
        return []
    found = [asked.ask(asked.copy, rows, places[index : index + 1]) for index in range(places.size)]
    return [(places, np.concatenate(found))]


def keep_different(together: Any, others: Parts) -> Parts:
    """Return those of other answers that are not the same."""
    found = []
    for places, answers in others:
        odd = differ(answers, together[places])
        rows = np.flatnonzero(odd.reshape(places.size, -1).any(axis=1))
        if rows.size:
            found.append((places[rows], answers[rows]))
    return found


def differ(one: Any, two: Any) -> BoolArray:
    """Return where answers are not the same; one that is no number twice is the same, and has the largest loss.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.asking import differ
    >>> differ(np.array([1.0, np.nan, np.nan]), np.array([1.0, np.nan, 0.5])).tolist()
    [False, False, True]
    """
    return np.asarray((one != two) & ((one == one) | (two == two)))  # noqa: PLR0124  (no NaN equals itself)


def _copy_of(model: Model) -> Model:
    try:
        return deepcopy(model)
    except Exception:  # what cannot be copied answers itself
        return model


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
