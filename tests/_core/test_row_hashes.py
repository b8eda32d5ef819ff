"""Copies of rows are the same numbers, in whatever container and of whatever type they come."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from pacbayes._core.row_hashes import chance_of_agreement, hash_rows
from pacbayes.procedures.cautions import find_repetitions, find_seen

DRAWS = np.random.default_rng(0)
X = DRAWS.integers(-3, 4, (300, 6)).astype(float)
X[0, 0] = -0.0
FRAME = pd.DataFrame(X, columns=list("abcdef"))
COPIES = {
    "whole numbers": X.astype(int),
    "small numbers": X.astype("int8"),
    "floats of 4 bytes": X.astype("float32"),
    "by column": np.asfortranarray(X),
    "a frame": FRAME,
    "a frame of whole numbers": FRAME.astype(int),
    "a frame of nullable ones": FRAME.astype("Int64"),
    "a frame of several kinds": FRAME.astype({"a": "Int64", "b": "float32", "c": "int8"}),
    "sparse rows": sp.csr_matrix(X),
    "a sparse array": sp.csr_array(X.astype(int)),
    "sparse columns": sp.csc_matrix(X),
    "entries twice": sp.csr_matrix(
        (np.r_[X.ravel(), X.ravel()] / 2, (np.r_[0:1800, 0:1800] // 6, np.r_[0:1800, 0:1800] % 6)), shape=X.shape
    ),
}


@pytest.mark.parametrize("name", COPIES)
def test_copies_are_the_same(name):
    np.testing.assert_array_equal(hash_rows(COPIES[name]), hash_rows(X))


@pytest.mark.parametrize("kind", ["int64", "Int64", "float32", "int8"])
def test_numbers_beside_texts_are_the_same(kind):
    mixed = FRAME.assign(text=np.where(X[:, 1] > 0, "yes", "no"))
    np.testing.assert_array_equal(hash_rows(mixed.astype({"a": kind})), hash_rows(mixed))


def test_what_is_missing_is_the_same():
    holes = FRAME.mask(FRAME == 3)
    np.testing.assert_array_equal(hash_rows(holes.astype("Int64")), hash_rows(holes))
    np.testing.assert_array_equal(hash_rows(holes.to_numpy()), hash_rows(holes))


def test_numbers_that_doubles_do_not_tell_apart_are_different():
    large = pd.DataFrame({"a": np.arange(100) + 2**60})
    assert np.unique(hash_rows(large)).size == np.unique(hash_rows(large.astype("Int64"))).size == 100


def test_copies_among_sparse_rows_are_noticed():
    rows = sp.random(200, 100_000, density=1e-3, format="csr", random_state=0)
    twice = sp.vstack([rows, rows[:50]]).tocsr()
    (note,) = find_repetitions(twice, np.zeros(250), np.arange(200))
    assert (note.code, note.numbers) == ("judged_rows_learned", {"repeated": 50, "rows": 50})
    assert find_repetitions(rows, np.zeros(200)) == ()
    with pytest.warns(UserWarning, match="50 of 50 unlabelled rows are copies"):
        assert find_seen(rows[:50], hash_rows(rows))


@pytest.mark.parametrize("change", [1.0, 0.0])
def test_chance_in_sparse_rows_is_that_of_the_same_array(change):
    part = np.arange(len(X))
    chance = chance_of_agreement(sp.csr_matrix(X * change), part)
    assert chance == pytest.approx(chance_of_agreement(X * change, part), rel=1e-12)
