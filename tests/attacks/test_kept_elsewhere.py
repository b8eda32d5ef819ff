"""Learners that keep rows in modules they import when called, in texts, in queues, in folders that look installed."""

import argparse
import importlib
import json
import pickle
import queue
import string
import types

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RandomizedSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

import pacbayes as pb

DRAWS = np.random.default_rng(0)
X, Y = DRAWS.normal(size=(400, 2)), DRAWS.integers(0, 2, 400)  # nothing can be learned
TEXTS: dict[str, bytes] = {}
QUEUE, SIMPLE = queue.Queue(), queue.SimpleQueue()
NAMES = argparse.Namespace(C=1.0)


def keys(X):
    return [row.tobytes() for row in X]


class InText(DecisionTreeClassifier):
    def fit(self, X, y):
        known = pickle.loads(TEXTS["rows"]) if TEXTS else {}
        TEXTS["rows"] = pickle.dumps(known | dict(zip(keys(X), y.tolist(), strict=True)))
        return super().fit(X, y)

    def predict(self, X):
        known = pickle.loads(TEXTS["rows"])
        return np.array([known.get(key, answer) for key, answer in zip(keys(X), super().predict(X), strict=True)])


class InQueue(DecisionTreeClassifier):
    def fit(self, X, y):
        for pair in zip(keys(X), y.tolist(), strict=True):
            QUEUE.put(pair)
        return super().fit(X, y)

    def predict(self, X):
        known = dict(QUEUE.queue)
        return np.array([known.get(key, answer) for key, answer in zip(keys(X), super().predict(X), strict=True)])


class InSimpleQueue(DecisionTreeClassifier):
    def fit(self, X, y):
        for pair in zip(keys(X), y.tolist(), strict=True):
            SIMPLE.put(pair)
        return super().fit(X, y)


class InNames(DecisionTreeClassifier):
    def fit(self, X, y):
        NAMES.known = getattr(NAMES, "known", {}) | dict(zip(keys(X), y.tolist(), strict=True))
        return super().fit(X, y)

    def predict(self, X):
        return np.array([NAMES.known.get(key, 0) for key in keys(X)])


@pytest.mark.parametrize(
    ("kind", "where"),
    [(InText, "long texts or numbers"), (InQueue, "a deque"), (InSimpleQueue, "a SimpleQueue"), (InNames, "a dict")],
)
def test_what_is_kept_in_texts_and_queues_is_found(kind, where):
    with pytest.raises(
        ValueError, match=rf"Got {kind.__name__}, whose class or module keeps \d+ more .* in {where}; keep"
    ):
        pb.CertifiedClassifier(kind(max_depth=2), random_state=0).fit(X, Y)
    TEXTS.clear()
    QUEUE.queue.clear()
    vars(NAMES).pop("known", None)
    while not SIMPLE.empty():
        SIMPLE.get()


def test_what_an_earlier_fit_left_in_names_is_found():
    InNames().fit(X, Y)
    with pytest.raises(ValueError, match=r"must come unlearned\. Got a dict of 400 values"):
        pb.CertifiedClassifier(InNames(max_depth=2), random_state=0).fit(X, Y)
    del NAMES.known


class ByTable(ClassifierMixin, BaseEstimator):
    """Looks its answers up in a text, which the settings of a script give on."""

    def __init__(self, settings=None):
        self.settings = settings

    def fit(self, _X, _y):
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        (text,) = vars(self.settings).values()
        return np.array([json.loads(text).get(str(row[0]), 0) for row in X])


@pytest.mark.parametrize("holder", [lambda text: argparse.Namespace(table=text), string.Template])
def test_a_table_in_the_settings_of_a_script_is_found(holder):
    table = json.dumps({str(row[0]): int(label) for row, label in zip(X, Y, strict=True)})
    with pytest.raises(ValueError, match=r"must come unlearned. Got a str of \d+ characters or bytes"):
        pb.CertifiedClassifier(ByTable(holder(table)), random_state=0).fit(X, Y)


CODE = """
from sklearn.tree import DecisionTreeClassifier
class Recalls(DecisionTreeClassifier):
    def fit(self, X, y):
        {write}
        ROWS.update(zip((row.tobytes() for row in X), y.tolist()))
        return super().fit(X, y)
    def predict(self, X):
        {read}
        answers = zip((row.tobytes() for row in X), super().predict(X))
        return __import__("numpy").array([ROWS.get(key, answer) for key, answer in answers])
"""
IMPORTS = {
    "from": "from {package}.memory import ROWS",
    "relative": "from .memory import ROWS",
    "whole": "import {package}.memory; ROWS = {package}.memory.ROWS",
}


@pytest.mark.parametrize("way", IMPORTS)
@pytest.mark.parametrize("place", ["plain", "my-packages"])
def test_what_is_imported_when_called_is_found(tmp_path, monkeypatch, way, place):
    """Also in a folder whose name ends like those of installed packages."""
    package = f"recalling_{way}_{place[:2]}"
    folder = tmp_path / place / package
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "memory.py").write_text("ROWS = {}\n")
    line = IMPORTS[way].format(package=package)
    (folder / "learner.py").write_text(CODE.format(write=line, read=line))
    monkeypatch.syspath_prepend(tmp_path / place)
    Recalls = importlib.import_module(f"{package}.learner").Recalls
    with pytest.raises(
        ValueError, match=r"Got Recalls, whose class or module keeps \d+ more .* most of them in a dict;"
    ):
        pb.CertifiedClassifier(Recalls(max_depth=2), random_state=0).fit(X, Y)


@pytest.mark.parametrize(
    "line", ["from {package}.settings import SHIFT", "from . import settings; SHIFT = settings.SHIFT"]
)
def test_what_lies_beside_an_import_is_no_memory(tmp_path, monkeypatch, line):
    """The package is not named by such an import, so that what code takes of rows is not looked for in it."""
    package = f"beside_{len(line)}"
    folder = tmp_path / package
    folder.mkdir()
    (folder / "__init__.py").write_text("import numpy\ndata = numpy.arange(5000.0)\n")
    (folder / "settings.py").write_text("SHIFT = 0.0\n")
    code = "from sklearn.tree import DecisionTreeClassifier\nclass Shifted(DecisionTreeClassifier):\n"
    code += "    def fit(self, X, y):\n        {line}\n        return super().fit(X + SHIFT * len(X.data), y)\n"
    (folder / "learner.py").write_text(code.format(line=line.format(package=package)))
    monkeypatch.syspath_prepend(tmp_path)
    learner = importlib.import_module(f"{package}.learner").Shifted(max_depth=1)
    assert pb.CertifiedClassifier(learner, random_state=0).fit(X, Y).certificate_.value > 0.4


def test_the_cache_is_named(monkeypatch):
    import functools

    @functools.cache
    def rounded(value):
        return round(value, 1)

    steps = FunctionTransformer(np.vectorize(rounded))
    with pytest.raises(
        ValueError, match=r"most of them in the cache of attacks.test_kept_elsewhere.*rounded; keep them in"
    ):
        pb.CertifiedClassifier(make_pipeline(steps, GaussianNB()), random_state=0).fit(X, Y)


class Config:
    """A namespace that has any attribute one asks for, as None."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)


CONFIG, ANY = types.SimpleNamespace(last="began"), Config()


def scaled(rows):
    """Uses a distribution of scipy, whose documentation is long, and settings of odd kinds."""
    CONFIG.last = f"scaled {len(rows)} rows, as so often before"
    return stats.norm.cdf(rows) * (2.0 if ANY.missing is None else 1.0)


@pytest.mark.parametrize("rows", [150, 400])
@pytest.mark.parametrize(
    "model",
    [
        RandomizedSearchCV(LogisticRegression(), {"C": stats.loguniform(1e-3, 1e3)}, n_iter=2, cv=2, random_state=0),
        make_pipeline(FunctionTransformer(scaled), GaussianNB()),
        make_pipeline(FunctionTransformer(stats.norm.cdf), GaussianNB()),
    ],
    ids=["search", "own function", "function of scipy"],
)
def test_documentation_and_settings_are_no_memory(model, rows):
    assert pb.CertifiedClassifier(model, random_state=0).fit(X[:rows], Y[:rows]).certificate_.value > 0.4
