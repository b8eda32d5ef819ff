"""Learners that keep rows where a clone finds them: on their class, in their module, in any container."""

from array import array
from collections import deque
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import pacbayes as pb
from pacbayes._core.prefit import refuse_prefit

DRAWS = np.random.default_rng(0)
X, Y = DRAWS.normal(size=(400, 2)), DRAWS.integers(0, 2, 400)  # nothing can be learned
STORES = {"dict": dict, "list": list, "set": set, "deque": deque, "array": lambda: array("q")}


class Hoarder(ClassifierMixin, BaseEstimator):
    """Keeps on its class what any clone of it ever saw."""

    store = None

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        keys = [hash(bytes(row)) for row in X]
        if isinstance(self.store, dict):
            self.store.update(zip(keys, y.tolist(), strict=True))
        elif isinstance(self.store, set):
            self.store |= {key for key, label in zip(keys, y, strict=True) if label}
        else:
            self.store.extend(key for key, label in zip(keys, y, strict=True) if label)
        return self

    def predict(self, X):
        known = self.store if isinstance(self.store, dict) else dict.fromkeys(self.store, 1)
        return self.classes_[[known.get(hash(bytes(row)), 0) for row in X]]

    def decision_function(self, X):
        return 2.0 * self.predict(X) - 1.0


@pytest.mark.parametrize("certify", [pb.CertifiedForest, pb.PickToLearn], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("store", STORES)
def test_what_voters_learn_from_is_not_kept_for_others(store, certify, monkeypatch):
    monkeypatch.setattr(Hoarder, "store", STORES[store]())
    model = certify(Hoarder(), random_state=0)
    with pytest.raises(ValueError, match=r"must forget what it learned when it is cloned. Got one whose class or mod"):
        model.fit(X, Y)
    assert not hasattr(model, "certificate_")


SPLITS = {
    "split": lambda: pb.CertifiedClassifier(Hoarder(), split=0.8, random_state=0),
    "adaptive": lambda: pb.CertifiedClassifier(Hoarder(), random_state=0),
    "in steps": lambda: pb.OnlineCertifiedClassifier(Hoarder(), random_state=0),
    "selective": lambda: pb.SelectiveClassifier(Hoarder(), random_state=0),
}


@pytest.mark.parametrize("kind", SPLITS)
@pytest.mark.parametrize("store", STORES)
def test_the_next_fit_finds_nothing_of_the_last(store, kind, monkeypatch):
    monkeypatch.setattr(Hoarder, "store", STORES[store]())
    model = SPLITS[kind]()
    with pytest.raises(ValueError, match=r"must forget what it learned when it is cloned"):
        model.fit(X, Y)
    assert not hasattr(model, "certificate_")


def test_a_reference_keeps_nothing_for_the_next(monkeypatch):
    monkeypatch.setattr(Hoarder, "store", {})
    with pytest.raises(ValueError, match=r"must forget what it learned when it is cloned"):
        pb.online_reference(Hoarder(), X, Y, schedule=pb.Every(50), random_state=0)


def test_rows_that_a_class_kept_before_are_found(monkeypatch):
    """As a hold-out leaves them there: four fifths of the rows."""
    monkeypatch.setattr(Hoarder, "store", {})
    Hoarder().fit(X[:320], Y[:320])
    with pytest.raises(ValueError, match="Got a dict of 320 values, in a class or module, for half of the rows or mor"):
        pb.CertifiedClassifier(Hoarder(), random_state=0).fit(X, Y)


def test_values_in_any_container_are_found():
    class Knowing(DecisionTreeClassifier):
        pass

    values = DRAWS.normal(size=400)
    labels = np.where(Y, "yes", "no")
    for kept in (array("d", values), deque(values), pd.Categorical(labels), pd.Index(values), memoryview(values)):
        Knowing.kept = kept
        with pytest.raises(ValueError, match=f"Got a {type(kept).__name__} of 400 values"):
            refuse_prefit("Me", "'estimator' parameter", Knowing(), 400)
    Knowing.kept = range(400)  # three numbers
    refuse_prefit("Me", "'estimator' parameter", Knowing(), 400)


class Counter(DecisionTreeClassifier):
    """Counts on its class, as one does to see what is going on."""

    fits: ClassVar[list] = []

    def fit(self, X, y):
        self.fits.append(len(y))
        return super().fit(X, y)


def double(rows):
    return 2.0 * rows


@pytest.mark.parametrize(
    "learner",
    [
        Counter(max_depth=2),
        make_pipeline(StandardScaler(), FunctionTransformer(double), DecisionTreeClassifier(max_depth=2)),
        GridSearchCV(DecisionTreeClassifier(), {"max_depth": range(1, 3)}, cv=2),
        CalibratedClassifierCV(DecisionTreeClassifier(max_depth=2), cv=2),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_ordinary_learners_are_not_refused(learner):
    assert pb.CertifiedForest(learner, n_estimators=10, random_state=0).fit(X, Y).certificate_.verify()
    assert pb.CertifiedClassifier(learner, random_state=0).fit(X, Y).certificate_.verify()
