"""Rows that need no check get the same scores as those that are checked, and what is wrong with rows is still said."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from pacbayes.learners import CrossValidatedLogistic

RNG = np.random.default_rng(0)
X = RNG.normal(3.0, 2.0, (200, 5))
Y = X[:, 0] + RNG.normal(size=200) > 3.0


@pytest.mark.parametrize("classes", [2, 3])
def test_scores_are_those_of_the_checked_path(monkeypatch, classes):
    labels = Y if classes == 2 else Y + (X[:, 1] > 4.0)
    model = CrossValidatedLogistic().fit(X, labels)
    parts = [X, X[:1], np.asfortranarray(X), X[::3], X[:, ::-1][:, ::-1]]
    found = [model.decision_function(part) for part in parts]
    monkeypatch.setattr(CrossValidatedLogistic, "_are_plain", lambda *_: False)
    monkeypatch.setattr(CrossValidatedLogistic, "_scale_rows", lambda self, rows: self.scaler_.transform(rows))
    for part, scores in zip(parts, found, strict=True):
        np.testing.assert_array_equal(scores, model.decision_function(part))


def test_what_is_wrong_with_rows_is_said_as_scikit_learn_says_it():
    model = CrossValidatedLogistic().fit(X, Y)
    for wrong in (X[:, :4], X[:0], X[0], np.where(X > 5.0, np.nan, X), np.where(X > 5.0, np.inf, X)):
        with pytest.raises(ValueError, match=r".") as expected:
            validate_data(model, wrong, dtype=np.float64, reset=False)
        with pytest.raises(ValueError, match=r".") as error:
            model.predict(wrong)
        assert str(error.value) == str(expected.value)
    with pytest.raises(NotFittedError):
        CrossValidatedLogistic().predict(X)


def test_rows_whose_sum_is_no_number_are_answered_for():
    model = CrossValidatedLogistic().fit(X, Y)
    huge = np.full((2, 5), 1.7e308)
    with np.errstate(all="ignore"):
        assert model.predict(huge).shape == (2,)
