"""Coverage of certified regressors on distributions of known risk, and that a scale taken from judged rows is caught.

Labels are noise around a linear function of one column. A predicted function differs from it by ``b + c x``, so that
its true loss is an integral over the column, which quadrature gives to many digits.
"""

import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression

import pacbayes as pb

from coverage.judging import repeat, too_often

FEW, RUNS = 16, 500
ROWS = 60
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(40)  # of the standard normal column
WEIGHTS = WEIGHTS / WEIGHTS.sum()
POINTS, POINT_WEIGHTS = np.polynomial.legendre.leggauss(100)
LOSSES = {"absolute": "scale", "squared": "scale", "within": "tolerance"}


def noise_beyond(shift, at):
    """P(|e - shift| > at) for standard normal noise e."""
    return ndtr(shift - at) + ndtr(-shift - at)


def true_risk(loss, shift, scale):
    """The mean of a loss over noise and column: ``E min(D, s)^k = int_0^s k t^(k-1) P(D > t) dt``."""
    if loss == "within":
        return float(WEIGHTS @ noise_beyond(shift, scale))
    at = 0.5 * scale * (POINTS + 1.0)
    beyond = noise_beyond(shift[:, None], at)
    power = 1 if loss == "absolute" else 2
    integral = (0.5 * scale * POINT_WEIGHTS * power * at ** (power - 1) * beyond).sum(axis=1)
    return float(WEIGHTS @ integral / scale**power)


def test_the_true_risk_is_that_of_a_simulation():
    generator = np.random.default_rng(0)
    x, noise = generator.normal(size=10**6), generator.normal(size=10**6)
    for loss, scale in (("absolute", 2.0), ("squared", 2.0), ("within", 1.0)):
        distance = np.abs(noise - 0.3 - 0.5 * x)
        ratio = np.minimum(distance, scale) / scale
        simulated = {"absolute": ratio, "squared": ratio**2, "within": distance > scale}[loss].mean()
        assert true_risk(loss, 0.3 + 0.5 * NODES, scale) == pytest.approx(simulated, abs=3e-3)


class Overfit(RegressorMixin, BaseEstimator):
    """Follows the noise in the labels that it saw: the mean of their largest, and a slope from two rows."""

    def fit(self, rows, labels):
        self.intercept_ = 0.1 * float(labels.max())
        self.coef_ = np.array([0.5 * float(labels[0] - labels[-1])])
        del rows
        return self

    def predict(self, rows):
        return self.intercept_ + self.coef_[0] * rows[:, 0]


LEARNERS = {"linear": LinearRegression, "overfit": Overfit}


def certify(run, learner, loss, delta, **options):
    """The certificate's value and the true risk, of one fit."""
    generator = np.random.default_rng(run)
    column, noise = generator.normal(size=(ROWS, 1)), generator.normal(size=ROWS)
    model = pb.CertifiedRegressor(LEARNERS[learner](), delta, loss=loss, random_state=run, **options)
    model.fit(column, column[:, 0] + noise)
    inner = model.estimator_
    shift = inner.intercept_ + (inner.coef_[0] - 1.0) * NODES
    measure = getattr(model, f"{LOSSES[loss]}_")
    return model.certificate_.value, true_risk(loss, shift, measure)


def judge_fits(learner, loss, delta, runs, judge, **options):
    value, truth = np.array(repeat(lambda run: certify(run, learner, loss, delta, **options), runs, delta)).T
    judge(f"regressor, {learner}, {loss}, delta {delta}", value, truth, delta)


@pytest.mark.parametrize("delta", [0.5, 0.05])
@pytest.mark.parametrize("loss", LOSSES)
def test_fits_of_known_risk_a_few_times(loss, delta, judge):
    judge_fits("overfit", loss, delta, FEW, judge)


@pytest.mark.long
@pytest.mark.parametrize("delta", [0.5, 0.05])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("learner", LEARNERS)
def test_fits_of_known_risk(learner, loss, delta, judge):
    judge_fits(learner, loss, delta, RUNS, judge)


@pytest.mark.long
@pytest.mark.parametrize("loss", LOSSES)
def test_fits_of_known_risk_with_a_given_scale(loss, judge):
    judge_fits("linear", loss, 0.5, RUNS, judge, **{LOSSES[loss]: 1.0})


def flattering_tolerance(distance):
    """The planted mistake: of all errors on the judged rows, the one beyond which they are rarest beside the truth."""
    candidates = np.sort(distance)
    beyond = 1.0 - np.arange(1, distance.size + 1) / distance.size
    return float(candidates[np.argmin((beyond + 0.02) / (2.0 * ndtr(-candidates) + 0.02))])


@pytest.mark.parametrize(("rule", "caught"), [(flattering_tolerance, True), (lambda _: 1.0, False)])
def test_a_tolerance_taken_from_judged_rows_is_caught(rule, caught, record_property):
    runs, rows, violations = 200, 41, 0
    for run in range(runs):
        distance = np.abs(np.random.default_rng(run).normal(size=rows))
        tolerance = rule(distance)
        value = pb.certify_predictions(np.zeros(rows), distance, 0.5, loss="within", tolerance=tolerance).value
        violations += value < 2.0 * ndtr(-tolerance)
    if caught:
        record_property("line:tolerance taken from judged rows: certificates below", f"{violations} of {runs}")
    assert too_often(violations, runs, 0.5) == caught
