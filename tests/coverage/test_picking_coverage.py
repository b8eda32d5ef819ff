"""Certificates of pick-to-learn hold: quick learners of one column, whose true errors are known exactly.

Rows are uniform in (0, 1); the label says whether a row is above one half, and is flipped with probability NOISE.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from pacbayes.procedures import Picking, certify_rows

from coverage.judging import repeat, too_often

NOISE = 0.15
RULES = {
    "first rows, best round": {"first": 0.3, "rounds": 12},
    "first rows, last round": {"first": 0.3, "rounds": 12, "early_stopping": False},
    "no first rows, until nothing is wrong": {"first": 0.0, "rounds": None, "early_stopping": False, "growth": 0.0},
    "compression, best round": {"first": 0.1, "rounds": None, "bound": "compression"},
}


class Threshold(ClassifierMixin, BaseEstimator):
    """The threshold with the fewest errors, the first of several."""

    def fit(self, rows, labels):
        self.classes_ = np.unique(labels)
        order = np.argsort(rows[:, 0], kind="stable")
        x, positive = rows[order, 0], labels[order] == 1
        errors = np.concatenate([[0], np.cumsum(positive)]) + np.concatenate([np.cumsum(~positive[::-1])[::-1], [0]])
        self.cut_ = np.concatenate([[0.0], x])[np.argmin(errors)]
        return self

    def decision_function(self, rows):
        return rows[:, 0] - self.cut_

    def predict(self, rows):
        return (self.decision_function(rows) > 0.0).astype(int)

    def risk(self):
        return NOISE + (1.0 - 2.0 * NOISE) * abs(self.cut_ - 0.5)


class Nearest(ClassifierMixin, BaseEstimator):
    """The label of the nearest row, which fits whatever it is shown."""

    def fit(self, rows, labels):
        self.classes_ = np.unique(labels)
        order = np.argsort(rows[:, 0], kind="stable")
        self.x_, self.y_ = rows[order, 0], labels[order]
        self.cuts_ = (self.x_[1:] + self.x_[:-1]) / 2
        return self

    def decision_function(self, rows):
        place = np.searchsorted(self.cuts_, rows[:, 0])
        return np.where(self.y_[place] == 1, 1.0, -1.0) / (1e-3 + np.abs(rows[:, 0] - self.x_[place]))

    def predict(self, rows):
        return (self.decision_function(rows) > 0.0).astype(int)

    def risk(self):
        """Each cell counts by its parts below and above one half."""
        ends = np.concatenate([[0.0], self.cuts_, [1.0]])
        above = np.diff(np.maximum(ends, 0.5))
        apart = np.where(self.y_ == 1, np.diff(ends) - above, above).sum()
        return NOISE + (1.0 - 2.0 * NOISE) * apart


def risk_of(model):
    return model.risk() if hasattr(model, "risk") else 0.5  # a single class


def study(learner, options, delta, runs, n=80):
    """Return bound minus truth in each run."""

    def fit(run):
        rng = np.random.default_rng([run, n])
        x = rng.random((n, 1))
        y = ((x[:, 0] > 0.5) ^ (rng.random(n) < NOISE)).astype(int)
        if np.unique(y).size < 2:
            return 1.0
        done = certify_rows(Picking(learner=learner, delta=delta, **options), x, y, random_state=run)
        return done.certificate_.value - risk_of(done.issued.fitted["estimator_"])

    return np.array(repeat(fit, runs, delta, lambda gap: gap < 0.0))


def check(learner, rule, delta, runs, record_property):
    gaps = study(learner, RULES[rule], delta, runs)
    name, violations = f"pick-to-learn, {type(learner).__name__}, {rule}, delta {delta}", int(np.sum(gaps < 0.0))
    share = f"{violations / gaps.size:.2%} of {gaps.size}"
    record_property(f"line:{name} violated", f"{share}, median slack {np.median(gaps):.4f}")
    assert not too_often(violations, gaps.size, delta)


@pytest.mark.filterwarnings("ignore::pacbayes.procedures.CertificateWarning")
@pytest.mark.parametrize("rule", RULES)
def test_pick_to_learn_holds(rule, record_property):
    check(Nearest(), rule, 0.5, 40, record_property)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::pacbayes.procedures.CertificateWarning")
@pytest.mark.parametrize("delta", [0.5, 0.05])
@pytest.mark.parametrize(
    ("learner", "rule"), [(Threshold(), next(iter(RULES))), *((Nearest(), rule) for rule in RULES)]
)
def test_pick_to_learn_holds_in_many_fits(learner, rule, delta, record_property):
    check(learner, rule, delta, 500, record_property)
