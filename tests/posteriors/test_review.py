"""Defects that a review of posteriors, summaries and references found, each with the call that showed it."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import FunctionTransformer

import pacbayes as pb

SAMPLE = pb.datasets.make_known_risk(400, d=3, random_state=0)


class Fixed:
    """Gives the same probabilities to every row."""

    def __init__(self, classes, probabilities):
        self.classes_, self._p = np.array(classes), np.array(probabilities)

    def predict_proba(self, X):
        return np.tile(self._p, (len(X), 1))


@pytest.mark.parametrize("classes", [(1, 2), ("no", "yes"), (1, 2, 3), ("a", "b", "c")])
def test_probability_losses_follow_the_classes_of_each_predictor(classes):
    p = np.array([0.1, 0.9]) if len(classes) == 2 else np.array([0.05, 0.9, 0.05])
    posterior = pb.Finite([1.0], [Fixed(classes, p)])
    y = np.array(classes)
    losses = posterior.losses(np.zeros((len(y), 1)), y, "log_loss")[0]
    np.testing.assert_allclose(losses, np.log(p) / math.log(1e-3))
    brier = posterior.losses(np.zeros((len(y), 1)), y, "brier")[0]
    np.testing.assert_allclose(brier, [0.5 * (np.sum(p**2) - 2 * q + 1) for q in p])


def test_scales_and_steps_must_make_sense():
    posterior = pb.Gaussian([2.0], 1.0)
    for bad in (-1.0, 0.0, math.nan, math.inf):
        for call in (
            lambda s: posterior.zero_one([[1.0], [-1.0]], [0, 1], scales=s),
            lambda s: posterior.kl(posterior, scales=s),
        ):
            with pytest.raises(ValueError, match="'scales' argument of Gaussian"):
                call(bad)
    with pytest.raises(ValueError, match="'steps' argument of Gaussian"):
        posterior.zero_one([[1.0], [-1.0]], [0, 1], towards=[1.0], steps=math.nan)


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-150, 1.0, 1e150, 1e200, 1e300])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_rows_of_any_size(size, kind):
    X = np.array([[size, 0.0], [-size, size]])
    matrix = sp.csr_matrix(X) if kind == "sparse" else X
    expected = pb.Gaussian([1.0, 0.5], 1.0).zero_one(np.sign(X), [1, 0])
    for covariance in (1.0, [1.0, 1.0], np.eye(2)):
        losses = pb.Gaussian([1.0, 0.5], covariance).zero_one(matrix, [1, 0], towards=[1.0, 0.5], steps=[0.0, 1.0])
        np.testing.assert_allclose(losses, [expected, expected], rtol=1e-12)
    if size > 1.0:  # beside which an intercept is nothing
        huge = pb.Gaussian([1.0, 0.5, 7.0], 1.0, intercept=True).zero_one(matrix, [1, 0])
        np.testing.assert_allclose(huge, expected, rtol=1e-9)


def test_draws_need_one_label_per_row():
    posterior = pb.Gaussian([1.0, 0.0, 0.0], 0.1)
    for y, options in ((SAMPLE.y[:200], {}), (np.array([1]), {"classes": (0, 1)})):
        with pytest.raises(ValueError, match="one label per row"):
            pb.MonteCarlo(posterior).summary(SAMPLE.X, y, **options)
    with pytest.raises(ValueError, match="losses of labels or probabilities"):
        pb.MonteCarlo(posterior).summary(SAMPLE.X, SAMPLE.y, loss="absolute")
    with pytest.raises(ValueError, match="'draws' argument of MonteCarlo"):
        pb.MonteCarlo(posterior, draws=0)
    pb.MonteCarlo(posterior, draws=10).summary(sp.coo_matrix(SAMPLE.X), SAMPLE.y)


def test_summary_rates_must_be_a_list_and_weights_go_with_them():
    for options in ({"rates": []}, {"rates": [[0.5]]}, {"rates": [0.5], "weights": [0.5, 0.5]}, {"weights": [1.0]}):
        with pytest.raises(ValueError, match=r"'(rates|weights)' argument of Summary"):
            pb.Summary.from_losses([0.1], **options)


class TestOnline:
    arguments = {"schedule": pb.Every(50), "shuffle": False}  # noqa: RUF012

    def test_checkpoints_see_all_of_the_data_and_of_the_estimator(self, tmp_path):
        y = np.where(SAMPLE.y, "yes", "no").astype(object)
        X = np.vstack([SAMPLE.X] * 5)
        labels = np.concatenate([y] * 5)
        pb.online_reference(GaussianNB(), X, labels, checkpoint=tmp_path, **self.arguments)
        flipped = labels.copy()
        flipped[900:1100] = np.where(flipped[900:1100] == "yes", "no", "yes")
        with pytest.raises(ValueError, match="is of another run"):
            pb.online_reference(GaussianNB(), X, flipped, checkpoint=tmp_path, **self.arguments)
        with pytest.raises(ValueError, match="is of another run"):
            pb.online_reference(GaussianNB(var_smoothing=1.0), X, labels, checkpoint=tmp_path, **self.arguments)
        with pytest.raises(ValueError, match="is of another run"):
            pb.online_reference(GaussianNB(), X, labels, checkpoint=tmp_path, keep=2, **self.arguments)

    def test_checkpoints_do_not_depend_on_addresses(self, tmp_path):
        from sklearn.pipeline import make_pipeline

        for _ in range(2):
            pipeline = make_pipeline(FunctionTransformer(np.abs), GaussianNB())
            pb.online_reference(pipeline, SAMPLE.X, SAMPLE.y, checkpoint=tmp_path, **self.arguments)

    def test_declared_classes_do_not_depend_on_the_future(self):
        y = SAMPLE.y.copy()
        y[-1] = 2
        for estimator, schedule in ((SGDClassifier(random_state=0), pb.Every(1)), (LogisticRegression(), pb.Every(50))):
            one, two = (
                pb.online_reference(
                    estimator, SAMPLE.X, labels, schedule=schedule, shuffle=False, classes=[0, 1, 2]
                ).losses
                for labels in (SAMPLE.y, y)
            )
            np.testing.assert_array_equal(one[:-1], two[:-1])
        with pytest.raises(ValueError, match=r"must hold only \[0, 1\]. Got .*2"):
            pb.online_reference(GaussianNB(), SAMPLE.X, y, classes=[0, 1])

    def test_a_warm_start_gives_way_to_a_new_class(self):
        y = SAMPLE.y.copy()
        y[120:] = np.where(SAMPLE.X[120:, 0] > 1.0, 2, y[120:])
        estimator = LogisticRegression(warm_start=True, max_iter=500, C=0.5, class_weight="balanced")
        assert pb.online_reference(estimator, SAMPLE.X, y, **self.arguments).losses[150:].mean() < 0.5

    def test_another_minimiser_is_left_alone(self):
        shifted = SAMPLE.X + 3.0
        plain = LogisticRegression(solver="liblinear", C=0.1)
        ours = pb.online_reference(plain, shifted, SAMPLE.y, **self.arguments)
        for start, stop in ours.boundaries[1:]:
            fit = LogisticRegression(solver="liblinear", C=0.1).fit(shifted[:start], SAMPLE.y[:start])
            np.testing.assert_array_equal(
                ours.losses[start:stop], fit.predict(shifted[start:stop]) != SAMPLE.y[start:stop]
            )

    def test_what_in_place_updates_cannot_do_is_refused(self, tmp_path):
        for extra in ({"keep": 3}, {"checkpoint": tmp_path}):
            with pytest.raises(ValueError, match="keeps no snapshots and no checkpoint"):
                pb.online_reference(pb.RecursiveLogistic(), SAMPLE.X, SAMPLE.y, schedule=pb.Every(1), **extra)

    def test_awkward_predictors_and_rows(self):
        class Column(GaussianNB):
            def predict(self, X):
                return super().predict(X)[:, None]

        plain = pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, **self.arguments)
        assert np.array_equal(pb.online_reference(Column(), SAMPLE.X, SAMPLE.y, **self.arguments).losses, plain.losses)
        fitted = GaussianNB().fit(SAMPLE.X, SAMPLE.y)
        assert pb.fixed_reference(fitted, SAMPLE.X, SAMPLE.y, loss="brier").losses.max() < 1.0
        with pytest.raises(ValueError, match="must have rows and columns"):
            pb.online_reference(GaussianNB(), SAMPLE.X[:, 0], SAMPLE.y)
        absolute = pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, loss="absolute", **self.arguments)
        np.testing.assert_array_equal(absolute.losses, plain.losses)

    def test_refitted_logistic_on_hard_problems(self):
        rng = np.random.default_rng(0)
        separable = rng.normal(size=(100, 2))
        problems = [
            (separable, separable[:, 0] > 0),
            (rng.normal(size=(20, 60)), rng.random(20) < 0.5),
            (np.column_stack([SAMPLE.X, np.zeros(400), np.ones(400)]), SAMPLE.y),
            (SAMPLE.X * [1e-4, 1.0, 1e3], SAMPLE.y),
        ]
        for X, y in problems:
            model = pb.RefittedLogistic(alpha=0.01).fit(X, y)
            assert np.isfinite(model.weights_).all()
        for alpha in (math.inf, math.nan):
            with pytest.raises(ValueError, match="positive and finite"):
                pb.RefittedLogistic(alpha=alpha).fit(SAMPLE.X, SAMPLE.y)
        model = pb.RefittedLogistic().fit(SAMPLE.X, SAMPLE.y)
        with pytest.raises(ValueError, match="NaN"):
            model.predict(SAMPLE.X * math.nan)

    def test_anytime_bound_is_not_below_the_summary(self):
        reference = pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, loss="brier", **self.arguments)
        rates, weights = pb.bounds.betting_rates()
        summary = reference.summary(np.zeros(400))
        exact = pb.bounds.betting(summary.reference_log_growth, rates, 0.0, 400, 0.05, weights)
        assert reference.bound(0.05)[-1] >= exact
