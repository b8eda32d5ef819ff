"""Bounds of compressed predictors hold: of rows that were picked, of none, and of the set for which they are worst."""

from __future__ import annotations

import numpy as np
import pytest

import pacbayes as pb

RUNS = 10_000


@pytest.mark.parametrize("delta", [0.5, 0.05])
@pytest.mark.parametrize("form", ["corrected", "one_sided"])
def test_pick_to_learn_of_picked_maxima(judge, delta, form):
    """Rows are points of one of four classes; a class is wrong above the largest row picked from it."""
    rng, n, classes = np.random.default_rng(0), 40, 4
    points, of_class = rng.random((RUNS, n)), rng.integers(0, classes, (RUNS, n))
    largest = np.stack([np.max(np.where(of_class == c, points, 0.0), axis=1) for c in range(classes)], axis=1)
    picked, risk = np.sum(largest > 0.0, axis=1), np.mean(1.0 - largest, axis=1)
    judge(
        f"pick_to_learn {form}, maxima, delta {delta}",
        pb.bounds.pick_to_learn(picked, n, delta, 0, form=form),
        risk,
        delta,
    )


@pytest.mark.parametrize("delta", [0.5, 0.05])
@pytest.mark.parametrize("form", ["corrected", "one_sided"])
def test_pick_to_learn_of_errors(judge, delta, form):
    """Nothing may be picked: the compression set is all errors of a fixed predictor."""
    for n, p in ((30, 0.3), (200, 0.02)):
        errors = np.random.default_rng(1).binomial(n, p, RUNS)
        judge(f"pick_to_learn {form}, errors, {n}", pb.bounds.pick_to_learn(0, n, delta, errors, form=form), p, delta)


@pytest.mark.parametrize("delta", [0.5, 0.05])
def test_compression_of_the_worst_row(judge, delta):
    """Each row is a threshold, and the one counts whose bound is furthest below its true risk."""
    rng, n, noise, runs = np.random.default_rng(2), 30, 0.2, 2000
    x = rng.random((runs, n))
    y = (x > 0.5) ^ (rng.random((runs, n)) < noise)
    wrong = (x[:, None, :] >= x[:, :, None]) != y[:, None, :]  # run, threshold, row
    wrong[:, np.arange(n), np.arange(n)] = False
    errors, truth = wrong.sum(axis=2), noise + (1.0 - 2.0 * noise) * np.abs(x - 0.5)
    values = {
        "compression": pb.bounds.compression(errors / (n - 1), 1, n, delta),
        "compression published": pb.bounds.compression(errors / (n - 1), 1, n, delta, constant="published"),
        "compression_binomial": pb.bounds.compression_binomial(errors, 1, n, delta),
    }
    for name, found in values.items():
        judge(f"{name}, worst row, delta {delta}", (found - truth).min(axis=1), 0.0, delta)
