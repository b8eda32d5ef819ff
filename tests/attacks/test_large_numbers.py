"""Whole numbers that doubles cannot tell apart, in whatever holds them: their losses would be those of others."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.dummy import DummyRegressor

import pacbayes as pb

LARGE = [2**60 + place for place in range(60)]
HELD = {
    "array": np.array(LARGE),
    "objects": np.array(LARGE, dtype=object),
    "nullable": pd.Series(LARGE, dtype="Int64"),
    "series of objects": pd.Series(LARGE, dtype=object),
    "list": LARGE,
    "list with a float": [*LARGE[:-1], 2.0**60],
    "long doubles": np.array(LARGE, dtype=object).astype(np.longdouble),
    "enormous": [10**400] * 60,
    "enormous objects": np.array([10**400] * 60, dtype=object),
}
ROWS = np.zeros((60, 1))


class Repeats(RegressorMixin, BaseEstimator):
    def __init__(self, answers=None):
        self.answers = answers

    def fit(self, X, y):
        del X, y
        self.fitted_ = True
        return self

    def predict(self, X):
        return self.answers[: len(X)]


@pytest.mark.parametrize("kind", HELD)
def test_labels_and_predictions_are_refused(kind):
    if kind == "long doubles" and np.finfo(np.longdouble).nmant <= np.finfo(np.float64).nmant:
        pytest.skip("long doubles are doubles here")
    model = pb.CertifiedRegressor(DummyRegressor(), loss="within", tolerance=0.5, random_state=0)
    with pytest.raises(ValueError, match=r"'y' argument of CertifiedRegressor must hold numbers up to 2\*\*53"):
        model.fit(ROWS, HELD[kind])
    for labels, answers in ((HELD[kind], np.zeros(60)), (np.zeros(60), HELD[kind])):
        with pytest.raises(ValueError, match=r"must (hold|be|predict).* numbers up to 2\*\*53"):
            pb.certify_predictions(labels, answers, loss="within", tolerance=0.5)
    with pytest.raises(ValueError, match=r"Repeats must predict numbers up to 2\*\*53"):
        pb.certify(Repeats(HELD[kind]), ROWS, np.zeros(60), loss="within", tolerance=0.5)


def test_whole_numbers_beside_doubles_are_not_compared_as_these():
    with pytest.raises(ValueError, match=r"'predictions' argument of zero_one must hold numbers up to 2\*\*53"):
        pb.losses.zero_one([2**53 + 1], [2.0**53])
    assert pb.losses.zero_one([2**53 + 1], [2**53]).tolist() == [1.0]


def test_what_doubles_hold_is_taken():
    large = np.full(60, 2.0**60)
    assert pb.certify_predictions(large, large + 512.0, loss="within", tolerance=0.5).statements[0].risk == 1.0
    assert pb.certify_predictions([2**53] * 60, [2.0**53] * 60, loss="within", tolerance=0.5).statements[0].risk == 0.0
    mixed = pb.certify_predictions([1, 2.5, True], np.array([1, 2.5, True], dtype=object), loss="within", tolerance=0.5)
    assert mixed.statements[0].risk == 0.0
