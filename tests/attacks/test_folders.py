"""Attacks on what is written: half-replaced folders, planted links, strangers' files, full disks, wide permissions."""

import contextlib
import errno
import hashlib
import json
import os
import stat
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from pacbayes._core import folders
from pacbayes._core.files import write_atomically
from pacbayes.runs import Settings, certify_file, certify_table
from pacbayes.runs.folder import check_folder
from pacbayes.tables import prepare_table

from cli.conftest import small_frame

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions, links and locks of POSIX")
TOKEN = "0123456789abcdef"


@pytest.fixture(scope="module")
def old():
    return certify_table(prepare_table(small_frame(), "ill"), Settings(target="ill"), baseline=False)


@pytest.fixture(scope="module")
def new():
    settings = Settings(target="ill", model="random-forest", method="holdout")
    return certify_table(prepare_table(small_frame(seed=1), "ill"), settings, baseline=False)


def names(folder):
    return sorted(each.name for each in folder.iterdir())


def read(name, folder):
    with os.fdopen(os.open(name, os.O_RDONLY, dir_fd=folder), "rb") as file:
        return file.read()


def content(folder):
    """What a folder holds, or None where there is none; one that was replaced meanwhile is read again."""
    while True:
        try:
            number = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            return None
        try:
            found = {each.name: read(each.name, number) for each in [*os.scandir(number)]}
            if os.path.samestat(os.fstat(number), folder.stat()):
                return found
        except FileNotFoundError:
            continue
        finally:
            os.close(number)


def is_whole(found, run):
    """Whether a folder holds all of a run, of one and the same writer; archives carry the time."""
    if found is None or found["certificate.json"] != run.certificate.to_json().encode():
        return False
    model = json.loads(found["model.json"])
    files, sha256 = {"README.txt", "certificate.json", "model.json", "report.html"}, model["predictor"].get("sha256")
    if sha256:
        files.add("model.skops")
        assert hashlib.sha256(found["model.skops"]).hexdigest() == sha256
    return set(found) == files and model["certificate"] == run.certificate.digest and found["report.html"] != b""


WATCHED: list = []  # audit hooks stay for the life of a process, so that one is shared
sys.addaudithook(lambda event, _: WATCHED and event.startswith(("os.", "open", "shutil.")) and WATCHED[-1]())


@contextlib.contextmanager
def at_every_step(action):
    """Call an action before each thing that the system is asked to do."""

    def once():
        step = WATCHED.pop()
        try:
            action()
        finally:
            WATCHED.append(step)

    WATCHED.append(once)
    try:
        yield
    finally:
        WATCHED.clear()


@contextlib.contextmanager
def ordinary_user():
    """A superuser may do everything, and becomes nobody for a while in a folder that nobody may read."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o755)
        inner = Path(name) / "own"
        inner.mkdir()
        if os.geteuid():
            yield inner
            return
        os.chown(inner, 65534, 65534)
        os.seteuid(65534)
        try:
            yield inner
        finally:
            os.seteuid(0)


@contextlib.contextmanager
def umask(value):
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)


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


def test_a_umask_that_forbids_everything_is_one_sentence_and_leaves_nothing(old):
    with ordinary_user() as place:
        with umask(0o777), pytest.raises(OSError, match=r"cannot be written \(Permission denied\)"):
            old.save(place / "out")
        assert names(place) == []
        old.save(place / "out")
        with umask(0o400), pytest.raises(OSError, match=r"cannot be written \(Permission denied\)"):
            old.save(place / "new")  # as a folder that may be written and not be listed
        assert names(place) == ["out"]


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
