"""Attacks on drafts: planted links, locks, leftovers of killed processes, writers at the same time."""

import contextlib
import os
import stat
import sys
import threading

import pytest

from pacbayes._core import folders
from pacbayes._core.files import write_atomically
from pacbayes.runs.folder import check_folder

from attacks.folders import at_every_step, content, is_whole, names

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions, links and locks of POSIX")
TOKEN = "0123456789abcdef"


def test_a_planted_link_is_not_followed_and_blocks_nothing(tmp_path):
    (tmp_path / "mine").write_text("kept")
    planted = tmp_path / f".c.json.{os.getpid()}.draft"
    planted.symlink_to(tmp_path / "mine")
    write_atomically(tmp_path / "c.json", "text")
    assert (tmp_path / "c.json").read_text() == "text"
    assert (tmp_path / "mine").read_text() == "kept"
    assert planted.is_symlink()


def test_a_stranger_who_locks_every_draft_cannot_make_us_wait(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    real, held = fcntl.flock, []

    def late(number, operation):
        for each in tmp_path.iterdir():
            held.append(each.open("rb"))
            with contextlib.suppress(BlockingIOError):
                real(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        return real(number, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    with pytest.raises(OSError, match=r"No draft of 'c\.json' could be made"):
        write_atomically(tmp_path / "c.json", "text")
    for each in held:
        each.close()
    assert names(tmp_path) == []


def test_a_name_as_drafts_have_is_refused(tmp_path, old):
    with pytest.raises(ValueError, match="is one of a draft"):
        old.save(tmp_path / f".out.{TOKEN}.draft")


def test_the_current_folder_may_have_been_removed(tmp_path, old, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    old.save(tmp_path / "out")
    old.save(tmp_path / "out", force=True)
    assert names(tmp_path) == ["out"]


def test_names_of_drafts_cannot_be_guessed(tmp_path, old):
    seen = set()
    with at_every_step(lambda: seen.update(names(tmp_path))):
        for _ in range(5):
            write_atomically(tmp_path / "c.json", "text")
            old.save(tmp_path / "out", force=True)
    drafts = {each for each in seen if each.startswith(".c.json.")}
    assert len(drafts) == 5
    assert len({each for each in seen if each.startswith(".out.")}) >= 5
    assert not any(str(os.getpid()) in each for each in seen)


def test_leftovers_of_killed_processes_are_removed(tmp_path, old):
    (tmp_path / f".c.json.{TOKEN}.draft").write_text("hal")
    (tmp_path / f".out.{TOKEN}.draft").mkdir()
    (tmp_path / f".out.{TOKEN}.draft" / "certificate.json").write_text("hal")
    write_atomically(tmp_path / "c.json", "text")
    old.save(tmp_path / "out")
    assert names(tmp_path) == ["c.json", "out"]


def test_what_is_not_an_abandoned_draft_of_ours_stays(tmp_path, old):
    """Files by other names, links, hard links, folders with a user's files, and what another writer still holds."""
    fcntl = pytest.importorskip("fcntl")
    kept = {
        ".c.json.draft": "a",
        f".d.json.{TOKEN}.draft": "another file's",
        f"c.json.{TOKEN}.draft": "no dot",
        f".c.json.{TOKEN}.draft.bak": "b",
        ".c.json.0123456789ABCDEF.draft": "not how we write",
        f".c.json.{TOKEN[::-1]}.draft": "held",
    }
    for name, text in kept.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "mine").write_text("mine")
    (tmp_path / f".c.json.{'1' * 16}.draft").symlink_to("mine")
    (tmp_path / f".c.json.{'2' * 16}.draft").hardlink_to(tmp_path / "mine")
    (tmp_path / f".c.json.{'3' * 16}.draft").mkdir()
    folder = tmp_path / f".out.{TOKEN}.draft"
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")
    before = set(names(tmp_path))
    with (tmp_path / f".c.json.{TOKEN[::-1]}.draft").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write_atomically(tmp_path / "c.json", "text")
    check_folder(tmp_path / "out")
    assert set(names(tmp_path)) == before | {"c.json"}
    assert (folder / "thesis.tex").read_text() == "years of work"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs files of two users")
def test_leftovers_of_another_user_stay_and_are_not_taken_for_ours(tmp_path, old):
    draft, aside = tmp_path / f".c.json.{TOKEN}.draft", tmp_path / f".out.{TOKEN}.old"
    draft.write_text("a stranger's")
    old.save(tmp_path / "made")
    (tmp_path / "made").rename(aside)
    for each in (draft, aside):
        os.chown(each, 65534, 65534)
    write_atomically(tmp_path / "c.json", "text")
    check_folder(tmp_path / "out")
    assert names(tmp_path) == sorted([draft.name, aside.name, "c.json"])


def test_what_was_moved_aside_by_a_killed_process_comes_back(tmp_path, old, new):
    """Where folders cannot be exchanged there is a moment with neither; the next command ends it."""
    old.save(tmp_path / "out")
    before = content(tmp_path / "out")
    new.save(tmp_path / "other")
    (tmp_path / "out").rename(tmp_path / f".out.{TOKEN}.old")
    (tmp_path / "other").rename(tmp_path / f".out.{TOKEN}.draft")
    with pytest.raises(ValueError, match="not empty"):
        check_folder(tmp_path / "out")
    assert content(tmp_path / "out") == before
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("exchanged", [True, False], ids=["exchange", "two renames"])
def test_writers_at_the_same_time_leave_one_whole_folder(tmp_path, old, new, monkeypatch, exchanged):
    folder, errors = tmp_path / "out", []
    if not exchanged:
        monkeypatch.setattr(folders, "exchange", lambda *_: False)

    def holds():
        found = content(folder)
        return found is None or is_whole(found, old) or is_whole(found, new)

    def write(run):
        for _ in range(4):
            try:
                run.save(folder, force=True)
            except OSError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=write, args=(run,)) for run in (old, new, old, new)]
    for each in threads:
        each.start()
    while any(each.is_alive() for each in threads):
        assert holds()
    for each in threads:
        each.join()
    check_folder(folder, force=True)
    assert holds()
    assert folder.exists()
    assert names(tmp_path) == ["out"]
    assert not (exchanged and errors)
    assert all("cannot be written" in each for each in errors)


def test_a_folder_replaced_while_it_is_looked_into_is_not_foreign(tmp_path, old, new, monkeypatch):
    """The other writer has removed the certificate and not yet the report of the folder that the first is reading."""
    folder, real, looks = tmp_path / "out", os.scandir, []
    old.save(folder)

    @contextlib.contextmanager
    def interrupted(place):
        looks.append(place)
        if place != folder:
            with real(place) as found:
                yield found
            return
        with real(place) as found:
            entries = [*found]
        if looks.count(folder) == 1:
            entries = [each for each in entries if each.name == "report.html"]
            new.save(tmp_path / "other")
            folder.rename(tmp_path / "gone")
            (tmp_path / "other").rename(folder)
        yield entries

    monkeypatch.setattr(os, "scandir", interrupted)
    check_folder(folder, force=True)
    assert looks.count(folder) == 2
    monkeypatch.undo()
    assert is_whole(content(folder), new)


def test_many_writers_of_one_file_never_meet(tmp_path):
    path, texts, errors = tmp_path / "c.json", [str(k) * 20_000 for k in range(4)], []

    def write(text):
        try:
            for _ in range(10):
                write_atomically(path, text)
        except OSError as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for each in threads:
        each.start()
    while any(each.is_alive() for each in threads):
        assert not path.exists() or path.read_text() in texts
    for each in threads:
        each.join()
    assert errors == []
    assert names(tmp_path) == ["c.json"]


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, "text")
    reader.join(10)
    assert found == [b"text"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
