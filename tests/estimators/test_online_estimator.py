"""The online estimator: no snapshot sees the rows it is judged on, and an update changes nothing of the past."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb
from pacbayes.certificate.words import sentences
from pacbayes.verification import recheck

SAMPLE = pb.datasets.make_known_risk(400, d=3, random_state=3)
X, Y = SAMPLE.X, SAMPLE.y


class Remembers(ClassifierMixin, BaseEstimator):
    """Knows by heart what it was fitted on (column 0 is the row number), and answers everything else wrongly."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.known_ = set(X[:, 0].tolist())
        self.answers_ = dict(zip(X[:, 0].tolist(), y.tolist(), strict=True))
        return self

    def predict(self, X):
        return np.array([self.answers_.get(key, -1) for key in X[:, 0].tolist()])


def test_no_snapshot_sees_the_rows_it_is_judged_on():
    numbers = np.arange(300.0)[:, None]
    labels = np.arange(300) % 2
    model = pb.OnlineCertifiedClassifier(Remembers(), random_state=0).fit(numbers[:200], labels[:200])
    model.update(numbers[200:], labels[200:])
    assert np.all(model.losses_ == 1.0)
    assert model.certificate_.value == 1.0


def test_equals_a_plain_loop():
    schedule = pb.Every(90)
    model = pb.OnlineCertifiedClassifier(GaussianNB(), schedule=schedule, random_state=1).fit(X, Y)
    rows, labels, losses = X[model.order_], Y[model.order_], []
    for start, stop in ((90, 180), (180, 270), (270, 360), (360, 400)):
        snapshot = GaussianNB().fit(rows[:start], labels[:start])
        losses.append(snapshot.predict(rows[start:stop]) != labels[start:stop])
    losses = np.concatenate(losses).astype(float)
    assert np.array_equal(model.losses_, losses)
    assert np.allclose(model.weights_, np.array([90, 90, 90, 40]) / 310)
    expected = pb.Summary.from_values(losses).bound("betting", kl=0.0, delta=0.05)
    assert model.certificate_.value == pytest.approx(expected, rel=1e-12)


def test_updates_only_append():
    whole = pb.OnlineCertifiedClassifier(GaussianNB(), schedule=pb.Geometric(1.5, first=30), random_state=1)
    whole.fit(X[:200], Y[:200])
    before, snapshots = whole.losses_.copy(), list(whole.snapshots_)
    for start in range(200, 400, 50):
        whole.update(X[start : start + 50], Y[start : start + 50])
    assert np.array_equal(whole.losses_[: before.size], before)
    assert [a for a, _ in whole.snapshots_][: len(snapshots)] == [a for a, _ in snapshots]
    at_once = pb.OnlineCertifiedClassifier(GaussianNB(), schedule=pb.Geometric(1.5, first=30), random_state=1)
    at_once.fit(X[:200], Y[:200]).update(X[200:], Y[200:])
    assert np.array_equal(whole.losses_, at_once.losses_)
    assert whole.certificate_.value == at_once.certificate_.value


def test_updates_by_single_rows_and_new_classes():
    model = pb.OnlineCertifiedClassifier(GaussianNB(), random_state=1).fit(X, Y)
    model.update(X[:1], Y[:1])
    assert model.certificate_.n == 400 - 80 + 1
    model.update(X[:3], np.array([2, 2, 2]))
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(X).shape == (400, 3)


def test_predictions_are_the_weighted_vote_and_random_picks():
    model = pb.OnlineCertifiedClassifier(LogisticRegression(), random_state=1).fit(X, Y)
    shares = model.predict_proba(X)
    assert np.array_equal(model.predict(X), model.classes_[shares.argmax(axis=1)])
    row = np.repeat(X[np.argmin(np.abs(shares[:, 0] - 0.5))][None, :], 20_000, axis=0)
    frequency = np.mean(model.predict(row, randomized=True, random_state=0) == 1)
    assert abs(frequency - model.predict_proba(row[:1])[0, 1]) < 5.0 * np.sqrt(0.25 / 20_000)


def test_both_statements_together_use_no_more_than_delta():
    model = pb.OnlineCertifiedClassifier(GaussianNB(), delta=0.1, certify_last=True, random_state=1).fit(X, Y)
    snapshots, last = model.certificate_.statements
    assert model.certificate_.delta == 0.1
    assert (snapshots.share, last.share) == (0.5, 0.4)
    assert all("at least 90 %" in sentence for sentence in sentences(model.certificate_))
    assert last.n == 400 - model.snapshots_[-1][0]
    assert np.array_equal(model.predict_last(X), model.snapshots_[-1][1].predict(X))
    again = model.set_params(certify_last=False).fit(X, Y)
    assert len(again.certificate_.statements) == 1


def test_the_last_snapshot_of_the_first_fit_is_judged_exactly():
    """Which one it is and on how many rows is known before any row is judged."""
    model = pb.OnlineCertifiedClassifier(GaussianNB(), certify_last=True, random_state=1).fit(X, Y)
    last = model.certificate_.statement("last_snapshot")
    errors = int(np.sum(model.losses_[-last.n :]))
    assert (last.bound, last.rates, last.anytime) == ("clopper_pearson", None, False)
    assert last.value == pb.bounds.clopper_pearson(errors, last.n, 0.05 * 0.4)
    assert model.certificate_.verify()


def test_later_endings_have_shares_of_their_own_and_bets_for_all_lengths():
    model = pb.OnlineCertifiedClassifier(GaussianNB(), schedule=pb.Every(50), certify_last=True, random_state=1)
    model.fit(X[:120], Y[:120])
    shares = {(2, 20): model.certificate_.statement("last_snapshot").share}
    for start in range(120, 400, 20):
        certificate = model.update(X[start : start + 20], Y[start : start + 20]).certificate_
        last, count = certificate.statement("last_snapshot"), len(model.snapshots_)
        assert (last.bound, last.rates) == ("betting", "all_n")
        assert last.share == pytest.approx(0.1 / ((count - 1) * count))
        assert certificate.verify()
        shares[count, "all"] = last.share
    assert len(shares) == 1 + 6
    assert 0.5 + sum(shares.values()) <= 1.0


def test_an_update_needs_a_fit():
    with pytest.raises(ValueError, match="not fitted"):
        pb.OnlineCertifiedClassifier(GaussianNB()).update(X, Y)


class Fails(GaussianNB):
    """Raises when it is given as many rows as ``at``."""

    at = 0

    def fit(self, X, y):
        if Fails.at and len(y) >= Fails.at:
            raise MemoryError
        return super().fit(X, y)


def test_an_update_that_fails_changes_nothing(monkeypatch):
    """Otherwise a later update would let snapshots judge rows that they were trained on."""
    model = pb.OnlineCertifiedClassifier(Fails(), random_state=1).fit(X[:100], Y[:100])
    before = model.certificate_
    monkeypatch.setattr(Fails, "at", 200)
    with pytest.raises(MemoryError):
        model.update(X[100:390], Y[100:390])
    monkeypatch.setattr(Fails, "at", 0)
    assert model.certificate_ == before
    assert model.losses_.size == before.n
    model.update(X[100:390], Y[100:390]).update(X[390:], Y[390:])
    again = pb.OnlineCertifiedClassifier(Fails(), random_state=1).fit(X[:100], Y[:100])
    again.update(X[100:390], Y[100:390]).update(X[390:], Y[390:])
    assert model.certificate_.value == again.certificate_.value
    with pytest.raises(ValueError, match="NaN"):
        model.update(np.full((50, 3), np.nan), Y[:50])
    assert model.update(X[:5], Y[:5]).certificate_.n == 385


def test_a_fit_that_fails_leaves_no_older_certificate(monkeypatch):
    model = pb.OnlineCertifiedClassifier(Fails(), random_state=1).fit(X, Y)
    monkeypatch.setattr(Fails, "at", 50)
    with pytest.raises(MemoryError):
        model.fit(X, Y)
    assert not hasattr(model, "certificate_")


def test_a_schedule_that_rewrites_the_past_is_refused():
    class Half:
        def points(self, n):
            return [n // 2]

    model = pb.OnlineCertifiedClassifier(GaussianNB(), schedule=Half(), random_state=1).fit(X[:100], Y[:100])
    with pytest.raises(ValueError, match="begin with those it gave for fewer"):
        model.update(X[100:200], Y[100:200])


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        (X.tolist(), np.array(["a", "b"] * 200), "labels of the kind so far, int64. Got <U1 instead"),
        (X[:, :2], Y, "2 features"),
        (X, Y[:-1], "inconsistent numbers of samples"),
        (X, None, "requires y"),
    ],
)
def test_wrong_updates_are_named(rows, labels, message):
    model = pb.OnlineCertifiedClassifier(GaussianNB(), random_state=1).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        model.update(rows, labels)


@pytest.mark.parametrize("of", [np.asarray, sp.csr_matrix, pd.DataFrame, np.ndarray.tolist])
def test_a_recheck_names_the_lengths_that_were_given(of):
    model = pb.OnlineCertifiedClassifier(LogisticRegression(), random_state=1).fit(of(X[:300]), Y[:300])
    model.update(of(X[300:]), Y[300:])
    assert recheck(model.certificate_, of(X), Y, model)
    for rows, labels in ((402, 400), (400, 402), (400, 300), (300, 400), (250, 400)):
        with pytest.raises(ValueError, match=rf"inconsistent numbers of samples: \[{rows}, {labels}\]"):
            recheck(model.certificate_, of(np.resize(X, (rows, 3))), np.resize(Y, labels), model)


def test_frames_are_extended_by_frames():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = pb.OnlineCertifiedClassifier(GaussianNB(), random_state=1).fit(frame, Y)
    assert model.update(frame[:10], Y[:10]).certificate_.n == 330
    with (
        pytest.warns(UserWarning, match="feature names"),
        pytest.raises(ValueError, match=r"came in, DataFrame. Got ndarray instead"),
    ):
        model.update(X[:10], Y[:10])


def test_a_regressor_is_refused():
    from sklearn.linear_model import LinearRegression

    with pytest.raises(ValueError, match="must be a classifier"):
        pb.OnlineCertifiedClassifier(LinearRegression()).fit(X, Y)
