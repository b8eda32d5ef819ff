"""What cannot be written is found out before the work, and nobody is let in who was not before."""

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from pacbayes._core.files import write_atomically
from pacbayes.runs import Settings, certify_file
from pacbayes.runs.folder import check_folder

from attacks.folders import names, ordinary_user, umask

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions, links and locks of POSIX")
TOKEN = "0123456789abcdef"


def test_a_mount_point_and_the_current_folder_are_refused_before_the_work(tmp_path, new, monkeypatch):
    (tmp_path / "disk").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr("os.path.ismount", lambda path: Path(path).name == "disk")
        with pytest.raises(ValueError, match=r"mount point.*folder inside"):
            check_folder(tmp_path / "disk")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(ValueError, match=r"current folder.*folder inside"):
        check_folder(Path())


def never(*_, **__):
    raise AssertionError("the table was read")


def attempt(path, monkeypatch, force=False):
    monkeypatch.setattr("pacbayes.runs.run.load_table", never)
    certify_file(path.parent / "t.csv", Settings(target="ill"), out=path, force=force)


@pytest.mark.parametrize("length", [256, 5000])
def test_a_name_that_is_too_long_is_found_out_before_the_work(tmp_path, monkeypatch, length):
    with pytest.raises(OSError, match=r"cannot be written \(File name too long\)"):
        attempt(tmp_path / "a" / ("x" * length), monkeypatch)
    assert names(tmp_path) == []


def test_the_longest_name_can_be_written(tmp_path, new):
    new.save(tmp_path / ("ä" * 127))
    new.save(tmp_path / ("ä" * 127), force=True)
    write_atomically(tmp_path / ("y" * 255), "text")
    assert len(names(tmp_path)) == 2


def test_a_full_disk_is_found_out_before_the_work(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match=r"cannot be written \(No space left on device\)"):
        attempt(tmp_path / "a" / "b", monkeypatch)
    assert names(tmp_path) == []


def test_a_file_in_the_way_is_found_out_before_the_work(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("kept")
    with pytest.raises(OSError, match="cannot be written"):
        attempt(tmp_path / "file" / "a" / "b", monkeypatch)


def test_no_permission_is_found_out_before_the_work(monkeypatch, old):
    with ordinary_user() as place:
        place.chmod(0o555)
        with pytest.raises(OSError, match=r"cannot be written \(Permission denied\)"):
            attempt(place / "out", monkeypatch)
        place.chmod(0o755)
        old.save(place / "out")
        (place / "out").chmod(0o555)
        with pytest.raises(OSError, match=r"cannot be written \(Permission denied\)"):
            attempt(place / "out", monkeypatch, force=True)
        (place / "out").chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs folders of two users")
def test_a_folder_of_another_user_in_a_shared_place_is_found_out_before_the_work(monkeypatch, old):
    with ordinary_user() as place:
        os.seteuid(0)
        os.chown(place, 0, 0)
        old.save(place / "out")
        (place / "out").chmod(0o777)
        place.chmod(0o1777)
        os.seteuid(65534)
        with pytest.raises(OSError, match=r"cannot be written \(Operation not permitted\)"):
            attempt(place / "out", monkeypatch, force=True)


def test_what_fails_later_leaves_no_new_folders(tmp_path, old, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    check_folder(tmp_path / "a" / "b" / "c")
    assert names(tmp_path) == []
    monkeypatch.setattr("pacbayes.runs.folder.write_predictor", full)
    with pytest.raises(OSError, match="No space left"):
        old.save(tmp_path / "a" / "b" / "c")
    assert names(tmp_path) == []


@pytest.mark.parametrize("mask", [0o077, 0o027, 0o022, 0o002, 0o000])
def test_the_umask_is_respected(tmp_path, new, mask):
    with umask(mask):
        new.save(tmp_path / "a" / "out")
        new.save(tmp_path / "a" / "out", force=True)
        write_atomically(tmp_path / "c.json", "text")
    for each in [*tmp_path.rglob("*")]:
        assert stat.S_IMODE(each.stat().st_mode) == (0o777 if each.is_dir() else 0o666) & ~mask, each


def test_what_was_private_is_not_opened_to_others(tmp_path, old, new):
    with umask(0o022):
        old.save(tmp_path / "out")
        (tmp_path / "out").chmod(0o700)
        new.save(tmp_path / "out", force=True)
        write_atomically(tmp_path / "c.json", "text")
        (tmp_path / "c.json").chmod(0o600)
        write_atomically(tmp_path / "c.json", "more")
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "c.json").stat().st_mode) == 0o600


def test_a_umask_that_forbids_everything_is_one_sentence_and_leaves_nothing(old):
    with ordinary_user() as place:
        with umask(0o777), pytest.raises(OSError, match=r"cannot be written \(Permission denied\)"):
            old.save(place / "out")
        assert names(place) == []
        old.save(place / "out")
        with umask(0o400), pytest.raises(OSError, match=r"cannot be written \(Permission denied\)"):
            old.save(place / "new")  # as a folder that may be written and not be listed
        assert names(place) == ["out"]
