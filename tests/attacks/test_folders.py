"""Attacks on what is replaced: half-replaced folders, files of the user, links."""

import sys

import pytest

from pacbayes._core import folders
from pacbayes.runs.folder import check_folder

from attacks.folders import at_every_step, content, is_whole, names

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions, links and locks of POSIX")
TOKEN = "0123456789abcdef"


@pytest.mark.parametrize("exchanged", [True, False], ids=["exchange", "two renames"])
def test_a_folder_is_replaced_in_one_step(tmp_path, old, new, monkeypatch, exchanged):
    folder, seen = tmp_path / "out", []
    old.save(folder)
    before = content(folder)
    if not exchanged:
        monkeypatch.setattr(folders, "exchange", lambda *_: False)
    with at_every_step(lambda: seen.append(content(folder))):
        new.save(folder, force=True)
    after = content(folder)
    assert before != after
    assert len(seen) > 10
    allowed = [before, after] if exchanged else [before, after, None]
    assert all(state in allowed for state in seen)
    assert names(tmp_path) == ["out"]


def test_without_force_a_folder_that_was_filled_meanwhile_stays(tmp_path, old, new, monkeypatch):
    folder = tmp_path / "out"
    monkeypatch.setattr("pacbayes.runs.folder.check_folder", lambda *_, **__: None)
    old.save(folder)
    before = content(folder)
    with pytest.raises(OSError, match="cannot be written"):
        new.save(folder)
    assert content(folder) == before
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("name", ["notes.txt", "figures", "report.html/mine", "certificate.json"])
def test_files_of_the_user_are_not_replaced(tmp_path, old, new, name):
    """A file, a folder, a folder by one of our names, a link by one of our names."""
    folder = tmp_path / "out"
    old.save(folder)
    mine = folder / name
    if name == "certificate.json":
        mine.rename(tmp_path / "kept.json")
        mine.symlink_to(tmp_path / "kept.json")
    else:
        (folder / name.partition("/")[0]).unlink(missing_ok=True)
        mine.parent.mkdir(exist_ok=True)
        mine.write_text("mine") if name != "figures" else mine.mkdir()
    before = sorted(folder.rglob("*"))
    with pytest.raises(ValueError, match=f"holds '{name.partition('/')[0]}', which"):
        new.save(folder, force=True)
    with pytest.raises(ValueError, match="not of a run"):
        check_folder(folder, force=True)
    assert sorted(folder.rglob("*")) == before


def test_a_folder_with_nothing_but_a_page_is_not_a_run(tmp_path, new):
    (tmp_path / "report.html").write_text("my site")
    with pytest.raises(ValueError, match="not of a run"):
        new.save(tmp_path, force=True)
    assert (tmp_path / "report.html").read_text() == "my site"


def test_a_file_that_the_user_adds_meanwhile_is_carried_over(tmp_path, old, new, monkeypatch):
    folder, real = tmp_path / "out", folders.exchange
    old.save(folder)

    def late(one, other):
        (folder / "notes.txt").write_text("mine")
        (folder / "more").mkdir()
        return real(one, other)

    monkeypatch.setattr(folders, "exchange", late)
    new.save(folder, force=True)
    assert (folder / "notes.txt").read_text() == "mine"
    assert (folder / "more").is_dir()
    assert (folder / "model.skops").is_file()
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("killed", [KeyboardInterrupt, OSError])
def test_what_fails_after_the_exchange_loses_nothing(tmp_path, old, new, monkeypatch, killed):
    """A file that cannot be carried over stays where it is, and the next command tries again."""
    folder, dissolve = tmp_path / "out", folders._dissolve
    old.save(folder)

    def stopped(place, *_):
        (place / "notes.txt").write_text("mine")
        raise killed

    monkeypatch.setattr(folders, "_dissolve", stopped)
    with pytest.raises(killed):
        new.save(folder, force=True)
    assert is_whole(content(folder), new)
    assert len(names(tmp_path)) == 2
    monkeypatch.setattr(folders, "_dissolve", dissolve)
    with pytest.raises(ValueError, match="not of a run"):
        check_folder(folder, force=True)
    assert names(tmp_path) == ["out"]
    assert (folder / "notes.txt").read_text() == "mine"


def test_a_link_to_a_folder_stays_one(tmp_path, old, new):
    real, link = tmp_path / "deep" / "real", tmp_path / "link"
    link.symlink_to(real)
    old.save(link)
    assert link.is_symlink()
    new.save(link, force=True)
    assert link.is_symlink()
    assert (real / "model.skops").is_file()
    assert names(tmp_path) == ["deep", "link"]
    assert names(real.parent) == ["real"]


def test_a_ring_of_links_is_one_sentence(tmp_path, new):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises((OSError, ValueError), match=r"^(--out must|The folder)"):
        new.save(tmp_path / "a", force=True)
