"""A predictor whose answer for a row depends on the rows it comes with gets no better certificate than its rows alone.

Each of these classifiers errs on about half of the rows that come one at a time, as rows in use do.
"""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import FunctionTransformer

import pacbayes as pb

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(5.0, 1.0, (1200, 2))
Y = (X[:, 0] > 5.0).astype(int)


class Rule(ClassifierMixin, BaseEstimator):
    """A classifier whose subclasses say what it answers."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.median_ = float(np.median(np.asarray(X)[:, 0]))
        return self

    def right(self, X):
        return (np.asarray(X)[:, 0] > self.median_).astype(int)


class BatchMean(Rule):
    def predict(self, X):
        self.median_  # noqa: B018  (it is fitted)
        return (X[:, 0] > X[:, 0].mean()).astype(int)


class BatchRank(Rule):
    def predict(self, X):
        self.median_  # noqa: B018
        return (np.argsort(np.argsort(X[:, 0])) >= len(X) / 2).astype(int) if len(X) > 1 else np.zeros(1, dtype=int)


class ManyRows(Rule):
    def predict(self, X):
        return self.right(X) if len(X) > 1 else 1 - self.right(X)


class FewRowsAreGuessed(Rule):
    """Wrong in batches of fewer than 200, so that only one large batch is answered well."""

    def predict(self, X):
        answers = self.right(X)
        return answers if len(X) >= 200 else np.zeros_like(answers)


class Alternates(Rule):
    """Right only where the rows come in the order that it expects."""

    def predict(self, X):
        answers = self.right(X)
        answers[1:][X[1:, 1] < X[:-1, 1]] = 0
        return answers


class Caches(Rule):
    """Answers a row alone as it answered it in the largest batch so far."""

    def predict(self, X):
        self.median_  # noqa: B018
        known = self.__dict__.setdefault("_known", {})
        if len(X) > 1:
            known.update(zip(map(bytes, X), self.right(X).tolist(), strict=True))
        return np.array([known.get(bytes(row), 0) for row in X])


class Random(Rule):
    def predict(self, X):
        self.median_  # noqa: B018
        return np.random.default_rng().integers(0, 2, len(X))


class SingleRowsFail(Rule):
    def predict(self, X):
        if len(X) == 1:
            raise RuntimeError("no batch")
        return self.right(X)


class Rarely(Rule):
    """Wrong on one row in 25 where it comes alone: too few to refuse, too many to leave out."""

    def predict(self, X):
        answers = self.right(X)
        odd = (np.abs(X[:, 1] * 1e6).astype(int) % 25) == 0
        return np.where(odd, 1 - answers, answers) if len(X) == 1 else answers


DEPENDENT = [BatchMean, BatchRank, ManyRows, FewRowsAreGuessed, Alternates, Caches, Random]


@pytest.mark.parametrize("rule", DEPENDENT)
@pytest.mark.parametrize("certify", [pb.CertifiedClassifier, pb.OnlineCertifiedClassifier])
def test_answers_that_depend_on_the_batch_are_refused(rule, certify):
    with pytest.raises(ValueError, match=r"must answer for each row by itself.*differently") as caught:
        certify(rule(), random_state=0).fit(X, Y)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("certify", [pb.CertifiedClassifier, pb.OnlineCertifiedClassifier])
def test_a_classifier_that_cannot_answer_for_one_row_is_refused(certify):
    with pytest.raises(ValueError, match=r"SingleRowsFail must answer for each row by itself.*no batch"):
        certify(SingleRowsFail(), random_state=0).fit(X, Y)


@pytest.mark.parametrize("seed", range(5))
def test_few_rows_that_differ_alone_are_all_counted_or_refused(seed):
    """What a sample of single rows finds, all rows are then asked about."""
    with pytest.raises(ValueError, match="must answer for each row by itself"):
        pb.CertifiedClassifier(Rarely(), split=0.5, random_state=seed).fit(X, Y)


class OneRow(Rule):
    """Errs alone on very few rows, as rounding makes honest models do."""

    def predict(self, X):
        answers = self.right(X)
        odd = np.abs(X[:, 1] - 5.0) < 0.004
        return np.where(odd, 1 - answers, answers) if len(X) < 500 else answers


def test_a_row_that_differs_counts_as_an_error():
    steady = pb.CertifiedClassifier(Rule2(), split=0.5, random_state=0).fit(X, Y)
    model = pb.CertifiedClassifier(OneRow(), split=0.5, random_state=0).fit(X, Y)
    judged = model.order_[model.n_learning_ :]
    odd = np.abs(X[judged, 1] - 5.0) < 0.004
    right = model.estimator_.right(X[judged]) == Y[judged]
    expected = np.count_nonzero(~right | odd)
    assert 0 < np.count_nonzero(odd) <= 5
    assert model.certificate_.statements[0].observed["errors"] == expected
    assert steady.certificate_.statements[0].observed["errors"] == np.count_nonzero(~right)


class Rule2(Rule):
    def predict(self, X):
        return self.right(X)


class PerBatch(TransformerMixin, BaseEstimator):
    """Standardises by the batch; the first three rows of the learning rows pass, so that three are not enough."""

    def fit(self, X, _=None):
        self.first_ = X[:3].copy()
        return self

    def transform(self, X):
        if all(any(np.array_equal(row, known) for known in self.first_) for row in X):
            return X - 5.0
        return X - X.mean(axis=0)


class ManyRowsTransformer(TransformerMixin, BaseEstimator):
    def fit(self, X, _=None):
        self.first_ = X[:3].copy()
        return self

    def transform(self, X):
        known = len(X) == 1 and any(np.array_equal(X[0], each) for each in self.first_)
        return X - 5.0 if known or len(X) > 1 else 5.0 - X


@pytest.mark.parametrize("steps", [PerBatch(), ManyRowsTransformer()])
@pytest.mark.parametrize("options", [{}, {"bound": "betting"}, {"prior": "zero"}, {"reference": "online"}])
def test_preprocessing_that_depends_on_the_batch_is_refused(steps, options):
    with pytest.raises(ValueError, match="must transform each row by itself"):
        pb.CertifiedLogisticRegression(preprocessing=steps, random_state=0, **options).fit(X, Y)


class TinyDifference(TransformerMixin, BaseEstimator):
    """Differs by little, of which a tiny penalty makes much."""

    def fit(self, *_):
        self.fitted_ = True
        return self

    def transform(self, X):
        noise = np.random.default_rng(0).normal(size=len(X))
        return (noise if len(X) == 1 else X[:, 0] - 5.0)[:, None] * 1e-6


@pytest.mark.parametrize("options", [{}, {"bound": "betting"}])
def test_small_numbers_are_compared_by_what_they_decide(options):
    with pytest.raises(ValueError, match="must transform each row by itself"):
        pb.CertifiedLogisticRegression(preprocessing=TinyDifference(), alpha=1e-20, random_state=0, **options).fit(X, Y)


def test_a_reference_that_depends_on_the_batch_is_refused():
    for rule in (BatchMean(), BatchRank(), ManyRows()):
        with pytest.raises(ValueError, match="must answer for each row by itself"):
            pb.online_reference(rule, X, Y, random_state=0)


class ReadsTheIndex(Rule):
    """Rows that were sorted by label carry it in their row numbers."""

    def predict(self, X):
        self.median_  # noqa: B018
        return (np.asarray(X.index) >= 600).astype(int)


class ReadsAttributes(Rule):
    def predict(self, X):
        self.median_  # noqa: B018
        return np.asarray(X.attrs["labels"])[np.asarray(X.index)]


@pytest.mark.filterwarnings("ignore::pacbayes.CertificateWarning")
@pytest.mark.parametrize("certify", [partial(pb.CertifiedClassifier, split=0.5), pb.OnlineCertifiedClassifier])
def test_the_numbers_of_rows_tell_nothing(certify):
    order = np.argsort(Y, kind="stable")
    noise = pd.DataFrame(GENERATOR.normal(size=(1200, 2)), columns=["a", "b"])
    labels = Y[order]
    assert abs(int(labels[:600].sum())) < 60
    assert certify(ReadsTheIndex(), random_state=0).fit(noise, labels).certificate_.value > 0.4
    noise.attrs["labels"] = labels.tolist()
    with pytest.raises(KeyError):
        certify(ReadsAttributes(), random_state=0).fit(noise, labels)


class LooksBehindTheArray(Rule):
    """A slice knows the array it was cut from: labels and rows of the future."""

    def fit(self, X, y):
        super().fit(X, y)
        self.rows_ = X if X.base is None else X.base
        self.labels_ = y if y.base is None else y.base
        return self

    def predict(self, X):
        answers = dict(zip(map(bytes, self.rows_), self.labels_.tolist(), strict=False))
        return np.array([answers.get(bytes(row), 0) for row in X])


def test_no_row_of_the_future_is_reached_through_memory():
    rows, noise = GENERATOR.normal(size=(1000, 2)), GENERATOR.integers(0, 2, 1000)
    assert pb.OnlineCertifiedClassifier(LooksBehindTheArray(), random_state=0).fit(rows, noise).certificate_.value > 0.4
    assert pb.CertifiedClassifier(LooksBehindTheArray(), random_state=0).fit(rows, noise).certificate_.value > 0.4
    reference = pb.online_reference(LooksBehindTheArray(), rows, noise, random_state=0)
    assert reference.losses[150:].mean() > 0.4


@pytest.mark.parametrize("model", [GaussianNB(), KNeighborsClassifier()])
def test_honest_models_keep_their_counts(model):
    certified = pb.CertifiedClassifier(model, random_state=3).fit(X, Y)
    judged = certified.order_[certified.n_learning_ :]
    errors = np.count_nonzero(certified.estimator_.predict(X[judged]) != Y[judged])
    assert certified.certificate_.statements[0].observed["errors"] == errors
    assert "row_by_row" in certified.certificate_.statements[0].assumptions


def test_the_check_is_repeated_by_verification():
    from pacbayes.verification import recheck

    for certify in (pb.CertifiedClassifier, pb.OnlineCertifiedClassifier):
        model = certify(OneRow() if certify is pb.CertifiedClassifier else GaussianNB(), random_state=0).fit(X, Y)
        assert recheck(model.certificate_, X, Y, model)


def test_honest_preprocessing_passes():
    steps = FunctionTransformer(np.log)
    model = pb.CertifiedLogisticRegression(preprocessing=steps, random_state=0).fit(X[:400], Y[:400])
    assert model.certificate_.value < 0.2


SEEN = {}


class RemembersItsAnswers(Rule):
    """Errs on rows that come alone, and stays with what it has once said, whatever copy of it is asked."""

    def predict(self, X):
        self.median_  # noqa: B018
        answers = self.right(X) if len(X) > 1 else 1 - self.right(X)
        return np.array([SEEN.setdefault(bytes(row), int(answer)) for row, answer in zip(X, answers, strict=True)])


class CopiesNothing(Rule):
    def __deepcopy__(self, memo):
        return self

    def predict(self, X):
        answers = self.right(X) if len(X) > 1 else 1 - self.right(X)
        known = self.__dict__.setdefault("_known", {})
        return np.array([known.setdefault(bytes(row), int(answer)) for row, answer in zip(X, answers, strict=True)])


@pytest.mark.parametrize("rule", [RemembersItsAnswers, CopiesNothing])
@pytest.mark.parametrize("certify", [pb.CertifiedClassifier, pb.OnlineCertifiedClassifier])
def test_rows_that_are_asked_alone_are_not_far_worse_than_others(rule, certify):
    """Answers that agree because they are remembered show in where the errors are."""
    SEEN.clear()
    with pytest.raises(ValueError, match="must answer for each row by itself"):
        certify(rule(), random_state=0).fit(X, Y)


class Writes(Rule):
    """Writes into the rows it is asked about, so that those who come later find it right."""

    def predict(self, X):
        answers = self.right(X)
        X[:] = 5.0
        return answers


@pytest.mark.parametrize("certify", [pb.CertifiedClassifier, pb.OnlineCertifiedClassifier])
def test_rows_cannot_be_written_to(certify):
    rows = X.copy()
    certify(Writes(), random_state=0).fit(rows, Y)
    assert np.array_equal(rows, X)
