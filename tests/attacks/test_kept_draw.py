"""A kept draw whose numbers, seed or predictor were chosen: forged certificates, and redrawn ones."""

import dataclasses
import json

import pytest
from sklearn.preprocessing import FunctionTransformer

import pacbayes as pb
from pacbayes.certificate.arithmetic import evaluate_statement
from pacbayes.certificate.canonical import content_digest
from pacbayes.procedures.linear import gaussian_digest
from pacbayes.verification import recheck

SAMPLE = pb.datasets.make_known_risk(500, d=3, random_state=2)
X, Y = SAMPLE.X, SAMPLE.y


def fitted(**options):
    return pb.CertifiedLogisticRegression(**({"derandomize": "draw", "random_state": 0} | options)).fit(X, Y)


@pytest.fixture(scope="module")
def model():
    return fitted()


def forged(certificate, **changes):
    """The certificate with other numbers in its statement, its value recomputed and its digest made to fit."""
    statement = dataclasses.replace(certificate.statements[0], **changes)
    try:
        value = evaluate_statement(statement, certificate.delta / certificate.candidates)
        statement = dataclasses.replace(statement, value=value)
    except (ValueError, TypeError, KeyError):
        pass
    record = json.loads(dataclasses.replace(certificate, statements=(statement,), digest="").to_json())
    record["digest"] = content_digest(record)
    return pb.Certificate.from_json(json.dumps(record))


def observed(certificate, **changes):
    return {"observed": {**certificate.statements[0].observed, **changes}}


class TestForgedNumbers:
    @pytest.mark.parametrize("ratio", [-30.0, -1e6, True, [0.1], 1e400])
    def test_a_ratio_that_no_draw_has(self, model, ratio):
        certificate = model.certificate_
        try:
            fake = forged(certificate, **observed(certificate, log_ratio=ratio))
        except ValueError:  # infinite numbers are no JSON
            return
        assert not fake.verify()

    def test_a_ratio_that_is_left_out_or_a_divergence_in_its_place(self, model):
        certificate = model.certificate_
        counts = {name: x for name, x in certificate.statements[0].observed.items() if name != "log_ratio"}
        assert not forged(certificate, observed=counts).verify()
        assert not forged(certificate, observed=counts, bound="portfolio", kl=0.0).verify()
        assert not forged(certificate, kl=0.1).verify()

    def test_a_smaller_ratio_is_found_with_the_rows(self, model):
        """Its arithmetic holds; the rows give another one."""
        certificate = model.certificate_
        fake = forged(certificate, **observed(certificate, log_ratio=-5.0))
        assert fake.verify()
        assert fake.value < certificate.value
        assert not recheck(fake, X, Y, model)

    def test_fewer_errors_are_found_with_the_rows(self, model):
        certificate = model.certificate_
        fake = forged(certificate, **observed(certificate, errors=certificate.statements[0].observed["errors"] - 1))
        assert not recheck(fake, X, Y, model)

    @pytest.mark.parametrize("name", ["errors", "both"])
    def test_counts_of_one_predictor_are_whole(self, model, name):
        certificate = model.certificate_
        given = certificate.statements[0].observed[name]
        parts = [given[0] - 0.5] if isinstance(given, list) else given - 0.5
        assert not forged(certificate, **observed(certificate, **{name: parts})).verify()

    @pytest.mark.parametrize("bound", ["clopper_pearson", "portfolio", "betting", "maurer"])
    def test_bounds_for_other_predictors(self, model, bound):
        assert not forged(model.certificate_, bound=bound).verify()

    @pytest.mark.parametrize("about", ["draw", "predict", "given_model", "prior_draw"])
    def test_other_predictors(self, model, about):
        assert not forged(model.certificate_, about=about).verify()

    def test_draws_of_a_posterior_do_not_take_a_kept_draws_bound(self):
        certificate = fitted(derandomize="vote", bound="betting").certificate_
        counted = {"errors": certificate.statements[0].observed["errors"], "log_ratio": -5.0}
        assert not forged(certificate, bound="betting_draw", observed=counted, kl=0.0).verify()

    def test_the_assumption_of_one_draw_cannot_be_dropped(self, model):
        assert not forged(model.certificate_, assumptions=("iid", "nothing_before", "row_by_row")).verify()

    def test_two_ratios_in_one_certificate(self):
        certificate = fitted(metrics=("error", "recall:1")).certificate_
        first, second = certificate.statements
        other = dataclasses.replace(second, observed={**second.observed, "log_ratio": -3.0})
        other = dataclasses.replace(other, value=evaluate_statement(other, certificate.delta))
        fake = dataclasses.replace(certificate, statements=(first, other), digest="")
        assert not fake.verify()


class TestAnotherPredictor:
    def test_weights_that_were_moved(self):
        model = fitted()
        model.coef_ = model.coef_ * 1.001
        assert not recheck(model.certificate_, X, Y, model)

    def test_another_draw_from_the_same_posterior(self):
        """With its own ratio, its own errors and its own digest: all is true of it but that it is the first draw."""
        model = fitted()
        other = model.posterior_.sample(1, 99)[0]
        model.coef_, model.intercept_, model.draw_ = other[None, :-1], other[-1:], other
        model.issued_ = dataclasses.replace(model.issued_, fitted={**model.issued_.fitted, "draw_": other})
        judged = model.order_[model.n_learning_ :]
        wrong = model.predict(X[judged]) != Y[judged]
        certificate = model.certificate_
        fake = forged(
            certificate,
            observed={
                "errors": int(wrong.sum()),
                "reference_errors": certificate.statements[0].observed["reference_errors"],
                "both": [int(model.reference_.losses[wrong].sum())],
                "log_ratio": model.posterior_.log_ratio(model.prior_, other),
            },
        )
        digest = gaussian_digest(model.classes_, model.prior_, model.posterior_, other)
        fake = dataclasses.replace(fake, digests={**fake.digests, "model": digest}, digest="")
        assert fake.verify()
        assert not recheck(fake, X, Y, model)

    def test_the_posterior_mean_in_place_of_the_draw(self):
        model = fitted()
        mean = model.posterior_.mean
        model.coef_, model.intercept_ = mean[None, :-1], mean[-1:]
        assert not recheck(model.certificate_, X, Y, model)

    def test_a_seed_that_was_chosen_for_the_draw_alone(self):
        """The seed of the draw follows from the recorded one, as the order does."""
        model = fitted()
        model.seed_ = model.seed_ + 1
        again = model.reissue(X, Y)
        assert not recheck(again.certificate_, X, Y, again)

    def test_a_shifted_prior(self):
        model = fitted()
        model.prior_ = pb.Gaussian(model.prior_.mean + 1e-3, model.prior_.covariance, intercept=True)
        assert not recheck(model.certificate_, X, Y, model)


def test_rows_that_change_with_their_batch_are_refused():
    steps = FunctionTransformer(lambda rows: rows - rows.mean(axis=0))
    with pytest.raises(ValueError, match="must transform each row by itself"):
        fitted(preprocessing=steps)
