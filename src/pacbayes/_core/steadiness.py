"""Whether a predictor answers for each row by itself, as a certificate about single rows needs it.

A predictor is asked three times: for a random sample of the rows one at a time, for all of them in small batches of
random order, size and composition, and for all of them at once. The first two are put to a copy, so that nothing it
remembers of one is there in another. The random numbers follow from a seed and from the true labels, neither of which a
predictor is shown.

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

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from scipy.special import gammaln

from pacbayes._core.digests import digest_of_arrays
from pacbayes._core.types import BoolArray, FloatArray, IntArray, Labels

__all__ = ["ALONE", "Answers", "ask_row_by_row", "sample_size", "seed_of"]

ALONE = 64  # rows that are asked alone: 5 in 100 rows that differ stay hidden with probability .04
_LEAST_ALONE = 8
_BLOCK = 64  # mean size of a small batch, while there are at most so many:
_BLOCKS = 128
_HANDFUL, _SHARE = 5, 0.01
_CHANCE = 1e-9

Model = TypeVar("Model")
Ask = Callable[[Model, IntArray], Any]


def seed_of(seed: int, labels: Labels) -> list[int]:
    """Return a seed that no predictor knows, since it follows from labels that predictors are not shown."""
    digest = digest_of_arrays(seed=[seed], labels=labels)
    return [int(digest[start : start + 8], 16) for start in range(0, 64, 8)]


def sample_size(rows: int) -> int:
    """Return how many rows of a stretch of a stream are asked alone; along the stream they add up."""
    return max(_LEAST_ALONE, min(ALONE, rows // 32))


@dataclass(frozen=True, slots=True)
class Answers:
    """What a predictor answered, in one large batch and otherwise.

    Attributes
    ----------
    together : ndarray
        For all rows, asked at once; further axes are further answers about a row.
    others : sequence of (positions, answers)
        Other answers about the rows at these positions.
    """

    together: Any
    others: Sequence[tuple[IntArray, Any]]

    def wrong_where_different(self, truth: IntArray) -> IntArray:
        """Return answers of which each is wrong if any of those about its row is."""
        worst: IntArray = np.array(self.together)
        for positions, answers in self.others:
            right = truth[positions].reshape(-1, *[1] * (worst.ndim - 1))
            worst[positions] = np.where(worst[positions] == right, answers, worst[positions])
        return worst

    def farthest_from(self, truth: FloatArray) -> FloatArray:
        """Return, of the answers about each row, the one that is farthest from the truth."""
        worst: FloatArray = np.array(self.together, dtype=np.float64)
        with np.errstate(over="ignore"):
            for positions, answers in self.others:
                farther = np.abs(answers - truth[positions]) > np.abs(worst[positions] - truth[positions])
                worst[positions] = np.where(farther, answers, worst[positions])
        return worst

    def largest(self, loss: Callable[[Any, IntArray], FloatArray]) -> FloatArray:
        """Return, of the answers about each row, the largest loss; ``loss`` takes answers and their positions."""
        worst: FloatArray = loss(self.together, np.arange(len(self.together)))
        for positions, answers in self.others:
            worst[positions] = np.maximum(worst[positions], loss(answers, positions))
        return worst

    def take(self, rows: IntArray) -> Answers:
        """Return the answers about some of the rows, in the order of their positions."""
        place = np.full(len(self.together), -1)
        place[rows] = np.arange(rows.size)
        kept = [(place[positions], answers) for positions, answers in self.others]
        return Answers(self.together[rows], [(found[found >= 0], answers[found >= 0]) for found, answers in kept])

    def different(self, within: float) -> BoolArray:
        """Return for each row whether its answers differ."""
        found = np.zeros(len(self.together), dtype=bool)
        for positions, answers in self.others:
            with np.errstate(over="ignore"):  # two numbers may lie farther apart than any double
                gap = np.abs(answers - self.together[positions])
            unequal = ~(gap <= within)
            found[positions] |= unequal.reshape(len(positions), -1).any(axis=1)
        return found


def ask_row_by_row(
    model: Model,
    ask: Ask[Model],
    n: int,
    seed: Sequence[int],
    alone: int = ALONE,
    *,
    blocks: int = _BLOCKS,
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
    generator, other = np.random.RandomState(np.asarray(seed, dtype=np.uint32)), _copy_of(model)
    sample, parts = generator.permutation(n)[:alone], _random_blocks(generator, n, blocks)
    try:
        singly = _ask_alone(other, ask, sample)
        in_blocks = [(block, ask(other, block)) for block in parts]
    except Exception as error:
        ask(model, np.arange(n))  # what fails for all rows says so itself
        raise ValueError(_sentence(model, verb, f"It fails for a few rows: {_line(error)}")) from error
    together = ask(model, np.arange(n))
    found = Answers(together, [(sample, singly)]).different(within)
    _refuse_many(model, verb, int(found.sum()), sample.size)
    others = [(sample, singly), *in_blocks]
    if found.any() and sample.size < n:
        rest = np.setdiff1d(np.arange(n), sample)
        others.append((rest, _ask_alone(other, ask, rest)))
    answers = Answers(together, others)
    _refuse_many(model, verb, int(answers.different(within).sum()), n)
    if truth is not None:
        errs = partial(_errors, truth=truth)
    if errs is not None:
        wrong = errs(answers)
        if _chance_of_more(int(wrong[sample].sum()), int(wrong.sum()), sample.size, n) < _CHANCE:
            words = f"Got {int(wrong[sample].sum())} of {sample.size} rows that it errs on where they come alone, and "
            raise ValueError(_sentence(model, verb, f"{words}{int(wrong.sum())} of all {n}."))
    return answers


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


def _ask_alone(model: Model, ask: Ask[Model], rows: IntArray) -> Any:
    return np.concatenate([ask(model, rows[index : index + 1]) for index in range(rows.size)])


def _random_blocks(generator: np.random.RandomState, n: int, most: int) -> list[IntArray]:
    """Return all positions in random order, cut at random."""
    order, count = generator.permutation(n), min(max(-(-n // _BLOCK), 2), most, n)
    cuts = np.sort(generator.permutation(n - 1)[: count - 1] + 1)
    return np.split(order, cuts.tolist())


def _copy_of(model: Model) -> Model:
    try:
        return deepcopy(model)
    except Exception:  # what cannot be copied answers itself
        return model


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__


def _refuse_many(model: object, verb: str, found: int, asked: int) -> None:
    if found > _HANDFUL and found > _SHARE * asked:
        words = f"Got {found} of {asked} rows that are answered differently alone or in another batch."
        raise ValueError(_sentence(model, verb, words))


def _sentence(model: object, verb: str, reason: str) -> str:
    return f"{type(model).__name__} must {verb} each row by itself. {reason}"
