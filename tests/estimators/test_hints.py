"""Rows that need preprocessing: what scikit-learn says of them, and what to pass."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import pacbayes as pb
from pacbayes.engines import EngineError

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


UNKNOWN = OneHotEncoder(handle_unknown="ignore")


class Converting(ClassifierMixin, BaseEstimator):
    """Has its rows made numbers by NumPy or by pandas, or refuses texts by itself."""

    def __init__(self, way="numpy"):
        self.way = way

    def fit(self, X, y):
        if self.way == "itself":
            raise ValueError("I cannot learn from text.")
        self.label_ = y[0]
        return np.asarray(X, dtype=float) if self.way == "numpy" else X.astype(float)

    def predict(self, X):
        return np.full(len(X), self.label_)


class Keeping(LogisticRegression):
    """Keeps in its class whatever it has learned from."""

    seen = []  # noqa: RUF012

    def fit(self, X, y):
        self.seen.extend(y)
        return super().fit(X, y)


class Narrow(LogisticRegression):
    def predict_proba(self, X):
        return super().predict_proba(X)[:, 1]


@pytest.mark.parametrize(
    "learner", [*map(Converting, ("numpy", "pandas", "itself")), RandomForestClassifier(n_jobs=2, n_estimators=2)]
)
def test_refusals_of_learners_are_hinted_at(learner):
    with pytest.raises(ValueError, match=r"text|string") as caught:
        pb.CertifiedClassifier(learner, random_state=0).fit(FRAME, Y)
    assert str(caught.value).endswith("Pass preprocessing='auto', which takes the column 'job' as categories.")


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (pb.CertifiedClassifier(make_pipeline(UNKNOWN, Keeping())), "must forget what it learned"),
        (pb.SelectiveClassifier(make_pipeline(UNKNOWN, Narrow())), "must be a score for each"),
    ],
)
def test_our_own_refusals_are_of_something_else(estimator, words):
    with pytest.raises(ValueError, match=words) as caught:
        clone(estimator).set_params(random_state=0).fit(FRAME, Y)
    assert "Pass preprocessing" not in str(caught.value)


def test_refusals_of_partitions_are_of_something_else():
    frames = pytest.importorskip("dask.dataframe")

    def draw(_):
        return pd.DataFrame({"job": np.random.default_rng().choice(["cook", "clerk"], 40).astype(object)})

    rows = frames.from_map(draw, range(2), meta=pd.DataFrame({"job": pd.Series(dtype=object)}))
    with pytest.raises(EngineError, match="same") as caught:
        pb.CertifiedClassifier(make_pipeline(UNKNOWN, LogisticRegression()), random_state=0).fit(rows, Y)
    assert "Pass preprocessing" not in str(caught.value)
