"""Certificates of rows that were picked from a table, and fitted attributes that were exchanged, beside the table."""

import pickle

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import pacbayes as pb
from pacbayes.verification import recheck

DRAWS = np.random.default_rng(0)
X = DRAWS.normal(size=(600, 3))
Y = ((X[:, 0] > 0) ^ (DRAWS.random(600) < 0.45)).astype(int)  # the smallest true error there is is 45 %
RIGHT = np.flatnonzero((X[:, 0] > 0) == (Y == 1))[:200]
FIRST = np.r_[RIGHT, np.setdiff1d(np.arange(600), RIGHT)]
KINDS = {
    "split": lambda: pb.CertifiedClassifier(LogisticRegression(), random_state=0),
    "picked": lambda: pb.PickToLearn(LogisticRegression(), random_state=0),
    "posterior": lambda: pb.CertifiedLogisticRegression(random_state=0),
    "forest": lambda: pb.CertifiedForest(n_estimators=5, random_state=0),
    "selective": lambda: pb.SelectiveClassifier(LogisticRegression(), max_error=0.2, random_state=0),
    "recursive": lambda: pb.RecursiveLogisticRegression(random_state=0),
    "online": lambda: pb.OnlineCertifiedClassifier(LogisticRegression(), random_state=0),
}


@pytest.mark.filterwarnings("ignore::pacbayes.procedures.CertificateWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_of_the_first_rows_is_none_of_the_table(kind):
    rows, labels = X[FIRST], Y[FIRST]
    model = KINDS[kind]().fit(rows[:200], labels[:200])
    assert recheck(model.certificate_, rows[:200], labels[:200], model)
    assert not recheck(model.certificate_, rows, labels, model)
    assert not recheck(model.certificate_, rows[:199], labels[:199], model)


def test_an_updated_stream_is_rechecked_on_all_its_rows():
    model = KINDS["online"]().fit(X[:200], Y[:200]).update(X[200:300], Y[200:300])
    held = [bool(recheck(model.certificate_, X[:stop], Y[:stop], model)) for stop in (200, 300, 301)]
    assert held == [False, True, False]


def test_the_model_that_answers_is_the_one_that_was_certified():
    signs = (X[:, 0] > 0).astype(int)
    model = KINDS["selective"]().fit(X, signs)
    others = DRAWS.normal(size=(2000, 3))
    forged = np.r_[model.predict(X), 1 - model.predict(others)]
    model.predictor_.estimator_ = DecisionTreeClassifier(random_state=0).fit(np.r_[X, others], forged)
    model = pickle.loads(pickle.dumps(model))
    assert np.array_equal(model.predict(X), KINDS["selective"]().fit(X, signs).predict(X))
    assert not recheck(model.certificate_, X, signs, model)


@pytest.mark.parametrize("attribute", ["draw_", "oob_error_"])
def test_every_fitted_number_is_compared(attribute):
    made = {
        "draw_": pb.CertifiedLogisticRegression(random_state=0, derandomize="draw"),
        "oob_error_": pb.CertifiedForest(n_estimators=5, random_state=0),
    }
    model = made[attribute].fit(X, Y)
    assert recheck(model.certificate_, X, Y, model)
    setattr(model, attribute, -getattr(model, attribute))
    assert not recheck(model.certificate_, X, Y, model)


def test_a_threshold_has_no_groups():
    with pytest.raises(ValueError, match=r"The 'grouping' argument of SelectiveClassifier.fit must be None"):
        KINDS["selective"]().fit(X, Y, grouping={"side": X[:, 1] > 0})
