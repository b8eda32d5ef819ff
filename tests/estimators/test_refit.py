"""A second model trained on all rows: kept beside the certified one, and certified on rows without labels."""

import pickle
import warnings
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import pacbayes as pb
from pacbayes.estimators import CertificateWarning
from pacbayes.procedures import compare_with_source
from pacbayes.verification import recheck, recheck_run

SAMPLE = pb.datasets.make_known_risk(900, d=2, random_state=0)
X, Y, FRESH = SAMPLE.X[:600], SAMPLE.y[:600], SAMPLE.X[600:]


@pytest.mark.filterwarnings("ignore")  # the checks fit odd data on purpose
@parametrize_with_checks([pb.CertifiedClassifier(LogisticRegression(), split=0.5, refit=True, random_state=0)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def model():
    return pb.CertifiedClassifier(GaussianNB(), refit=True, random_state=0).fit(X, Y)


class TestRefit:
    def test_learns_from_all_rows_and_leaves_the_certified_model_as_it_is(self, model):
        plain = pb.CertifiedClassifier(GaussianNB(), random_state=0).fit(X, Y)
        assert np.allclose(model.refitted_.theta_, GaussianNB().fit(X, Y).theta_)
        assert np.array_equal(model.estimator_.theta_, plain.estimator_.theta_)
        assert np.array_equal(model.predict(FRESH), model.estimator_.predict(FRESH))
        assert model.certificate_.statements == plain.certificate_.statements
        assert not hasattr(plain, "refitted_")

    def test_the_certificate_says_whom_it_is_not_about(self, model):
        words = "a second model, refitted on all rows, is not certified by this; `predict` is the certified model"
        assert words in str(model.certificate_)
        shown = words.replace("`predict`", '<code class="pb-code">predict</code>')
        assert shown in model._repr_mimebundle_()["text/html"]
        assert words not in str(model.transfer(FRESH))

    def test_is_rechecked_with_the_rest(self, model):
        assert recheck(model.certificate_, X, Y, model)
        assert recheck_run(model.certificate_, X, Y, pb.CertifiedClassifier(GaussianNB(), refit=True, random_state=0))
        changed = pickle.loads(pickle.dumps(model))
        changed.refitted_.theta_ += 1.0
        failed = [(check.code, check.claimed) for check in recheck(model.certificate_, X, Y, changed).failed]
        assert failed == [("predictor", "refitted_")]

    def test_another_fit_forgets_it(self):
        twice = pb.CertifiedClassifier(GaussianNB(), refit=True, random_state=0).fit(X, Y)
        twice.set_params(refit=False).fit(X, Y)
        assert not hasattr(twice, "refitted_")
        with pytest.raises(ValueError, match="fit CertifiedClassifier with refit=True"):
            twice.transfer(FRESH)

    def test_sample_weights_play_a_part(self):
        weights = np.random.default_rng(0).random(600)
        fitted = pb.CertifiedClassifier(GaussianNB(), refit=True, random_state=0).fit(X, Y, sample_weight=weights)
        assert np.allclose(fitted.refitted_.theta_, GaussianNB().fit(X, Y, sample_weight=weights).theta_)


class TestTransfer:
    def test_adds_the_disagreement_to_the_certificate(self, model):
        issued = model.transfer(FRESH)
        apart = int(np.sum(model.estimator_.predict(FRESH) != model.refitted_.predict(FRESH)))
        first = issued.statements[0]
        assert (first.observed, first.n) == ({"disagreements": apart}, 300)
        limit = pb.bounds.clopper_pearson(apart, 300, 0.01)
        assert issued.value == pytest.approx(model.certificate_.value + limit, rel=1e-9)
        assert issued.digests["certificate"] == model.certificate_.digest
        assert "fresh_unlabelled" in first.assumptions
        assert issued.procedure == "transfer"

    def test_is_written_read_and_rechecked(self, model):
        issued = model.transfer(FRESH, delta=0.02)
        assert issued.delta == 0.07
        read = pb.Certificate.from_json(issued.to_json())
        assert read == issued
        assert read.verify()
        assert recheck(read, FRESH, None, model)
        again = model.reissue(X, Y)
        assert again.transfer(FRESH, delta=0.02).statements == issued.statements

    def test_candidates_and_rows_in_order_come_along(self):
        ordered = pb.CertifiedClassifier(GaussianNB(), candidates=3, refit=True, random_state=0)
        issued = ordered.fit(X, Y, in_order=True).transfer(FRESH)
        assert issued.candidates == 3
        assert issued.in_order
        assert issued.verify(), str(issued.verify())
        assert "on rows like the judged ones, which came last," in issued.sentence()

    @pytest.mark.parametrize("kind", ["frame", "sparse"])
    def test_frames_and_sparse_rows(self, kind):
        X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        if kind == "sparse":
            X = pd.DataFrame(X.gt(X.mean()).astype(float))
        coarse, rows = kind == "sparse", X if kind == "frame" else sp.csr_matrix(X.to_numpy())
        learner = make_pipeline(StandardScaler(), LogisticRegression()) if kind == "frame" else BernoulliNB()
        fitted = pb.CertifiedClassifier(learner, refit=True, random_state=0).fit(rows[:400], y[:400])
        noticed = pytest.warns(CertificateWarning, match="of 169 unlabelled rows") if coarse else nullcontext()
        with noticed:  # values of 30 columns that go together are more often the same than the limit of chance allows
            issued = fitted.transfer(rows[400:])
        assert issued.verify()
        assert issued.value < 0.3

    def test_labels_of_text(self):
        words = np.array(["no", "yes"])[Y]
        fitted = pb.CertifiedClassifier(DecisionTreeClassifier(random_state=0), refit=True, random_state=0)
        issued = fitted.fit(X, words).transfer(FRESH)
        assert 0 < issued.statements[0].observed["disagreements"] < 150

    def test_a_seed_that_was_drawn_comes_along(self):
        fitted = pb.CertifiedClassifier(GaussianNB(), refit=True).fit(X, Y)
        issued = fitted.transfer(FRESH)
        assert issued.seed == fitted.certificate_.seed is not None
        assert issued.verify()

    def test_rows_of_the_fit_are_noticed(self, model):
        with pytest.warns(CertificateWarning, match="200 of 200 unlabelled rows are copies"):
            issued = model.transfer(X[:200])
        assert issued.notes[0].code == "unlabelled_rows_seen"

    def test_rows_that_repeat_each_other_are_noticed(self, model):
        with pytest.warns(CertificateWarning, match="4950 of 5000 unlabelled rows repeat an earlier one"):
            issued = model.transfer(np.repeat(FRESH[:50], 100, axis=0))
        assert [note.code for note in issued.notes] == ["unlabelled_rows_repeated"]
        assert all(check.held for check in compare_with_source(issued, model.certificate_))

    def test_rows_that_are_alike_by_chance_are_not(self):
        generator = np.random.default_rng(0)
        rows, labels = generator.integers(3, size=(900, 2)).astype(float), generator.integers(2, size=600)
        fitted = pb.CertifiedClassifier(GaussianNB(), refit=True, random_state=0).fit(rows[:600], labels)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert fitted.transfer(rows[600:]).notes == ()


class TestWrongUse:
    def test_without_a_refit(self):
        with pytest.raises(
            ValueError, match=r"^transfer needs a model that was refitted on all rows: fit Cert.*True\.$"
        ):
            pb.CertifiedClassifier(GaussianNB(), random_state=0).fit(X, Y).transfer(FRESH)

    def test_before_fit(self):
        with pytest.raises(ValueError, match="not fitted yet"):
            pb.CertifiedClassifier(GaussianNB(), refit=True).transfer(FRESH)

    def test_other_columns(self, model):
        with pytest.raises(ValueError, match="X has 1 features, but CertifiedClassifier is expecting 2 features"):
            model.transfer(FRESH[:, :1])

    def test_no_rows(self, model):
        with pytest.raises(
            ValueError, match=r"'X_unlabelled' argument of transfer must have at least one row\. Got none"
        ):
            model.transfer(FRESH[:0])

    @pytest.mark.parametrize("delta", [0, 1.0, True, "0.1", np.nan])
    def test_a_delta_that_is_none(self, model, delta):
        with pytest.raises(ValueError, match=r"'delta' argument of transfer must"):
            model.transfer(FRESH, delta=delta)

    def test_a_delta_that_leaves_nothing(self, model):
        with pytest.raises(ValueError, match=r"the sum with the certificate's, 0\.05, below 1\. Got 0\.95 instead"):
            model.transfer(FRESH, delta=0.95)

    @pytest.mark.parametrize("refit", ["yes", 1, None])
    def test_a_refit_that_is_neither_true_nor_false(self, refit):
        with pytest.raises(ValueError, match="'refit' parameter of CertifiedClassifier must be True or False"):
            pb.CertifiedClassifier(GaussianNB(), refit=refit).fit(X, Y)

    def test_recheck_with_labels_or_another_model(self, model):
        issued = model.transfer(FRESH)
        with pytest.raises(ValueError, match="'y' argument of recheck must be None for a transfer"):
            recheck(issued, FRESH, np.zeros(300), model)
        with pytest.raises(ValueError, match="must be the estimator that issued this transfer certificate"):
            recheck(issued, FRESH, None, GaussianNB())
