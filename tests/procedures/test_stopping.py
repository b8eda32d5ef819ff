"""The adaptive stop: a function of counts that sees no row after it, and a forecast that agrees with brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes.procedures import (
    Adaptive,
    ClassifierLearner,
    FixedFraction,
    Point,
    Sample,
    Split,
    certify_rows,
)
from pacbayes.procedures.stopping import forecast_bounds
from pacbayes.verification import recheck

SAMPLE = pb.datasets.make_known_risk(600, d=2, random_state=0)
ORDERED = Sample(SAMPLE.X, SAMPLE.y, np.arange(600), random_state=0)
NAIVE = ClassifierLearner(GaussianNB())
LINEAR = ClassifierLearner(pb.CrossValidatedLogistic())


def adaptive(learner=NAIVE, **options):
    return Split(learner=learner, stop=Adaptive(), delta=0.05, **options)


class Recorder(ClassifierMixin, BaseEstimator):
    """Learns the most frequent label, and keeps which rows it was shown; the first column is the row's number."""

    def __init__(self, shown=None):
        self.shown = shown

    def __sklearn_clone__(self):
        return self

    def fit(self, X, y):
        self.shown.append(("fit", X[:, 0].astype(int).tolist()))
        self.classes_, counts = np.unique(y, return_counts=True)
        self.most_ = self.classes_[counts.argmax()]
        return self

    def predict(self, X):
        self.shown.append(("predict", X[:, 0].astype(int).tolist()))
        return np.full(len(X), self.most_)


class Needs(ClassifierMixin, BaseEstimator):
    """Refuses to learn from few rows."""

    def __init__(self, least):
        self.least = least

    def fit(self, X, y):
        if len(X) < self.least:
            raise ValueError("too few rows")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))


class TestTimes:
    @given(st.integers(2, 10**7))
    def test_ascend_and_leave_rows_to_judge(self, rows):
        for stop in (Adaptive(), FixedFraction(0.5)):
            times, sizes = stop.times(rows), stop.snapshots(rows)
            assert list(times) == sorted(set(times))
            assert list(sizes) == sorted(set(sizes))
            assert 1 <= times[0] <= times[-1] <= rows - 1
            assert all(size >= 10 for size in sizes)

    @given(st.integers(100, 10**7))
    def test_cost_at_most_two_and_a_half_fits_on_all_rows(self, rows):
        stop = Adaptive()
        last = stop.times(rows)[-1]
        assert last + sum(stop.snapshots(rows)) <= 2.5 * rows

    def test_a_fixed_fraction_is_given(self):
        assert FixedFraction(0.5).times(100) == (50,)
        assert FixedFraction(0.5).is_reached((), (50,), 100, 0.05)


class TestRule:
    def test_a_flat_curve_stops_and_a_falling_one_goes_on(self):
        times = (4000, 5000, 6000, 8000)
        flat = [Point(500, 700, 3500), Point(1000, 600, 3000), Point(2000, 400, 2000)]
        falling = [Point(500, 1400, 3500), Point(1000, 600, 3000), Point(2000, 200, 2000)]
        assert Adaptive().is_reached(flat, times, 10_000, 0.05)
        assert not Adaptive().is_reached(falling, times, 10_000, 0.05)

    def test_without_a_curve_half_of_the_rows_learn(self):
        run = certify_rows(adaptive(ClassifierLearner(Needs(8))), SAMPLE.X[:18], SAMPLE.y[:18])
        assert run.issued.fitted["n_learning_"] == 9
        assert run.issued.fitted["curve_"] == ()

    @given(st.integers(0, 300), st.integers(0, 150), st.sampled_from([0.5, 0.05, 0.001]))
    def test_the_forecast_is_finite_whatever_was_counted(self, one, two, delta):
        values, weights = forecast_bounds([Point(100, one, 300), Point(200, two, 150)], (400, 800), 1000, delta)
        assert np.all((values > 0.0) & (values <= 1.0))
        assert weights.sum() == pytest.approx(1.0)

    @pytest.mark.parametrize("delta", [0.2, 0.05])
    def test_the_forecast_of_a_known_curve_is_its_exact_limit(self, delta):
        """So many counts leave curves near it, and the limit is that of the binomial distribution at their errors."""
        rows, level, drop = 10**7, 0.1, 0.2

        def risk(m):
            return level + drop * (m / (0.1 * rows)) ** -1.0

        sizes = (rows // 20, rows // 10, rows // 5)
        points = [Point(size, round(risk(size) * (rows // 2 - size)), rows // 2 - size) for size in sizes]
        times = (rows // 2, 8 * rows // 10)
        values, weights = forecast_bounds(points, times, rows, delta)
        for found, time in zip(values @ weights, times, strict=True):
            errors = risk(time) * (rows - time)
            assert found == pytest.approx(beta.ppf(1.0 - delta, errors + 1.0, rows - time - errors), rel=0.05)

    @pytest.mark.parametrize("errors", [0, 1, 5, 20, 100])
    def test_the_closed_form_is_near_the_exact_limit(self, errors):
        from pacbayes.procedures.stopping import _approximate_limit

        for rows in (200.0, 1000.0, 50_000.0):
            found = _approximate_limit(np.array(errors / rows), np.array(rows), 0.05)
            assert found == pytest.approx(beta.ppf(0.95, errors + 1.0, rows - errors), rel=0.02)


class TestLooksAtNoRowAfterTheStop:
    @pytest.mark.parametrize("learner", [NAIVE, LINEAR], ids=["any classifier", "linear"])
    def test_other_labels_after_it_change_nothing_before(self, learner):
        first = adaptive(learner).run(ORDERED)
        count = first.fitted["n_learning_"]
        flipped = SAMPLE.y.copy()
        flipped[count:] = 1 - flipped[count:]
        changed = SAMPLE.X.copy()
        changed[count:] += 100.0
        again = adaptive(learner).run(Sample(changed, flipped, np.arange(600), random_state=0))
        assert again.fitted["n_learning_"] == count
        assert again.fitted["curve_"] == first.fitted["curve_"]

    def test_what_learns_and_predicts_before_the_last_fit_sees_earlier_rows_alone(self):
        shown = []
        numbered = np.column_stack([np.arange(600.0), SAMPLE.X])
        issued = adaptive(ClassifierLearner(Recorder(shown))).run(
            Sample(numbered, SAMPLE.y, np.arange(600), random_state=0)
        )
        count = issued.fitted["n_learning_"]
        last = max(place for place, (verb, _) in enumerate(shown) if verb == "fit")
        assert shown[last][1] == list(range(count))
        assert max(max(rows) for _, rows in shown[:last]) == count - 1
        assert min(min(rows) for verb, rows in shown[last:] if verb == "predict") == count

    def test_the_points_are_what_snapshots_get_wrong(self):
        issued = adaptive().run(ORDERED)
        count = issued.fitted["n_learning_"]
        assert len(issued.fitted["curve_"]) >= 2
        for point in issued.fitted["curve_"]:
            model = GaussianNB().fit(SAMPLE.X[: point.learned], SAMPLE.y[: point.learned])
            later = slice(point.learned, count)
            assert point.rows == count - point.learned
            assert point.errors == np.sum(model.predict(SAMPLE.X[later]) != SAMPLE.y[later])


class TestCertificate:
    def test_records_the_stop_and_the_curve(self):
        certificate = adaptive().run(ORDERED).certificate
        choices = {each.what: each for each in certificate.choices}
        assert choices["learning_rows"].where == "learning_rows"
        assert choices["learning_rows"].value == 600 - certificate.n
        assert "/" in choices["learning_curve"].value
        assert certificate.verify()

    def test_of_a_fixed_fraction_has_no_curve(self):
        certificate = Split(learner=NAIVE, stop=FixedFraction(0.3), delta=0.05).run(ORDERED).certificate
        choices = {each.what: each for each in certificate.choices}
        assert choices["learning_rows"].where == "given"
        assert "learning_curve" not in choices

    @pytest.mark.parametrize("fraction", [-0.5, 0.0, 1.0, 2, float("nan")])
    def test_a_fraction_that_is_none_is_refused(self, fraction):
        with pytest.raises(ValueError, match=r"The 'fraction' of FixedFraction must lie in \(0, 1\)\. Got"):
            FixedFraction(fraction)

    def test_a_recheck_runs_the_rule_again(self):
        run = certify_rows(adaptive(), SAMPLE.X, SAMPLE.y)
        assert recheck(run.certificate_, SAMPLE.X, SAMPLE.y, run)
        fraction = run.issued.fitted["n_learning_"] / 600
        fixed = certify_rows(Split(learner=NAIVE, stop=FixedFraction(fraction), delta=0.05), SAMPLE.X, SAMPLE.y)
        assert fixed.certificate_.value == run.certificate_.value
        assert "choices" in [check.code for check in recheck(run.certificate_, SAMPLE.X, SAMPLE.y, fixed).failed]

    def test_delta_candidates_and_metrics_reach_the_rule(self, monkeypatch):
        seen = []
        monkeypatch.setattr(Adaptive, "is_reached", lambda _, curve, times, rows, delta: seen.append(delta) or False)
        adaptive(candidates=5).run(ORDERED)
        assert set(seen) == {0.01}


class TestSnapshotsThatCannotLearn:
    def test_are_no_points(self):
        issued = adaptive(ClassifierLearner(Needs(100))).run(ORDERED)
        assert issued.fitted["curve_"][0].learned == 120

    def test_and_a_learner_that_never_can_is_named_at_the_stop(self):
        with pytest.raises(ValueError, match="too few rows"):
            adaptive(ClassifierLearner(Needs(10**6))).run(ORDERED)
