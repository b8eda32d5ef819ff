"""Whether a predictor answers for each row by itself, as a certificate about single rows needs it.

A predictor is asked three times: for a random sample of the rows one at a time, for all of them in small batches of
random order, size and composition, and for all of them at once. The first two are put to a copy, so that nothing it
remembers of one is there in another. The random numbers follow from a seed and from the true labels, neither of which a
predictor is shown.

Rows that are too many for one batch are asked block by block (:func:`pacbayes._core.rows.map_blocks`), those of the
sample that are in a block first, and small batches are made of rows of one block. Where rows are on other machines,
each block is put to copies of its own; the random numbers are the same. Our own preprocessing makes of
each row the same in every batch, by its code: rows pass through it once, and the model behind it is asked
(:func:`pacbayes.procedures.classifier_learner.prepare_block`).

A row that gets different answers counts as an error. If one of the sample does, all rows are asked one at a time, so
that the count is exact. If more than a handful and more than one in a hundred differ, the predictor is refused:
rounding changes the answer of an honest predictor only where two classes are within a few units of the last place.

What is proved: each counted row is right in every batch it was asked in. What is assumed: rows that were asked in two
batches, and not alone, are answered the same alone. A predictor that answers a share p of the rows differently only
where they come alone stays undetected with probability at most (1 - p) to the power of the size of the sample. One
that agrees with itself because it remembers what it said is refused where its errors are gathered in the sample, which
is asked first, by more than chance does once in a thousand million times.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np
from scipy.special import gammaln

from pacbayes._core.answers import Answers
from pacbayes._core.asking import (
    Asked,
    AskRows,
    Found,
    Parts,
    Prepare,
    Task,
    answer_alone,
    answer_block,
    draw_batches,
    keep_different,
    sentence,
)
from pacbayes._core.coded_labels import CodedLabels
from pacbayes._core.digests import digest_of_arrays
from pacbayes._core.places import permute
from pacbayes._core.rows import locate_blocks, map_blocks
from pacbayes._core.types import BoolArray, IntArray, Labels, Rows

__all__ = ["ALONE", "ask_in_blocks", "ask_row_by_row", "sample_size", "seed_of"]

ALONE = 64  # rows that are asked alone: 5 in 100 rows that differ stay hidden with probability .04
_LEAST_ALONE = 8
_BATCHES = 128
_HANDFUL, _SHARE = 5, 0.01
_CHANCE = 1e-9

Model = TypeVar("Model")
Ask = Callable[[Model, IntArray], Any]
# for each block the positions of its rows among all that are asked about, ascending, and where in the block they are
Located = Callable[[], Iterable[tuple[IntArray, IntArray | None]]]
Run = Callable[[Callable[[Rows, Task, Asked[Any]], Any], Iterator[Task | None]], Iterator[Any]]


def seed_of(seed: int, labels: Labels | CodedLabels) -> list[int]:
    """Return a seed that no predictor knows, since it follows from labels that predictors are not shown."""
    digest = digest_of_arrays(seed=[seed], labels=cast("Labels", labels))
    return [int(digest[start : start + 8], 16) for start in range(0, 64, 8)]


def sample_size(rows: int) -> int:
    """Return how many rows of a stretch of a stream are asked alone; along the stream they add up."""
    return max(_LEAST_ALONE, min(ALONE, rows // 32))


def ask_row_by_row(
    model: Model,
    ask: Ask[Model],
    n: int,
    seed: Sequence[int],
    alone: int = ALONE,
    *,
    blocks: int = _BATCHES,
    within: float = 0.0,
    verb: str = "answer for",
    truth: IntArray | None = None,
    errs: Callable[[Answers], BoolArray] | None = None,
) -> Answers:
    """Ask a predictor about ``n`` rows in different batches; refuse it if many answers depend on them.

    Parameters
    ----------
    model : object
        What is asked; a copy of it answers for small batches.
    ask : callable
        From the predictor and positions of rows to an array of answers that are numbers.
    n : int
        How many rows there are.
    seed : sequence of int
        From :func:`seed_of`.
    alone : int
        How many rows are asked one at a time.
    blocks : int
        The most small batches that all rows are asked in.
    within : float
        How much answers that count as the same may differ.
    verb : str
        What it does with each row, for the message.
    truth : ndarray, optional
        The right answers, for the check that errors are not gathered among the rows that were asked alone.
    errs : callable, optional
        In place of ``truth``: from all answers to which rows count as errors in that check.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.steadiness import ask_row_by_row
    >>> rows = np.arange(100.0)
    >>> ask_row_by_row("mean", lambda _, part: (rows[part] > rows[part].mean()).astype(int), 100, [0])
    Traceback (most recent call last):
    ...
    ValueError: str must answer for each row by itself. Got 30 of 64 rows that are answered differently alone or in \
another batch.
    """
    asked = Asked(model, lambda one, _, part: ask(one, part), verb)
    nothing = np.empty((n, 0))

    def run(function: Any, tasks: Iterator[Task | None]) -> Iterator[Any]:
        return (function(nothing, task, asked) for task in tasks)

    asking = _Asking(lambda: [(np.arange(n), None)], run, n, seed, alone, blocks)
    return asking.judge(model, verb, within, partial(_errors, truth=truth) if truth is not None else errs)


def ask_in_blocks(
    model: Model,
    ask: AskRows[Model],
    X: Rows,
    places: IntArray,
    seed: Sequence[int],
    alone: int = ALONE,
    *,
    within: float = 0.0,
    verb: str = "answer for",
    truth: IntArray | None = None,
    errs: Callable[[Answers], BoolArray] | None = None,
    prepare: Prepare[Model] | None = None,
) -> Answers:
    """Ask a predictor about rows block by block, wherever they are, as :func:`ask_row_by_row` does about those of one.

    Each block is asked in its share of small batches, and in at least two.

    Parameters
    ----------
    model, seed, alone, within, verb, truth, errs
        As for :func:`ask_row_by_row`.
    ask : callable
        From the predictor, rows of a block, and places of some of them to an array of answers that are numbers. It has
        to be a function of a module, or a partial of one, that can be sent to where the rows are.
    X : rows
    places : ndarray
        Which rows are asked about; answers are in their order.
    prepare : callable, optional
        From the predictor and rows of a block to what ``ask`` gets as rows, once for all batches; such a function, too.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.steadiness import ask_in_blocks
    >>> above = lambda threshold, rows, part: (rows[part, 0] > threshold).astype(int)
    >>> ask_in_blocks(30, above, np.arange(100.0)[:, None], np.arange(100), [0]).together.sum()
    np.int64(69)
    """
    asked = Asked(model, ask, verb, prepare)

    def run(function: Any, tasks: Iterator[Task | None]) -> Iterator[Any]:
        return map_blocks(X, function, tasks, asked)

    asking = _Asking(lambda: locate_blocks(X, places), run, places.size, seed, alone, _BATCHES)
    return asking.judge(model, verb, within, partial(_errors, truth=truth) if truth is not None else errs)


class _Asking:
    """The questions about all blocks, and what was answered so far."""

    def __init__(self, located: Located, run: Run, n: int, seed: Sequence[int], alone: int, batches: int) -> None:
        self._located, self._run, self._n, self._batches = located, run, n, batches
        self._generator = np.random.RandomState(np.asarray(seed, dtype=np.uint32))
        self._sample = permute(self._generator, n)[:alone].astype(np.int64)  # a copy, lest all n be kept
        self._members: deque[IntArray] = deque()  # of blocks that are being asked about
        self._together: Any = None
        self._alone: Parts = []
        self._others: Parts = []

    def judge(self, model: object, verb: str, within: float, errs: Callable[[Answers], BoolArray] | None) -> Answers:
        """Ask, and refuse a predictor that does not answer row by row."""
        for found in self._run(answer_block, self._tasks()):
            self._add(self._members.popleft(), found)
        different = int(Answers(self._together, self._alone).different(within).sum())
        _refuse_many(model, verb, different, self._sample.size)
        if different and self._sample.size < self._n:
            for found in self._run(answer_alone, self._rest()):
                members = self._members.popleft()
                self._others += _placed(members, keep_different(self._together[members], found or []))
        answers = Answers(self._together, [*self._alone, *self._others])
        _refuse_many(model, verb, int(answers.different(within).sum()), self._n)
        _refuse_gathered(model, verb, answers, self._sample, errs)
        return answers

    def _tasks(self) -> Iterator[Task | None]:
        for members, inside in self._located():
            self._members.append(members)
            if not members.size:
                yield None
                continue
            share = self._batches if members.size == self._n else max(self._batches * members.size // self._n, 2)
            state = self._generator.get_state()
            draw_batches(self._generator, members.size, share)  # whoever answers draws the same
            yield Task(inside, _places_in(members, self._sample), state, share)

    def _rest(self) -> Iterator[Task | None]:
        """Yield the rows that were not asked alone yet."""
        for members, inside in self._located():
            self._members.append(members)
            rest = np.setdiff1d(np.arange(members.size), _places_in(members, self._sample))
            yield Task(inside, rest) if rest.size else None

    def _add(self, members: IntArray, found: Found | None) -> None:
        if found is None:
            return
        if members.size == self._n:
            self._together = found.together
        else:
            if self._together is None:
                shape = (self._n, *np.shape(found.together)[1:])
                self._together = np.zeros(shape, dtype=np.asarray(found.together).dtype)
            self._together[members] = found.together
        self._alone += _placed(members, found.alone)
        self._others += _placed(members, found.others)


def _placed(members: IntArray, parts: Parts) -> Parts:
    """Return answers about rows of a block by their positions among all rows."""
    return [(members[places], answers) for places, answers in parts]


def _places_in(members: IntArray, positions: IntArray) -> IntArray:
    """Return where in an ascending block some of its positions are, in their order."""
    if not members.size:
        return members
    places = np.searchsorted(members, positions).clip(max=members.size - 1)
    return np.asarray(places[members[places] == positions])


def _refuse_gathered(
    model: object, verb: str, answers: Answers, sample: IntArray, errs: Callable[[Answers], BoolArray] | None
) -> None:
    """Refuse a predictor whose errors are gathered among the rows that were asked alone."""
    if errs is None:
        return
    wrong = errs(answers)
    if _chance_of_more(int(wrong[sample].sum()), int(wrong.sum()), sample.size, wrong.size) < _CHANCE:
        words = f"Got {int(wrong[sample].sum())} of {sample.size} rows that it errs on where they come alone, and "
        raise ValueError(sentence(model, verb, f"{words}{int(wrong.sum())} of all {wrong.size}."))


def _errors(answers: Answers, truth: IntArray) -> BoolArray:
    """Return for each row whether any answer about it is wrong."""
    wrong = truth != answers.wrong_where_different(truth).T
    return np.asarray(wrong.T.reshape(truth.size, -1).any(axis=1))


def _chance_of_more(found: int, marked: int, drawn: int, n: int) -> float:
    """Return the probability that at least so many of the marked are among those drawn at random."""
    counts = np.arange(found, min(marked, drawn) + 1)
    counts = counts[drawn - counts <= n - marked]
    logs = _log_choose(marked, counts) + _log_choose(n - marked, drawn - counts) - _log_choose(n, drawn)
    return float(np.exp(logs).sum())


def _log_choose(n: int, k: IntArray | int) -> Any:
    return gammaln(n + 1.0) - gammaln(np.add(k, 1.0)) - gammaln(n - np.asarray(k) + 1.0)


def _refuse_many(model: object, verb: str, found: int, asked: int) -> None:
    if found > _HANDFUL and found > _SHARE * asked:
        words = f"Got {found} of {asked} rows that are answered differently alone or in another batch."
        raise ValueError(sentence(model, verb, words))
