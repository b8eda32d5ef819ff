"""What tests of written folders share: a look at a folder at every step, an ordinary user, a umask."""

import contextlib
import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path


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
