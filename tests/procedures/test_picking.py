"""Pick-to-learn: the two properties that its theorem rests on, what is chosen when, and what is recorded."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.utils import shuffle

import pacbayes as pb
from pacbayes.certificate.picks import most_picked, rows_per_round
from pacbayes.learners import margin_of
from pacbayes.procedures import Picking, Sample
from pacbayes.verification import recheck

SAMPLE = pb.datasets.make_known_risk(300, d=2, random_state=0)
X, Y = SAMPLE.X, SAMPLE.y
FIRST = 60


def run(rows, rounds=6, growth=0.5, learner=None, **options):
    """Run on these rows of the sample, in their order, the first of which teach the first model."""
    rows = np.asarray(rows)
    given = Sample(X[rows], Y[rows], np.arange(rows.size), random_state=0)
    learner = pb.RefittedLogistic() if learner is None else learner
    share = FIRST / rows.size
    options = {"early_stopping": False} | options
    issued = Picking(learner=learner, delta=0.05, first=share, rounds=rounds, growth=growth, **options).run(given)
    picked, model = rows[issued.fitted["picked_"]], issued.fitted["estimator_"]
    rest = np.setdiff1d(rows[FIRST:], picked)
    wrong = rest[model.predict(X[rest]) != Y[rest]] if rest.size else rest
    return picked, wrong, model


@pytest.mark.parametrize("learner", [pb.RefittedLogistic(), GaussianNB(), SVC()], ids=lambda each: type(each).__name__)
@pytest.mark.parametrize(("rounds", "growth"), [(6, 0.5), (None, 0.3), (3, 4.0)])
def test_rows_that_were_neither_picked_nor_wrong_play_no_part(learner, rounds, growth):
    """Property 1: on any rows that include what was picked and what is wrong, the same is picked in the same order."""
    rng = np.random.default_rng(0)
    picked, wrong, model = run(np.arange(300), rounds, growth, learner)
    compressed = np.concatenate([picked, wrong])
    assert picked.size
    assert rounds is not None or not wrong.size
    others = np.setdiff1d(np.arange(FIRST, 300), compressed)
    for share in (0.0, 0.3, 0.8):
        kept = np.sort(np.concatenate([np.arange(FIRST), compressed, others[rng.random(others.size) < share]]))
        again, errors, other = run(kept, rounds, growth, learner)
        assert np.array_equal(again, picked)
        assert np.array_equal(np.sort(errors), np.sort(wrong))
        np.testing.assert_allclose(margin_of(other, X, Y), margin_of(model, X, Y), rtol=1e-9, atol=1e-9)


def test_a_row_that_is_wrong_in_the_end_changes_what_is_picked():
    """So that the probability of a change is at least the true error."""
    picked, wrong, model = run(np.arange(250))
    for row in range(250, 280):
        again, errors, _ = run([*range(250), row])
        if model.predict(X[[row]]) != Y[row]:
            assert row in again or row in errors
        if row not in again and row not in errors:
            assert np.array_equal(again, picked)
            assert np.array_equal(errors, wrong)


def test_the_worst_are_picked_first():
    picked, _, _ = run(np.arange(300), rounds=1)
    first = pb.RefittedLogistic().fit(X[:FIRST], Y[:FIRST])
    assert picked.tolist() == [FIRST + int(np.argmin(margin_of(first, X[FIRST:], Y[FIRST:])))]


def test_ties_are_broken_by_the_shuffle():
    model = pb.PickToLearn(GaussianNB(), prior_fraction=0, rounds=1, early_stopping=False, random_state=0)
    assert model.fit(X, Y).picked_.tolist() == [model.order_[0]]


def test_rounds_grow():
    sizes = [point.size for point in pb.PickToLearn(GaussianNB(), random_state=0).fit(X, Y).path_]
    assert all(b - a == rows_per_round(a, 0.25) for a, b in pairwise(sizes[:-1]))
    assert sizes[-2] <= most_picked(len(sizes) - 2, 0.25, 300)


@pytest.mark.parametrize("bound", ["pick_to_learn", "compression"])
def test_early_stopping_keeps_the_smallest_bound(bound):
    model = pb.PickToLearn(pb.RefittedLogistic(), bound=bound, random_state=0).fit(X, Y)
    statement = model.certificate_.statements[0]
    assert statement.n == 300 - model.n_learning_ == 210
    sizes, errors = np.array(model.path_).T
    if bound == "pick_to_learn":
        assert statement.observed["looks"] == 41  # all that were allowed, not those that were needed
        values = pb.bounds.pick_to_learn(sizes, 210, 0.05, errors, looks=41)
    else:
        values = pb.bounds.compression_binomial(errors, sizes, 210, 0.05)
    assert statement.value == pytest.approx(values.min(), abs=1e-12)
    kept = next(each for each in model.certificate_.choices if each.what == "kept_round")
    assert kept.value == int(np.argmin(values))
    assert kept.cost == ("looks" if bound == "pick_to_learn" else "all_sets")
    assert statement.observed["size"] == model.picked_.size
    assert f"{model.picked_.size} of these, from which the model learned" in str(model.certificate_)


def test_rows_as_they_came():
    model = pb.PickToLearn(GaussianNB(), random_state=0).fit(X, Y, in_order=True)
    assert model.certificate_.verify()
    assert recheck(model.certificate_, X, Y, model)
    assert model.order_.tolist() == list(range(300))


def test_rounds_are_shown(capsys):
    model = pb.PickToLearn(GaussianNB(), rounds=2, progress=True, random_state=0).fit(X, Y)
    shown = capsys.readouterr().err.splitlines()
    assert shown[0] == f"round 0 of at most 2: 0 rows picked, {model.path_[0].errors} of the others wrong"
    assert len(shown) == 3


def test_more_candidates_cost():
    one, two = (pb.PickToLearn(GaussianNB(), candidates=count, random_state=0).fit(X, Y) for count in (1, 10))
    assert one.certificate_.value < two.certificate_.value
    assert two.certificate_.verify()


@pytest.mark.parametrize("learner", [None, RandomForestClassifier(5), SVC(), RidgeClassifier()])
def test_learners_of_many_kinds_and_classes(learner):
    rows, labels = shuffle(*load_iris(return_X_y=True), random_state=0)
    model = pb.PickToLearn(learner, rounds=5, random_state=0).fit(rows, labels)
    assert model.certificate_.verify()
    assert recheck(model.certificate_, rows, labels, model)
    assert model.score(rows, labels) > 0.8


def test_columns_of_a_frame_and_labels_of_text():
    labels = np.where(Y > 0, "yes", "no")
    model = pb.PickToLearn(GaussianNB(), prior_fraction=0, random_state=1).fit(X, labels)
    assert set(model.predict(X)) <= {"yes", "no"}
    assert model.predict_proba(X[:3]).shape == (3, 2)
    assert recheck(model.certificate_, X, labels, model)


class ByBatch(ClassifierMixin, BaseEstimator):
    """Predicts by the median of the batch, which no row alone has."""

    def fit(self, _, labels):
        self.classes_ = np.unique(labels)
        return self

    def decision_function(self, rows):
        return rows[:, 0] - np.median(rows[:, 0])

    def predict(self, rows):
        return self.classes_[(self.decision_function(rows) > 0).astype(int)]


def test_answers_that_depend_on_the_batch_are_refused():
    with pytest.raises(ValueError, match="must answer for each row by itself"):
        pb.PickToLearn(ByBatch(), random_state=0).fit(X, Y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bound": "maurer"}, "'bound' parameter of PickToLearn must be one of pick_to_learn, compression. Got 'maur"),
        ({"prior_fraction": 1.0}, "'prior_fraction' parameter of PickToLearn must be a float in"),
        ({"rounds": 2.5}, "'rounds' parameter of PickToLearn must be a whole number from 0 to 10000, or None. Got 2.5"),
        ({"rounds": None}, "'rounds' parameter of PickToLearn must be a number where early stopping"),
        ({"rounds": 0, "prior_fraction": 0}, "must be at least 1 without prior rows"),
        ({"growth": -1.0}, "'growth' parameter of PickToLearn must be a number between 0 and 1e6. Got -1.0"),
        ({"early_stopping": "yes"}, "'early_stopping' parameter of PickToLearn must be True or False. Got 'yes'"),
        ({"estimator": "logistic"}, "'estimator' parameter of PickToLearn must be a classifier"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        pb.PickToLearn(**options).fit(X, Y)


class Answers(ClassifierMixin, BaseEstimator):
    """Has no score."""

    def fit(self, _, labels):
        self.classes_ = np.unique(labels)
        return self

    def predict(self, rows):
        return np.full(len(rows), self.classes_[0])


def test_a_learner_without_a_score_is_refused():
    with pytest.raises(ValueError, match="must have decision_function or predict_proba"):
        pb.PickToLearn(Answers()).fit(X, Y)
