"""A long run that is killed continues where it was, bit for bit; a checkpoint of another run is refused."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import FunctionTransformer

import pacbayes as pb

SAMPLE = pb.datasets.make_known_risk(700, d=4, random_state=0)
SMALL = pb.datasets.make_known_risk(400, d=3, random_state=0)
ARGUMENTS = {"schedule": pb.Every(50), "shuffle": False}
SCRIPT = """
import sys, time, numpy as np, pacbayes as pb
from sklearn.base import BaseEstimator, ClassifierMixin
sample = pb.datasets.make_known_risk(900, d=4, random_state=0)
class Slow(pb.RefittedLogistic):
    def fit(self, X, y):
        time.sleep(float(sys.argv[3]))
        return super().fit(X, y)
options = {"schedule": pb.Every(30), "chains": 2, "random_state": 0, "checkpoint": sys.argv[1] or None}
reference = pb.online_reference(Slow(), sample.X, sample.y, **options)
np.save(sys.argv[2], reference.losses)
"""


def test_killed_in_the_middle_and_resumed_bit_for_bit(tmp_path):
    def run(folder, target, pause, wait=True):
        command = [sys.executable, "-c", SCRIPT, str(folder), str(tmp_path / target), str(pause)]
        process = subprocess.Popen(command)
        return process.wait() if wait else process

    assert run("", "whole.npy", 0.0) == 0
    folder = tmp_path / "checkpoint"
    process = run(folder, "never.npy", 0.15, wait=False)
    deadline = time.monotonic() + 60
    while not list(folder.glob("chain-*.checkpoint")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.7)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "never.npy").exists()
    assert run(folder, "resumed.npy", 0.0) == 0
    np.testing.assert_array_equal(np.load(tmp_path / "resumed.npy"), np.load(tmp_path / "whole.npy"))


def test_checkpoints_of_another_run_or_damaged_ones_are_refused(tmp_path):
    arguments = {"schedule": pb.Every(100), "checkpoint": tmp_path}
    pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, random_state=0, **arguments)
    with pytest.raises(ValueError, match="is of another run"):
        pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, random_state=1, **arguments)
    Path(tmp_path / "chain-0.checkpoint").write_bytes(b"junk")
    with pytest.raises(ValueError, match=r"cannot be read .* Delete it to start anew"):
        pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, random_state=0, **arguments)


def test_checkpoints_see_all_of_the_data_and_of_the_estimator(tmp_path):
    y = np.where(SMALL.y, "yes", "no").astype(object)
    X = np.vstack([SMALL.X] * 5)
    labels = np.concatenate([y] * 5)
    pb.online_reference(GaussianNB(), X, labels, checkpoint=tmp_path, **ARGUMENTS)
    flipped = labels.copy()
    flipped[900:1100] = np.where(flipped[900:1100] == "yes", "no", "yes")
    with pytest.raises(ValueError, match="is of another run"):
        pb.online_reference(GaussianNB(), X, flipped, checkpoint=tmp_path, **ARGUMENTS)
    with pytest.raises(ValueError, match="is of another run"):
        pb.online_reference(GaussianNB(var_smoothing=1.0), X, labels, checkpoint=tmp_path, **ARGUMENTS)
    with pytest.raises(ValueError, match="is of another run"):
        pb.online_reference(GaussianNB(), X, labels, checkpoint=tmp_path, keep=2, **ARGUMENTS)


def test_checkpoints_do_not_depend_on_addresses(tmp_path):
    from sklearn.pipeline import make_pipeline

    for _ in range(2):
        pipeline = make_pipeline(FunctionTransformer(np.abs), GaussianNB())
        pb.online_reference(pipeline, SMALL.X, SMALL.y, checkpoint=tmp_path, **ARGUMENTS)


def test_nothing_but_the_chains_stays_in_the_folder(tmp_path):
    folder = tmp_path / "new" / "folder"
    pb.online_reference(GaussianNB(), SAMPLE.X, SAMPLE.y, schedule=100, chains=2, random_state=0, checkpoint=folder)
    assert sorted(path.name for path in folder.iterdir()) == ["chain-0.checkpoint", "chain-1.checkpoint"]
