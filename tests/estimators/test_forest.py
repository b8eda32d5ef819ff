"""Forests that learn from all rows: what is counted, what is weighed, and what each voter has not seen."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

import pacbayes as pb
from pacbayes._core.leeway import EXACT
from pacbayes._core.state import State
from pacbayes.procedures import VOTE_BOUNDS, ClassifierLearner, Sample
from pacbayes.procedures.vote_weights import VoteBound
from pacbayes.procedures.voters import draw_samples, judge_voters, learn_voters
from pacbayes.verification import recheck

SAMPLE = pb.datasets.make_known_risk(300, d=3, separation=1.5, random_state=0)
X, Y = SAMPLE.X, SAMPLE.y


@pytest.fixture(scope="module")
def forest():
    return pb.CertifiedForest(n_estimators=7, random_state=0).fit(X, Y)


def voters_of(model):
    """The voters of a model, and which rows each of them has not learned from, by drawing the samples again."""
    sample = Sample(X, Y, model.order_, model.seed_, 0)
    size = round(model.max_samples * len(Y))
    samples = list(draw_samples(sample, model.n_estimators, size, replacement=model.bootstrap))
    left = [np.setdiff1d(np.arange(len(Y)), rows) for rows in samples]
    return model.estimators_, left


def brute_force(model):
    """Gibbs and tandem loss, disagreement and numbers of rows, pair by pair."""
    voters, left = voters_of(model)
    share = model.weights_ / model.weights_.sum()
    wrong = [voter.predict(X) != Y for voter in voters]
    gibbs = sum(w * wrong[i][left[i]].mean() for i, w in enumerate(share))
    tandem = apart = 0.0
    fewest = len(Y)
    for i, own in enumerate(share):
        for j, other in enumerate(share):
            both = np.intersect1d(left[i], left[j])
            fewest = min(fewest, both.size)
            tandem += own * other * np.mean(wrong[i][both] & wrong[j][both])
            apart += own * other * np.mean(wrong[i][both] ^ wrong[j][both])
    kl = sum(w * math.log(w * share.size) for w in share if w)
    return {"gibbs": gibbs, "tandem": tandem, "disagreement": apart}, kl, min(map(len, left)), fewest


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("bound", VOTE_BOUNDS)
def test_numbers_are_those_of_a_count_pair_by_pair(bound, bootstrap):
    model = pb.CertifiedForest(n_estimators=6, bound=bound, bootstrap=bootstrap, random_state=1).fit(X, Y)
    statement = model.certificate_.statements[0]
    means, kl, rows, pairs = brute_force(model)
    for name, mean in means.items():
        if name in statement.observed:
            assert statement.observed[name] == pytest.approx(mean, rel=1e-9)
    assert statement.kl == pytest.approx(kl, abs=1e-9)
    assert statement.kl >= kl
    assert statement.n == (pairs if bound == "tandem" else rows)
    if "n_pairs" in statement.observed:
        assert statement.observed["n_pairs"] == pairs
    numbers = {name: statement.observed[name] for name in pb.bounds.get(bound).numbers}
    function = getattr(pb.bounds, bound)
    assert model.certificate_.value == function(**numbers, kl=statement.kl, n=statement.n, delta=0.05)


def test_samples_leave_out_the_same_number_of_rows(forest):
    _, left = voters_of(forest)
    assert {each.size for each in left} == {180}
    assert forest.certificate_.statements[0].n >= 300 - 2 * 120


def test_a_voter_does_not_depend_on_rows_that_judge_it(forest):
    """The label of one row is changed: voters that have not learned from it stay, and others change somewhere."""
    voters, left = voters_of(forest)
    changed = Y.copy()
    row = 17
    changed[row] = 1 - changed[row]
    again = pb.CertifiedForest(n_estimators=7, random_state=0).fit(X, changed)
    kept = [row in each for each in left]
    same = [
        State.of(one).differs_from(State.of(two), EXACT) is None
        for one, two in zip(voters, again.estimators_, strict=True)
    ]
    assert any(kept)
    assert not all(kept)
    assert all(stays for stays, judged in zip(same, kept, strict=True) if judged)
    assert not all(same)


def test_all_rows_teach():
    sample = Sample(X, Y, np.arange(len(Y)), 0, 0)
    taught = np.concatenate(list(draw_samples(sample, 40, 120, replacement=False)))
    assert np.unique(taught).size == len(Y)


def test_weights_lower_the_bound_and_keep_the_vote():
    even = pb.CertifiedForest(n_estimators=15, weights="even", random_state=0).fit(X, Y)
    model = pb.CertifiedForest(n_estimators=15, random_state=0).fit(X, Y)
    assert even.certificate_.statements[0].kl == 0.0
    assert set(even.weights_.tolist()) == {1}
    assert model.certificate_.value < even.certificate_.value
    assert int(model.weights_.sum()) == 2**40


@pytest.mark.parametrize("bound", VOTE_BOUNDS)
def test_weights_are_near_the_best(bound):
    """A search by random steps finds hardly anything below."""
    sample = Sample(X, Y, np.arange(len(Y)), 0, 0)
    samples = list(draw_samples(sample, 5, 120, replacement=False))
    judged = judge_voters(learn_voters(ClassifierLearner(GaussianNB()), sample, samples), sample, samples)
    found = VoteBound(bound, judged, 0.05)
    best, generator = found.value(found.weigh()), np.random.default_rng(0)
    near = found.weigh().weights / 2**40
    least = best
    for _ in range(150):
        tried = np.maximum(near * np.exp(generator.normal(scale=0.3, size=5)), 1e-12)
        least = min(least, found.value(found._weigh(np.round(tried / tried.sum() * 2**40).astype(np.int64))))
    assert best <= least * 1.01


def test_predicts_what_the_weights_say(forest):
    answers = np.array([voter.predict(X) for voter in forest.estimators_])
    share = forest.weights_ @ answers / forest.weights_.sum()
    assert np.array_equal(forest.predict(X), (share > 0.5).astype(int))
    assert np.allclose(forest.predict_proba(X)[:, 1], share)


def test_out_of_bag_error(forest):
    voters, left = voters_of(forest)
    wrong, total = np.zeros(len(Y)), np.zeros(len(Y))
    for voter, rows, weight in zip(voters, left, forest.weights_, strict=True):
        wrong[rows] += weight * (voter.predict(X[rows]) != Y[rows])
        total[rows] += weight
    asked = total > 0
    assert forest.oob_error_ == np.mean(2 * wrong[asked] >= total[asked])
    assert forest.certificate_.statements[0].risk == forest.oob_error_


def test_many_classes_and_any_learner():
    rows, labels = load_digits(return_X_y=True)
    words = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])[labels]
    model = pb.CertifiedForest(GaussianNB(), 10, preprocessing=StandardScaler(), random_state=0).fit(rows, words)
    assert model.certificate_.value < 0.8
    assert set(model.predict(rows)) <= set(words)
    with pytest.raises(ValueError, match=r"'bound' parameter of CertifiedForest may be 'disagreement' for two classes"):
        pb.CertifiedForest(GaussianNB(), 4, bound="disagreement").fit(rows, words)


def test_is_learned_again_and_changes_are_noticed(forest):
    assert recheck(forest.certificate_, X, Y, forest)
    other = pb.CertifiedForest(n_estimators=7, random_state=0).fit(X, Y)
    other.weights_ = other.weights_[::-1].copy()
    assert not recheck(other.certificate_, X, Y, other)
    moved = pb.CertifiedForest(n_estimators=7, random_state=0).fit(X, Y)
    moved.estimator_.weights_ = moved.estimator_.weights_[::-1].copy()
    assert not recheck(moved.certificate_, X, Y, moved)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_estimators": 1}, r"'n_estimators' parameter of CertifiedForest must be a whole number .* Got 1 instead"),
        ({"n_estimators": 2.5}, r"'n_estimators' .* Got 2.5 instead"),
        ({"max_samples": 1.0}, r"'max_samples' parameter of CertifiedForest must be a float in \(0, 1\). Got 1.0"),
        ({"max_samples": "half"}, r"'max_samples' .* Got 'half' instead"),
        ({"bound": "maurer"}, r"'bound' parameter of CertifiedForest must be one of 'tandem', .* Got 'maurer' instead"),
        ({"weights": "odd"}, r"'weights' parameter of CertifiedForest must be one of 'optimised', 'even'. Got 'odd'"),
        ({"bootstrap": "yes"}, r"'bootstrap' parameter of CertifiedForest must be True or False. Got 'yes' instead"),
        ({"delta": 0.0}, r"'delta' parameter of CertifiedForest must be a float in \(0, 1\). Got 0.0"),
        ({"estimator": 3}, r"'estimator' parameter of CertifiedForest must be a classifier. Got 3 instead"),
        ({"max_samples": 0.95, "n_estimators": 30}, "Each two voters must leave out a row in common"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        pb.CertifiedForest(**options).fit(X[:40], Y[:40])


def test_rows_cannot_be_taken_in_order(forest):
    with pytest.raises(ValueError, match="CertifiedForest samples rows at random"):
        pb.CertifiedForest().fit(X, Y, in_order=True)


def test_a_bootstrap_of_all_rows():
    model = pb.CertifiedForest(n_estimators=5, max_samples=1.0, bootstrap=True, random_state=0).fit(X, Y)
    assert 20 < model.certificate_.statements[0].n < 45  # a share of exp(-2) of the rows is left out by two
    assert model.certificate_.verify()
