"""Voters that learn from samples of the rows, each judged on the rows that its sample leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from pacbayes._core.predictions import class_numbers
from pacbayes._core.rows import take
from pacbayes._core.steadiness import ask_row_by_row, seed_of
from pacbayes._core.types import BoolArray, FloatArray, IntArray, Labels, Predictor
from pacbayes.procedures.base import Sample
from pacbayes.procedures.classifier_learner import ClassifierLearner

__all__ = ["Judgement", "draw_samples", "judge_voters", "learn_voters"]

_ALONE, _BLOCKS = 4, 4  # of each voter: there are many
_COLUMNS = 2**16  # rows at a time, whose sums single precision holds exactly


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judged rows of each voter, and on which of them it erred.

    Attributes
    ----------
    judged, wrong : ndarray of bool, shape (voters, rows)
        A voter errs on judged rows only.
    """

    judged: BoolArray
    wrong: BoolArray

    @property
    def sizes(self) -> IntArray:
        """On how many rows each voter was evaluated."""
        return np.asarray(self.judged.sum(axis=1, dtype=np.int64))

    @property
    def losses(self) -> FloatArray:
        """The share of errors of each voter."""
        return np.asarray(self.wrong.sum(axis=1) / self.sizes)

    def pair_sizes(self) -> FloatArray:
        """Return on how many rows both of each two voters were evaluated."""
        return _products(self.judged, self.judged)

    def pair_losses(self) -> FloatArray:
        """Return the share of their common rows on which both of two voters err."""
        return np.asarray(_products(self.wrong, self.wrong) / self.pair_sizes())

    def pair_differences(self) -> FloatArray:
        """Return the share of their common rows on which exactly one of two voters errs."""
        alone = _products(self.wrong, self.judged)
        return np.asarray((alone + alone.T - 2.0 * _products(self.wrong, self.wrong)) / self.pair_sizes())

    def vote_errors(self, weights: IntArray) -> tuple[int, int]:
        """Return on how many rows the vote of those that have not learned from them errs, and how many such there are.

        It errs where at least half of that weight does.
        """
        weight = weights.astype(np.float64)
        wrong, all_of = weight @ self.wrong, weight @ self.judged
        asked = all_of > 0.0
        return int(np.count_nonzero(2.0 * wrong[asked] >= all_of[asked])), int(np.count_nonzero(asked))


def _products(one: BoolArray, two: BoolArray) -> FloatArray:
    """Return how many rows are true for each of one and each of another; sums of single precision are exact here."""
    total = np.zeros((len(one), len(two)))
    for start in range(0, one.shape[1], _COLUMNS):
        part = slice(start, start + _COLUMNS)
        total += one[:, part].astype(np.float32) @ two[:, part].astype(np.float32).T
    return total


def draw_samples(sample: Sample, voters: int, size: int, *, replacement: bool) -> Iterator[IntArray]:
    """Yield the numbers of the rows that each voter learns from; the rows themselves play no part.

    Without replacement each leaves out the same number of rows. With it, the number is left to chance.
    """
    generator = np.random.RandomState(sample.seed)
    rows = len(sample.order)
    for _ in range(voters):
        places = generator.randint(rows, size=size) if replacement else generator.permutation(rows)[:size]
        yield sample.order[places]


def learn_voters(learner: ClassifierLearner, sample: Sample, samples: Sequence[IntArray]) -> list[Predictor]:
    """Return the voters, each learned from its own rows alone, and with its own random numbers."""
    generator = np.random.RandomState([sample.seed % 2**32, 1])
    found = []
    for rows in samples:
        seed = int(generator.randint(2**31))
        own = replace(learner, classifier=_seeded(learner.classifier, seed))
        found.append(own.learn(replace(sample, order=rows, notes=()), rows.size).model)
    return found


def _seeded(classifier: Any, seed: int) -> Any:
    """Return a copy whose random numbers, and those of its parts, come from a seed."""
    copied = clone(classifier)
    names = [name for name in copied.get_params() if name == "random_state" or name.endswith("__random_state")]
    return copied.set_params(**dict.fromkeys(names, seed)) if names else copied


def judge_voters(voters: Sequence[Predictor], sample: Sample, samples: Sequence[IntArray]) -> Judgement:
    """Ask each voter about the rows that it has not learned from, in several batches; what differs is wrong."""
    classes = np.unique(sample.y)
    truth = np.searchsorted(classes, sample.y)
    judged = np.ones((len(voters), len(truth)), dtype=bool)
    wrong = np.zeros_like(judged)
    for place, (voter, rows) in enumerate(zip(voters, samples, strict=True)):
        judged[place, rows] = False
        left = np.flatnonzero(judged[place])
        wrong[place, left] = _errors_of(voter, sample, left, truth, classes, place)
    return Judgement(judged, wrong)


def _errors_of(
    voter: Predictor, sample: Sample, rows: IntArray, truth: IntArray, classes: Labels, place: int
) -> BoolArray:
    def ask(asked: Predictor, part: IntArray) -> IntArray:
        return class_numbers(type(asked).__name__, asked.predict(take(sample.X, rows[part])), classes, part.size)

    own = truth[rows]
    seed = seed_of(sample.seed + place, sample.y[rows])
    answers = ask_row_by_row(voter, ask, rows.size, seed, _ALONE, blocks=_BLOCKS, truth=own)
    return np.asarray(answers.wrong_where_different(own) != own)
