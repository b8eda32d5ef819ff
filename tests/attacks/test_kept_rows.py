"""Learners that keep rows where a clone finds them: on their class, in their module, in any container."""

import collections
import enum
import functools
import importlib
import logging
import threading
import types
from array import array
from collections import deque
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
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
    with pytest.raises(ValueError, match=r"must forget what it learned when it is cloned. Got \w+, whose class or mod"):
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


class Labelling(TransformerMixin, BaseEstimator):
    """Keeps on its class the labels of all rows that any clone of it learned from."""

    known: ClassVar[dict] = {}

    def fit(self, X, y):
        self.known.update(zip(map(bytes, X), y.tolist(), strict=True))
        self.columns_ = X.shape[1]
        return self

    def transform(self, X):
        return np.array([[self.known.get(bytes(row), 0.5)] for row in X])


@pytest.mark.parametrize(
    "certify",
    [
        pb.CertifiedLogisticRegression,
        functools.partial(pb.CertifiedLogisticRegression, derandomize="draw"),
        functools.partial(pb.RecursiveLogisticRegression, steps=2),
        functools.partial(pb.CertifiedClassifier, split=0.5),
    ],
)
def test_preprocessing_keeps_nothing_for_the_next(certify, monkeypatch):
    monkeypatch.setattr(Labelling, "known", {})
    model = certify(preprocessing=Labelling(), random_state=0)
    with pytest.raises(ValueError, match=r"must forget what it learned when it is cloned"):
        model.fit(X, Y)
    assert not hasattr(model, "certificate_")


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


ANSWERS, WATCHED = {}, []
SPACE, LOCAL = types.SimpleNamespace(answers={}), threading.local()
LOCAL.answers = {}


class Store:
    """A plain object that keeps answers."""

    def __init__(self, wrapped=None):
        self.wrapped, self.answers = wrapped, {}

    def __call__(self, key, answer):
        return self.answers.setdefault(key, answer)


OBJECT = Store()


class Question:
    """Equal to others about the same row, whatever the answer."""

    def __init__(self, key, answer):
        self.key, self.answer = key, answer

    def __hash__(self):
        return hash(self.key)

    def __eq__(self, other):
        return self.key == other.key


@functools.cache
def answer_once(question):
    return question.answer


def answer_by_attribute(key, answer):
    return answer_by_attribute.answers.setdefault(key, answer)


answer_by_attribute.answers = {}


@Store
def answer_decorated(key, answer):
    raise AssertionError(key, answer)


def answer_through(keep):
    """Return a class of learners that keep answers by a method, a static method, a property, ..."""

    class Repeating(ClassifierMixin, BaseEstimator):
        store = Store() if keep is None else None

        def fit(self, X, y):
            self.classes_, self.model_ = np.unique(y), DecisionTreeClassifier(random_state=0).fit(X, y)
            return self

        def predict(self, X):
            answers = zip(map(bytes, X), self.model_.predict(X), strict=True)
            return np.array([self.answer(key, answer) for key, answer in answers])

        def answer(self, key, answer):
            return type(self).store.answers.setdefault(key, answer)

    if keep is not None:
        Repeating.answer = keep
    return Repeating


def keep_answer(key, answer):
    return ANSWERS.setdefault(key, answer)


REPEATING = {
    "a static method": staticmethod(keep_answer),
    "a class method": classmethod(lambda _, key, answer: ANSWERS.setdefault(key, answer)),
    "a property": property(lambda _: keep_answer),
    "a part of a method": functools.partialmethod(lambda _, key, answer: keep_answer(key, answer)),
    "a cache of answers": staticmethod(lambda key, answer: answer_once(Question(key, answer))),
    "an attribute of a function": staticmethod(answer_by_attribute),
    "a decorator": staticmethod(lambda key, answer: 0 + answer_decorated(key, answer)),
    "an object in the module": staticmethod(lambda key, answer: 0 + OBJECT(key, answer)),
    "a namespace": staticmethod(lambda key, answer: 0 + SPACE.answers.setdefault(key, answer)),
    "a value of a thread": staticmethod(lambda key, answer: 0 + LOCAL.answers.setdefault(key, answer)),
    "a method of a dictionary": staticmethod(ANSWERS.setdefault),
    "an object on the class": None,
}


def forget():
    answer_once.cache_clear()
    stores = (ANSWERS, SPACE, LOCAL, OBJECT, answer_by_attribute, answer_decorated)
    for each in stores:
        (each if isinstance(each, dict) else each.answers).clear()


def find_answers_kept(kind):
    """Certify twice: first as others look on, then after somebody looked at the training error."""
    forget()
    with pytest.raises(ValueError, match=r"must forget what it learned when it is cloned"):
        pb.CertifiedClassifier(kind(), split=0.5, random_state=0).fit(X, Y)
    kind().fit(X, Y).predict(X)
    with pytest.raises(ValueError, match=r"must come unlearned. Got a \w+ of 400 values"):
        pb.CertifiedClassifier(kind(), split=0.5, random_state=0).fit(X, Y)
    forget()


@pytest.mark.parametrize("name", REPEATING)
def test_answers_that_are_kept_are_found(name):
    find_answers_kept(answer_through(REPEATING[name]))


def test_a_transfer_finds_answers_that_one_model_keeps_for_the_other():
    forget()
    Repeating = answer_through(staticmethod(lambda key, answer: ANSWERS.setdefault(key, answer) if WATCHED else answer))
    model = pb.CertifiedClassifier(Repeating(), split=0.5, refit=True, random_state=0).fit(X, Y)
    WATCHED.append(True)
    with pytest.raises(ValueError, match=r"class or module keeps \d+ more values than before it learned or answered"):
        model.transfer(DRAWS.normal(size=(200, 2)))
    WATCHED.clear()
    forget()


def test_answers_in_another_module_are_found(tmp_path, monkeypatch):
    (tmp_path / "kept_folder").mkdir()
    (tmp_path / "kept_folder" / "kept_answers.py").write_text("ANSWERS = {}\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("kept_folder.kept_answers")
    monkeypatch.setitem(globals(), "kept_folder", importlib.import_module("kept_folder"))
    code = "lambda key, answer: kept_folder.kept_answers.ANSWERS.setdefault(key, answer)"
    find_answers_kept(answer_through(staticmethod(eval(code, globals()))))


LOG, COUNTS = logging.getLogger(__name__), collections.Counter()


class Mode(enum.Enum):
    FAST, SLOW = "fast", "slow"


@dataclass(frozen=True)
class Settings:
    type_: str = "a tree"
    mode: Mode = Mode.FAST
    names: list = field(default_factory=lambda: [f"column {place}" for place in range(60)])

    def __deepcopy__(self, memo):
        return self


SETTINGS = Settings()


@functools.lru_cache
def depth_of(mode):
    return 1 if mode is Mode.FAST else 2


class Talking(DecisionTreeClassifier):
    """Logs, counts, and reads settings: what it names is no memory."""

    log = LOG

    def fit(self, X, y):
        COUNTS.update(y.tolist())
        LOG.debug("%s of depth %d, %d names", SETTINGS.type_, depth_of(SETTINGS.mode), len(SETTINGS.names))
        self.max_depth = depth_of(Mode.SLOW)
        return super().fit(X, y)


def test_logs_counts_and_settings_are_no_memory():
    for each in range(400):
        logging.getLogger(f"{__name__}.{each}")
    assert pb.CertifiedClassifier(Talking(), random_state=0).fit(X, Y).certificate_.verify()
    assert COUNTS
    assert depth_of.cache_info().currsize
