"""RecursiveLogistic: each update as defined, and in pieces as at once."""

from __future__ import annotations

import numpy as np
import pytest

import pacbayes as pb

SAMPLE = pb.datasets.make_known_risk(700, d=4, random_state=0)


def test_recursive_updates_equal_their_definition():
    """The inverse after all updates is that of penalty I + sum p (1 - p) x x' at the probabilities met on the way."""
    model = pb.RecursiveLogistic(penalty=2.0)
    X, y = SAMPLE.X[:60], SAMPLE.y[:60]
    padded, matrix, weights = np.column_stack([X, np.ones(60)]), 2.0 * np.eye(5), np.zeros(5)
    for x, label in zip(padded, y, strict=True):
        p = 1.0 / (1.0 + np.exp(-weights @ x))
        matrix += max(p * (1 - p), 1e-4) * np.outer(x, x)
        weights = weights + np.linalg.solve(matrix, x * (label - p))
    np.testing.assert_allclose(model.fit(X, y).weights_, weights, rtol=1e-9)


def test_pieces_equal_the_whole_and_come_close_to_the_batch():
    both = (
        pb.RecursiveLogistic().partial_fit(SAMPLE.X[:300], SAMPLE.y[:300]).partial_fit(SAMPLE.X[300:], SAMPLE.y[300:])
    )
    once = pb.RecursiveLogistic().fit(SAMPLE.X, SAMPLE.y)
    np.testing.assert_allclose(both.weights_, once.weights_, rtol=1e-12)
    batch = pb.RefittedLogistic(C=1.0).fit(SAMPLE.X, SAMPLE.y)
    assert np.mean(once.predict(SAMPLE.X) == batch.predict(SAMPLE.X)) > 0.97


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: pb.RecursiveLogistic(penalty=0.0).fit(SAMPLE.X, SAMPLE.y),
            r"'penalty' parameter of RecursiveLogistic",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
