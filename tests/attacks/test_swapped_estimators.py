"""Estimators in memory whose predictor was swapped for one that agrees on every known row."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
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
