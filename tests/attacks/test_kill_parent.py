"""kill -9 of a process that has workers: they end, and write nothing after it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pacbayes as pb

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs fork, SIGKILL and /proc")
# the package under test, wherever a process stands
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(pb.__file__).parents[1]), "OPENBLAS_NUM_THREADS": "1"}
ONLINE = """
import pacbayes as pb
from sklearn.ensemble import RandomForestClassifier
sample = pb.datasets.make_known_risk(4000, d=2, random_state=0)
slow, options = RandomForestClassifier(20, random_state=0), {"chains": 2, "n_jobs": 2, "random_state": 0}
pb.online_reference(slow, sample.X, sample.y, schedule=10, checkpoint="work", **options)
"""
REPRODUCE = """
import time
from pacbayes import reproduction

@reproduction.method("endless", "endless", "baselines", "the first at once, others after a minute", "none")
def compute(split):
    end = time.monotonic() + (60.0 if split.repeat > 9 else 0.0)
    while time.monotonic() < end:
        sum(range(1000))
    return {"value": 0.5, "test": 0.5}

settings = {"datasets": ["haberman"], "methods": ["endless"], "repeats": 20}
reproduction.run(**settings, folder="work", n_jobs=2)
"""


def children(pid):
    """Worker processes of a process; the tracker of semaphores, which ends by itself, has another command line."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += (task / "children").read_text().split()
    return [each for each in found if b"LokyProcess" in Path(f"/proc/{each}/cmdline").read_bytes()]


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition, seconds):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_begun(path):
    """Whether a first result is there: a checkpoint, or cells after the line that says what they are of."""
    try:
        return not path.name.startswith(".") and path.stat().st_size > 900
    except OSError:
        return False


@pytest.mark.parametrize("script", [ONLINE, REPRODUCE], ids=["online_reference", "reproduce"])
def test_workers_end_with_their_parent(tmp_path, script, request):
    """They would go on computing, and writing checkpoints beside the run that was started in their parent's place."""
    if script is REPRODUCE:
        request.getfixturevalue("data_folder")
    process = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, env=ENVIRONMENT)
    workers = []
    try:
        wait_for(lambda: any(map(is_begun, tmp_path.glob("work/*"))), 300)
        workers = children(process.pid)
        assert len(workers) == 2
        process.kill()
        process.wait()
        wait_for(lambda: not any(map(alive, workers)), 10)
        before = {each: each.stat().st_mtime_ns for each in tmp_path.rglob("*")}
        time.sleep(0.7)
        assert before == {each: each.stat().st_mtime_ns for each in tmp_path.rglob("*")}
    finally:
        workers = workers or children(process.pid)
        process.kill()
        process.wait()
        for each in filter(alive, workers):
            os.kill(int(each), signal.SIGKILL)
