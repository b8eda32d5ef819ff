"""The eight files: shapes in both encodings, nothing learned from rows."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.datasets._specifications import SPECIFICATIONS

SHAPES = {
    "haberman": (306, 3, 81),
    "breast-cancer": (699, 9, 241),
    "tictactoe": (958, 27, 626),
    "banknote": (1372, 4, 610),
    "kr-vs-kp": (3196, 73, 1669),
    "spambase": (4601, 57, 1813),
    "mushroom": (8124, 116, 4208),
    "adult": (30162, 104, 7508),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("encoding", ["sound", "published"])
def test_shapes(name, encoding, data_folder):
    bunch = pb.datasets.load(name, encoding)
    rows, columns, positives = SHAPES[name]
    assert bunch.data.shape == (rows, columns)
    assert len(bunch.feature_names) == len(set(bunch.feature_names)) == columns
    assert bunch.target.sum() == positives
    assert set(np.unique(bunch.target)) == {0, 1}
    if encoding == "published":
        assert (bunch.data.min(), bunch.data.max()) == (-1.0, 1.0)
        assert np.all(np.ptp(bunch.data, axis=0) > 0)


def test_frames_have_names_and_dtypes(data_folder):
    X, y = pb.datasets.load("adult", as_frame=True, return_X_y=True)
    assert X["age"].dtype == np.float64
    assert X["sex=Male"].dtype == np.uint8
    assert X["age"].max() == 90
    assert len(y) == len(X)


def test_breast_cancer_codes(data_folder):
    """Erratum E9: the published encoding numbers the sixth feature by the order of its texts."""
    raw = [line.split(",") for line in (data_folder / "breast-cancer-wisconsin.data").read_text().split()]
    sound = pb.datasets.load("breast-cancer").data[:, 5]
    published = pb.datasets.load("breast-cancer", "published").data[:, 5]
    texts = np.array([row[6] for row in raw])
    assert np.all(sound[texts == "?"] == 0.0)
    assert np.all(sound[texts == "10"] == 10.0)
    order = ["?", "1", "10", "2", "3", "4", "5", "6", "7", "8", "9"]
    for place, text in enumerate(order):
        assert np.allclose(published[texts == text], 2.0 * place / 10.0 - 1.0)


def test_the_sound_encoding_of_a_row_does_not_depend_on_other_rows(data_folder, monkeypatch, tmp_path):
    whole = pb.datasets.load("adult").data
    lines = (data_folder / "adult.data").read_text().splitlines(keepends=True)
    part = "".join(lines[:1000]).encode()
    (tmp_path / "adult.data").write_bytes(part)
    monkeypatch.setenv("PACBAYES_DATA", str(tmp_path))
    short = replace(SPECIFICATIONS["adult"], sha256=hashlib.sha256(part).hexdigest())
    monkeypatch.setitem(SPECIFICATIONS, "adult", short)
    first = pb.datasets.load("adult").data
    np.testing.assert_array_equal(first, whole[: len(first)])


def test_bad_names():
    with pytest.raises(ValueError, match=r"'name' argument of load must be one of .* Got 'iris'"):
        pb.datasets.load("iris")
    with pytest.raises(ValueError, match=r"'encoding' argument of load must be one of .* Got 'hot'"):
        pb.datasets.load("adult", "hot")
