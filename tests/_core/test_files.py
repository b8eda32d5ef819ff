"""The atomic writer: the old file or the new one, no drafts left, and errors that name the file that was asked for."""

import errno
import os
from pathlib import Path

import pytest

from pacbayes._core.drafts import make_folder
from pacbayes._core.files import write_atomically


def test_text_and_bytes_replace_what_was_there(tmp_path):
    path = tmp_path / "a.txt"
    write_atomically(path, "ä\n")
    assert path.read_bytes() == "ä\n".encode()
    write_atomically(path, b"\0")
    assert path.read_bytes() == b"\0"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("absent/a.txt", FileNotFoundError), ("file/a.txt", NotADirectoryError), ("folder", IsADirectoryError)],
)
def test_an_error_names_the_target_and_leaves_no_draft(tmp_path, name, kind):
    (tmp_path / "file").write_text("kept")
    (tmp_path / "folder").mkdir()
    with pytest.raises(kind) as caught:
        write_atomically(tmp_path / name, "text")
    assert caught.value.filename == str(tmp_path / name)
    assert caught.value.filename2 is None
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "folder"]


def test_a_failing_write_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_atomically(path, "new")
    assert caught.value.filename == str(path)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_a_draft_of_another_writer_is_neither_removed_nor_in_the_way(tmp_path):
    draft = tmp_path / f".a.txt.{os.getpid()}.draft"
    draft.write_text("in work")
    write_atomically(tmp_path / "a.txt", "new")
    assert draft.read_text() == "in work"
    assert (tmp_path / "a.txt").read_text() == "new"


@pytest.mark.parametrize("name", [".", "", "/"])
def test_a_path_without_a_name_is_a_folder(name):
    with pytest.raises(IsADirectoryError):
        write_atomically(Path(name), "text")


def test_a_draft_that_was_taken_for_a_leftover_is_made_again(tmp_path, monkeypatch):
    """A sweeper may come between the making of a draft and its lock."""
    fcntl = pytest.importorskip("fcntl")
    real, taken = fcntl.flock, []

    def late(number, operation):
        if not taken:
            taken.extend(tmp_path.iterdir())
            taken[0].unlink() if taken[0].is_file() else taken[0].rmdir()
        return real(number, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    write_atomically(tmp_path / "a.txt", "new")
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]
    taken.clear()
    (tmp_path / "a.txt").unlink()
    draft, number = make_folder(tmp_path / "out")
    os.close(number)
    assert [*tmp_path.iterdir()] == [draft] != taken


def test_without_locks_only_what_is_old_is_a_leftover(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def unsupported(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    young, old = (tmp_path / f".a.txt.{digit * 16}.draft" for digit in "12")
    young.write_text("in work")
    old.write_text("left")
    os.utime(old, (0, 0))
    write_atomically(tmp_path / "a.txt", "new")
    assert sorted(each.name for each in tmp_path.iterdir()) == [young.name, "a.txt"]
