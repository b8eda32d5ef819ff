"""One draw from the posterior that is kept: what it predicts by, what it is charged, and what it refuses."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.preprocessing import StandardScaler

import pacbayes as pb
from pacbayes import procedures
from pacbayes.procedures.kept_draw import draw_once
from pacbayes.verification import recheck

SAMPLE = pb.datasets.make_known_risk(600, d=3, random_state=0)
X, Y = SAMPLE.X, SAMPLE.y
GOLDEN = [0.06825869187423085, 0.6260393959448701, 0.5580653914887269]


def fitted(**options):
    return pb.CertifiedLogisticRegression(**({"derandomize": "draw", "random_state": 0} | options)).fit(X, Y)


@pytest.fixture(scope="module")
def model():
    return fitted()


class TestWhatIsKept:
    def test_predicts_by_the_draw(self, model):
        weights = draw_once(model.posterior_, model.seed_)
        np.testing.assert_array_equal(np.append(model.coef_[0], model.intercept_), weights)
        scores = model.preprocessing_.transform(X) @ weights[:-1] + weights[-1]
        np.testing.assert_array_equal(model.predict(X), model.classes_[(scores > 0.0).astype(int)])
        np.testing.assert_array_equal(model.predict(X), model.predict(X))
        assert not np.allclose(weights, model.posterior_.mean)

    def test_the_posterior_is_that_of_the_vote(self, model):
        """It is settled before the draw, by the same bound."""
        vote = fitted(derandomize="vote")
        np.testing.assert_array_equal(model.posterior_.mean, vote.posterior_.mean)
        np.testing.assert_array_equal(model.posterior_.root, vote.posterior_.root)
        assert not hasattr(vote, "draw_")

    def test_counts_errors_of_the_draw_on_judged_rows(self, model):
        judged = model.order_[model.n_learning_ :]
        wrong = model.predict(X[judged]) != Y[judged]
        observed = model.certificate_.statements[0].observed
        assert observed["errors"] == int(wrong.sum())
        assert observed["both"] == [int(model.reference_.losses[wrong].sum())]

    def test_is_charged_the_log_ratio_of_the_very_draw(self, model):
        own, prior = (
            multivariate_normal(each.mean, each.covariance).logpdf(model.draw_)
            for each in (model.posterior_, model.prior_)
        )
        assert model.certificate_.statements[0].observed["log_ratio"] == pytest.approx(own - prior, abs=1e-9)
        assert model.certificate_.statements[0].kl == 0.0

    def test_has_no_factor_two(self, model):
        certificate = model.certificate_
        assert certificate.vote_value == certificate.value
        assert certificate.value < 0.6 * fitted(derandomize="vote").certificate_.vote_value
        assert "over the data and the draw" in certificate.sentence()
        assert "one_draw" in certificate.statements[0].assumptions

    def test_a_later_fit_keeps_nothing_of_an_earlier_one(self):
        again = fitted().set_params(derandomize="vote").fit(X, Y)
        assert not hasattr(again, "draw_")
        np.testing.assert_array_equal(again.coef_[0], again.posterior_.mean[:-1])
        assert recheck(again.certificate_, X, Y, again)


class TestDraw:
    def test_another_seed_gives_another_draw_and_nothing_else_shares_its_stream(self):
        posterior = pb.Gaussian(np.zeros(4), 1.0)
        draws = np.array([draw_once(posterior, seed) for seed in range(2000)])
        assert np.unique(draws[:, 0]).size == 2000
        assert np.abs(draws.mean(axis=0)).max() < 0.1
        assert np.abs(np.cov(draws.T) - np.eye(4)).max() < 0.12
        order = np.random.RandomState(3).standard_normal(4)
        assert not np.isclose(draw_once(posterior, 3), order).any()

    def test_the_numbers_of_the_stream_are_these(self):
        """A certificate of another version of numpy is rechecked by the same draw."""
        found = draw_once(pb.Gaussian(np.zeros(3), 1.0), 12345)
        np.testing.assert_allclose(found, GOLDEN, rtol=0, atol=1e-15)


class TestOptions:
    @pytest.mark.parametrize("bound", ["maurer", "betting", "portfolio"])
    @pytest.mark.parametrize("prior", ["informed", "zero"])
    def test_every_bound_and_prior_verifies_and_is_rechecked(self, bound, prior):
        model = fitted(bound=bound, prior=prior)
        assert model.certificate_.procedure == "kept_draw"
        assert model.certificate_.statements[0].bound == f"{bound}_draw"
        assert model.certificate_.verify()
        assert recheck(model.certificate_, X, Y, model)

    def test_several_statements_hold_together(self):
        model = fitted(metrics=("error", "recall:1", "fpr:1"))
        assert [each.bound for each in model.certificate_.statements][1:] == ["betting_draw"] * 2
        ratios = {each.observed["log_ratio"] for each in model.certificate_.statements}
        assert len(ratios) == 1
        assert model.certificate_.verify()
        assert recheck(model.certificate_, X, Y, model)

    def test_without_a_seed_one_is_drawn_that_everybody_can_draw_by_again(self):
        model = fitted(random_state=None)
        assert model.certificate_.seed is not None
        assert recheck(model.certificate_, X, Y, model)
        assert np.array_equal(fitted(random_state=model.certificate_.seed).predict(X), model.predict(X))

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"derandomize": "mean"}, "'derandomize' parameter .* must be one of 'vote', 'draw'. Got 'mean'"),
            (
                {"bound": "catoni"},
                "takes the bounds 'maurer', 'betting', 'portfolio'.* bound='catoni'",
            ),
            ({"bound": "betting", "reference": "online"}, "references with 'portfolio' alone. Got bound='betting'"),
        ],
    )
    def test_what_it_refuses(self, options, message):
        with pytest.raises(ValueError, match=message):
            fitted(**options)

    def test_random_draws_are_refused_since_nothing_is_said_of_them(self, model):
        with pytest.raises(ValueError, match="'randomized' argument of predict must be False"):
            model.predict(X, randomized=True)

    def test_the_procedure_alone(self):
        options = {"classes": np.unique(Y), "preprocessing": StandardScaler(), "fraction": 0.4}
        kept = procedures.KeptDraw(**options, delta=0.05, bound="betting")
        run = procedures.certify_rows(kept, X, Y, random_state=0)
        assert run.certificate_.value == fitted(bound="betting").certificate_.value
        assert recheck(run.certificate_, X, Y, run)
