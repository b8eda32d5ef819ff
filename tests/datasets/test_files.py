"""Raw files: messages for damaged or missing ones, the download, the default folder."""

from __future__ import annotations

import hashlib
import http.server
import threading
from dataclasses import replace
from functools import partial

import pytest

import pacbayes as pb
from pacbayes.datasets import DataFileError, _files
from pacbayes.datasets._specifications import SPECIFICATIONS


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
        unreachable = replace(SPECIFICATIONS["haberman"], sha256="0" * 64, address="http://127.0.0.1:9/haberman.data")
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
        local = replace(SPECIFICATIONS["haberman"], sha256=digest, address=address + "/haberman.data")
        monkeypatch.setitem(SPECIFICATIONS, "haberman", local)
        assert pb.datasets.load("haberman").data.shape == (306, 3)
        assert path.read_bytes() == content
        (root / "haberman.data").unlink()
        assert pb.datasets.load("haberman").data.shape == (306, 3)  # from the cache

    def test_download_of_the_wrong_file(self, copy, server, monkeypatch):
        (path, content), (root, address) = copy, server
        (root / "haberman.data").write_bytes(content + b"1,2,3,1\n")
        local = replace(
            SPECIFICATIONS["haberman"], sha256=hashlib.sha256(content).hexdigest(), address=address + "/haberman.data"
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
            changed = replace(SPECIFICATIONS["haberman"], sha256=hashlib.sha256(text.encode()).hexdigest())
            monkeypatch.setitem(SPECIFICATIONS, "haberman", changed)
            with pytest.raises(DataFileError, match=message):
                pb.datasets.load("haberman")


def test_default_folder_is_in_the_users_cache(monkeypatch):
    monkeypatch.delenv("PACBAYES_DATA", raising=False)
    assert _files.folder().name == "pacbayes"
