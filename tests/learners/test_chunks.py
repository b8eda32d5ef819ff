"""A fit over chunks of rows is the fit over all of them at once, and depends on the number of rows alone."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import Pipeline

from pacbayes._core import taken
from pacbayes._core.leeway import EXACT
from pacbayes._core.state import State
from pacbayes._core.taken import PreparedRows, TakenRows
from pacbayes.learners import CrossValidatedLogistic, RefittedLogistic, cross_validated, refitted
from pacbayes.procedures import ClassifierLearner, Sample, classifier_learner
from pacbayes.tables import ColumnPreprocessor

N = 3000


def draw(seed=0, missing=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 4)) * [1.0, 10.0, 0.1, 1.0] + [0.0, 50.0, 0.0, -3.0]
    y = X[:, 0] + 0.1 * (X[:, 1] - 50.0) + rng.logistic(size=N) > 0.0
    X[: missing * 10 : 10, 2] = np.nan
    return X, y


@pytest.fixture
def in_chunks(monkeypatch):
    for module in (refitted, cross_validated, taken, classifier_learner):
        monkeypatch.setattr(module, "CHUNK_ROWS", 256)


@pytest.mark.parametrize("weights", [None, "some"])
def test_the_minimiser_is_the_same(monkeypatch, weights):
    X, y = draw()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    weights = None if weights is None else np.random.default_rng(1).uniform(0.1, 2.0, N)
    whole = RefittedLogistic(C=1.0, tol=1e-10).fit(X, y, sample_weight=weights)
    monkeypatch.setattr(refitted, "CHUNK_ROWS", 256)
    blocks = PreparedRows(N, 4, lambda start, stop: X[start:stop].copy())
    for rows in (X, blocks):
        found = RefittedLogistic(C=1.0, tol=1e-10).fit(rows, y, sample_weight=weights)
        np.testing.assert_allclose(found.weights_, whole.weights_, rtol=1e-7)
        again = RefittedLogistic(C=1.0, tol=1e-10).fit(rows, y, sample_weight=weights)
        np.testing.assert_array_equal(found.weights_, again.weights_)


@pytest.mark.parametrize("sort", ["up", "down"])
def test_a_first_chunk_of_one_class_is_no_obstacle(monkeypatch, sort):
    X, y = draw()
    order = np.argsort(y if sort == "up" else ~y, kind="stable")
    X, y = X[order] - [0.0, 50.0, 0.0, -3.0], y[order]
    whole = RefittedLogistic(C=1.0).fit(X, y)
    monkeypatch.setattr(refitted, "CHUNK_ROWS", 256)
    np.testing.assert_allclose(RefittedLogistic(C=1.0).fit(X, y).weights_, whole.weights_, atol=1e-5)


def test_classes_that_are_apart_converge(monkeypatch):
    X, _ = draw()
    y = X[:, 0] > 0.0
    monkeypatch.setattr(refitted, "CHUNK_ROWS", 256)
    model = RefittedLogistic(C=1.0).fit(X - [0.0, 50.0, 0.0, -3.0], y)
    assert np.mean(model.predict(X - [0.0, 50.0, 0.0, -3.0]) == y) > 0.99


def test_rows_up_to_a_chunk_are_taken_at_once(monkeypatch):
    """The certificates that are recorded have no more rows, so that none of their digits may change."""
    X, y = draw()
    whole = RefittedLogistic(C=1.0).fit(X, y)
    monkeypatch.setattr(refitted, "CHUNK_ROWS", N)
    np.testing.assert_array_equal(RefittedLogistic(C=1.0).fit(X, y).weights_, whole.weights_)


@pytest.mark.parametrize("missing", [0, 50])
def test_a_frame_is_learned_from_without_a_copy_and_with_the_same_result(in_chunks, monkeypatch, missing):
    X, y = draw(missing=missing)
    frame, order = pd.DataFrame(X, columns=list("abcd")), np.random.default_rng(2).permutation(N)
    learner = ClassifierLearner(CrossValidatedLogistic(), ColumnPreprocessor())
    found = learner.learn(Sample(frame, y, order, 0, 0), 2000).model
    plain = Pipeline([("columns", ColumnPreprocessor()), ("classifier", CrossValidatedLogistic())])
    monkeypatch.undo()
    plain.fit(frame.iloc[order[:2000]].reset_index(drop=True), y[order[:2000]])
    for name in ("coef_", "intercept_"):
        one, two = (getattr(each.named_steps["classifier"], name) for each in (found, plain))
        np.testing.assert_allclose(one, two, rtol=1e-4)
    assert State.of(found.named_steps["columns"]).differs_from(State.of(plain.named_steps["columns"]), EXACT) is None
    np.testing.assert_array_equal(found.predict(frame), plain.predict(frame))


def test_other_learners_get_the_array_that_a_pipeline_makes(in_chunks, monkeypatch):
    from sklearn.tree import DecisionTreeClassifier

    X, y = draw(missing=50)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(e=np.where(X[:, 3] > -3.0, "u", "v"))
    learner = ClassifierLearner(DecisionTreeClassifier(random_state=0), ColumnPreprocessor())
    found = learner.learn(Sample(frame, y, np.arange(N), 0, 0), N).model
    plain = Pipeline([("columns", ColumnPreprocessor()), ("classifier", DecisionTreeClassifier(random_state=0))])
    assert State.of(found).differs_from(State.of(plain.fit(frame, y)), EXACT) is None


def test_an_array_behind_a_frame_is_used_and_not_changed():
    X, _ = draw()
    frame, places = pd.DataFrame(X, columns=list("abcd"), copy=False), np.arange(N)[::-1]
    rows, before = TakenRows(frame, places), X.copy()
    steps = ColumnPreprocessor().fit_taken(rows)
    assert rows.numbers() is not None
    assert np.shares_memory(rows.numbers()[0], X)
    np.testing.assert_array_equal(steps.prepare(rows).whole(), steps.transform(frame.iloc[places]))
    np.testing.assert_array_equal(X, before)
    assert TakenRows(frame.assign(e="u"), places).numbers() is None


def test_infinite_numbers_are_refused_in_blocks():
    X, _ = draw()
    frame = pd.DataFrame(X, columns=list("abcd"), copy=False)
    steps = ColumnPreprocessor().fit(frame)
    X[7, 2] = np.inf
    with pytest.raises(ValueError, match="'c' holds infinite values"):
        steps.transform(frame)
    with pytest.raises(ValueError, match="'c' holds infinite values"):
        steps.prepare(TakenRows(frame, np.arange(N))).whole()
