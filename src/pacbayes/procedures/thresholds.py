"""Which thresholds are tested, and in which order: fixed on the learning rows, where no row judges.

Scores of the learning rows come from cross-validation, so that they are scores of rows that a model has not learned
from. Whatever sequence is chosen here, the limits hold; it decides how many rows can be answered.

Of few answered rows nothing can be certified, and the first failure ends everything: the sequence starts where a
threshold is likeliest to pass, by the errors and scores in cross-validation, and goes on evenly to where all rows are
answered. How likely a threshold passes is averaged over what the counts of cross-validation leave open about the
error, and over errors up to twice as frequent, since the model to judge is another one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from scipy.special import bdtr, bdtrik, betaincinv, ndtri

from pacbayes._core.rows import take
from pacbayes._core.types import BoolArray, FloatArray, IntArray, Predictor, Rows
from pacbayes.procedures.base import Sample
from pacbayes.procedures.split import Learner

__all__ = ["ScoreOf", "chance_to_pass", "cross_validate_scores", "place_by_class", "place_by_confidence"]

ScoreOf: TypeAlias = Callable[[Predictor, Rows], FloatArray]

_FOLDS = 5
_STEPS, _CLASS_STEPS = 100, 50  # thresholds at most; what is stated besides is divided among them
_CANDIDATES = 200
_DRAWS = (np.arange(9) + 0.5) / 9  # quantiles of how many judged rows are answered
_DOUBTS = (np.arange(5) + 0.5) / 5  # quantiles of the error, given the counts of cross-validation
_WORSE = (1.0, 1.25, 1.5, 2.0)  # times as many errors
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
    for each in range(_FOLDS):
        inside, outside = rows[fold == each], rows[fold != each]
        try:
            learned = (
                learner.learn(replace(sample, order=outside), outside.size).stored["predictor"] if inside.size else 0
            )
        except ValueError:  # a class or an inner fold without rows
            learned = model
        if inside.size:
            part = take(sample.X, inside)
            scores[fold == each] = score(learned, part)
            wrong[fold == each] = np.asarray(learned.predict(part)) != sample.y[inside]
    return scores, wrong


def place_by_confidence(scores: FloatArray, wrong: BoolArray, rows: int, target: float, delta: float) -> FloatArray:
    """Return thresholds on confidence, falling: from where one is likeliest to pass to 0, which answers everything.

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
    values, first = np.unique(-scores, return_index=False, return_inverse=True)[:2]
    answered = np.cumsum(np.bincount(first, minlength=values.size))
    errors = np.cumsum(np.bincount(first, weights=wrong, minlength=values.size))
    between = np.append(-0.5 * (values[:-1] + values[1:]), 0.0)  # a threshold on a score itself would hang by rounding
    shares = answered / scores.size
    tried = _spread(shares, 0.0, _CANDIDATES)
    start = tried[np.argmax(chance_to_pass(answered[tried], errors[tried], scores.size, rows, target, delta))]
    kept = _spread(shares, shares[start], _STEPS)
    return np.asarray(np.unique(between[kept])[::-1])


def _spread(shares: FloatArray, start: float, count: int) -> IntArray:
    """Return positions of up to so many shares, evenly from a start to the last, which is 1."""
    wanted = np.linspace(start, 1.0, count)
    return np.unique(np.searchsorted(shares, wanted - 1e-12).clip(max=shares.size - 1))


def chance_to_pass(
    answered: IntArray, errors: FloatArray, learning: int, rows: int, target: float, delta: float
) -> FloatArray:
    """Return about how likely thresholds pass on judged rows, by how many of the learning rows they answer, and errors.

    Examples
    --------
    >>> import numpy as np
    >>> from pacbayes.procedures.thresholds import chance_to_pass
    >>> chance_to_pass(np.array([50, 500, 1000]), np.array([0, 2, 60]), 1000, 1000, 0.05, 0.05).round(2).tolist()
    [0.05, 1.0, 0.0]
    """
    share = np.minimum(answered / learning, 1.0)[:, None]
    counts = np.clip(np.rint(rows * share + np.sqrt(rows * share * (1.0 - share)) * ndtri(_DRAWS)), 0.0, rows)
    some = np.maximum(counts, 1.0)
    most = np.floor(bdtrik(delta, some, target))  # errors that still pass
    passes = (1.0 - target) ** counts <= delta
    found = np.zeros(answered.size)
    for doubt in _DOUBTS:
        likely = betaincinv(errors + 0.5, answered - errors + 0.5, doubt)
        for worse in _WORSE:
            risk = np.minimum(worse * likely, 0.999)[:, None]
            found += np.where(
                passes, bdtr(np.maximum(np.nan_to_num(most), 0.0), some.astype(np.int64), risk), 0.0
            ).mean(axis=1)
    return found / (len(_DOUBTS) * len(_WORSE))


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
