"""Coverage of the adaptive split: run 2,000 times on rows of known distribution, it fails in at most delta of it.

The rows carry no more than their own number, and learners are functions of how many rows they have learned from and of
the labels, so that the true risk of every predictor is known and a run takes milliseconds. A rule that looks one row
ahead is caught by the same test.
"""

from dataclasses import dataclass, field

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.metrics import Judged
from pacbayes.procedures import Adaptive, Sample, Split, Stop

from coverage.judging import repeat, too_often

RUNS = 2000
FEW = 200
ROWS = 120
DELTAS = (0.5, 0.2, 0.05)


def improve_suddenly(count, _):
    """Useless until two fifths of the rows are there, good from then on."""
    return 0.45 if count < 0.4 * ROWS else 0.05


def improve_steadily(count, _):
    return 0.04 + 3.0 / (count + 5.0)


def underfit(count, _):
    """Nothing is learned, however many rows there are."""
    del count
    return 0.3


def overfit(count, labels):
    """Worse with more rows of the luckier kind: the risk follows the noise in the labels that were seen."""
    return float(np.clip(0.25 + 0.5 * (labels[:count].mean() - 0.5) + 0.002 * (count - 0.5 * ROWS), 0.02, 0.6))


LEARNERS = {each.__name__: each for each in (improve_suddenly, improve_steadily, underfit, overfit)}


@dataclass(frozen=True)
class KnownRisk:
    """A learner whose predictor errs on each row, independently, with a probability that follows from its rows."""

    risk: object
    uniform: np.ndarray  # of each row: where it lies below a predictor's risk, that predictor errs

    def learn(self, sample, count):
        return Known(self.risk(count, sample.y[sample.order]), self.uniform[sample.order])


@dataclass(frozen=True)
class Known:
    risk: float
    uniform: np.ndarray
    choices: tuple = ()
    digests: dict = field(default_factory=dict)
    stored: dict = field(default_factory=dict)

    @property
    def fitted(self):
        return {"risk": self.risk}

    def count_errors(self, _, start, stop):
        return int(np.sum(self.uniform[start:stop] < self.risk))

    def judge(self, _, start):
        wrong = self.uniform[start:] < self.risk
        return Judged(np.zeros(wrong.size), wrong.astype(float))


@dataclass(frozen=True)
class LookAhead(Stop):
    """The planted mistake: it stops where the next row is one that the model would get right."""

    uniform: np.ndarray
    risk: float
    where = "learning_rows"

    def times(self, rows):
        return tuple(range(rows // 2, rows - 2, 2))

    def is_reached(self, _, times, *__):
        return bool(self.uniform[times[0]] >= self.risk)


def split(run, learner, delta, rows=ROWS, stop=None):
    """The certificate's value and the true risk, of one fit."""
    generator = np.random.default_rng(run)
    uniform, labels = generator.random(rows), generator.integers(2, size=rows)
    chosen = Adaptive() if stop is None else stop(uniform)
    sample = Sample(np.arange(float(rows))[:, None], labels, np.arange(rows), random_state=0)
    issued = Split(learner=KnownRisk(learner, uniform), stop=chosen, delta=delta).run(sample)
    return issued.certificate.value, issued.fitted["risk"], issued.fitted["n_learning_"]


def judge_learner(name, delta, runs, judge):
    value, truth, stops = np.array(
        repeat(lambda run: split(run, LEARNERS[name], delta), runs, delta, lambda row: row[0] < row[1])
    ).T
    judge(f"adaptive split, {name}, delta {delta}", value, truth, delta)
    assert np.unique(stops).size > 1, "the rule must choose for this to be a test of it"


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("name", LEARNERS)
def test_learners_of_known_risk_a_few_times(name, delta, judge):
    judge_learner(name, delta, FEW, judge)


@pytest.mark.long
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("name", LEARNERS)
def test_learners_of_known_risk(name, delta, judge):
    judge_learner(name, delta, RUNS, judge)


# an odd number of rows is judged, at most half of which is wrong with probability one half: the limit leaves no room
ODD, RISK = 41, 0.5 + 1e-6


def values_of(rule):
    runs = [split(run, lambda *_: RISK, 0.5, ODD, lambda uniform: rule(uniform, RISK)) for run in range(RUNS)]
    return np.array([value for value, _, _ in runs])


def test_a_rule_that_looks_one_row_ahead_is_caught(record_property):
    violations = int(np.sum(values_of(LookAhead) < RISK))
    record_property("line:planted rule that looks one row ahead: certificates below", f"{violations} of {RUNS}")
    assert too_often(violations, RUNS, 0.5)


@dataclass(frozen=True)
class LooksBack(LookAhead):
    """The same rule without the mistake: it stops where the last row it has seen is one that the model gets right."""

    def is_reached(self, _, times, *__):
        return bool(self.uniform[times[0] - 1] >= self.risk)


def test_the_same_rule_that_looks_back_is_not(judge):
    judge("rule that looks one row back", values_of(LooksBack), RISK, 0.5)


@pytest.mark.parametrize("delta", [0.5, 0.05])
def test_a_tree_that_learns_noise_by_heart(delta, judge):
    from sklearn.tree import DecisionTreeClassifier

    values, truths = [], []
    for run in range(100):
        generator = np.random.default_rng(run)
        X, y = generator.normal(size=(100, 2)), generator.integers(2, size=100)
        model = pb.CertifiedClassifier(DecisionTreeClassifier(random_state=0), delta, random_state=run).fit(X, y)
        values.append(model.certificate_.value)
        truths.append(0.5)  # labels are noise
    judge(f"adaptive split, a tree on noise, delta {delta}", np.array(values), np.array(truths), delta)


@pytest.mark.parametrize("delta", [0.5, 0.05])
def test_defaults_on_a_known_distribution(delta, judge):
    values, truths = [], []
    for run in range(40):
        sample = pb.datasets.make_known_risk(200, d=3, separation=0.7, random_state=run)
        model = pb.CertifiedClassifier(delta=delta, random_state=run).fit(sample.X, sample.y)
        inner = model.estimator_
        slopes = inner.coef_[0] / inner.scaler_.scale_
        values.append(model.certificate_.value)
        truths.append(sample.risk(slopes, inner.intercept_[0] - slopes @ inner.scaler_.mean_))
    judge(f"adaptive split, defaults, delta {delta}", np.array(values), np.array(truths), delta)
