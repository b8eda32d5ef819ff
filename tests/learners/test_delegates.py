"""Who gives the scores of a classifier, whether there are any, and whether they are of classes or of pairs of them."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_selection import RFE
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, NuSVC

import pacbayes as pb
from pacbayes.learners import can_score, class_score, confidence_of, find_pairing, margin_of

X, Y = make_classification(120, 4, n_informative=4, n_redundant=0, n_classes=3, n_clusters_per_class=1, random_state=0)
PAIRS = SVC(decision_function_shape="ovo")
READERS = {
    "confidence": confidence_of,
    "score": lambda model, rows: class_score(model, rows, 1),
    "margin": lambda model, rows: margin_of(model, rows, np.ones(len(rows), dtype=int)),
}
SEARCH = GridSearchCV(make_pipeline(StandardScaler(), PAIRS), {"svc__C": [0.5, 1.0]}, cv=2)
BY_PAIRS = {
    "itself": PAIRS,
    "nu": NuSVC(nu=0.2, decision_function_shape="ovo"),
    "pipeline": make_pipeline(StandardScaler(), PAIRS),
    "search": SEARCH,
    "frozen": FrozenEstimator(SVC(decision_function_shape="ovo").fit(X, Y)),
    "stack": StackingClassifier([("a", LogisticRegression())], final_estimator=SEARCH, cv=2),
}
BY_CLASSES = {
    "rest": SVC(),
    "one against the rest of pairs": OneVsRestClassifier(PAIRS),
    "one against one": OneVsOneClassifier(PAIRS),
    "boosted": AdaBoostClassifier(PAIRS, n_estimators=2),
    "calibrated": CalibratedClassifierCV(PAIRS, cv=2),
    "a stack of pairs": StackingClassifier([("a", PAIRS)], final_estimator=LogisticRegression(), cv=2),
}


@pytest.mark.parametrize("name", BY_PAIRS)
@pytest.mark.parametrize("reader", READERS)
def test_scores_of_pairs_are_refused(reader, name):
    model = BY_PAIRS[name].fit(X, Y)
    assert model.decision_function(X).shape == (120, 3)  # which is the shape of scores of three classes
    with pytest.raises(ValueError, match=r'SVC must have decision_function_shape="ovr". Got "ovo" instead'):
        READERS[reader](model, X)


def test_scores_of_pairs_that_are_averaged_are_refused():
    model = BaggingClassifier(make_pipeline(PAIRS), n_estimators=2, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match=r'SVC must have decision_function_shape="ovr"'):
        READERS["margin"](model, X)
    assert np.isfinite(READERS["confidence"](model, X)).all()  # shares of votes


def test_the_one_that_chose_features_gives_the_scores():
    model = RFE(SVC(kernel="linear", decision_function_shape="ovo"), n_features_to_select=2).fit(X, Y)
    assert find_pairing(model) is model.estimator_


@pytest.mark.parametrize("name", BY_CLASSES)
@pytest.mark.parametrize("reader", READERS)
def test_scores_of_classes_are_read(reader, name):
    PAIRS.fit(X, Y)  # that a template is fitted, too, says nothing
    model = BY_CLASSES[name].fit(X, Y)
    assert np.isfinite(READERS[reader](model, X)).all()


@pytest.mark.parametrize("reader", READERS)
def test_of_two_classes_there_is_one_pair(reader):
    rows, labels = X[Y < 2], Y[Y < 2]
    found = READERS[reader](SVC(decision_function_shape="ovo").fit(rows, labels), rows)
    np.testing.assert_array_equal(found, READERS[reader](SVC().fit(rows, labels), rows))


def test_probabilities_beside_pairs_are_read():
    model = PAIRS.fit(X, Y)
    model.predict_proba = lambda rows: np.tile([0.2, 0.5, 0.3], (len(rows), 1))
    assert confidence_of(model, X[:3]).tolist() == class_score(model, X[:3], 1).tolist() == [0.5, 0.5, 0.5]


@pytest.mark.parametrize("estimator", [pb.PickToLearn, pb.SelectiveClassifier])
def test_estimators_refuse_pairs(estimator):
    with pytest.raises(ValueError, match=r'SVC must have decision_function_shape="ovr"'):
        estimator(make_pipeline(StandardScaler(), PAIRS), random_state=0).fit(X, Y)
    assert estimator(SVC(), random_state=0).fit(X, Y).certificate_.verify()


FINAL = StackingClassifier([("a", LogisticRegression())], cv=2)  # whose methods are those of its default, when fitted


@pytest.mark.parametrize("stack", [FINAL, make_pipeline(FINAL), GridSearchCV(FINAL, {"passthrough": [True]}, cv=2)])
@pytest.mark.parametrize("estimator", [pb.PickToLearn, pb.SelectiveClassifier])
def test_methods_that_come_with_the_fit_are_taken(estimator, stack):
    assert can_score(stack)
    found = estimator(stack, random_state=0).fit(X[Y < 2], Y[Y < 2])
    assert found.certificate_.verify()
    assert found.predict_proba(X).shape == (120, 2)


@pytest.mark.parametrize(
    "without",
    [
        LinearRegression(),
        make_pipeline(LinearRegression()),
        GridSearchCV(make_pipeline(LinearRegression()), {}),
        StackingClassifier([("a", SVC())], final_estimator=LinearRegression()),
    ],
)
def test_who_will_give_no_scores_is_known_before_the_fit(without):
    assert not can_score(without)


@pytest.mark.parametrize("estimator", [pb.PickToLearn, pb.SelectiveClassifier])
def test_methods_that_do_not_come_with_the_fit_are_missed_then(estimator):
    with pytest.raises(ValueError, match=r"a classifier needs predict_proba or decision_function\. Vot.* has neither"):
        estimator(VotingClassifier([("a", LogisticRegression())]), random_state=0).fit(X, Y)


class OwnScores(ClassifierMixin, BaseEstimator):
    """Turns decision values of pairs into one value for each class, and keeps its classes in another container."""

    container = np.asarray

    def fit(self, X, y):
        self.estimator_ = SVC(decision_function_shape="ovo").fit(X, y)
        self.classes_ = type(self).container(self.estimator_.classes_)
        return self

    def predict(self, X):
        return np.asarray(self.classes_)[self.decision_function(X).argmax(axis=1)]

    def decision_function(self, X):
        pairs, votes = np.tanh(self.estimator_.decision_function(X)), np.zeros((len(X), 3))
        for column, (first, second) in enumerate(combinations(range(3), 2)):
            votes[:, first] += pairs[:, column]
            votes[:, second] -= pairs[:, column]
        return votes


class Sized:
    """An array whose ``size`` is a method, as that of a tensor is."""

    def __init__(self, values):
        self._values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self._values, dtype=dtype)

    def __len__(self):
        return len(self._values)

    def size(self):
        return (len(self),)


class SizedClasses(OwnScores):
    container = Sized


@pytest.mark.parametrize("kind", [OwnScores, SizedClasses])
def test_own_code_may_make_scores_of_pairs(kind):
    model = kind().fit(X, Y)
    assert find_pairing(model) is None
    assert np.isfinite(confidence_of(model, X)).all()
    assert pb.PickToLearn(kind(), random_state=0).fit(X, Y).certificate_.value < 1.0
