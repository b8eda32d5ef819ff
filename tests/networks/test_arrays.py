"""Rows and labels from whatever holds them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
)

from pacbayes.torch.arrays import code_labels, read_rows, to_tensor

IMAGES = np.random.default_rng(0).random((20, 1, 4, 3)).astype(np.float32)
LABELS = np.arange(20) % 3


class Pairs(Dataset):
    def __init__(self, rows, labels):
        self.rows, self.labels = rows, labels

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, place):
        return self.rows[place], self.labels[place]


class Rows(Pairs):
    def __getitem__(self, place):
        return self.rows[place]


class Stream(IterableDataset):
    def __iter__(self):
        return iter(zip(IMAGES, LABELS, strict=True))


TENSORS = torch.from_numpy(IMAGES), torch.from_numpy(LABELS)
SOURCES = {
    "array": (IMAGES, LABELS),
    "tensor": TENSORS,
    "learned tensor": (TENSORS[0].clone().requires_grad_(), TENSORS[1]),
    "list": (IMAGES.tolist(), LABELS.tolist()),
    "tensors": (TensorDataset(*TENSORS), None),
    "dataset": (Pairs(IMAGES, LABELS), None),
    "dataset of tensors": (Pairs(*TENSORS), None),
    "rows alone": (Rows(IMAGES, None), LABELS),
    "tensors alone": (TensorDataset(TENSORS[0]), LABELS),
    "stream": (Stream(), None),
    "loader": (DataLoader(Pairs(IMAGES, LABELS), batch_size=7), None),
    "loader of a stream": (DataLoader(Stream(), batch_size=6), None),
    "loader without batches": (DataLoader(Pairs(IMAGES, LABELS), batch_size=None), None),
    "loader of given batches": (DataLoader(Pairs(IMAGES, LABELS), batch_sampler=[range(9), range(9, 20)]), None),
    "loader of batches of one": (DataLoader(Pairs(*TENSORS), batch_sampler=[[each] for each in range(20)]), None),
    "loader with workers": (DataLoader(Pairs(*TENSORS), batch_size=7, num_workers=1, persistent_workers=True), None),
}


@pytest.mark.parametrize("name", SOURCES)
def test_the_same_rows_come_out(name):
    found = read_rows("me", *SOURCES[name])
    assert found.shape == (1, 4, 3)
    np.testing.assert_allclose(found.X, IMAGES.reshape(20, 12), rtol=1e-6)
    assert found.y.tolist() == LABELS.tolist()
    assert read_rows("me", SOURCES[name][0], labelled=False).y is None


def test_a_loader_that_shuffles_keeps_rows_and_labels_together():
    loader = DataLoader(Pairs(IMAGES, np.arange(20)), batch_size=3, shuffle=True)
    found = read_rows("me", loader)
    assert found.y.tolist() != list(range(20))
    np.testing.assert_array_equal(found.X, IMAGES.reshape(20, 12)[found.y])


PAIRS = Pairs(IMAGES, LABELS)
NO_SAMPLES = {
    "with replacement": (RandomSampler(PAIRS, replacement=True, num_samples=90), "RandomSampler .*with replacement"),
    "few with replacement": (RandomSampler(PAIRS, replacement=True, num_samples=1), "RandomSampler .*with replacement"),
    "weighted": (WeightedRandomSampler([1.0] * 20, 90), "WeightedRandomSampler .*more often than others"),
    "weighted, each once": (WeightedRandomSampler([1.0] * 20, 9, replacement=False), "more often than others"),
    "padded": (DistributedSampler(PAIRS, num_replicas=3, rank=2), "DistributedSampler .* so that all processes"),
    "of one's own": ([0, 1, 2, 1], "draws row 1 again"),
    "of tensors": (list(torch.tensor([0, 1, 2, 1])), "draws row 1 again"),
    "subset": (SubsetRandomSampler([4, 4]), "draws row 4 again"),
}


@pytest.mark.parametrize("form", ["batches", "rows", "given batches", "batches of one"])
@pytest.mark.parametrize("name", NO_SAMPLES)
def test_a_loader_that_repeats_rows_is_no_sample(name, form):
    sampler, words = NO_SAMPLES[name]
    options = {
        "batches": {"sampler": sampler, "batch_size": 3},
        "rows": {"sampler": sampler, "batch_size": None},
        "given batches": {"batch_sampler": BatchSampler(sampler, 3, drop_last=False)},
        "batches of one": {"sampler": BatchSampler(sampler, 1, drop_last=False), "batch_size": None},
    }
    loader = DataLoader(PAIRS, **options[form])
    with pytest.raises(ValueError, match=f"me needs each row once.*{words}"):
        read_rows("me", loader)


def test_rows_may_be_repeated_where_nothing_is_certified():
    loader = DataLoader(PAIRS, sampler=[0, 1, 2, 1])
    assert len(read_rows("me", loader, labelled=False).X) == 4
    assert read_rows("me", loader, repeated=True).y.tolist() == LABELS[[0, 1, 2, 1]].tolist()


def test_workers_that_each_give_all_rows_are_refused():
    with pytest.raises(ValueError, match=r"needs each row once\. Each of the 2 workers"):
        read_rows("me", DataLoader(Stream(), batch_size=6, num_workers=2))


def test_samplers_that_draw_each_row_once_are_taken():
    parts = [DistributedSampler(PAIRS, num_replicas=2, rank=rank, shuffle=False) for rank in range(2)]
    found = [read_rows("me", DataLoader(PAIRS, sampler=each, batch_size=4)) for each in parts]
    assert [each.y.tolist() for each in found] == [LABELS[::2].tolist(), LABELS[1::2].tolist()]
    assert read_rows("me", DataLoader(PAIRS, sampler=SubsetRandomSampler([4, 5]))).X.shape == (2, 12)


def test_a_loader_is_left_as_it_was_and_draws_as_it_would():
    loader = DataLoader(Pairs(IMAGES, np.arange(20)), batch_size=3, shuffle=True)
    before = dict(vars(loader))
    torch.manual_seed(3)
    drawn = torch.cat([labels for _, labels in loader]).tolist()
    torch.manual_seed(3)
    assert read_rows("me", loader).y.tolist() == drawn
    assert vars(loader) == before


def test_text_labels_of_datasets():
    texts = np.array(["cat", "dog", "emu"])[LABELS]
    for source in (Pairs(IMAGES, texts), DataLoader(Pairs(IMAGES, texts.tolist()), batch_size=7)):
        assert read_rows("me", source).y.tolist() == texts.tolist()


def test_frames_of_numbers():
    flat = IMAGES.reshape(20, 12)
    for frame in (pd.DataFrame(flat), pl.DataFrame(flat)):
        found = read_rows("me", frame, LABELS)
        assert found.shape == (12,)
        np.testing.assert_array_equal(found.X, flat)


def test_kinds_of_numbers():
    pixels = np.array([[0, 255], [51, 102]], dtype=np.uint8)
    assert read_rows("me", pixels, [0, 1]).X.dtype == np.uint8
    torch.testing.assert_close(to_tensor(pixels, (2,)), torch.tensor([[0, 1], [0.2, 0.4]]))
    assert read_rows("me", torch.from_numpy(pixels), [0, 1]).X.dtype == np.uint8
    for kind in (np.int64, np.int8, np.uint16, bool, np.float16):
        found = read_rows("me", pixels.astype(kind), [0, 1]).X
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, pixels.astype(kind))
    large = np.array([[2**24 + 1.0, 0.0]])
    assert read_rows("me", large.astype(np.int64), [0]).X[0, 0] == 2**24 + 1
    assert read_rows("me", torch.ones(2, 2, dtype=torch.bfloat16), [0, 1]).X.dtype == np.float32
    assert to_tensor(np.zeros((2, 4)), (2, 2)).dtype == torch.float32


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (Rows(IMAGES, None), None, "me needs labels. The Rows has rows alone"),
        (DataLoader(Rows(IMAGES, None)), None, "The DataLoader has rows alone"),
        (DataLoader(Rows(IMAGES, None)), LABELS, "labels of a DataLoader from it, since it may shuffle"),
        (Pairs(IMAGES, LABELS), LABELS, "labels of this Dataset from it"),
        (IMAGES, None, "me requires y to be passed"),
        (IMAGES, LABELS[:5], "inconsistent numbers of samples"),
        (np.zeros(5), np.zeros(5), r"rows of at least one number each. Got an array of shape \(5,\)"),
        (np.zeros((0, 3)), np.zeros(0), "rows of at least one number each"),
        (np.array([["a"], ["b"]]), [0, 1], "must hold numbers. Got <U1"),
        (np.full((2, 2), np.nan), [0, 1], "must not contain NaN or infinity"),
        (np.zeros((2, 2), dtype=complex), [0, 1], "must hold numbers"),
        (sp.eye(3), [0, 1, 2], "must be dense for a network"),
        (TensorDataset(*TENSORS, *TENSORS), None, "a row and its label from a dataset. Got 4 values"),
        (Pairs([{"a": 1}] * 3, [0, 1, 2]), None, "a row and its label from a dataset. Got dict"),
        (Pairs([np.zeros(3), np.zeros(4)], [0, 1]), None, r"rows of one shape. Got \(3,\), \(4,\)"),
        (Pairs([], []), None, "needs at least one row"),
        (Dataset(), None, "needs a Dataset with a length"),
        ([[1.0, 2.0], [3.0]], [0, 1], "rows of at least one number each"),
    ],
)
def test_junk_is_refused(X, y, words):
    with pytest.raises(ValueError, match=words):
        read_rows("me", X, y)


def test_labels_become_positions_of_classes():
    assert code_labels(np.array([3, 7, 3]), np.array([7, 3])).tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match="must be among the classes"):
        code_labels(np.array([3, 8]), np.array([7, 3]))


def test_labels_that_are_the_same_double_are_two_classes():
    rows, labels = np.zeros((4, 2), dtype=np.float32), [2**53, 2**53 + 1, 5.0, 5.0]
    assert read_rows("me", rows, labels).y.tolist() == labels
    assert code_labels(np.array(labels[:2]), np.array([2**53, 2**53 + 1, 5], dtype=object)).tolist() == [0, 1]
    with pytest.raises(ValueError, match="must be among the classes"):
        code_labels(np.array([2**53 + 1]), np.array([5.0, 2.0**53]))
