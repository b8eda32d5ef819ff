"""kill -9 wherever files change and at random moments: nothing half-written, and resumed byte for byte."""

import hashlib
import inspect
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import pacbayes as pb
from pacbayes.cli.watch import watch

from cli.conftest import small_frame

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs fork, SIGKILL and /proc")
VICTIM = Path(__file__).with_name("victim.py")
# the package under test, wherever a process stands
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(pb.__file__).parents[1]), "OPENBLAS_NUM_THREADS": "1"}
MOMENTS = 20


class Victim:
    def __init__(self, folder):
        self.folder = folder
        small_frame().to_csv(folder / "table.csv", index=False)
        command = [sys.executable, str(VICTIM), str(folder / "table.csv")]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, **pipes)

    def __call__(self, request, **more):
        self.process.stdin.write(json.dumps(request | more) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def whole(self, request, **more):
        answer = self(request, **more)
        assert answer["status"] == 0, answer
        return answer

    def kill(self, request, **where):
        """Run and kill; whether it was in time."""
        status = self(request, **where)["status"]
        assert status in (0, -signal.SIGKILL)
        return status != 0


@pytest.fixture(scope="module")
def victim(tmp_path_factory):
    started = Victim(tmp_path_factory.mktemp("victim"))
    with started.process:
        yield started
        started.process.stdin.close()


@pytest.fixture
def place(tmp_path):
    """A folder in memory where that can be had: there are no disks to wait for, and kills are the same."""
    shared = Path("/dev/shm")
    if not os.access(shared, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=shared) as name:
        yield Path(name)


def content(folder):
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def check_run(folder):
    """A folder is absent, or its files are whole and belong together."""
    if not folder.exists():
        return
    found = content(folder)
    certificate = pb.Certificate.from_json(found["certificate.json"])
    assert certificate.verify()
    model = json.loads(found["model.json"])
    assert model["certificate"] == certificate.digest
    assert found["report.html"].endswith(b"</html>")
    if "file" in model["predictor"]:
        assert hashlib.sha256(found["model.skops"]).hexdigest() == model["predictor"]["sha256"]


def places(answer, request, count):
    """Where to kill: before each of the points, or at random moments of the time that the whole took."""
    rng = random.Random(str(sorted(request)))
    points = [{"kill": point} for point in range(1, answer["points"] + 1)]
    return points + [{"after": rng.uniform(0.0, answer["seconds"])} for _ in range(count)]


def attack_folder(victim, place, request, count, stride=1):
    """Kill while a folder is made (where there is none) or replaced; the next run ends as if nothing had been."""
    out, old = place / "out", place / "kept"
    request |= {"folder": str(place)}
    if request.get("force"):
        victim.whole({"save": "old", "out": str(old), "force": False, "folder": str(place)})
        shutil.copytree(old, out)
    before = content(out)
    answer = victim.whole(request)
    after, killed = content(out), 0
    where = places(answer, request, count)
    for moment in [*where[: answer["points"] : stride], *where[answer["points"] :]]:
        shutil.rmtree(out)
        if request.get("force"):
            shutil.copytree(old, out)
        killed += victim.kill(request, **moment)
        check_run(out)
        assert content(out) in ([before, after] if request.get("force") else [{}, after])
        if not request.get("force") and out.exists():
            shutil.rmtree(out)
        victim.whole(request)
        assert content(out) == after
        assert sorted(each.name for each in place.iterdir()) == (["kept", "out"] if old.exists() else ["out"])
    return killed


@pytest.mark.parametrize("force", [False, True], ids=["new", "force"])
def test_saving_a_run_killed_at_every_point(victim, place, force, record_count):
    request = {"save": "new", "out": str(place / "out"), "force": force}
    killed = attack_folder(victim, place, request, MOMENTS // 4)
    assert killed >= 12
    record_count("kill -9 while a run is saved", killed)


def test_without_an_exchange_the_next_command_mends_what_a_kill_left(victim, place, record_count):
    """There both folders may be out of place for a moment; then the old one comes back, or the new one is there."""
    out, old, killed = place / "out", place / "kept", 0
    request = {"save": "new", "out": str(out), "force": True, "folder": str(place), "no_exchange": True}
    victim.whole(request, save="old", out=str(old))
    shutil.copytree(old, out)
    before, answer = content(old), victim.whole(request)
    after, looked = content(out), 0
    for point in range(1, answer["points"] + 1):
        shutil.rmtree(out)
        shutil.copytree(old, out)
        killed += victim.kill(request, kill=point)
        looked += not out.exists()
        found = victim(request, force=False)  # refused where there is a folder again, and mends it
        assert "is not empty" in found["text"]
        assert content(out) in (before, after)
        assert sorted(each.name for each in place.iterdir()) == ["kept", "out"]
    assert looked == 1
    record_count("kill -9 while a run is saved", killed)


def certify_request(folder, force, victim):
    command = ["certify", str(victim.folder / "table.csv"), "--target", "ill", "--delta", "0.1", "--no-baseline"]
    command += ["--out", str(folder / "out"), *(["--force"] if force else [])]
    return {"command": command, "force": force}


@pytest.mark.parametrize("force", [False, True], ids=["new", "force"])
def test_certify_killed_at_random_moments(victim, place, force, record_count):
    killed = attack_folder(victim, place, certify_request(place, force, victim), MOMENTS // 4, stride=8)
    assert killed >= 5
    record_count("kill -9 of certify", killed)


@pytest.mark.long
@pytest.mark.parametrize("force", [False, True], ids=["new", "force"])
def test_certify_killed_at_every_point(victim, place, force, record_count):
    killed = attack_folder(victim, place, certify_request(place, force, victim), MOMENTS)
    assert killed >= 25
    record_count("kill -9 of certify", killed)


def attack_watch(victim, place, count, stride, options=()):
    losses, out = place / "losses.txt", place / "c.json"
    losses.write_text("0\n0\n1\n0\n" * 6)
    command = ["watch", str(losses), "--every", "5", "--out", str(out), *options]
    request = {"command": command, "folder": str(place)}
    answer = victim.whole(request)
    after, files, killed = out.read_bytes(), sorted(each.name for each in place.iterdir()), 0
    where = places(answer, request, count)
    for moment in [*where[: answer["points"] : stride], *where[answer["points"] :]]:
        for each in place.iterdir():
            if each != losses:
                each.unlink()
        killed += victim.kill(request, **moment)
        if out.exists():
            assert pb.Certificate.from_json(out).verify()
        victim.whole(request)
        assert out.read_bytes() == after
        assert sorted(each.name for each in place.iterdir()) == files
    return killed


def test_watch_killed(victim, place, record_count):
    killed = attack_watch(victim, place, MOMENTS // 4, 3)
    assert killed >= 5
    record_count("kill -9 of watch", killed)


@pytest.mark.skipif("state" not in inspect.signature(watch).parameters, reason="watch keeps no state")
def test_watch_with_a_state_killed(victim, place, record_count):
    """What is counted twice or left out after a restart would show in the certificate."""
    killed = attack_watch(victim, place, MOMENTS // 4, 3, ["--state", str(place / "state.json")])
    assert killed >= 5
    record_count("kill -9 of watch", killed)


def test_watch_with_an_alarm_killed(victim, place, record_count):
    """The alarm, its row and every number of the monitor are those of a run left alone, and the page is whole."""
    outside = place.parent / f"{place.name}-certificate.json"
    pb.certify_predictions([0, 1] * 500, [0, 1] * 465 + [1, 1] * 35).to_json(outside)
    losses, state, page = place / "losses.txt", place / "s.json", place / "page.html"
    losses.write_text("0\n" * 30 + "1\n0\n1\n" * 8)
    command = ["watch", str(losses), "--every", "7", "--certificate", str(outside), "--state", str(state)]
    request = {"command": [*command, "--page", str(page)], "folder": str(place)}
    try:
        answer, killed = victim.whole(request), 0
        after = json.loads(state.read_text())["alarm"]["monitor"]
        assert after["alarm"] is not None
        for moment in places(answer, request, 0)[::3]:
            state.unlink(missing_ok=True)
            killed += victim.kill(request, **moment)
            assert not page.exists() or page.read_text().endswith("</html>")
            victim.whole(request)
            assert json.loads(state.read_text())["alarm"]["monitor"] == after
    finally:
        outside.unlink()
    assert killed >= 5
    record_count("kill -9 of watch", killed)


@pytest.mark.long
def test_watch_killed_at_every_point(victim, place, record_count):
    record_count("kill -9 of watch", attack_watch(victim, place, 2 * MOMENTS, 1))


def attack_resumable(victim, folder, request, check, count, times=2):
    """Kill again and again without starting anew, then let it end; the results are those of a run left alone."""
    answer = victim.whole(request)
    after, killed = content(folder), 0
    for moment in places(answer, request, count):
        shutil.rmtree(folder)
        folder.mkdir()
        for _ in range(times):  # the second finds what the first has left
            killed += victim.kill(request, **moment)
            check(folder)
        victim.whole(request)
        found = content(folder)
        assert found.keys() == after.keys()
        # what a checkpoint says is the same, and its bytes need not be
        assert all(found[name] == after[name] for name in after if not name.startswith("checkpoint/"))
    return killed


def test_online_reference_killed_at_every_point(victim, place, record_count):
    folder = place / "work"
    folder.mkdir()
    request = {"checkpoint": str(folder / "checkpoint"), "out": str(folder / "losses.npy"), "folder": str(folder)}
    killed = attack_resumable(victim, folder, request, lambda _: None, MOMENTS)
    assert killed >= 20
    record_count("kill -9 of online_reference", killed)


def lines_are_whole(folder):
    """Only the last line of the cells may be torn, and every other file is whole or absent."""
    path = folder / "out" / "cells.jsonl"
    for line in path.read_bytes().split(b"\n")[:-1] if path.exists() else ():
        json.loads(line)


@pytest.mark.usefixtures("data_folder")
def test_cells_killed_at_every_point(victim, place, record_count):
    folder = place / "work"
    folder.mkdir()
    request = {"cells": str(folder / "out"), "folder": str(folder)}
    killed = attack_resumable(victim, folder, request, lines_are_whole, MOMENTS // 2)
    record_count("kill -9 of reproduce", killed)


@pytest.mark.long
@pytest.mark.usefixtures("data_folder")
def test_reproduce_killed_at_every_point(victim, place, record_count):
    folder = place / "work"
    folder.mkdir()
    methods = ["--methods", "published-maurer,corrected-maurer,certificate,holdout"]  # which write as all of them do
    options = ["--datasets", "haberman", "--repeats", "2", "--jobs", "1", "--resume", *methods]
    request = {"command": ["reproduce", *options, "--out", str(folder / "out")], "folder": str(folder)}
    victim.whole({"command": ["reproduce", *options, "--out", str(place / "other")]}, rehearse=True)
    killed = attack_resumable(victim, folder, request, lines_are_whole, MOMENTS, times=1)
    assert killed >= 40
    record_count("kill -9 of reproduce", killed)
