"""A classifier that says when it does not know: what it answers, what is certified, and what it refuses."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import pacbayes as pb
from pacbayes.procedures import Abstention, ClassifierLearner, Sample, draw_order
from pacbayes.procedures.thresholds import cross_validate_scores, place_by_class, place_by_confidence
from pacbayes.verification import recheck, recheck_run


class Scoreless(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


SAMPLE = pb.datasets.make_known_risk(3000, d=3, random_state=0)
X, Y = SAMPLE.X, SAMPLE.y


@pytest.fixture(scope="module")
def model():
    return pb.SelectiveClassifier(GaussianNB(), 0.05, random_state=0).fit(X, Y)


@pytest.fixture(scope="module")
def careful():
    return pb.SelectiveClassifier(GaussianNB(), max_fnr=0.1, positive=1, random_state=0).fit(X, Y)


def judged(model):
    return model.order_[model.n_learning_ :]


@pytest.mark.filterwarnings("ignore")  # the checks fit odd data on purpose
@parametrize_with_checks([pb.SelectiveClassifier(GaussianNB(), random_state=0)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


class TestAnswers:
    def test_counts_are_those_of_the_judged_rows(self, model):
        rows = judged(model)
        answered = model.answered(X[rows])
        wrong = model.predict(X[rows]) != Y[rows]
        first, coverage = model.certificate_.statements
        assert first.n == answered.sum()
        assert first.observed["errors_along"][first.observed["passed"] - 1] == (answered & wrong).sum()
        assert coverage.observed["errors"] == (~answered).sum()
        assert first.value == first.target == 0.05
        assert 0.0 < coverage.value < answered.mean()

    def test_the_kept_threshold_passed_and_the_next_failed(self, model):
        first = model.certificate_.statements[0]
        rows, errors, passed = (first.observed[name] for name in ("rows_along", "errors_along", "passed"))
        tails = binom.cdf(errors, rows, 0.05)
        assert (tails[:passed] <= 0.045).all()
        assert tails[passed] > 0.045

    def test_a_row_is_answered_where_its_score_reaches_the_threshold(self, model):
        np.testing.assert_array_equal(model.answered(X), model.scores(X) >= model.threshold_)
        np.testing.assert_array_equal(model.scores(X), model.estimator_.predict_proba(X).max(axis=1))

    def test_no_answer_is_none(self, model):
        found = model.predict_or_abstain(X)
        answered = model.answered(X)
        assert found.dtype == object
        assert all(each is None for each in found[~answered])
        np.testing.assert_array_equal(found[answered].astype(int), model.predict(X)[answered])

    def test_nothing_certified_answers_nothing(self):
        strict = pb.SelectiveClassifier(GaussianNB(), 0.001, random_state=0).fit(X, Y)
        assert strict.threshold_ is None
        assert not strict.answered(X).any()
        assert strict.certificate_.value == 1.0
        assert strict.certificate_.statements[0].n == 0
        assert "gives no answer" in strict.certificate_.sentence()
        assert strict.certificate_.verify()
        assert strict.predict(X).shape == Y.shape

    def test_all_of_delta_for_the_error(self):
        alone = pb.SelectiveClassifier(GaussianNB(), 0.05, share_beside=0, random_state=0).fit(X, Y)
        assert [each.name for each in alone.certificate_.statements] == ["selective-error"]
        assert alone.certificate_.statements[0].share == 1.0
        assert alone.certificate_.verify()
        assert recheck(alone.certificate_, X, Y, alone)

    def test_a_larger_error_allows_more_answers(self, model):
        lenient = pb.SelectiveClassifier(GaussianNB(), 0.1, random_state=0).fit(X, Y)
        assert lenient.answered(X).mean() > model.answered(X).mean()

    def test_recheck_and_a_second_fit(self, model):
        assert recheck(model.certificate_, X, Y, model)
        again = pb.SelectiveClassifier(GaussianNB(), 0.05, random_state=0)
        assert recheck_run(model.certificate_, X, Y, again)
        assert not recheck_run(model.certificate_, X, Y, pb.SelectiveClassifier(GaussianNB(), 0.1, random_state=0))

    def test_several_classes_and_texts(self):
        rows, labels = load_digits(return_X_y=True)
        names = np.array([f"digit {each}" for each in labels])
        learner = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
        found = pb.SelectiveClassifier(learner, 0.05, split=0.5, random_state=0).fit(rows, names)
        assert found.certificate_.statement("coverage").value > 0.9
        assert set(found.predict_or_abstain(rows)) <= {*names, None}

    def test_margins_where_there_are_no_probabilities(self):
        found = pb.SelectiveClassifier(RidgeClassifier(), 0.05, split=0.5, random_state=0).fit(X, Y)
        assert found.certificate_.statements[0].n > 300
        assert not hasattr(found, "predict_proba")

    def test_in_order_and_candidates(self):
        found = pb.SelectiveClassifier(GaussianNB(), 0.05, candidates=3, random_state=0).fit(X, Y, in_order=True)
        assert found.certificate_.verify()
        assert found.certificate_.in_order
        assert recheck(found.certificate_, X, Y, found)


class TestFewMisses:
    def test_counts_are_those_of_the_class(self, careful):
        rows = judged(careful)
        predicted, positive = careful.predict(X[rows]), Y[rows] == 1
        fnr, fpr = careful.certificate_.statements
        assert fnr.n == positive.sum()
        assert fnr.observed["errors_along"][fnr.observed["passed"] - 1] == (predicted[positive] != 1).sum()
        assert fpr.observed["errors"] == (predicted[~positive] == 1).sum()
        assert (fnr.name, fpr.name) == ("fnr:1", "fpr:1")
        assert fnr.value == 0.1
        assert careful.answered(X).all()

    def test_fewer_are_missed_than_by_the_model_itself(self, careful):
        positive = Y == 1
        own = careful.estimator_.predict(X)
        assert (careful.predict(X)[positive] != 1).mean() < (own[positive] != 1).mean()

    def test_a_class_against_several(self):
        rows, labels = load_digits(return_X_y=True)
        found = pb.SelectiveClassifier(GaussianNB(), max_fnr=0.2, positive="8", split=0.5, random_state=0)
        found.fit(rows, labels)
        assert found.certificate_.statements[0].label == "8"
        assert set(found.predict(rows)) <= set(range(10))
        assert recheck(found.certificate_, rows, labels, found)

    def test_too_few_rows_of_the_class(self):
        labels = np.where(np.arange(3000) % 100 == 0, 1, 0)
        found = pb.SelectiveClassifier(GaussianNB(), max_fnr=0.05, positive=1, random_state=0).fit(X, labels)
        assert found.threshold_ is None
        assert set(found.predict(X)) == {1}
        assert "answers 1 for every row" in found.certificate_.sentence()


class TestThresholds:
    def test_judged_labels_play_no_part(self):
        order, seed = draw_order(0, 3000)
        learner = ClassifierLearner(GaussianNB())
        found = []
        for labels in (Y, np.where(np.isin(np.arange(3000), order[1000:]), 1 - Y, Y)):
            sample = Sample(X, labels, order, seed, 0)
            model = learner.learn(sample, 1000).stored["predictor"]
            aim = Abstention(0.05)
            scores, wrong = cross_validate_scores(learner, sample, 1000, aim.score, model)
            found.append(aim.place(scores, wrong, labels[order[:1000]], 2000, 0.05))
        np.testing.assert_array_equal(*found)

    def test_scores_are_of_rows_that_were_not_learned_from(self):
        class Parrot(GaussianNB):
            """Right, and sure, on every row that it has learned from."""

            def fit(self, X, y):
                super().fit(X, y)
                self.known = {tuple(row): label for row, label in zip(X, y, strict=True)}
                return self

            def predict(self, X):
                return np.array([self.known.get(tuple(row), 0) for row in X])

        order, seed = draw_order(0, 3000)
        sample, learner = Sample(X, Y, order, seed, 0), ClassifierLearner(Parrot())
        model = learner.learn(sample, 500).stored["predictor"]
        _, wrong = cross_validate_scores(learner, sample, 500, Abstention(0.05).score, model)
        assert wrong.mean() > 0.3

    def test_few_rows_fall_back_on_the_model(self):
        order = np.arange(8)
        sample, learner = Sample(X[:8], Y[:8], order, 0, 0), ClassifierLearner(LogisticRegression())
        model = learner.learn(sample, 6).stored["predictor"]
        scores, _ = cross_validate_scores(learner, sample, 6, Abstention(0.05).score, model)
        assert scores.shape == (6,)

    @pytest.mark.parametrize("scores", [np.ones(50), np.zeros(50), np.repeat([0.5, 0.9], 25), np.array([0.7])])
    def test_discrete_scores(self, scores):
        wrong = np.zeros(scores.size, dtype=bool)
        thresholds = place_by_confidence(scores, wrong, 100, 0.05, 0.05)
        assert thresholds[-1] == 0.0
        assert (np.diff(thresholds) < 0.0).all()
        assert place_by_class(scores, scores, 0.05)[0] == 0.0

    def test_no_row_of_the_class_was_learned(self):
        assert place_by_class(np.zeros(0), np.zeros(0), 0.05).tolist() == [0.0]

    def test_the_start_has_rows_enough_to_pass(self):
        generator = np.random.default_rng(0)
        scores = generator.random(1000)
        thresholds = place_by_confidence(scores, generator.random(1000) < 0.3 * (1 - scores), 1000, 0.05, 0.05)
        assert np.mean(scores >= thresholds[0]) * 1000 > 59

    def test_the_start_is_where_the_surest_rows_are_wrong_no_more(self):
        scores = np.linspace(0.0, 1.0, 2000)
        wrong = scores > 0.98  # of the surest rows no threshold passes
        thresholds = place_by_confidence(scores, wrong, 2000, 0.05, 0.05)
        assert thresholds[0] < 0.5


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"max_error": 1.0}, "'max_error' parameter of SelectiveClassifier must be a float in"),
        ({"max_fnr": 0.1}, "go together"),
        ({"positive": 1}, "go together"),
        ({"max_error": 0.1, "max_fnr": 0.1, "positive": 1}, "Got both"),
        ({"max_fnr": 0.1, "positive": "nobody"}, "must be a class"),
        ({"share_beside": 1.0}, "'share_beside' parameter"),
        ({"estimator": Scoreless()}, "must have predict_proba or decision_function"),
        ({"delta": 2.0}, "'delta' parameter"),
        ({"split": "never"}, "'split' parameter"),
    ],
)
def test_wrong_usages_are_one_sentence(parameters, words):
    given = {"estimator": GaussianNB(), "random_state": 0} | parameters
    with pytest.raises(ValueError, match=words):
        pb.SelectiveClassifier(**given).fit(X[:300], Y[:300])
