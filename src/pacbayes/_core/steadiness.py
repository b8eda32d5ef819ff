"""Whether a predictor answers for each row by itself, as a certificate about single rows needs it.

A predictor is asked three times: for a random sample of the rows one at a time, for all of them in small batches of
random order, size and composition, and for all of them at once. The first two are put to a copy, so that nothing it
remembers of one is there in another. The random numbers follow from a seed and from the true labels, neither of which a
predictor is shown.

Rows that are too many for one batch are asked block by block (:func:`pacbayes._core.rows.find_blocks`), those of the
sample that are in a block first, and small batches are made of rows of one block.

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

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from scipy.special import gammaln

from pacbayes._core.digests import digest_of_arrays
from pacbayes._core.rows import permute
from pacbayes._core.types import BoolArray, FloatArray, IntArray, Labels

__all__ = ["ALONE", "Answers", "Asked", "ask_in_blocks", "ask_row_by_row", "sample_size", "seed_of"]

ALONE = 64  # rows that are asked alone: 5 in 100 rows that differ stay hidden with probability .04
_LEAST_ALONE = 8
_BLOCK = 64  # mean size of a small batch, while there are at most so many:
_BLOCKS = 128
_HANDFUL, _SHARE = 5, 0.01
_CHANCE = 1e-9

Model = TypeVar("Model")
Ask = Callable[[Model, IntArray], Any]
# positions of the rows of a block, and what asks about some of them, by their places in the block
Asked = tuple[IntArray, Ask[Model]]
Parts = list[tuple[IntArray, Any]]


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
        Other answers about the rows at these positions; those that were the same may be left out.
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
    options = {"most": blocks, "within": within, "verb": verb, "truth": truth, "errs": errs}
    return ask_in_blocks(model, lambda: [(np.arange(n), ask)], n, seed, alone, **options)  # type: ignore[arg-type]


def ask_in_blocks(
    model: Model,
    blocks: Callable[[], Iterable[Asked[Model]]],
    n: int,
    seed: Sequence[int],
    alone: int = ALONE,
    *,
    most: int = _BLOCKS,
    within: float = 0.0,
    verb: str = "answer for",
    truth: IntArray | None = None,
    errs: Callable[[Answers], BoolArray] | None = None,
) -> Answers:
    """Ask a predictor about ``n`` rows that come in blocks, as :func:`ask_row_by_row` does about those of one.

    Parameters
    ----------
    model, n, seed, alone, within, verb, truth, errs
        As for :func:`ask_row_by_row`.
    blocks : callable
        Gives the blocks, the same each time: positions among the ``n`` rows, ascending, and what asks about some of
        them.
    most : int
        Small batches that all rows are asked in at most, but for two of each block.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes._core.steadiness import ask_in_blocks
    >>> rows, halves = np.arange(100.0), (np.arange(50), np.arange(50, 100))
    >>> blocks = lambda: [(half, lambda _, part, half=half: (rows[half[part]] > 30).astype(int)) for half in halves]
    >>> ask_in_blocks("threshold", blocks, 100, [0]).together.sum()
    np.int64(69)
    """
    generator, other = np.random.RandomState(np.asarray(seed, dtype=np.uint32)), _copy_of(model)
    sample, collected = permute(generator, n)[:alone].astype(np.int64), _Collected(n)  # a copy, lest all n be kept
    for members, ask in blocks():
        share = most if members.size == n else max(most * members.size // n, 2)
        chosen, parts = _places_in(members, sample), _random_blocks(generator, members.size, share)
        try:
            singly = _ask_alone(other, ask, chosen)
            in_parts = [(part, ask(other, part)) for part in parts]
        except Exception as error:
            ask(model, np.arange(members.size))  # what fails for all rows says so itself
            raise ValueError(_sentence(model, verb, f"It fails for a few rows: {_line(error)}")) from error
        collected.add(members, ask(model, np.arange(members.size)), singly, in_parts)
    found = int(Answers(collected.together, collected.alone).different(within).sum())
    _refuse_many(model, verb, found, sample.size)
    if found and sample.size < n:
        for members, ask in blocks():
            rest = np.setdiff1d(np.arange(members.size), _places_in(members, sample))
            collected.compare(members, _ask_alone(other, ask, rest))
    answers = Answers(collected.together, [*collected.alone, *collected.others])
    _refuse_many(model, verb, int(answers.different(within).sum()), n)
    _refuse_gathered(model, verb, answers, sample, partial(_errors, truth=truth) if truth is not None else errs)
    return answers


class _Collected:
    """What was answered so far: for all rows at once, and those of the other answers that are not the same."""

    def __init__(self, n: int) -> None:
        self._n = n
        self.together: Any = None
        self.alone: list[tuple[IntArray, Any]] = []
        self.others: list[tuple[IntArray, Any]] = []

    def add(self, members: IntArray, together: Any, alone: Parts, others: Parts) -> None:
        """Add the answers about a block, by the positions of its rows and places among them."""
        if members.size == self._n:
            self.together = together
        else:
            if self.together is None:
                self.together = np.zeros((self._n, *np.shape(together)[1:]), dtype=np.asarray(together).dtype)
            self.together[members] = together
        self.alone += self._differing(members, alone)
        self.compare(members, others)

    def compare(self, members: IntArray, others: Parts) -> None:
        """Add further answers about the rows of a block."""
        self.others += self._differing(members, others)

    def _differing(self, members: IntArray, others: Parts) -> Parts:
        found = []
        for places, answers in others:
            positions = members[places]
            odd = np.asarray(answers != self.together[positions])  # true of what is no number, too
            rows = np.flatnonzero(odd.reshape(positions.size, -1).any(axis=1))
            if rows.size:
                found.append((positions[rows], answers[rows]))
        return found


def _places_in(members: IntArray, positions: IntArray) -> IntArray:
    """Return where in an ascending block some of its positions are, in their order."""
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
        raise ValueError(_sentence(model, verb, f"{words}{int(wrong.sum())} of all {wrong.size}."))


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


def _ask_alone(model: Model, ask: Ask[Model], rows: IntArray) -> Parts:
    """Return what is answered about rows that come one at a time; nothing where there are none."""
    if not rows.size:
        return []
    return [(rows, np.concatenate([ask(model, rows[index : index + 1]) for index in range(rows.size)]))]


def _random_blocks(generator: np.random.RandomState, size: int, most: int) -> list[IntArray]:
    """Return all places of a block of so many rows in random order, cut at random into at most so many."""
    order, count = generator.permutation(size), min(max(-(-size // _BLOCK), 2), most, size)
    cuts = np.sort(generator.permutation(size - 1)[: count - 1] + 1)
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
