"""CertifiedRegressor: any regressor or none, bounded losses whose scale no judged row took part in."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import beta
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

import pacbayes as pb
from pacbayes.certificate.words import choice_words, note_words
from pacbayes.verification import recheck, recheck_run

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(600, 3))
Y = X @ [2.0, -1.0, 0.0] + GENERATOR.normal(size=600)
LOSSES = {"absolute": {"scale": 4.0}, "squared": {"scale": 4.0}, "within": {"tolerance": 2.0}}


@pytest.mark.filterwarnings("ignore")  # the checks fit odd data on purpose
@parametrize_with_checks(
    [
        pb.CertifiedRegressor(random_state=0),
        pb.CertifiedRegressor(LinearRegression(), loss="within", random_state=0),
        pb.CertifiedRegressor(Ridge(), loss="squared", scale=2.0, split=0.5, random_state=0),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True)


def fitted(loss, model=None, **options):
    return pb.CertifiedRegressor(model, loss=loss, **{**LOSSES[loss], "random_state": 0, **options}).fit(X, Y)


def errors_on_judged_rows(model):
    rest = model.order_[model.n_learning_ :]
    return np.abs(Y[rest] - model.predict(X[rest]))


def assert_exact_limit(value, misses, n):
    """Clopper and Pearson's limit by scipy's quantile of the beta distribution; ours is rounded up."""
    exact = beta.ppf(0.95, misses + 1, n - misses)
    assert exact * (1.0 - 1e-13) <= value <= exact * (1.0 + 1e-8)


class TestNumbers:
    def test_misses_have_the_exact_binomial_limit(self):
        model = fitted("within", LinearRegression())
        misses = int(np.sum(errors_on_judged_rows(model) > 2.0))
        statement = model.certificate_.statements[0]
        assert statement.observed == {"errors": misses}
        assert_exact_limit(statement.value, misses, statement.n)

    @pytest.mark.parametrize(("loss", "power"), [("absolute", 1), ("squared", 2)])
    def test_other_losses_are_bet_on_in_the_order_of_the_shuffle(self, loss, power):
        model = fitted(loss, LinearRegression())
        losses = (np.minimum(errors_on_judged_rows(model), 4.0) / 4.0) ** power
        certificate = model.certificate_
        assert certificate.value == pytest.approx(pb.bounds.sequential(losses, 0.05, n=losses.size), rel=1e-9)
        assert certificate.statements[0].risk == pytest.approx(losses.mean(), rel=1e-12)
        assert certificate.limit == pytest.approx(certificate.value * 4.0**power, rel=1e-15)
        assert certificate.limit >= certificate.value * 4.0**power

    @pytest.mark.parametrize("loss", LOSSES)
    def test_candidates_share_delta(self, loss):
        two, half = fitted(loss, candidates=2, split=0.5), fitted(loss, delta=0.025, split=0.5)
        assert two.certificate_.value == half.certificate_.value

    @pytest.mark.parametrize("loss", LOSSES)
    def test_units_of_the_labels_play_no_part(self, loss):
        one = fitted(loss, LinearRegression())
        options = {name: 1024.0 * value for name, value in LOSSES[loss].items()}
        other = pb.CertifiedRegressor(LinearRegression(), loss=loss, random_state=0, **options).fit(X, 1024.0 * Y)
        assert other.certificate_.value == pytest.approx(one.certificate_.value, rel=1e-9)

    def test_the_number_is_close_to_what_was_observed(self):
        """Bets on losses of small variance cost far less than counts of the same mean would."""
        statement = fitted("absolute").certificate_.statements[0]
        assert statement.value < pb.bounds.chernoff(statement.risk, statement.n, 0.05) - 0.02


class TestSentence:
    def test_states_the_scale(self):
        words = {loss: fitted(loss).certificate_.sentence() for loss in LOSSES}
        start = "With probability at least 95 % over the data, "
        limits = {loss: fitted(loss).certificate_.limit for loss in LOSSES}
        assert words["absolute"].startswith(
            f"{start}the mean absolute error of `predict`, counted up to 4, is at most "
        )
        assert words["squared"].startswith(
            f"{start}the mean squared error of `predict`, each error counted up to 4, is at most "
        )
        assert words["within"].startswith(f"{start}`predict` misses by more than 2 in at most ")
        assert words["within"].endswith(" % of cases.")
        for loss in ("absolute", "squared"):
            number = float(words[loss].rstrip(".").rpartition(" ")[2])
            assert limits[loss] <= number <= limits[loss] * 1.001
        share = float(words["within"].removesuffix(" % of cases.").rpartition(" ")[2])
        assert 100.0 * limits["within"] <= share <= 100.0 * limits["within"] + 0.01

    @pytest.mark.parametrize("loss", LOSSES)
    def test_of_rows_in_order_speaks_of_the_later_ones(self, loss):
        model = pb.CertifiedRegressor(loss=loss, random_state=0, **LOSSES[loss]).fit(X, Y, in_order=True)
        assert "on rows like the judged ones, which came last, " in model.certificate_.sentence()
        assert ",," not in model.certificate_.sentence()
        assert np.array_equal(model.order_, np.arange(600))
        assert recheck(model.certificate_, X, Y, model)

    def test_large_and_small_units_are_readable(self):
        for factor, words in ((1e6, "counted up to 4000000"), (1e-3, "counted up to 0.004")):
            model = pb.CertifiedRegressor(scale=4.0 * factor, random_state=0).fit(X, Y * factor)
            assert words in model.certificate_.sentence()
            assert "E" not in model.certificate_.sentence().removeprefix("With")

    def test_table_and_html_have_the_units(self):
        certificate = fitted("absolute").certificate_
        assert "scale       4, fixed before the judged rows" in str(certificate)
        assert "counted up to 4" in certificate._repr_html_()


class TestScale:
    @pytest.mark.parametrize("loss", LOSSES)
    @pytest.mark.parametrize("split", ["adaptive", 0.3])
    def test_is_taken_from_the_first_learning_rows_alone(self, loss, split):
        """A judged label, or one after the first possible stop, changes nothing of it: neither one nor all of them."""
        plain = pb.CertifiedRegressor(DecisionTreeRegressor(max_depth=2), loss=loss, split=split, random_state=0)
        model = clone(plain).fit(X, Y)
        name = "tolerance" if loss == "within" else "scale"
        first = next(each.value for each in model.certificate_.choices if each.what == f"{name}_rows")
        assert first == (240 if split == "adaptive" else 180) <= model.n_learning_
        labels = Y.copy()
        for rows in (model.order_[first : first + 1], model.order_[-1:], model.order_[first:]):
            labels[rows] += 1e6
            assert getattr(clone(plain).fit(X, labels), f"{name}_") == getattr(model, f"{name}_")
        labels[model.order_[:first]] *= 10.0
        assert getattr(clone(plain).fit(X, labels), f"{name}_") > getattr(model, f"{name}_")

    def test_is_the_stated_rule(self):
        model = pb.CertifiedRegressor(random_state=0).fit(X, Y)
        low, high = np.quantile(Y[model.order_[:240]], [0.05, 0.95])
        assert model.scale_ == float(f"{high - low:.1e}")
        assert pb.CertifiedRegressor(loss="within", random_state=0).fit(X, Y).tolerance_ == model.scale_ / 4.0
        assert any("between the 5 % and the 95 % quantile" in choice_words(each) for each in model.certificate_.choices)
        assert "scale_before" not in model.certificate_.statements[0].assumptions
        assert "scale_before" in fitted("absolute").certificate_.statements[0].assumptions

    def test_another_fit_forgets_the_other_one(self):
        model = fitted("within")
        model.set_params(loss="absolute", scale=3.0, tolerance=None).fit(X, Y)
        assert not hasattr(model, "tolerance_")
        assert model.scale_ == 3.0


class TestRecheck:
    @pytest.mark.parametrize("loss", LOSSES)
    @pytest.mark.parametrize("given", [True, False])
    def test_holds_and_survives_json(self, loss, given):
        options = LOSSES[loss] if given else {}
        model = pb.CertifiedRegressor(loss=loss, random_state=0, **options).fit(X, Y)
        certificate = pb.Certificate.from_json(model.certificate_.to_json())
        assert certificate == model.certificate_
        assert recheck(certificate, X, Y, model), str(recheck(certificate, X, Y, model))
        assert recheck_run(certificate, X, Y, pb.CertifiedRegressor(loss=loss, random_state=0, **options))
        assert not recheck(certificate, X, Y + 1e-6, model)
        assert not recheck_run(certificate, X, Y, pb.CertifiedRegressor(loss=loss, random_state=1, **options))

    def test_of_another_predictor_fails(self):
        model, other = fitted("absolute", Ridge()), fitted("absolute", Ridge(100.0))
        certificate = model.certificate_
        model.estimator_ = other.estimator_
        assert not recheck(certificate, X, Y, model)

    def test_of_a_model_that_predicts_nan_holds(self):
        model = fitted("absolute", SometimesNothing())
        assert np.isnan(model.predict(X)).any()
        assert recheck(model.certificate_, X, Y, model)


class SometimesNothing(RegressorMixin, BaseEstimator):
    """Has no answer for a part of the rows."""

    def __init__(self, answer=np.nan):
        self.answer = answer

    def fit(self, rows, labels):
        self.mean_ = labels.mean()
        del rows
        return self

    def predict(self, rows):
        return np.where(rows[:, 0] > 1.0, self.answer, self.mean_)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("answer", [np.nan, np.inf, -np.inf])
def test_a_prediction_that_is_not_finite_has_the_largest_loss(loss, answer):
    model, far = fitted(loss, SometimesNothing(answer), split=0.5), fitted(loss, SometimesNothing(1e9), split=0.5)
    assert model.certificate_.value == far.certificate_.value
    rest = model.order_[model.n_learning_ :]
    assert model.certificate_.statements[0].risk >= np.mean(X[rest, 0] > 1.0)


class TestUse:
    def test_frames_of_pandas_and_polars_give_the_same_as_arrays(self, diabetes):
        import polars as pl

        rows, labels = diabetes
        model = pb.CertifiedRegressor(scale=100.0, random_state=0)
        plain = clone(model).fit(rows.to_numpy(), labels.to_numpy())
        for frame in (rows, pl.DataFrame(rows.to_dict("list"))):
            again = clone(model).fit(frame, labels.to_numpy())
            assert again.certificate_.value == pytest.approx(plain.certificate_.value, rel=1e-12)
            assert list(again.feature_names_in_) == list(rows.columns)

    def test_sparse_rows_and_series(self):
        sparse = sp.csr_matrix(X * (X > 0.5))
        model = pb.CertifiedRegressor(scale=4.0, random_state=0).fit(sparse, pd.Series(Y))
        dense = pb.CertifiedRegressor(scale=4.0, random_state=0).fit(X * (X > 0.5), Y)
        assert model.certificate_.value == pytest.approx(dense.certificate_.value, rel=1e-3)
        assert recheck(model.certificate_, sparse, Y, model)

    def test_the_default_is_as_good_as_plain_ridge(self, diabetes):
        rows, labels = diabetes
        ours = pb.CertifiedRegressor(scale=200.0, split=0.5, random_state=0).fit(rows, labels)
        ridge = make_pipeline(StandardScaler(), Ridge())
        theirs = pb.CertifiedRegressor(ridge, scale=200.0, split=0.5, random_state=0).fit(rows, labels)
        assert ours.certificate_.value <= theirs.certificate_.value + 0.01
        assert ours.score(rows, labels) > 0.4

    def test_sample_weights_play_a_part_in_learning_only(self):
        weights = np.random.default_rng(1).random(600)
        model = pb.CertifiedRegressor(Ridge(), scale=4.0, split=0.5, random_state=0).fit(X, Y, sample_weight=weights)
        first = model.order_[:300]
        assert np.array_equal(model.estimator_.coef_, Ridge().fit(X[first], Y[first], weights[first]).coef_)
        assert "learning only" in note_words(model.certificate_.notes[-1])
        assert recheck(model.certificate_, X, Y, model)

    def test_a_search_goes_inside_and_it_goes_into_a_pipeline(self):
        search = GridSearchCV(Ridge(), {"alpha": [0.1, 1e4]}, cv=3)
        model = pb.CertifiedRegressor(search, scale=4.0, random_state=0).fit(X, Y)
        assert model.estimator_.best_params_ == {"alpha": 0.1}
        assert recheck(model.certificate_, X, Y, model)
        pipeline = make_pipeline(StandardScaler(), pb.CertifiedRegressor(scale=4.0, random_state=0)).fit(X, Y)
        assert pipeline.score(X, Y) > 0.7

    def test_whole_and_truth_values_are_numbers(self):
        counts = np.round(Y).astype(int)
        whole = pb.CertifiedRegressor(scale=4.0, random_state=0).fit(X, counts)
        assert (
            whole.certificate_.value
            == pb.CertifiedRegressor(scale=4.0, random_state=0).fit(X, counts * 1.0).certificate_.value
        )
        assert pb.CertifiedRegressor(scale=1.0, random_state=0).fit(X, Y > 0.0).certificate_.value < 0.5

    def test_sorted_labels_get_a_warning_and_others_none(self):
        order = np.argsort(Y)
        with pytest.warns(pb.CertificateWarning, match="sorted by label"):
            pb.CertifiedRegressor(scale=4.0, random_state=0).fit(X[order], Y[order])
        assert not fitted("absolute").certificate_.notes

    def test_the_stop_sees_how_little_losses_vary(self):
        """At a scale that is a hundred times larger the losses are smaller, and the stop is about the same."""
        one, other = (fitted("absolute", LinearRegression(), scale=scale) for scale in (4.0, 400.0))
        assert abs(one.n_learning_ - other.n_learning_) <= 60
        assert all(point.squares <= point.errors for point in one.curve_)


class Batched(RegressorMixin, BaseEstimator):
    """Answers by the mean of what it is asked together with."""

    def fit(self, rows, labels):
        del rows
        self.mean_ = labels.mean()
        return self

    def predict(self, rows):
        return rows[:, 0] - rows[:, 0].mean() + self.mean_


class Rounds(LinearRegression):
    """Answers a little differently in every batch, as sums in another order do."""

    def predict(self, rows):
        return super().predict(rows) * (1.0 + 1e-12 * len(rows))


class TestRowByRow:
    def test_a_model_that_looks_at_other_rows_is_refused(self):
        with pytest.raises(ValueError, match="Batched must answer for each row by itself"):
            fitted("absolute", Batched())
        with pytest.raises(ValueError, match="Batched must answer for each row by itself"):
            pb.certify(Batched().fit(X, Y), X, Y, loss="absolute", scale=4.0)

    @pytest.mark.parametrize("loss", LOSSES)
    def test_rounding_is_no_reason_and_the_worst_answer_counts(self, loss):
        plain, rounding = fitted(loss, LinearRegression(), split=0.5), fitted(loss, Rounds(), split=0.5)
        assert rounding.certificate_.statements[0].risk >= plain.certificate_.statements[0].risk
        assert rounding.certificate_.value == pytest.approx(plain.certificate_.value, rel=1e-6)

    def test_exact_answers_alone_and_in_batches(self):
        """All errors are rounding: where they are larger alone that is no sign of a memory."""
        exact = X @ [2.0, -1.0, 0.5]
        model = pb.CertifiedRegressor(LinearRegression(), scale=1.0, random_state=0).fit(X, exact)
        assert model.certificate_.value < 0.05


class TestGiven:
    def test_a_model_that_exists(self):
        model = Ridge().fit(X[:300], Y[:300])
        errors = np.abs(Y[300:] - model.predict(X[300:]))
        within = pb.certify(model, X[300:], Y[300:], loss="within", tolerance=2.0)
        misses = int(np.sum(errors > 2.0))
        assert_exact_limit(within.value, misses, 300)
        absolute = pb.certify(model, X[300:], Y[300:], loss="absolute", scale=4.0)
        other = pb.certify_predictions(losses=np.minimum(errors, 4.0) / 4.0)
        assert absolute.value == pytest.approx(other.value, rel=1e-9)
        for certificate in (within, absolute):
            assert certificate.verify()
            assert "scale_before" in certificate.statements[0].assumptions
            assert "row_by_row" in certificate.statements[0].assumptions
            assert recheck(certificate, X[300:], Y[300:], model)
            assert not recheck(certificate, X[300:], Y[300:], Ridge(10.0).fit(X[:300], Y[:300]))

    @pytest.mark.parametrize("loss", LOSSES)
    def test_predictions_that_exist(self, loss):
        model = Ridge().fit(X[:300], Y[:300])
        certificate = pb.certify_predictions(Y[300:], model.predict(X[300:]), loss=loss, **LOSSES[loss])
        by_model = pb.certify(model, X[300:], Y[300:], loss=loss, **LOSSES[loss])
        assert certificate.value == pytest.approx(by_model.value, rel=1e-9)
        assert pb.Certificate.from_json(certificate.to_json()).verify()
        assert "the predictor that made these predictions" in certificate.sentence()
        assert recheck(certificate, X[300:], Y[300:], model)

    def test_predictions_that_are_not_finite_are_counted(self):
        predictions = np.where(np.arange(600) % 10 == 0, np.nan, Y)
        certificate = pb.certify_predictions(Y, predictions, loss="within", tolerance=1.0)
        assert certificate.statements[0].observed == {"errors": 60}
