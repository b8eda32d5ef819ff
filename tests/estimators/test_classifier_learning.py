"""What plays a part in learning alone: preprocessing of frames, weights of classes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_blobs
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import pacbayes as pb
from pacbayes.certificate.words import note_words
from pacbayes.learners import CrossValidatedLogistic, EncodedClassifier, cross_validated
from pacbayes.procedures import classifier_learner
from pacbayes.tables import ColumnPreprocessor
from pacbayes.verification import recheck

SAMPLE = pb.datasets.make_known_risk(600, d=2, random_state=0)
X, Y = SAMPLE.X, SAMPLE.y


def six_classes(rows=900, seed=0):
    """A table as people have them: texts, truth values, numbers, missing values, and six classes."""
    generator = np.random.default_rng(seed)
    kind = generator.integers(6, size=rows)
    height, width = kind // 2 + 0.3 * generator.normal(size=rows), kind % 2 + 0.3 * generator.normal(size=rows)
    colour = np.array(["red", "green", "blue"], dtype=object)[(kind + (generator.random(rows) < 0.2)) % 3]
    frame = pd.DataFrame({"height": height, "width": width, "colour": colour, "shiny": generator.random(rows) < 0.5})
    frame.loc[generator.random(rows) < 0.1, "height"] = np.nan
    frame.loc[generator.random(rows) < 0.1, "colour"] = None
    return frame, np.array([f"kind {each}" for each in kind])


class TestPreprocessing:
    @pytest.mark.parametrize("estimator", [None, RandomForestClassifier(random_state=0)])
    def test_auto_takes_texts_and_missing_values(self, estimator):
        frame, labels = six_classes()
        model = pb.CertifiedClassifier(estimator, preprocessing="auto", random_state=0).fit(frame, labels)
        assert model.certificate_.value < 0.5
        assert recheck(model.certificate_, frame, labels, model)

    def test_is_learned_from_the_learning_rows_alone(self):
        frame, labels = six_classes()
        model = pb.CertifiedClassifier(GaussianNB(), preprocessing="auto", random_state=0).fit(frame, labels)
        first = frame.iloc[model.order_[: model.n_learning_]]
        scaler = model.estimator_["columns"].transformer_.named_transformers_["numbers"]["scale"]
        assert np.allclose(scaler.mean_, first[["height", "width", "shiny"]].astype(float).mean())
        shown = frame.copy()
        shown.iloc[model.order_[model.n_learning_ :], 2] = "a text that judged rows alone have"
        again = pb.CertifiedClassifier(GaussianNB(), preprocessing="auto", random_state=0).fit(shown, labels)
        assert np.array_equal(again.estimator_["classifier"].theta_, model.estimator_["classifier"].theta_)

    def test_what_comes_later_is_handled(self):
        frame, labels = six_classes()
        model = pb.CertifiedClassifier(preprocessing="auto", random_state=0).fit(frame, labels)
        new = frame[:20].assign(colour="unheard of", width=np.nan)
        assert set(model.predict(new)) <= set(labels)
        assert np.allclose(model.predict_proba(new).sum(axis=1), 1.0)
        with pytest.raises(ValueError, match="'width' must hold numbers"):
            model.predict(new.assign(width="wide"))

    def test_a_transformer_of_ones_own(self, cancer):
        rows, labels = cancer
        steps = pb.CertifiedClassifier(GaussianNB(), preprocessing=StandardScaler(), random_state=0).fit(rows, labels)
        inside = pb.CertifiedClassifier(make_pipeline(StandardScaler(), GaussianNB()), random_state=0)
        assert steps.certificate_.statements == inside.fit(rows, labels).certificate_.statements
        assert recheck(steps.certificate_, rows, labels, steps)

    def test_none_leaves_frames_as_they_are(self):
        frame, labels = six_classes()
        named = make_pipeline(make_column_transformer((StandardScaler(), ["width"])), GaussianNB())
        assert pb.CertifiedClassifier(named, random_state=0).fit(frame, labels).certificate_.verify()
        with pytest.raises(ValueError, match=r"'colour' holds no numbers.*Pass preprocessing='auto'"):
            pb.CertifiedClassifier().fit(frame, labels)

    def test_sample_weights_go_to_the_estimator(self):
        frame, labels = six_classes()
        weights = np.random.default_rng(1).random(900)
        model = pb.CertifiedClassifier(GaussianNB(), preprocessing="auto", random_state=0)
        plain = clone(model).fit(frame, labels).estimator_["classifier"].theta_
        assert not np.array_equal(model.fit(frame, labels, sample_weight=weights).estimator_[-1].theta_, plain)

    def test_arrays_of_numbers_with_missing_ones(self):
        rows = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
        model = pb.CertifiedClassifier(preprocessing="auto", random_state=0).fit(rows, Y)
        assert model.certificate_.value < 0.4

    @pytest.mark.parametrize("steps", ["standard", 3, StandardScaler])
    def test_anything_else_is_refused(self, steps):
        with pytest.raises(ValueError, match="'preprocessing' parameter of CertifiedClassifier must"):
            pb.CertifiedClassifier(preprocessing=steps).fit(X, Y)

    def test_what_has_learned_is_refused(self):
        with pytest.raises(ValueError, match="'preprocessing' parameter of CertifiedClassifier must come unlearned"):
            pb.CertifiedClassifier(preprocessing=FrozenEstimator(StandardScaler().fit(X))).fit(X, Y)


class TestClassWeight:
    RARE = (SAMPLE.X[:, 0] + np.random.default_rng(0).normal(size=600) > 2.0).astype(int)

    @pytest.mark.parametrize(
        ("estimator", "weighted"),
        [
            (None, pb.CrossValidatedLogistic("balanced")),
            (LogisticRegression(), LogisticRegression(class_weight="balanced")),
            (
                make_pipeline(StandardScaler(), LogisticRegression()),
                make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced")),
            ),
            (
                GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}),
                GridSearchCV(LogisticRegression(class_weight="balanced"), {"C": [0.1, 1.0]}),
            ),
        ],
    )
    def test_is_the_estimators_own_where_it_has_one(self, estimator, weighted):
        model = pb.CertifiedClassifier(estimator, class_weight="balanced", random_state=0).fit(X, self.RARE)
        other = pb.CertifiedClassifier(weighted, random_state=0).fit(X, self.RARE)
        assert model.certificate_.statements == other.certificate_.statements
        assert np.array_equal(model.predict(X), other.predict(X))
        assert recheck(model.certificate_, X, self.RARE, model)
        assert "class_weight played a part in learning only" in note_words(model.certificate_.notes[-1])

    @pytest.mark.parametrize(
        "estimator",
        [
            GaussianNB(),
            make_pipeline(StandardScaler(), GaussianNB()),
            GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9]}),
            EncodedClassifier(GaussianNB()),
        ],
    )
    def test_becomes_sample_weights_otherwise(self, estimator):
        given = np.random.default_rng(1).random(600)
        model = pb.CertifiedClassifier(estimator, class_weight={1: 5.0}, split=0.5, random_state=0)
        name = "gaussiannb__sample_weight" if hasattr(estimator, "steps") else "sample_weight"
        first = model.fit(X, self.RARE, **{name: given}).order_[:300]
        weights = given[first] * np.where(self.RARE[first] == 1, 5.0, 1.0)
        steps = StandardScaler() if hasattr(estimator, "steps") else FunctionTransformer()
        expected = GaussianNB().fit(steps.fit_transform(X[first]), self.RARE[first], sample_weight=weights)
        assert np.array_equal(model.predict(X), expected.predict(steps.transform(X)))
        assert "sample_weight, class_weight played" in note_words(model.certificate_.notes[-1])

    def test_is_the_estimators_own_on_the_rows_of_the_check(self):
        rows, labels = make_blobs(centers=2, random_state=0, cluster_std=20)
        train, test, y, _ = train_test_split(rows, labels, test_size=0.5, random_state=0)
        weights = {0: 1000, 1: 0.0001}
        model = pb.CertifiedClassifier(LogisticRegression(), class_weight=weights, random_state=0).fit(train, y)
        first = model.order_[: model.n_learning_]
        alone = LogisticRegression(class_weight=weights).fit(train[first], y[first])
        assert np.array_equal(alone.predict(test), model.predict(test))
        assert np.mean(alone.predict(test) == 0) < 0.87  # what the check asks for

    def test_goes_with_preprocessing_and_classes_that_few_rows_lack(self):
        frame, labels = six_classes()
        labels[:3] = "rare"
        model = pb.CertifiedClassifier(preprocessing="auto", class_weight={"rare": 9.0}, random_state=0)
        assert len(model.fit(frame, labels).curve_) >= 4
        assert recheck(model.certificate_, frame, labels, model)

    @pytest.mark.parametrize(
        ("weight", "message"),
        [
            ("heavy", "must be None, 'balanced' or a mapping from labels to weights. Got 'heavy' instead"),
            ([1, 2], "must be None, 'balanced' or a mapping"),
            ({7: 1.0}, "must weight labels of 'y'. Got 7 instead"),
            ({1: -1.0}, "must hold finite weights of at least 0. Got -1.0 for 1"),
            ({1: "much"}, "must hold finite weights"),
        ],
    )
    def test_anything_else_is_refused(self, weight, message):
        with pytest.raises(ValueError, match=message):
            pb.CertifiedClassifier(class_weight=weight).fit(X, Y)

    def test_an_estimator_that_has_no_way_to_weight(self):
        with pytest.raises(ValueError, match="must be None for KNeighborsClassifier, which takes neither"):
            pb.CertifiedClassifier(KNeighborsClassifier(), class_weight="balanced").fit(X, Y)


@pytest.mark.parametrize("count", [64, 65, 700, 1000])
def test_logistic_regression_is_asked_in_the_chunks_that_it_multiplies(monkeypatch, count):
    for module in (classifier_learner, cross_validated):
        monkeypatch.setattr(module, "CHUNK_ROWS", 64)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(1000, 7)), columns=[f"x{place}" for place in range(7)])
    model = make_pipeline(ColumnPreprocessor(), CrossValidatedLogistic()).fit(frame, rng.random(1000) < 0.5)
    block, part = classifier_learner.prepare_block(model, frame), rng.permutation(1000)[:count]
    found = {
        method: classifier_learner.answer(model, method, block, part) for method in ("decision_function", "predict")
    }
    for method, answers in found.items():
        np.testing.assert_array_equal(answers, getattr(model, method)(frame.iloc[part]))
    chunks = classifier_learner._chunks_for(model.steps[-1][1], block, part)
    assert [each.size for each in chunks] == ([64] * 10 + [60] if count == 700 else [64, 1] if count == 65 else [count])


@pytest.mark.parametrize("name", ["sample_weight", "gaussiannb__sample_weight"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0, -0.5])
def test_a_weight_is_refused_on_whichever_row_it_is(name, bad):
    """Judged rows have no use for weights, and which rows are judged is drawn."""
    estimator = make_pipeline(StandardScaler(), GaussianNB()) if "__" in name else GaussianNB()
    for row in range(0, 600, 100):
        weights = np.ones(600)
        weights[row] = bad
        with pytest.raises(ValueError, match=f"{name}.* must be finite and not negative. Got {bad}"):
            pb.CertifiedClassifier(estimator, split=0.5, random_state=0).fit(X, Y, **{name: weights})
