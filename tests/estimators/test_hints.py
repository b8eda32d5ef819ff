"""Rows that need preprocessing: what scikit-learn says of them, and what to pass."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import pacbayes as pb

X = np.random.default_rng(0).normal(size=(80, 2))
Y = (X[:, 0] > 0).astype(int)
FRAME = pd.DataFrame({"age": X[:, 0], "job": np.where(X[:, 1] > 0, "cook", "clerk")})
HOLES = np.where(np.arange(160).reshape(80, 2) % 7 == 0, np.nan, X)
ESTIMATORS = (
    (pb.CertifiedClassifier(), "preprocessing='auto'"),
    (pb.CertifiedClassifier(LogisticRegression()), "preprocessing='auto'"),
    (pb.CertifiedForest(n_estimators=2), "preprocessing='auto'"),
    (pb.CertifiedLogisticRegression(), "preprocessing=pacbayes.tables.ColumnPreprocessor()"),
)


@pytest.mark.parametrize(("estimator", "option"), ESTIMATORS)
def test_text(estimator, option):
    with pytest.raises(ValueError, match=r"string|text|holds no numbers") as caught:
        clone(estimator).fit(FRAME, Y)
    assert f"Pass {option}" in str(caught.value)
    with pytest.raises(ValueError, match=r"string|text") as caught:
        clone(estimator).fit(FRAME.to_numpy(), Y)
    assert str(caught.value).endswith(f"Pass a data frame and {option}, which takes columns of text as categories.")


@pytest.mark.parametrize(("estimator", "option"), [each for each in ESTIMATORS if "Forest" not in repr(each)])
def test_missing_values(estimator, option):
    hint = f"Pass {option}, which sets missing numbers to the mean and marks them."
    for rows in (HOLES, pd.DataFrame(HOLES)):
        with pytest.raises(ValueError, match="contains NaN") as caught:
            clone(estimator).fit(rows, Y)
        assert str(caught.value).endswith(hint)


def test_what_is_hinted_at_works():
    rows = pd.DataFrame(HOLES, columns=["a", "b"]).assign(job=FRAME["job"])
    for estimator in (
        pb.CertifiedClassifier(preprocessing="auto"),
        pb.CertifiedLogisticRegression(preprocessing=pb.tables.ColumnPreprocessor()),
    ):
        assert estimator.fit(rows, Y).certificate_.n <= 80


def test_other_refusals_stay_as_they_are(monkeypatch):
    def refuse(*_):
        raise ValueError("I am odd.")

    monkeypatch.setattr(LogisticRegression, "fit", refuse)

    with pytest.raises(ValueError, match=r"^I am odd\.$"):
        pb.CertifiedClassifier(LogisticRegression()).fit(X, Y)
    with pytest.raises(ValueError, match="inhomogeneous") as caught:
        pb.CertifiedLogisticRegression().fit([[1.0, 2.0], [1.0]], [0, 1])
    assert "preprocessing" not in str(caught.value)
