"""Rows and labels from whatever holds them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

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
