"""Estimators in memory whose predictor was swapped for one that agrees on every known row."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import pacbayes as pb
from pacbayes.verification import recheck

SAMPLE = pb.datasets.make_known_risk(300, d=2, random_state=3)
X, Y = SAMPLE.X, SAMPLE.y


class Parrot:
    """Answers known rows like the model it replaces, and all others the other way round."""

    def __init__(self, model):
        self.model, self.known = model, {row.tobytes() for row in np.ascontiguousarray(X)}
        self.classes_ = model.classes_

    def predict(self, rows):
        answers = self.model.predict(rows)
        unknown = np.array([row.tobytes() not in self.known for row in np.ascontiguousarray(rows)])
        return np.where(unknown, self.classes_[0] + self.classes_[1] - answers, answers)


@pytest.mark.parametrize("estimator", [LogisticRegression(), RandomForestClassifier(5, random_state=0)], ids=str)
def test_a_fitted_estimator_that_agrees_on_every_known_row(estimator):
    model = pb.CertifiedClassifier(estimator, random_state=0).fit(X, Y)
    assert recheck(model.certificate_, X, Y, model)
    model.estimator_ = Parrot(model.estimator_)
    assert np.array_equal(model.predict(X), model.estimator_.model.predict(X))
    assert not recheck(model.certificate_, X, Y, model)


def test_a_snapshot_that_agrees_on_every_known_row():
    model = pb.OnlineCertifiedClassifier(LogisticRegression(), random_state=0).fit(X, Y)
    assert recheck(model.certificate_, X, Y, model)
    point, last = model.snapshots_[-1]
    model.snapshots_[-1] = (point, Parrot(last))
    assert not recheck(model.certificate_, X, Y, model)


def test_preprocessing_that_agrees_on_every_known_row():
    class Scaler(StandardScaler):
        def transform(self, rows):
            known = {row.tobytes() for row in np.ascontiguousarray(X)}
            unknown = np.array([row.tobytes() not in known for row in np.ascontiguousarray(rows)])
            return super().transform(rows) * np.where(unknown, -1.0, 1.0)[:, None]

    model = pb.CertifiedLogisticRegression(random_state=0).fit(X, Y)
    assert recheck(model.certificate_, X, Y, model)
    model.preprocessing_.__class__ = Scaler
    assert not recheck(model.certificate_, X, Y, model)


@pytest.mark.parametrize(
    "estimator",
    [
        HistGradientBoostingClassifier(max_iter=5, random_state=0),
        KNeighborsClassifier(algorithm="kd_tree"),
        KNeighborsClassifier(algorithm="ball_tree"),
        GaussianNB(),
        SVC(),
        MLPClassifier((4,), max_iter=20, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
        GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_honest_estimators_are_told_from_swapped_ones(estimator):
    model = pb.CertifiedClassifier(estimator, random_state=0).fit(X, Y)
    model.predict(X[:7])  # what is counted while asking is no part of what was learned
    verification = recheck(model.certificate_, X, Y, model)
    assert verification, str(verification)


def _move_rows(model, rows, times):
    """Move stored rows into gaps between known rows, as long as no known row changes its answer; return how many."""
    stored, wanted, places = model.estimator_, model.predict(rows), np.sort(rows[:, 0])
    gaps = [((a + b) / 2, a) for a, b in pairwise(places) if a * b > 0]
    free, moved = list(range(len(stored._y))), 0
    for place, side in [(places[-1] + 0.2, 1.0), (places[0] - 0.2, -1.0), *gaps]:
        for number in list(free):
            before = stored._fit_X[number].copy()
            if (before[0] > 0) == (side > 0):
                continue
            stored._fit_X[number] = [place, times]
            if np.array_equal(model.predict(rows), wanted):
                free.remove(number)
                moved += 1
                break
            stored._fit_X[number] = before
    return moved


@pytest.mark.parametrize("kind", ["classifier", "regressor"])
def test_stored_rows_that_were_moved_in_the_shade_of_a_time_stamp(kind):
    draws, times = np.random.default_rng(0), 1.7e9
    rows = np.column_stack([draws.normal(size=200), times + draws.normal(size=200) * 1e-3])
    options = {"n_neighbors": 1, "algorithm": "brute", "metric": "manhattan"}
    if kind == "classifier":
        labels = (rows[:, 0] > 0).astype(int)
        model = pb.CertifiedClassifier(KNeighborsClassifier(**options), split=0.5, random_state=0)
    else:
        labels = (rows[:, 0] > 0).astype(float)
        model = pb.CertifiedRegressor(KNeighborsRegressor(**options), scale=1.0, split=0.5, random_state=0)
    model.fit(rows, labels)
    assert recheck(model.certificate_, rows, labels, model)
    assert _move_rows(model, rows, times) > 10
    assert not recheck(model.certificate_, rows, labels, model)


def test_a_weight_of_a_time_stamp_without_standardising():
    """The weight of such a column is tiny, and a millionth of the largest weight would be all of it."""
    draws = np.random.default_rng(0)
    rows = np.column_stack([draws.normal(size=300), draws.normal(size=300) * 1e6])
    labels = (rows[:, 0] > 0).astype(int)
    model = pb.CertifiedLogisticRegression(preprocessing="passthrough", random_state=0).fit(rows, labels)
    assert recheck(model.certificate_, rows, labels, model)
    model.coef_[0, 1] += 3e-7 * np.abs(model.coef_).max()
    checks = recheck(model.certificate_, rows, labels, model)
    assert "coef_" in next(check.claimed for check in checks.failed if check.code == "predictor")
