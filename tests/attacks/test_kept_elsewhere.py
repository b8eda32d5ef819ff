"""Learners that keep rows in modules they import when called, in texts, in queues, in folders that look installed."""

import importlib
import pickle
import queue
import types

import numpy as np
import pytest
from scipy import stats
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
QUEUE = queue.Queue()


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


@pytest.mark.parametrize(("kind", "where"), [(InText, "long texts or numbers"), (InQueue, "a deque")])
def test_what_is_kept_in_texts_and_queues_is_found(kind, where):
    with pytest.raises(
        ValueError, match=rf"Got {kind.__name__}, whose class or module keeps \d+ more .* in {where}; keep"
    ):
        pb.CertifiedClassifier(kind(max_depth=2), random_state=0).fit(X, Y)
    TEXTS.clear()
    QUEUE.queue.clear()


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
