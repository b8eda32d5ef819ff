"""A small network as a learned reference, through the interface that all references have."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.svm import SVC

import pacbayes as pb
from pacbayes.torch import NetworkReference

SAMPLE = pb.datasets.make_known_risk(600, d=4, random_state=0)
OPTIONS = {"schedule": pb.Every(150), "random_state": 0}


def run(model, X=SAMPLE.X, y=SAMPLE.y, **options):
    return pb.online_reference(model, X, y, **(OPTIONS | options))


def test_it_predicts_which_examples_are_hard():
    found = run(NetworkReference())
    final = pb.RefittedLogistic().fit(SAMPLE.X, SAMPLE.y)
    posterior = pb.Gaussian(final.weights_, 0.05, intercept=True)
    expected = posterior.zero_one(SAMPLE.X, SAMPLE.y)[found.order[150:]]
    losses, plain = found.losses[150:], run(pb.RefittedLogistic()).losses[150:]
    assert np.corrcoef(losses, expected)[0, 1] > 0.9
    # what the bound is charged for: the deviation of the excess, below that of a plain predictor
    assert np.std(expected - losses) < np.std(expected - plain)


@pytest.mark.parametrize("estimator", [None, GaussianNB(), NearestCentroid()])
def test_any_number_of_classes_and_any_scores(estimator):
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    found = run(NetworkReference(estimator, steps=50), X, names, schedule=pb.Every(50))
    assert found.kind == "predictable"
    assert 0.0 < found.losses[50:].mean() < 0.3


class Telling(ClassifierMixin, BaseEstimator):
    """A support vector machine that tells its predictions alone."""

    def fit(self, X, y):
        self.inner_ = SVC(kernel="linear").fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        return self.inner_.predict(X)


def test_decisions_between_pairs_are_no_scores_of_classes():
    X, y = load_iris(return_X_y=True)
    pairs = SVC(kernel="linear", decision_function_shape="ovo")
    found, plain = (
        run(NetworkReference(each, steps=20), X, y, schedule=pb.Every(50)).losses for each in (pairs, Telling())
    )
    np.testing.assert_array_equal(found, plain)


def test_the_future_does_not_matter_and_runs_repeat():
    first = run(NetworkReference(steps=20), debug=True)
    np.testing.assert_array_equal(first.losses, run(NetworkReference(steps=20)).losses)
    assert not np.array_equal(first.losses, run(NetworkReference(steps=20, random_state=1)).losses)


def test_a_label_of_no_past_example_is_an_error():
    X, y = load_iris(return_X_y=True)
    model = NetworkReference(steps=10).fit(X[:100], y[:100])
    assert np.all(model.reference_losses(X[100:], y[100:]) == 1.0)


def test_few_rows_have_the_losses_of_the_estimator():
    X, y = SAMPLE.X[:8], np.array([0, 1] * 4)
    model = NetworkReference().fit(X, y)
    assert model.weights_ is None
    np.testing.assert_array_equal(model.reference_losses(X, y), model.estimator_.predict(X) != y)


def test_a_fold_with_one_class_is_no_obstacle():
    y = (np.arange(60) % 5 == 0).astype(int)  # the first fold has only ones, the others only zeros
    model = NetworkReference(steps=5).fit(SAMPLE.X[:60], y)
    losses = model.reference_losses(SAMPLE.X[:60], y)
    assert np.all((losses >= 0.0) & (losses <= 1.0))


def test_losses_of_an_estimator_that_states_its_own():
    smooth = NetworkReference(pb.StochasticReference(pb.RefittedLogistic(), 0.5), steps=50)
    assert 0.0 < run(smooth).losses[150:].std() < 0.4


def test_features_are_another_network():
    assert len(NetworkReference(features=True, steps=0).fit(SAMPLE.X, SAMPLE.y).weights_[0]) == 2 + 4 + 4
    assert len(NetworkReference(steps=0).fit(SAMPLE.X, SAMPLE.y).weights_[0]) == 2 + 4


def test_warm_start_continues():
    model = NetworkReference(steps=30, warm_start=True).fit(SAMPLE.X[:300], SAMPLE.y[:300])
    before = model.weights_
    assert np.any(model.fit(SAMPLE.X, SAMPLE.y).weights_[0] != before[0])
    still = model.set_params(steps=0).fit(SAMPLE.X, SAMPLE.y).weights_
    np.testing.assert_array_equal(still[0], model.fit(SAMPLE.X, SAMPLE.y).weights_[0])
    assert not hasattr(clone(model), "weights_")


@pytest.mark.parametrize("warm", [False, True])
def test_a_killed_run_continues(tmp_path, warm):
    model = NetworkReference(pb.RefittedLogistic(), steps=10, warm_start=warm)
    whole = run(model)

    calls = []
    original = NetworkReference.reference_losses

    def judge(self, X, y):
        calls.append(len(y))
        if max(calls) == 150 and calls.count(150) > 1:
            raise KeyboardInterrupt
        return original(self, X, y)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NetworkReference, "reference_losses", judge)
        with pytest.raises(KeyboardInterrupt):
            run(model, checkpoint=tmp_path)
    assert list(tmp_path.iterdir())
    np.testing.assert_array_equal(run(model, checkpoint=tmp_path).losses, whole.losses)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"folds": 2}, "The 'folds' argument of NetworkReference must be a whole number, at least 3. Got 2 instead."),
        ({"widths": "16"}, "The 'widths' argument of NetworkReference must be at most 10 whole numbers"),
        ({"learning_rate": 0.0}, "The 'learning_rate' argument of NetworkReference must be a finite number above 0"),
    ],
)
def test_bad_options_are_refused(options, words):
    with pytest.raises(ValueError, match=words.replace(".", r"\.")):
        NetworkReference(**options).fit(SAMPLE.X, SAMPLE.y)


def test_text_is_refused():
    with pytest.raises(ValueError, match="needs rows of numbers"):
        NetworkReference().fit(np.array([["a"], ["b"]] * 20, dtype=object), np.arange(40) % 2)
