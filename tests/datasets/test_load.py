"""The eight files: shapes in both encodings, messages for damaged files, the download, nothing learned from rows."""

from __future__ import annotations

import hashlib
import http.server
import threading
from functools import partial

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.datasets import DataFileError, _files
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
    short = _with_digest(SPECIFICATIONS["adult"], hashlib.sha256(part).hexdigest())
    monkeypatch.setitem(SPECIFICATIONS, "adult", short)
    first = pb.datasets.load("adult").data
    np.testing.assert_array_equal(first, whole[: len(first)])


def _with_digest(specification, digest, **changes):
    from dataclasses import replace

    return replace(specification, sha256=digest, **changes)


class TestDamage:
    @pytest.fixture
    def copy(self, data_folder, tmp_path, monkeypatch):
        content = (data_folder / "haberman.data").read_bytes()
        monkeypatch.setenv("PACBAYES_DATA", str(tmp_path))
        return tmp_path / "haberman.data", content

    def test_flipped_byte(self, copy):
        path, content = copy
        path.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
        with pytest.raises(
            DataFileError, match=r"haberman\.data of data set 'haberman' at .*is corrupt: its SHA-256 is .*expected"
        ):
            pb.datasets.load("haberman")

    def test_truncated(self, copy):
        path, content = copy
        path.write_bytes(content[:-10])
        with pytest.raises(DataFileError, match=r"is corrupt.*Delete it to fetch it again from https"):
            pb.datasets.load("haberman")
        assert path.read_bytes() == content[:-10]  # nothing is lost

    @pytest.mark.usefixtures("copy")
    def test_missing_and_unreachable(self, monkeypatch):
        unreachable = _with_digest(SPECIFICATIONS["haberman"], "0" * 64, address="http://127.0.0.1:9/haberman.data")
        monkeypatch.setitem(SPECIFICATIONS, "haberman", unreachable)
        with pytest.raises(
            DataFileError, match=r"haberman\.data .* was looked for at .* fetching it failed .* PACBAYES_DATA"
        ):
            pb.datasets.load("haberman")

    @pytest.mark.usefixtures("copy")
    def test_missing_without_pooch(self, monkeypatch):
        import sys

        monkeypatch.setitem(sys.modules, "pooch", None)
        with pytest.raises(DataFileError, match=r"install pacbayes\[data\] to have it fetched"):
            pb.datasets.load("haberman")

    @pytest.fixture
    def server(self, tmp_path_factory):
        root = tmp_path_factory.mktemp("served")
        quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=str(root))) as httpd:
            threading.Thread(target=httpd.serve_forever, daemon=True).start()
            yield root, f"http://127.0.0.1:{httpd.server_address[1]}"
            httpd.shutdown()

    def test_download_and_then_offline(self, copy, server, monkeypatch):
        (path, content), (root, address) = copy, server
        (root / "haberman.data").write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        local = _with_digest(SPECIFICATIONS["haberman"], digest, address=address + "/haberman.data")
        monkeypatch.setitem(SPECIFICATIONS, "haberman", local)
        assert pb.datasets.load("haberman").data.shape == (306, 3)
        assert path.read_bytes() == content
        (root / "haberman.data").unlink()
        assert pb.datasets.load("haberman").data.shape == (306, 3)  # from the cache

    def test_download_of_the_wrong_file(self, copy, server, monkeypatch):
        (path, content), (root, address) = copy, server
        (root / "haberman.data").write_bytes(content + b"1,2,3,1\n")
        local = _with_digest(
            SPECIFICATIONS["haberman"], hashlib.sha256(content).hexdigest(), address=address + "/haberman.data"
        )
        monkeypatch.setitem(SPECIFICATIONS, "haberman", local)
        with pytest.raises(DataFileError, match="fetching it failed"):
            pb.datasets.load("haberman")
        assert not path.exists()

    def test_wrong_content_with_the_right_digest(self, copy, monkeypatch):
        path, _ = copy
        for text, message in (
            ("1,2,3\n", "must have 4 fields. Got 3"),
            ("1,2,3,9\n", "label of data set 'haberman' .* Got '9'"),
        ):
            path.write_text(text)
            changed = _with_digest(SPECIFICATIONS["haberman"], hashlib.sha256(text.encode()).hexdigest())
            monkeypatch.setitem(SPECIFICATIONS, "haberman", changed)
            with pytest.raises(DataFileError, match=message):
                pb.datasets.load("haberman")


def test_bad_names():
    with pytest.raises(ValueError, match=r"'name' argument of load must be one of .* Got 'iris'"):
        pb.datasets.load("iris")
    with pytest.raises(ValueError, match=r"'encoding' argument of load must be one of .* Got 'hot'"):
        pb.datasets.load("adult", "hot")


def test_default_folder_is_in_the_users_cache(monkeypatch):
    monkeypatch.delenv("PACBAYES_DATA", raising=False)
    assert _files.folder().name == "pacbayes"


@pytest.mark.parametrize("law", ["gaussian", "logistic", "grid"])
def test_known_risks_agree_with_simulation(law):
    sample = pb.datasets.make_known_risk(400_000, d=4, law=law, random_state=1)
    rng = np.random.default_rng(2)
    for _ in range(4):
        w, intercept = rng.normal(size=4), rng.normal() * 0.3
        observed = np.mean((sample.X @ w + intercept > 0) != sample.y)
        risk = sample.risk(w, intercept)
        assert abs(observed - risk) < 5 * np.sqrt(risk * (1 - risk) / 400_000)
        assert risk >= sample.best_risk - 1e-9
    aligned = sample.parameters["direction"] * 3.0
    assert sample.risk(aligned) == pytest.approx(sample.best_risk, abs=1e-6)
    assert sample.risk(aligned + 1e-4 * rng.normal(size=4)) == pytest.approx(sample.best_risk, abs=1e-5)


def test_known_risk_bad_input():
    with pytest.raises(ValueError, match=r"'law' argument of make_known_risk .* Got 'moons'"):
        pb.datasets.make_known_risk(10, law="moons")
    with pytest.raises(ValueError, match="at least 1"):
        pb.datasets.make_known_risk(0)
    with pytest.raises(ValueError, match="must have 5 entries"):
        pb.datasets.make_known_risk(10).risk([1.0])
