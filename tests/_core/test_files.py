"""The atomic writer: the old file or the new one, no drafts left, and errors that name the file that was asked for."""

import errno
import os

import pytest

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


def test_a_draft_of_another_writer_is_not_removed(tmp_path):
    draft = tmp_path / f".a.txt.{os.getpid()}.draft"
    draft.write_text("in work")
    with pytest.raises(FileExistsError):
        write_atomically(tmp_path / "a.txt", "new")
    assert draft.read_text() == "in work"
