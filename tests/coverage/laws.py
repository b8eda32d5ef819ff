"""Laws of losses and references whose true means are known."""

from __future__ import annotations

import numpy as np

import pacbayes as pb

# Each draws losses in [0, 1] of a given shape and has the mean beside it.
LOSSES = {
    "bernoulli": (lambda rng, shape: (rng.random(shape) < 0.1).astype(float), 0.1),
    "uniform": (lambda rng, shape: rng.random(shape), 0.5),
    "three-valued": (lambda rng, shape: rng.choice([0.0, 0.5, 1.0], size=shape, p=[0.7, 0.2, 0.1]), 0.2),
    "heavy at one": (lambda rng, shape: (rng.random(shape) < 0.95).astype(float), 0.95),
}


def fixed_reference(rng, shape, losses):
    """A predictor trained elsewhere: right and wrong on much the same examples; its mean is 0.8 E[l] + 0.05."""
    agree = rng.random(shape) < 0.8
    return np.where(agree, losses, (rng.random(shape) < 0.25).astype(float))


def fixed_reference_mean(mean):
    return 0.8 * mean + 0.2 * 0.25


def majority_reference(rng, runs, n, p=0.3):
    """Labels, the 0-1 losses of predicting the majority so far, and their conditional means (all exact)."""
    labels = (rng.random((runs, n)) < p).astype(float)
    before = np.cumsum(labels, axis=1) - labels
    says_one = 2.0 * before > np.arange(n)
    losses = np.where(says_one, 1.0 - labels, labels)
    return labels, losses, np.where(says_one, 1.0 - p, p)


def stopping_reference(rng, runs, n, p, delta):
    """Erratum E7: ``1[V <= p]`` until its running sum is improbably low, zero from then on.

    Returns the sums of the losses and of their conditional means.
    """
    index = np.arange(1, n + 1)
    lowest = _lowest_unsuspicious_sum(n, p, delta)
    totals, means = np.empty(runs), np.empty(runs)
    chunk = max(1, 4_000_000 // n)
    for start in range(0, runs, chunk):
        rows = min(chunk, runs - start)
        sums = np.cumsum(rng.random((rows, n)) <= p, axis=1, dtype=np.int32)
        stops = sums < lowest
        time = np.where(stops.any(axis=1), stops.argmax(axis=1), n - 1)
        totals[start : start + rows] = sums[np.arange(rows), time]
        means[start : start + rows] = p * index[time]
    return totals, means


def _lowest_unsuspicious_sum(n, p, delta):
    """The least sum at each time i for which ``n kl(sum/n || p i/n) <= log(1/delta)`` or the sum is not low."""
    target = p * np.arange(1, n + 1) / n
    low, high = np.zeros(n), np.floor(target * n)
    for _ in range(int(np.log2(n)) + 2):  # the divergence falls as the sum rises towards its mean
        middle = np.floor((low + high) / 2.0)
        suspicious = n * pb.kl(middle / n, target) > np.log(1.0 / delta)
        low, high = np.where(suspicious, middle + 1.0, low), np.where(suspicious, high, middle)
    return np.minimum(low, high)
