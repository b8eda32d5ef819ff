"""Row numbers in little memory are the ones that numpy draws, and labels in a byte are the labels."""

import numpy as np
import pytest

from pacbayes._core import places, repetitions, rows
from pacbayes._core.coded_labels import CodedLabels, codes_of, take_labels
from pacbayes._core.digests import data_digest, digest_of_arrays
from pacbayes._core.places import PlacesAhead, permute
from pacbayes._core.rows import count_labels, distinct_labels, labels_of, locate_blocks


@pytest.mark.parametrize("size", [1, 2, 999, 70_000])
def test_a_permutation_in_four_bytes_is_that_of_numpy(monkeypatch, size):
    monkeypatch.setattr(places, "_MANY", 2)
    one, two = np.random.RandomState(7), np.random.RandomState(7)
    found = permute(one, size)
    np.testing.assert_array_equal(found, two.permutation(size))
    assert found.dtype == (np.int32 if size > 1 else np.int64)
    assert one.randint(2**31) == two.randint(2**31)  # and whatever is drawn after it


@pytest.mark.parametrize("block", [3, 64, 1000])
def test_places_are_found_in_the_blocks_that_they_lie_in(monkeypatch, block):
    monkeypatch.setattr(places, "_MANY", 50)
    chosen = np.random.default_rng(0).permutation(777)[:400].astype(np.int32)
    ahead = PlacesAhead(chosen, block)
    for start in range(0, 777, block):
        which, inside = ahead.find(start, min(block, 777 - start))
        expected = np.flatnonzero((chosen >= start) & (chosen < start + block))
        np.testing.assert_array_equal(which, expected)
        np.testing.assert_array_equal(inside, chosen[expected] - start)


def test_blocks_of_judged_rows_do_not_depend_on_how_far_ahead_one_looks(monkeypatch):
    monkeypatch.setattr(rows, "BLOCK_ROWS", 10)
    X, chosen = np.zeros((95, 1)), np.random.default_rng(0).permutation(95)[:60]
    found = [(which.tolist(), inside.tolist()) for which, inside in locate_blocks(X, chosen)]
    monkeypatch.setattr(places, "_AHEAD", 1)
    assert [(which.tolist(), inside.tolist()) for which, inside in locate_blocks(X, chosen)] == found
    assert sorted(each for which, _ in found for each in which) == list(range(60))


@pytest.mark.parametrize("classes", [["no", "yes"], [0, 1, 7], [1, 2**60], list(range(300))])
def test_labels_in_a_byte_are_the_labels(monkeypatch, classes):
    labels = np.array(classes)[np.random.default_rng(0).integers(0, len(classes), 5000)]
    known = np.unique(labels)
    coded = CodedLabels(codes_of(labels, known), known)
    monkeypatch.setattr("pacbayes._core.digests.DIGEST_ROWS", 512)
    np.testing.assert_array_equal(np.asarray(coded), labels)
    np.testing.assert_array_equal(distinct_labels(coded), known)
    for one, two in zip(count_labels(coded), count_labels(labels), strict=True):
        np.testing.assert_array_equal(one, two)
    X, chosen = np.zeros((5000, 1)), np.arange(0, 5000, 3)
    assert labels_of("f", X, coded) is coded
    assert data_digest(X, coded) == data_digest(X, labels)
    np.testing.assert_array_equal(coded[chosen], labels[chosen])
    part = take_labels(coded, chosen)
    np.testing.assert_array_equal(codes_of(part, known), np.searchsorted(known, labels[chosen]))
    assert digest_of_arrays(labels=part) == digest_of_arrays(labels=labels[chosen])
    with pytest.raises(ValueError, match="inconsistent"):
        labels_of("f", X[1:], coded)


@pytest.mark.parametrize("spread", [10, 1000, 10**9])
@pytest.mark.parametrize("size", [1, 63, 64, 5000])
def test_repetitions_are_counted_part_by_part(monkeypatch, size, spread):
    monkeypatch.setattr(repetitions, "_PART", 64)
    monkeypatch.setattr(repetitions, "_CHUNK", 100)
    rng = np.random.default_rng(size)
    hashes = rng.integers(0, spread, size).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    assert repetitions.count_repeated(hashes) == size - first.size
    for about in (1, 7, 10**9):
        expected = np.sort(first)[:: max(1, first.size // about)]
        np.testing.assert_array_equal(repetitions.find_different(hashes, about), expected)
    learning = rng.permutation(size)[: size // 2]
    judged = np.setdiff1d(np.arange(size), learning)
    both = np.isin(inverse[judged], inverse[learning]).sum()
    assert repetitions.count_both(hashes, learning) == both
