"""A block is prepared once where preparing goes row by row by its code, and the model behind is asked as ever."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline

from pacbayes.procedures.classifier_learner import PreparedBlock, answer, judge_classes, prepare_block
from pacbayes.tables import ColumnPreprocessor

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"x": RNG.normal(size=300), "n": RNG.integers(0, 9, 300)})
FRAME["t"] = pd.Series(RNG.choice(["a", "b", "c"], 300), dtype=object)
FRAME.loc[::9, "x"] = np.nan
LABELS = (FRAME["n"] > 4).to_numpy().astype(int)


def learn(frame=FRAME, classifier=None):
    return Pipeline([("columns", ColumnPreprocessor()), ("classifier", classifier or GaussianNB())]).fit(frame, LABELS)


@pytest.mark.parametrize("columns", [["x", "n", "t"], ["x", "n"], ["x"], ["t"]])
def test_rows_of_a_block_are_what_they_are_alone(columns):
    frame = FRAME[columns]
    model = learn(frame)
    block = prepare_block(model, frame)
    assert isinstance(block, PreparedBlock)
    for part in (np.array([3]), np.array([5, 2, 200]), np.arange(300)):
        alone = model[0].transform(frame.iloc[part])
        np.testing.assert_array_equal(block.take(part), alone)
        assert block.take(part).flags.c_contiguous == alone.flags.c_contiguous
        np.testing.assert_array_equal(answer(model, "predict", block, part), model.predict(frame.iloc[part]))


def test_a_part_is_a_copy():
    block = prepare_block(learn(), FRAME)
    before = block.values.copy()
    for part in (np.array([0]), np.arange(299), np.arange(300)[::-1]):
        block.take(part)[:] = 0.0
    np.testing.assert_array_equal(block.values, before)


def test_what_is_not_ours_or_not_plain_is_asked_as_it_is():
    other = learn()
    other[0].transform = lambda rows: np.zeros((len(rows), 6))
    named = learn()
    named.predict = lambda rows: LABELS[: len(rows)]
    by_row = learn()
    scaler = by_row[0].transformer_.named_transformers_["numbers"].named_steps["scale"]
    scaler.mean_ = np.tile(scaler.mean_, (300, 1))
    derived = Pipeline([("columns", type("Mine", (ColumnPreprocessor,), {})()), ("last", GaussianNB())])
    longer = Pipeline([("columns", ColumnPreprocessor()), ("same", "passthrough"), ("last", GaussianNB())])
    for model in (other, named, by_row, derived.fit(FRAME, LABELS), longer.fit(FRAME, LABELS), GaussianNB()):
        assert prepare_block(model, FRAME) is FRAME
    odd = FRAME.assign(t=FRAME["t"].where(FRAME.index > 0, 7))
    assert prepare_block(learn(), odd) is odd


class Rank(ClassifierMixin, BaseEstimator):
    """Right in large batches alone."""

    def fit(self, X, y):
        self.classes_, self.column_ = np.unique(y), int(np.argmax(np.corrcoef(X.T, y)[-1, :-1]))
        return self

    def predict(self, X):
        return (X[:, self.column_] > np.median(X[:, self.column_])).astype(int)


class Spoils(GaussianNB):
    """Changes the rows that it gets."""

    def predict(self, X):
        found = super().predict(X)
        X[:] = np.nan
        return found


def test_a_model_that_answers_by_the_batch_is_refused_behind_preprocessing_too():
    with pytest.raises(ValueError, match="must answer for each row by itself"):
        judge_classes(learn(classifier=Rank()), FRAME, LABELS, np.array([0, 1]), [0])


def test_a_model_may_change_the_rows_that_it_gets():
    found, expected = (
        judge_classes(learn(classifier=one()), FRAME, LABELS, np.array([0, 1]), [0]) for one in (Spoils, GaussianNB)
    )
    np.testing.assert_array_equal(found.predictions, expected.predictions)
