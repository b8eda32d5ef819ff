"""Coverage of transfers: fitted over and over on a distribution of known risk, they fail in at most delta of the fits.

Rows are numbers of cells, and labels have a known probability in each, so that the true risk of any predictor is a sum.
Two learners are refitted: one learns the noise of every cell by heart, and one that, once it has all rows, is wrong
wherever it disagrees with the certified model, for which the sum of both bounds is needed in full. What must not be
done is planted and caught: unlabelled rows of the fit itself, and the refit judged on rows that it has learned from.
"""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import pacbayes as pb
from pacbayes.estimators import CertificateWarning

from coverage.judging import repeat, too_often

CELLS, ROWS, FRESH = 30, 60, 40
RUNS = 1000
TRUTH = np.random.default_rng(0).beta(0.4, 0.4, CELLS)  # probability of label 1 in each cell


class ByHeart(ClassifierMixin, BaseEstimator):
    """The most common label of each cell; 0 where there is none."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        cells, ones = X[:, 0].astype(int), np.asarray(y)
        counts, sums = np.bincount(cells, minlength=CELLS), np.bincount(cells, ones, minlength=CELLS)
        self.answers_ = self.choose(2 * sums > counts, len(X))
        return self

    def choose(self, most, _):
        return most.astype(int)

    def predict(self, X):
        return self.answers_[X[:, 0].astype(int)]


class Spiteful(ByHeart):
    """Knows the best answers, and with all rows gives the wrong ones in some cells where it was nearly always right."""

    def choose(self, _, rows):
        best = (TRUTH > 0.5).astype(int)
        surest = np.argsort(np.minimum(TRUTH, 1.0 - TRUTH))[:4]
        if rows == ROWS:
            best[surest] = 1 - best[surest]
        return best


def risk(model):
    return float(np.where(model.answers_ == 1, 1.0 - TRUTH, TRUTH).mean())


def draw(run):
    generator = np.random.default_rng(run)
    cells = generator.integers(CELLS, size=ROWS + FRESH)
    labels = (generator.random(ROWS) < TRUTH[cells[:ROWS]]).astype(int)
    return cells[:, None].astype(float), labels


def transfers(learner, delta, runs, rows=slice(ROWS, None), split=0.5):
    """Values of certificate and transfer, and the true risks of both models, of each fit."""

    def fit(run):
        X, y = draw(run)
        model = pb.CertifiedClassifier(learner(), 0.8 * delta, split=split, refit=True, random_state=run).fit(
            X[:ROWS], y
        )
        issued = model.transfer(X[rows], delta=0.2 * delta)
        assert issued.delta == pytest.approx(delta)
        return model.certificate_.value, issued.value, risk(model.estimator_), risk(model.refitted_)

    def failed(row):
        certified, value, first, second = row
        return value < second, value < second or certified < first

    return np.array(repeat(fit, runs, delta, failed)).T


def judge_transfers(learner, delta, runs, judge, split=0.5):
    certified, value, first, second = transfers(learner, delta, runs, split=split)
    judge(f"transfer, {learner.__name__}, split {split}, delta {delta}", value, second, delta)
    judge(
        f"both certificates, {learner.__name__}, split {split}, delta {delta}",
        np.minimum(certified - first, value - second),
        0.0,
        delta,
    )


@pytest.mark.parametrize("delta", [0.5, 0.2])
@pytest.mark.parametrize("learner", [ByHeart, Spiteful])
def test_transfers_of_known_risk(learner, delta, judge):
    judge_transfers(learner, delta, RUNS // 3, judge)


@pytest.mark.long
@pytest.mark.parametrize("split", [0.5, "adaptive"])
@pytest.mark.parametrize("delta", [0.5, 0.2, 0.05])
@pytest.mark.parametrize("learner", [ByHeart, Spiteful])
def test_transfers_of_known_risk_many_times(learner, delta, split, judge):
    judge_transfers(learner, delta, 5 * RUNS, judge, split)


class Remembers(ByHeart):
    """Answers the rows it has seen by heart, and all others by a rule that is worse with all rows."""

    def fit(self, X, y):
        self.classes_, self.seen_ = np.unique(y), dict(zip(X[:, 0].tolist(), np.asarray(y).tolist(), strict=True))
        self.other_ = int(len(X) == ROWS)
        return self

    def predict(self, X):
        return np.array([self.seen_.get(value, self.other_) for value in X[:, 0].tolist()])


def remember(run, fresh):
    """Rows are all different, and one in ten has label 1: the refit is wrong on nine in ten of new rows."""
    generator = np.random.default_rng(run)
    X, y = generator.random((ROWS + FRESH, 1)), (generator.random(ROWS) < 0.1).astype(int)
    y[:2] = 0, 1
    model = pb.CertifiedClassifier(Remembers(), 0.2, split=0.5, refit=True, random_state=run).fit(X[:ROWS], y)
    return model.transfer(X[ROWS:] if fresh else X[model.order_[model.n_learning_ :]], delta=0.05).value


def test_unlabelled_rows_that_were_learned_from_are_caught():
    with pytest.warns(CertificateWarning, match="unlabelled rows are copies of rows that were learned from or judged"):
        values = np.array([remember(run, fresh=False) for run in range(100)])
    assert too_often(np.sum(values < 0.9), 100, 0.25)
    assert all(remember(run, fresh=True) >= 0.9 for run in range(20))


def test_a_refit_judged_on_rows_that_it_has_learned_from_is_caught():
    below = 0
    for run in range(200):
        X, y = draw(run)
        model = pb.CertifiedClassifier(ByHeart(), 0.2, split=0.5, refit=True, random_state=run).fit(X[:ROWS], y)
        rest = model.order_[model.n_learning_ :]
        below += pb.certify(model.refitted_, X[rest], y[rest], delta=0.2).value < risk(model.refitted_)
    assert too_often(below, 200, 0.2)
