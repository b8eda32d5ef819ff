"""Coverage of certified thresholds: on rows of known distribution a threshold is wrongly kept in at most delta of runs.

A row is its score, uniform in [0, 1], and is predicted wrongly with a probability that is a function of it; so the true
error among answered rows and the true share of answered rows are known at every threshold. Functions that a designer of
thresholds would not expect are among them: errors among the surest rows, errors in the middle, and an error that is
just above the target at every threshold, where each of the tests can fail.
"""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin

import pacbayes as pb
from pacbayes.certificate import count_passed
from pacbayes.procedures import Abstention, FewMisses
from pacbayes.procedures.aims import Scored

from coverage.judging import DELTA, repeat, too_often

FEW, MANY = 1000, 10_000
WHOLE, WHOLE_MANY = 60, 1000
LEARNING, JUDGED = 400, 400
TOGETHER = 50  # judged tables to the thresholds of one learning table, which take longest
GRID = np.linspace(0.0, 1.0, 2001)
TARGET = 0.1


def surer_is_righter(score):
    return 0.5 * (1.0 - score) ** 2


def surest_are_wrong(score):
    """Wrong most often where the model is surest, and well above the target with them."""
    return np.where(score > 0.9, 0.6, 0.02)


def wrong_in_the_middle(score):
    return np.where((score > 0.4) & (score < 0.7), 0.3, 0.05)


def just_above(score):
    """Every hypothesis is true, and as hard to tell from false as it can be."""
    return np.full_like(score, TARGET * 1.0001)


def about_the_target(score):
    """The true error crosses the target again and again."""
    return np.clip(TARGET + 0.35 * np.sin(40.0 * score), 0.0, 1.0)


SHAPES = [surer_is_righter, surest_are_wrong, wrong_in_the_middle, just_above, about_the_target]


def true_error(shape, threshold):
    """The error among rows whose score reaches a threshold, by the midpoint rule."""
    cells = threshold + (1.0 - threshold) * (GRID[:-1] + GRID[1:]) / 2.0
    return float(np.mean(shape(cells)))


def draw(generator, shape, rows):
    scores = generator.random(rows)
    return scores, generator.random(rows) < shape(scores)


def keep_last(errors, rows, delta):
    return count_passed("clopper_pearson", errors.tolist(), rows.tolist(), TARGET, delta)


def keep_best(errors, rows, delta):
    """What nobody may do: take the threshold that answers most among all that pass by themselves."""
    limits = pb.bounds.clopper_pearson(errors.astype(float), np.maximum(rows, 1).astype(float), delta)
    passed = np.flatnonzero((limits <= TARGET) & (rows > 0))
    return int(passed[-1]) + 1 if passed.size else 0


def count_wrongly_kept(shape, runs, keep=keep_last, delta=DELTA):
    """How often the threshold that is kept has a true error above the target, or answers fewer rows than stated."""
    generator, aim = np.random.default_rng(7), Abstention(TARGET)
    wrong = few = 0
    for run in range(runs):
        if run % TOGETHER == 0:
            thresholds = aim.place(*draw(generator, shape, LEARNING), np.zeros(LEARNING), JUDGED, delta)
        scores, errs = draw(generator, shape, JUDGED)
        rows, errors = aim.count(Scored(np.zeros(JUDGED), errs, scores, scores), thresholds)
        passed = keep(errors, rows, delta)
        if not passed:
            continue
        kept = thresholds[passed - 1]
        wrong += true_error(shape, kept) > TARGET
        unanswered = JUDGED - int(rows[passed - 1])
        limit = 1.0 - pb.bounds.clopper_pearson(unanswered, JUDGED, DELTA / thresholds.size)
        few += 1.0 - kept < limit
    return wrong, few


def check(shape, runs):
    wrong, few = count_wrongly_kept(shape, runs)
    assert not too_often(wrong, runs), f"{shape.__name__}: {wrong} of {runs}"
    assert not too_often(few, runs), f"{shape.__name__}, answered: {few} of {runs}"


@pytest.mark.parametrize("shape", SHAPES, ids=lambda each: each.__name__)
def test_a_threshold_is_wrongly_kept_in_at_most_delta(shape):
    check(shape, FEW)


@pytest.mark.long
@pytest.mark.parametrize("shape", SHAPES, ids=lambda each: each.__name__)
def test_a_threshold_is_wrongly_kept_in_at_most_delta_of_many_runs(shape):
    check(shape, MANY)


def test_the_simulation_catches_whoever_picks_the_best_threshold():
    wrong, _ = count_wrongly_kept(just_above, FEW, keep_best)
    assert too_often(wrong, FEW)


def miss_wrongly(runs):
    """How often the kept threshold misses more of the class than the target, or its false-positive rate is too low."""
    generator, aim = np.random.default_rng(8), FewMisses(TARGET, 1)
    wrong = low = 0
    for _ in range(runs):
        own, others = generator.beta(2, 1, 200), generator.beta(1, 2, 200)
        learned = np.append(generator.beta(2, 1, 200), generator.beta(1, 2, 200))
        thresholds = aim.place(learned, np.zeros(400, dtype=bool), np.repeat([1, 0], 200), 400, DELTA)
        scores, labels = np.append(own, others), np.repeat([1, 0], 200)
        scored = Scored(labels, np.zeros(400, dtype=bool), scores, scores)
        rows, errors = aim.count(scored, thresholds)
        passed = keep_last(errors, rows, DELTA)
        if passed:
            kept = thresholds[passed - 1]
            n, taken = aim.count_beside(scored, kept)
            wrong += kept**2 > TARGET  # the distribution function of Beta(2, 1)
            low += (1.0 - kept) ** 2 > pb.bounds.clopper_pearson(taken, n, DELTA / thresholds.size)
    return wrong, low


@pytest.mark.parametrize("runs", [FEW, pytest.param(MANY, marks=pytest.mark.long)])
def test_misses_are_at_most_the_target(runs):
    wrong, low = miss_wrongly(runs)
    assert not too_often(wrong, runs)
    assert not too_often(low, runs)


class Fixed(ClassifierMixin, BaseEstimator):
    """Nothing to learn: the answer is the first column, and how sure it is follows from the second."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return self.classes_[np.asarray(X)[:, 0].astype(int)]

    def predict_proba(self, X):
        sure = 0.5 + np.asarray(X)[:, 1] / 2.0
        first = np.where(np.asarray(X)[:, 0] == 0, sure, 1.0 - sure)
        return np.column_stack([first, 1.0 - first])


def run_whole(shape, runs):
    """Whether the certificate of the estimator itself is wrong, in any of its statements, in each run."""
    generator = np.random.default_rng(9)

    def is_wrong(seed):
        scores, errs = draw(generator, shape, LEARNING + JUDGED)
        answers = generator.integers(0, 2, scores.size)
        model = pb.SelectiveClassifier(Fixed(), TARGET, split=0.5, share_beside=0.5, random_state=seed)
        model.fit(np.column_stack([answers, scores]), np.where(errs, 1 - answers, answers))
        if model.threshold_ is None:
            return False
        kept = min(max(2.0 * model.threshold_ - 1.0, 0.0), 1.0)
        return true_error(shape, kept) > TARGET or 1.0 - kept < model.certificate_.statement("coverage").value

    return repeat(is_wrong, runs, DELTA, bool)


@pytest.mark.parametrize("shape", [surer_is_righter, just_above], ids=lambda each: each.__name__)
@pytest.mark.parametrize("runs", [WHOLE, pytest.param(WHOLE_MANY, marks=pytest.mark.long)])
def test_certificates_of_the_estimator_fail_in_at_most_delta(shape, runs):
    wrong = run_whole(shape, runs)
    assert not too_often(sum(wrong), len(wrong))


def test_each_test_is_the_exact_binomial_tail():
    for rows in (1, 40, 58, 59, 200, 1000):
        for errors in range(min(rows, 40) + 1):
            passes = binom.cdf(errors, rows, 0.05) <= DELTA * (1 - 1e-8)
            assert count_passed("clopper_pearson", [errors], [rows], 0.05, DELTA) == passes
