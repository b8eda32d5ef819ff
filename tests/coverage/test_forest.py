"""Coverage of votes that learn from all rows: voters judged out of bag, on rows that have taught the others.

Rows are the corners of a cube with a label that is flipped now and then, so that every true error is a sum over
corners. Votes have so much slack that their bounds never fail; what fails now and then, if anything is wrong, are the
limits on the Gibbs and on the tandem loss behind them, so that these are judged as well.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import pacbayes as pb

from coverage.judging import DELTA, repeat, too_often

CORNERS, FLIPPED = 8, 0.05
RIGHT = np.array([0, 0, 0, 1, 0, 1, 1, 1])
POSITIVE = np.where(RIGHT == 1, 1.0 - FLIPPED, FLIPPED)  # probability of label 1, by corner
PLACES = np.array([[corner >> bit & 1 for bit in range(3)] for corner in range(CORNERS)], dtype=float)


def draw(generator, shape):
    """Corners and labels."""
    corners = generator.integers(CORNERS, size=shape)
    return corners, (generator.random(shape) < POSITIVE[corners]).astype(int)


def error_rates(answers):
    """The probability of an error at each corner, given the answers there."""
    return np.where(answers == 1, 1.0 - POSITIVE, POSITIVE)


class MostCommon(ClassifierMixin, BaseEstimator):
    """The most common label of each corner, which is quick; where there are none, or as many, what a draw says."""

    def __init__(self, random_state=0):
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        counts = np.bincount(_corner(X), 2.0 * np.asarray(y) - 1.0, minlength=CORNERS)
        guess = np.random.RandomState(self.random_state).randint(2, size=CORNERS)
        self.answers_ = np.where(counts == 0.0, guess, counts > 0.0).astype(int)
        return self

    def predict(self, X):
        return self.answers_[_corner(X)]


def _corner(X):
    return np.asarray(X @ [1.0, 2.0, 4.0]).astype(int)


VOTERS, N, SIZE, RUNS = 8, 80, 24, 4000


def simulate(rate, *, cheats=False):
    """Many runs at once, of voters that are tables of the most common labels: what is observed, and the truth.

    Weights prefer voters with few errors on their judged rows. Who cheats judges voters on the rows that taught them.
    """
    generator = np.random.default_rng(21)
    learns = np.zeros((VOTERS, N))
    for each in learns:
        each[generator.permutation(N)[:SIZE]] = 1.0
    corners, labels = draw(generator, (RUNS, N))
    signed = np.einsum("mn,rnc->rmc", learns, np.eye(CORNERS)[corners] * (2.0 * labels - 1.0)[..., None])
    answers = np.where(signed == 0.0, generator.integers(2, size=(VOTERS, CORNERS)), signed > 0.0).astype(int)
    given = np.take_along_axis(answers, np.broadcast_to(corners[:, None], (RUNS, VOTERS, N)), axis=2)
    judged = learns if cheats else 1.0 - learns
    wrong, sizes = (given != labels[:, None]) * judged, judged @ judged.T
    errors, both = wrong.sum(axis=2) / np.diag(sizes), np.einsum("rin,rjn->rij", wrong, wrong) / sizes
    rho = np.exp(-rate * N * (errors - errors.min(axis=1, keepdims=True)))
    rho /= rho.sum(axis=1, keepdims=True)
    kl = np.sum(rho * np.log(np.maximum(rho * VOTERS, 1e-300)), axis=1).clip(min=0.0)
    rates = error_rates(answers)
    same = answers[:, :, None] == answers[:, None]  # at a corner both err on the same labels, or never together
    true_both = np.where(same, rates[:, :, None], 0.0).mean(axis=3)
    seen = {
        "gibbs": np.sum(rho * errors, axis=1),
        "tandem": np.einsum("ri,rij,rj->r", rho, both, rho),
        "kl": kl,
        "n": int(np.diag(sizes).min()),
        "n_pairs": int(sizes.min()),
    }
    truth = np.sum(rho * rates.mean(axis=2), axis=1), np.einsum("ri,rij,rj->r", rho, true_both, rho)
    weight = np.einsum("rm,rmc->rc", rho, answers)
    return seen, (*truth, error_rates((weight > 0.5).astype(int)).mean(axis=1))


@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("rate", [0.0, 0.5, 5.0])
def test_limits_behind_the_vote(delta, rate, judge):
    seen, (gibbs, tandem, vote) = simulate(rate)
    half = pb.bounds.first_order(seen["gibbs"], seen["kl"], seen["n"], delta) / 2.0
    judge(f"out of bag, rate {rate}, delta {delta}: Gibbs loss", half, np.minimum(gibbs, 0.5), delta)
    quarter = pb.bounds.tandem(seen["tandem"], seen["kl"], seen["n_pairs"], delta) / 4.0
    judge(f"out of bag, rate {rate}, delta {delta}: tandem loss", quarter, np.minimum(tandem, 0.25), delta)
    value = pb.bounds.chebyshev_cantelli(**seen, delta=delta)
    judge(f"out of bag, rate {rate}, delta {delta}: vote, chebyshev_cantelli", value, vote, delta)


def test_voters_judged_on_their_own_rows_are_caught():
    seen, (gibbs, _, _) = simulate(0.5, cheats=True)
    half = pb.bounds.first_order(seen["gibbs"], seen["kl"], N, DELTA) / 2.0
    assert too_often(np.sum(half < np.minimum(gibbs, 0.5)), RUNS, DELTA)


def certify(run, delta, bound, base, voters, n):
    """A certificate, and the true errors of the vote, of its voters and of pairs of them, with their weights."""
    corners, labels = draw(np.random.default_rng([22, run]), n)
    model = pb.CertifiedForest(base, voters, delta, bound=bound, random_state=run)
    model.fit(PLACES[corners], labels)
    share = model.weights_ / model.weights_.sum()
    answers = np.array([each.predict(PLACES) for each in model.estimators_])
    rates = error_rates(answers)
    both = np.where(answers[:, None] == answers, rates, 0.0).mean(axis=2)
    vote = error_rates(model.predict(PLACES)).mean()
    return model.certificate_.value, vote, float(share @ rates.mean(axis=1)), float(share @ both @ share)


BEHIND = {"first_order": "Gibbs loss", "tandem": "tandem loss"}


def judge_certificates(runs, delta, bound, base, record, voters=6, n=300):
    names = ["vote", *([BEHIND[bound]] if bound in BEHIND else [])]

    def failed(row):
        """Of the vote, and of what the bound is made of."""
        value, vote, gibbs, tandem = row
        behind = {"Gibbs loss": value < min(2.0 * gibbs, 1.0), "tandem loss": value < min(4.0 * tandem, 1.0)}
        return [({"vote": value < vote} | behind)[name] for name in names]

    with threadpool_limits(1):
        found = repeat(lambda run: certify(run, delta, bound, base, voters, n), runs, delta, failed)
    values, votes = np.array(found).T[:2]
    for name, count in zip(names, np.sum([failed(row) for row in found], axis=0).tolist(), strict=True):
        record(
            f"line:CertifiedForest, {bound}, delta {delta}, {name}:",
            f"{count} of {len(values)} fits failed, median value {np.median(values):.3f}, vote {np.median(votes):.3f}",
        )
        assert not too_often(count, len(values), delta), name


@pytest.mark.parametrize("bound", ["tandem", "first_order"])
@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_certified_forests(delta, bound, record_property):
    judge_certificates(25, delta, bound, MostCommon(), record_property)


@pytest.mark.long
@pytest.mark.parametrize("bound", ["tandem", "first_order", "chebyshev_cantelli", "disagreement"])
@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_many_certified_forests(delta, bound, record_property):
    judge_certificates(500, delta, bound, MostCommon(), record_property)


@pytest.mark.long
@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_many_certified_forests_of_trees(delta, record_property):
    judge_certificates(500, delta, "tandem", DecisionTreeClassifier(max_depth=3), record_property, voters=8, n=300)
