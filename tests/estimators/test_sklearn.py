"""Scikit-learn's own checks, and what its users do with an estimator."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler, scale
from sklearn.utils.estimator_checks import parametrize_with_checks

import pacbayes as pb
from pacbayes.certificate.words import note_words
from pacbayes.verification import recheck

ESTIMATORS = [
    pb.CertifiedLogisticRegression(random_state=0),
    pb.CertifiedLogisticRegression(bound="betting", random_state=0),
    pb.CertifiedLogisticRegression(prior="zero", bound="betting", reference="online", random_state=0),
    pb.RecursiveLogisticRegression(steps=2, random_state=0),
    pb.OnlineCertifiedClassifier(LogisticRegression(), random_state=0),
    pb.PickToLearn(GaussianNB(), rounds=5, random_state=0),
    pb.OnlineCertifiedClassifier(GaussianNB(), certify_last=True, random_state=0),
    pb.CertifiedForest(n_estimators=5, random_state=0),
]


@pytest.mark.filterwarnings("ignore")  # the checks fit odd data on purpose
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", [*ESTIMATORS, pb.CertifiedClassifier(), pb.CertifiedRegressor(scale=1.0)])
def test_two_columns_of_one_name_are_refused_in_a_sentence(estimator):
    frame = pd.DataFrame(np.zeros((40, 3)), columns=["a", "b", "a"])
    with pytest.raises(ValueError, match=r"fit must have columns of different names\. 'a' occurs twice"):
        clone(estimator).fit(frame, np.arange(40) % 2)


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True, as_frame=True)


def test_works_in_a_pipeline_and_a_search(cancer):
    X, y = cancer
    pipeline = make_pipeline(MinMaxScaler(), pb.CertifiedLogisticRegression(random_state=0)).fit(X, y)
    assert pipeline.score(X, y) > 0.9
    assert pipeline[-1].certificate_.verify()
    search = GridSearchCV(
        pb.CertifiedLogisticRegression(candidates=2, random_state=0), {"alpha": [0.1, 10.0]}, cv=3
    ).fit(X, y)
    assert search.best_estimator_.certificate_.candidates == 2


@pytest.mark.parametrize(
    "estimator",
    [pb.CertifiedLogisticRegression(random_state=0), pb.OnlineCertifiedClassifier(GaussianNB(), random_state=0)],
    ids=lambda estimator: type(estimator).__name__,
)
def test_frames_of_pandas_and_polars_give_the_same_as_arrays(cancer, estimator):
    import polars as pl

    X, y = cancer
    plain = clone(estimator).fit(X.to_numpy(), y.to_numpy())
    of_pandas = clone(estimator).fit(X, y)
    of_polars = clone(estimator).fit(pl.DataFrame(X.to_dict("list")), y.to_numpy())
    assert list(of_pandas.feature_names_in_) == list(of_polars.feature_names_in_) == list(X.columns)
    assert plain.certificate_.value == of_pandas.certificate_.value == of_polars.certificate_.value
    assert plain.certificate_.digests == of_pandas.certificate_.digests == of_polars.certificate_.digests
    with pytest.raises(ValueError, match="feature names"):
        of_pandas.predict(X.rename(columns={"mean radius": "radius"}))


def test_labels_are_given_back_as_they_came(cancer):
    X, y = cancer
    words = np.where(y == 1, "benign", "malignant")
    model = pb.CertifiedLogisticRegression(random_state=0).fit(X, words)
    assert set(model.predict(X)) == {"benign", "malignant"}
    assert model.classes_.tolist() == ["benign", "malignant"]


def test_preprocessing_is_learned_on_the_priors_part_alone(cancer):
    X, y = cancer
    model = pb.CertifiedLogisticRegression(preprocessing=StandardScaler(), random_state=0).fit(X, y)
    first = model.order_[: model.n_learning_]
    assert np.allclose(model.preprocessing_.mean_, X.to_numpy()[first].mean(axis=0))
    plain = pb.CertifiedLogisticRegression(random_state=0).fit(X, y)
    assert plain.certificate_.value == pytest.approx(model.certificate_.value, rel=1e-12)  # sums in another order
    assert not hasattr(model.preprocessing, "mean_")


def test_categories_go_through_preprocessing():
    import pandas as pd
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import OneHotEncoder

    generator = np.random.default_rng(0)
    colour, size = generator.choice(["red", "green", "blue"], 600), generator.normal(size=600)
    y = (colour == "red") ^ (generator.random(600) < 0.05)
    X = pd.DataFrame({"colour": colour, "size": size})
    steps = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["colour"]), (StandardScaler(), ["size"]))
    model = pb.CertifiedLogisticRegression(preprocessing=steps, random_state=0).fit(X, y)
    assert 0.0 < model.certificate_.value < 0.15
    assert recheck(model.certificate_, X, y, model)


def test_many_classes_and_sparse_rows_go_through_the_online_estimator():
    import scipy.sparse as sp

    X, y = load_digits(return_X_y=True)
    dense = pb.OnlineCertifiedClassifier(LogisticRegression(max_iter=2000), random_state=0).fit(X, y)
    assert dense.certificate_.value < 0.25
    assert np.mean(dense.predict(X) == y) > 0.95
    assert np.allclose(dense.predict_proba(X).sum(axis=1), 1.0)
    sparse = pb.OnlineCertifiedClassifier(LogisticRegression(max_iter=2000), random_state=0).fit(sp.csr_matrix(X), y)
    assert abs(sparse.certificate_.value - dense.certificate_.value) < 0.01


def test_html_shows_the_certificate(cancer):
    X, y = cancer
    model = pb.CertifiedLogisticRegression(random_state=0)
    assert "With probability" not in model._repr_mimebundle_()["text/html"]
    html = model.fit(X, y)._repr_mimebundle_()["text/html"]
    assert "With probability at least 95 %" in html
    assert "With probability at least 95 %" in model._repr_html_()
    assert "CertifiedLogisticRegression" in repr(model)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"delta": 1.5}, "'delta'"),
        ({"delta": float("nan")}, "'delta'"),
        ({"alpha": -1.0}, "'alpha' parameter of CertifiedLogisticRegression must be 'auto' or a positive float"),
        ({"alpha": "big"}, "'alpha'"),
        ({"prior_fraction": 1.0}, r"'prior_fraction' parameter .* must be a float in \(0, 1\). Got 1.0 instead"),
        ({"posterior": "round"}, "'posterior' parameter .* must be one of 'laplace', 'isotropic'"),
        ({"prior": "none"}, "'prior'"),
        ({"bound": "magic"}, "'bound'"),
        ({"reference": "some"}, "'reference'"),
        ({"strength": 2.0}, "'strength'"),
        ({"candidates": 0}, "'candidates'"),
        ({"candidates": True}, "'candidates'"),
        ({"delta": [0.05]}, r"'delta' parameter .* must be a float in \(0, 1\). Got \[0.05\] instead"),
        ({"alpha": np.ones(2)}, "'alpha'"),
        ({"alpha": True}, "'alpha'"),
        ({"bound": np.array(["betting"])}, "'bound'"),
        ({"bound": "auto"}, "'bound' parameter .* must be one of 'mcallester'"),
        ({"preprocessing": "standard"}, "must be a transformer, None or 'passthrough'"),
        ({"preprocessing": FunctionTransformer(scale)}, "must transform each row by itself"),
        ({"bound": "maurer", "reference": "fixed"}, "takes no reference"),
        ({"bound": "excess_kl", "reference": "online"}, "E7"),
        (
            {"bound": "clopper_pearson"},
            r"exact limit .* CertifiedClassifier\(split=0.4\). Got 'clopper_pearson' instead",
        ),
        ({"bound": "chernoff", "prior_fraction": 0.3}, r"CertifiedClassifier\(split=0.3\). Got 'chernoff' instead"),
        ({"strength": 0.5}, "bets on all strengths, takes none. Got strength=0.5 instead"),
    ],
)
def test_wrong_parameters_are_named(cancer, parameters, message):
    with pytest.raises(ValueError, match=message):
        pb.CertifiedLogisticRegression(**parameters).fit(*cancer)


def test_wrong_data_is_refused_in_a_sentence(cancer):
    X, y = cancer
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        pb.CertifiedLogisticRegression().fit(X, np.arange(len(y)) % 3)
    with pytest.raises(ValueError, match="only one class"):
        pb.CertifiedLogisticRegression().fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match="NaN"):
        pb.CertifiedLogisticRegression().fit(np.full((10, 2), np.nan), [0, 1] * 5)
    with pytest.raises(ValueError, match="first snapshot"):
        pb.OnlineCertifiedClassifier(GaussianNB(), schedule=10_000).fit(X, y)


def test_ordered_rows_get_a_warning_and_copies_a_note(cancer):
    import pandas as pd

    X, y = cancer
    order = np.argsort(y.to_numpy(), kind="stable")
    with pytest.warns(pb.CertificateWarning, match="sorted by label.*independent draws"):
        model = pb.CertifiedLogisticRegression(random_state=0).fit(X.iloc[order], y.iloc[order])
    assert "sorted by label" in note_words(model.certificate_.notes[0])
    stamped = X.set_index(pd.date_range("2020-01-01", periods=len(X)))
    with pytest.warns(pb.CertificateWarning, match="time index"):
        pb.CertifiedLogisticRegression(random_state=0).fit(stamped, y)
    twice = pb.CertifiedLogisticRegression(random_state=0).fit(pd.concat([X, X]), pd.concat([y, y]))
    (note,) = twice.certificate_.notes
    order, count = twice.order_ % 569, twice.n_learning_
    both = int(np.isin(order[count:], order[:count]).sum())
    assert dict(note.numbers) == {"repeated": both, "rows": 1138 - count}
    assert f"{both} of {1138 - count} judged rows are copies of learning rows" in note_words(note)


def test_preprocessing_that_overflows_is_named():
    X = np.random.default_rng(0).normal(size=(40, 2)) * 1e200
    with (
        np.errstate(over="ignore", invalid="ignore"),
        pytest.raises(ValueError, match="preprocessing must give finite"),
    ):
        pb.CertifiedLogisticRegression().fit(X, [0, 1] * 20)


def test_whole_numbers_of_numpy_and_nullable_labels_are_taken(cancer):
    import pandas as pd

    X, y = cancer
    model = pb.CertifiedLogisticRegression(candidates=np.int64(2), random_state=0).fit(X, pd.Series(y, dtype="Int64"))
    assert model.certificate_.candidates == 2
    assert model.classes_.tolist() == [0, 1]


def test_repeated_rows_are_counted_in_every_container():
    import pandas as pd
    import polars as pl

    from pacbayes._core.repetitions import count_repeated
    from pacbayes._core.row_hashes import hash_rows

    X = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 3.0], [0.0, 2.0], [-0.0, 2.0]])
    words = pd.DataFrame({"colour": ["red", "red", "green", "blue", "blue"]})
    for rows in (X, pd.DataFrame(X), words, pl.DataFrame({"colour": words["colour"].tolist()})):
        assert count_repeated(hash_rows(rows)) == 2
