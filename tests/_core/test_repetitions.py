"""Copies among rows of few different values: told from chance by how many occur once, twice, three times."""

import numpy as np
import pytest

from pacbayes._core.repetitions import are_copied, are_seen, count_copied, count_multiples
from pacbayes._core.row_hashes import hash_rows
from pacbayes.procedures.cautions import find_repetitions, find_seen

LAWS = {
    "uniform": lambda draw, n, k: draw.integers(0, k, n),
    "geometric": lambda draw, n, k: draw.geometric(1.0 / k, n),
    "zipf": lambda draw, n, k: draw.zipf(1.2, n),
    "rounded": lambda draw, n, k: np.round(draw.normal(size=n) * k),
    "a part is coarse": lambda draw, n, k: np.where(
        draw.random(n) < 0.5, draw.integers(0, 5, n), 10 + k * draw.random(n)
    ),
}


def coarse(draw, n):
    """Rows of six columns with few values each, and labels: a few per cent repeat another by chance."""
    X = np.column_stack([draw.integers(0, k, n) for k in (70, 12, 5, 4, 3, 3)]).astype(float)
    return X, draw.integers(0, 2, n)


@pytest.mark.parametrize("name", LAWS)
def test_independent_draws_are_no_copies(name):
    draw = np.random.default_rng(0)
    for n in (20, 100, 500, 3000, 20_000):
        for k in (2, 5, 20, 100, 1000, 10_000):
            for _ in range(8):
                rows, further = (LAWS[name](draw, size, k).astype(np.uint64) for size in (n, n // 2))
                assert not are_copied(count_multiples(rows))
                assert not are_seen(int(np.isin(further, rows).sum()), further.size, rows)


@pytest.mark.parametrize("copies", [2, 3, 7, 10])
@pytest.mark.parametrize("values", [3000, 10**5, 10**9])
def test_a_table_that_was_appended_to_itself_is_noticed(copies, values):
    rows = np.random.default_rng(1).integers(0, values, 500).astype(np.uint64)
    assert are_copied(count_multiples(np.tile(rows, copies)))


def test_multiples_are_counted():
    draw = np.random.default_rng(2)
    rows = draw.integers(0, 400, 1500).astype(np.uint64)
    counts = np.unique(rows, return_counts=True)[1]
    found = count_multiples(rows)
    assert [found[m] for m in range(1, 20)] == [np.count_nonzero(counts == m) for m in range(1, 20)]
    assert count_copied(rows) == rows.size - found[1]
    assert count_multiples(np.zeros(5000, dtype=np.uint64))[-1] == 1


def test_copies_of_coarse_rows_are_noted_and_coarse_rows_alone_are_not():
    X, y = coarse(np.random.default_rng(3), 1500)
    assert find_repetitions(X, y) == find_repetitions(X, y, np.arange(900)) == ()
    for copies in (2, 3):
        order = np.random.default_rng(4).permutation(1500 * copies)
        (note,) = find_repetitions(np.tile(X, (copies, 1))[order], np.tile(y, copies)[order], np.arange(600 * copies))
        assert note.code == "judged_rows_learned"


def test_test_rows_that_were_learned_from_are_noted():
    X, y = coarse(np.random.default_rng(5), 1500)
    for few in (np.r_[0:900, 0:900], np.r_[0:900, 900:1300, 0:60]):
        (note,) = find_repetitions(X[few], y[few], np.arange(900))
        assert note.code == "judged_rows_learned"


def test_unlabelled_rows_that_were_seen_are_noted():
    X, _ = coarse(np.random.default_rng(6), 20_000)
    seen = hash_rows(X[:10_000])
    assert find_seen(X[10_000:], seen) == ()
    with pytest.warns(UserWarning, match="unlabelled rows are copies of rows"):
        (note,) = find_seen(np.vstack([X[10_000:13_000], X[:3000]]), seen)
    assert note.code == "unlabelled_rows_seen"
