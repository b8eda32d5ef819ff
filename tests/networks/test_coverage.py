"""Coverage: on a distribution whose risks are known, certificates of small networks fail in at most delta of all runs.

The true error of each certified predictor is a sum over a grid: exact for a fixed network and for a Gaussian last
layer, and from 2,000 whole networks drawn, by code of its own, for Gaussians over both layers.
"""

import numpy as np
import pytest

from pacbayes.torch import CertifiedNetwork, GaussianNetwork, PosteriorTraining, Training

from coverage.judging import repeat, too_often
from networks.grid import POINTS, drawn_answers, fixed_answers, last_layer_answers, make_network, sample, true_error

ROWS = 200
FEW, MANY = 50, 500
TRAINING = Training(epochs=20, batch_size=100, learning_rate=0.05, warmup=0.0)
OPTIONS = {"training": TRAINING, "posterior_training": PosteriorTraining(epochs=10, learning_rate=0.1)}


def judge_fixed(delta, seed, split=0.5):
    model = CertifiedNetwork(make_network, delta, training=TRAINING, split=split, random_state=seed)
    model.fit(*sample(ROWS, seed))
    return model.certificate_, true_error(fixed_answers(model.predict(POINTS)))


def judge_adaptive(delta, seed):
    return judge_fixed(delta, seed, "adaptive")


def judge_last(delta, seed, **options):
    model = GaussianNetwork(make_network, "last", 0.3, delta=delta, random_state=seed, **(OPTIONS | options))
    model.fit(*sample(ROWS, seed))
    return model.certificate_, true_error(last_layer_answers(model.module_, model.posterior_))


def judge_prior(delta, seed):
    return judge_last(delta, seed, posterior_training=PosteriorTraining(epochs=0))


def judge_draws(delta, seed, **options):
    model = GaussianNetwork(make_network, "linear", 0.2, delta=delta, random_state=seed, **(OPTIONS | options))
    model.fit(*sample(ROWS, seed))
    return model.certificate_, true_error(drawn_answers(model.posterior_, seed))


def judge_two_draws(delta, seed):
    return judge_draws(delta, seed, passes=2)


def judge_drawn_prior(delta, seed):
    return judge_draws(delta, seed, posterior_training=PosteriorTraining(epochs=0))


KINDS = {
    "deterministic": judge_fixed,
    "posterior equal to the prior": judge_prior,
    "prior over both layers": judge_drawn_prior,
    "adaptive split": judge_adaptive,
    "last layer": judge_last,
    "draws": judge_draws,
    "two passes of draws": judge_two_draws,
}
UNBIASED = list(KINDS)[:3]  # the predictor does not depend on judged rows: their errors are a plain sample


def run(kind, delta, runs):
    # the mean of all runs is judged where it can be
    proven = None if kind in UNBIASED else delta
    found = repeat(lambda seed: KINDS[kind](delta, 1000 + seed), runs, proven, lambda row: row[0].value < row[1])
    values, errors = np.array([(certificate.value, error) for certificate, error in found]).T
    violated = int(np.sum(errors > values))
    means = f"certified {values.mean():.3f}, true error {errors.mean():.3f} on average"
    print(f"\n{kind}, delta {delta}: {violated} of {len(found)} violated, {means}")  # noqa: T201  (shown by pytest -s)
    assert np.median(values) < 0.75  # they say something
    assert not too_often(violated, len(found), delta)
    if kind in UNBIASED:
        gaps = np.array([certificate.statements[0].risk for certificate, _ in found]) - errors
        assert abs(gaps.mean()) < 4.5 * gaps.std(ddof=1) / np.sqrt(runs)


@pytest.mark.parametrize("kind", KINDS)
def test_certificates_of_few_networks_hold(kind):
    run(kind, 0.2, FEW)


@pytest.mark.long
@pytest.mark.parametrize("delta", [0.2, 0.05])
@pytest.mark.parametrize("kind", KINDS)
def test_certificates_of_many_networks_hold(kind, delta):
    run(kind, delta, MANY)


def test_the_truth_of_a_last_layer_is_that_of_draws():
    model = GaussianNetwork(make_network, "last", 0.3, random_state=0, **OPTIONS).fit(*sample(ROWS, 0))
    answers = last_layer_answers(model.module_, model.posterior_)
    generator, drawn = np.random.default_rng(0), np.zeros_like(answers)
    for _ in range(200):
        predictions = model.predict(POINTS, random_state=int(generator.integers(2**31)))
        drawn += fixed_answers(predictions) / 200
    assert np.abs(drawn - answers).max() < 5.0 * 0.5 / np.sqrt(200)
