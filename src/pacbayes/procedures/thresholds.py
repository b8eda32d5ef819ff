"""Which thresholds are tested, and in which order: fixed on the learning rows, where no row judges.

Scores of the learning rows come from cross-validation, so that they are scores of rows that a model has not learned
from. Whatever sequence is chosen here, the limits hold; it decides how many rows can be answered.

Of few answered rows nothing can be certified, and the first failure ends everything. So the tests are rehearsed on
judged rows that are drawn from what cross-validation leaves open: the sequence starts where it ends best on average,
and goes on to where all rows are answered, in finer steps where sequences end.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from scipy.special import bdtr

from pacbayes._core.rows import take
from pacbayes._core.types import BoolArray, FloatArray, IntArray, Predictor, Rows
from pacbayes.procedures.base import Sample
from pacbayes.procedures.split import Learner

__all__ = ["ScoreOf", "cross_validate_scores", "place_by_class", "place_by_confidence"]

ScoreOf: TypeAlias = Callable[[Predictor, Rows], FloatArray]

_FOLDS = 5
_STEPS, _CLASS_STEPS = 150, 50  # thresholds at most; what is stated besides is divided among them
_CANDIDATES = 120
_ENDS = 0.75  # share of the steps that are placed where sequences end
_DRAWS = 200
_ABOUT = 0.002  # of the judged rows
_WORSE = (1.0, 1.0, 1.25, 1.5)  # times as frequent errors
_BEYOND = 2.0  # times the target, up to which misses are tested


def cross_validate_scores(
    learner: Learner, sample: Sample, count: int, score: ScoreOf, model: Predictor
) -> tuple[FloatArray, BoolArray]:
    """Return the scores of the first rows of a sample, and whether their labels were predicted wrongly.

    Each fold is scored by what is learned from the others. Where a fold is too small for the learner, the model itself
    scores the rows that it learned from.
    """
    rows, scores, wrong = sample.order[:count], np.zeros(count), np.zeros(count, dtype=bool)
    fold = np.arange(count) % _FOLDS
    for each in range(min(_FOLDS, count)):
        inside, outside = rows[fold == each], rows[fold != each]
        learned: Predictor = model
        with suppress(ValueError):  # a class or an inner fold without rows
            learned = learner.learn(replace(sample, order=outside), outside.size).stored["predictor"]
        part = take(sample.X, inside)
        scores[fold == each] = score(learned, part)
        wrong[fold == each] = np.asarray(learned.predict(part)) != sample.y[inside]
    return scores, wrong


def place_by_confidence(scores: FloatArray, wrong: BoolArray, rows: int, target: float, delta: float) -> FloatArray:
    """Return thresholds on confidence, falling from a good start to 0, which answers everything.

    Parameters
    ----------
    scores, wrong : ndarray
        Of learning rows, in cross-validation.
    rows : int
        How many will judge.
    target, delta : float
        The error to certify among answered rows, and the delta of each test.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.procedures.thresholds import place_by_confidence
    >>> scores = np.linspace(0.5, 1.0, 1000)
    >>> thresholds = place_by_confidence(scores, scores < 0.6, 1000, 0.05, 0.05)
    >>> bool(0.6 < thresholds[0] < 1.0), float(thresholds[-1]), bool((np.diff(thresholds) < 0).all())
    (True, 0.0, True)
    """
    values, first = np.unique(-scores, return_inverse=True)
    answered = np.cumsum(np.bincount(first, minlength=values.size))
    errors = np.cumsum(np.bincount(first, weights=wrong, minlength=values.size))
    between = np.append(-0.5 * (values[:-1] + values[1:]), 0.0)  # a threshold on a score itself would hang by rounding
    shares = answered / scores.size
    tried = np.unique(np.searchsorted(shares, np.linspace(0.0, 1.0, _CANDIDATES) - 1e-12).clip(max=shares.size - 1))
    tails, reached = _rehearse(answered[tried], errors[tried], rows, target)
    passes = tails <= delta
    start = _find_start(tails, _end_of(passes, reached).mean(axis=0))
    survives = np.logical_and.accumulate(passes[:, start:], axis=1).mean(axis=0)
    kept = np.interp(_steps(shares[tried[start:]], survives), shares, between)
    return np.asarray(np.unique(kept)[::-1])


def _rehearse(answered: IntArray, errors: FloatArray, rows: int, target: float) -> tuple[FloatArray, FloatArray]:
    """Draw judged rows from what cross-validation leaves open; return the tail at thresholds, and what they answer.

    Cells between thresholds have weights that are drawn about the counts of cross-validation (a Bayesian bootstrap,
    with one error more, spread over all of them); in some draws errors are more frequent, since the model to judge is
    another one than those of cross-validation.
    """
    generator = np.random.RandomState(0)  # whose numbers stay the same from version to version
    wrong = np.diff(errors, prepend=0.0)
    cells = np.diff(answered, prepend=0)
    right = cells - wrong
    tails, reached = np.ones((_DRAWS, cells.size)), np.zeros((_DRAWS, cells.size))
    for draw in range(_DRAWS):
        likely = generator.standard_gamma(wrong + cells / answered[-1]) * _WORSE[draw % len(_WORSE)]
        weights = np.append(likely, generator.standard_gamma(np.maximum(right, 1e-9)))
        counts = generator.multinomial(rows, weights / weights.sum())
        seen = np.cumsum(counts[: cells.size])
        every = seen + np.cumsum(counts[cells.size :])
        tails[draw] = np.where(every > seen, bdtr(seen, np.maximum(every, 1), target), 1.0)
        reached[draw] = every / rows
    return tails, reached


def _find_start(tails: FloatArray, ends: FloatArray) -> int:
    """Return, of the starts that end about as well as the best, the one at which the evidence is strongest."""
    evidence = -np.log(np.maximum(tails, 1e-300)).mean(axis=0)
    return int(np.argmax(np.where(ends >= ends.max() - _ABOUT, evidence, -1.0)))


def _end_of(passes: BoolArray, reached: FloatArray) -> FloatArray:
    """Return, for each draw and each start, the share that is answered when the first threshold fails."""
    found = np.zeros(reached.shape)
    after = np.zeros(reached.shape[0])
    for place in reversed(range(reached.shape[1])):
        after = np.where(passes[:, place], np.maximum(after, reached[:, place]), 0.0)
        found[:, place] = after
    return found


def _steps(shares: FloatArray, survives: FloatArray) -> FloatArray:
    """Return shares to answer, from the first to 1: some evenly, most of them where sequences end."""
    falls = survives[0] - survives
    evenly = (shares - shares[0]) / max(1.0 - shares[0], 1e-12)
    way = (1.0 - _ENDS) * evenly + _ENDS * falls / falls[-1] if falls[-1] > 0.0 else evenly
    return np.interp(np.linspace(0.0, way[-1], _STEPS), way, shares)


def place_by_class(scores: FloatArray, target: float) -> FloatArray:
    """Return thresholds on the score of a class, rising from 0, which misses nothing, to where too many are missed.

    Parameters
    ----------
    scores : ndarray
        Of learning rows of the class, in cross-validation.
    target : float
        The share of misses to certify.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.procedures.thresholds import place_by_class
    >>> place_by_class(np.linspace(0.0, 1.0, 101), 0.02).tolist()
    [0.0, 0.005, 0.015, 0.025, 0.035]
    """
    values = np.unique(scores)
    between = 0.5 * (values[:-1] + values[1:])
    missed = np.searchsorted(np.sort(scores), between)
    between = between[missed <= max(_BEYOND * target * scores.size, 1.0)]
    kept = np.unique(np.linspace(0, between.size - 1, min(between.size, _CLASS_STEPS - 1)).round().astype(np.int64))
    return np.unique(np.append(0.0, between[kept] if between.size else between))
